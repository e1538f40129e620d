"""One module a paper: its claims, run again, with the paper's figures beside ours."""

__all__ = [
    "choko_solved",
    "chokozero",
    "claims",
    "othello33",
    "othello33_solvers",
    "pages",
    "quantum_go",
    "rl_chess",
]
