"""Go with area scoring and positional superko.

``game`` is the class that the registry makes; ``kernels`` is imported on first use, because
importing it compiles. The rules are in ``rules/go.py``.
"""

__all__ = ["game", "kernels", "rows", "text"]
