"""The rules of chess, as pure functions over bitboards.

``board`` is a position seen from the side to move; ``list_moves`` and ``count_moves`` find the
legal moves, ``make_move`` plays one. The kernels of ``games/chess`` compile these functions.
"""

__all__ = [
    "attacks",
    "board",
    "castling_en_passant",
    "count_moves",
    "draws",
    "list_moves",
    "lookup_tables",
    "make_move",
]
