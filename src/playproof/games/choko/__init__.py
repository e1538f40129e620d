"""Choko, in both readings of its rules.

``game`` is the class that the registry makes; ``kernels`` is imported on first use, because
importing it compiles. The rules are in ``rules/choko.py``.
"""

__all__ = ["game", "kernels"]
