"""Choko, solved: what a full solve says about the game and about ChokoZero's claims.

``truth`` and ``values`` read the shipped data, ``report`` puts it into sentences, ``make`` produces
it from tables.
"""

__all__ = ["make", "report", "sample_games", "truth", "values"]
