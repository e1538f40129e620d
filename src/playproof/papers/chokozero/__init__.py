"""ChokoZero's experiments, run again: training, Table 1, Figures 1 to 3 and the statements about
them.  The command ``paper chokozero`` calls these modules, one for each part."""

__all__ = [
    "costs",
    "curves",
    "empty_board",
    "games",
    "openings",
    "players",
    "seeds",
    "statements",
    "times",
    "train",
    "trends",
]
