"""Othello played backwards, to decide whether a position is reachable.

``search`` walks from a position towards the start and meets the positions that ``forward`` has
enumerated.
"""

__all__ = ["canonical", "depth_first_kernels", "forward", "path", "search"]
