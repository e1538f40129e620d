"""Choko, solved: what a full solve says about the game and about ChokoZero's claims.

``truth`` and ``values`` read the shipped data, ``report`` summarizes it, and ``make`` produces it
from the tables.  The command ``paper chokozero``, the tables and the lab use them.
"""

__all__ = ["make", "report", "sample_games", "truth", "values"]
