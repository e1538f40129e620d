"""Othello played backwards, to decide whether a position is reachable.

``search`` goes from a position towards the start until it meets the positions that ``forward``
has enumerated; ``path`` turns the result into a game.
"""

__all__ = [
    "canonical",
    "depth_first_kernels",
    "forward",
    "forward_kernels",
    "kernels",
    "levels",
    "path",
    "search",
]
