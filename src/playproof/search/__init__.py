"""Search over any game, through its kernels: functions are taken, not games."""

__all__ = [
    "alphabeta",
    "evaluators",
    "mcts",
    "one_ply",
    "othello_endgame",
    "policy_guided",
    "small_board_margins",
    "solve",
]
