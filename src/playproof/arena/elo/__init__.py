"""The rating of an agent, from games against an engine at known levels.

``run`` plays them, ``rating`` fits the number, ``picture`` draws it.
"""

__all__ = ["picture", "rating", "run"]
