"""Matches and tournaments between agents, and what their results say about strength."""

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
