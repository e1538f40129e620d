"""ChokoZero's experiments, run again: training, Table 1, Figures 1 to 3 and the statements around
them."""

__all__ = [
    "costs",
    "curves",
    "empty_board",
    "games",
    "openings",
    "players",
    "statements",
    "times",
    "train",
    "trends",
]
