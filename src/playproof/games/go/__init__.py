"""Go with area scoring and positional superko.

``game`` is the class that the registry makes, ``text`` reads and writes points and boards.
``kernels`` is imported on first use, because importing it compiles; ``rows`` is the compiled code
that Go shares with Quantum Go. The rules are in ``rules/go.py``.
"""

__all__ = ["game", "kernels", "rows", "text"]
