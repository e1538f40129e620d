"""The options and output of ``playproof paper``, one module or more per paper."""

__all__ = ["chokozero", "othello33", "rl_chess"]
