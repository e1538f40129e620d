"""Exact decisions: from tables of solved positions, and from Othello's endgame solver.

``tables`` declares the option ``tables=`` and opens the folder that it names, for the agents that
search and for ``perfect``.
"""

__all__ = ["othello_endgame", "tables"]
