"""Othello on boards of any even size up to 8x8.

``game`` is the class that the registry makes; ``kernels`` is imported on first use, because
importing it compiles. The rules are in ``rules/othello.py``.
"""

__all__ = ["game", "kernels"]
