"""The quantum state behind a board of Quantum Go, in plain Python.

``quantum_state`` builds it, ``ket`` writes it as a formula, ``fate`` lists how a chain's life may
be decided, ``bell`` evaluates the CHSH inequality on it.
"""

__all__ = ["bell", "chains", "groups", "quantum_state"]
