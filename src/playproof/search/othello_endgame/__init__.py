"""Exact solving of Othello endings.

Callers use ``solver``. The other modules are its compiled parts, of which ``kernels`` is listed so
that it can be compiled ahead of time.
"""

__all__ = ["kernels", "solver"]
