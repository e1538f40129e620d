"""Quantum Go (Ranchin, 2016) and its variants.

``game`` is the class that the registry makes. ``kernels`` is imported on first use, because
importing it compiles; ``turn``, ``legal``, ``turn_end`` and ``born`` are its parts. ``state`` is
the quantum state behind a board.
"""

__all__ = ["born", "game", "rows", "state", "view"]
