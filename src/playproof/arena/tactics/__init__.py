"""Tactical tests in Choko: positions with exact answers, by family of tactic.

``positions`` has the shipped set and ``measure`` tests an agent with it; ``make`` builds a set from
tables of solved positions.
"""

__all__ = ["effects", "families", "make", "measure", "paper_positions", "positions"]
