"""Analysis of one position: an agent's best moves, and what its values mean in words.

``position`` is ``playproof.analyse``; the command line and the lab use ``value_text``.
"""

__all__ = ["among_moves", "position", "value_text"]
