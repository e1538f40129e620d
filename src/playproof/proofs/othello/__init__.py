"""Statements about Othello: mobility, reachability, and equivalence with the paper's functions.

``pipeline`` settles reachability in three steps.  ``census`` and ``retrograde`` decide which
positions can be reached, and ``unrolled`` encodes whole games, as the paper does.
``passes`` bounds how many plies such a game needs.
"""

__all__ = [
    "boards",
    "census",
    "census_candidates",
    "constructible",
    "equivalence",
    "last_placements",
    "mobility",
    "passes",
    "pipeline",
    "play",
    "reachability",
    "retrograde",
    "takizawa_functions",
    "unrolled_game",
]
