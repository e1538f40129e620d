"""The command line: one module per command, assembled in ``main.py``.  No other layer imports it.

Exit codes: 0 done, 1 something failed, 2 a wrong name or argument, 3 broken
data, 4 an illegal move, 130 stopped by Ctrl-C.
"""

__all__ = ["main"]
