"""Chess.

``game`` is the class that the registry makes; ``kernels`` is imported on first use, because
importing it compiles. The rules are in ``rules/chess``.
"""

__all__ = ["evaluation", "fen", "game", "kernels", "move_names", "rows"]
