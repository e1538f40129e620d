"""Matches and tournaments between agents, and what their results say about playing strength.

``tournament`` plays them, ``database`` keeps the games, and ``statistics`` evaluates the results.
``elo`` rates an agent by an engine's levels; ``yardstick`` and ``tactics`` measure agents in solved
positions of Choko.
"""

__all__ = [
    "database",
    "elo",
    "evaluate_positions",
    "game_query",
    "openings",
    "player_process",
    "standings",
    "standings_picture",
    "standings_text",
    "statistics",
    "tactics",
    "tournament",
    "yardstick",
]
