"""ChokoZero's experiments, run again: training, Table 1, Figures 1 to 3, the statements about
them, and the claims of section 4.3.  The command ``paper chokozero`` calls these modules, one for
each part."""

__all__ = [
    "claims",
    "costs",
    "curves",
    "empty_board",
    "games",
    "letter",
    "openings",
    "players",
    "seeds",
    "statements",
    "times",
    "train",
    "trends",
]
