"""Statements about Othello: mobility, reachability, and equivalence with the paper's functions.

``pipeline`` settles reachability in three steps.  ``census`` and ``retrograde`` decide which
positions can be reached, ``positions`` is the base of statements of one's own, and
``unrolled_game`` encodes whole games, as the paper does.  ``passes`` bounds how many plies such a
game needs.
"""

__all__ = [
    "boards",
    "census",
    "constructible",
    "equivalence",
    "last_placements",
    "mobility",
    "passes",
    "pipeline",
    "play",
    "positions",
    "reachability",
    "reachable_models",
    "retrograde",
    "takizawa_functions",
    "unrolled_game",
]
