"""Search over any game: alpha-beta, Monte Carlo tree search, policy-guided search and solvers.

A search takes a game's compiled kernels and never its class, so every game that is registered can
be searched. Agents, learning, papers and the lab call these modules; only the Othello endgame
solver and ``solve`` know particular games.
"""

__all__ = [
    "alphabeta",
    "evaluators",
    "full_width",
    "mcts",
    "one_ply",
    "othello_endgame",
    "policy_guided",
    "small_board_margins",
    "solve",
]
