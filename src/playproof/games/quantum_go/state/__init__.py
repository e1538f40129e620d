"""The quantum state behind a board of Quantum Go, in plain Python.

``quantum_state`` builds it from ``groups``, and ``ket`` writes it as a formula. ``chains`` and
``fate`` list what a turn can do to a chain, and ``bell`` evaluates the CHSH inequality.
"""

__all__ = ["bell", "chains", "fate", "groups", "ket", "quantum_state"]
