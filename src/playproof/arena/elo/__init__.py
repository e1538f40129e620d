"""Elo ratings of agents, from games against an engine at known levels.

``run`` plays the games, ``rating`` fits the rating, and ``picture`` draws the result.
"""

__all__ = ["picture", "rating", "run"]
