"""Exact solving of Othello endings.

``solver`` is what others call; the other modules are its compiled parts.
"""

__all__ = ["kernels", "solver"]
