"""The agent ``gtp`` and its client for GTP engines such as GNU Go.

``adapters/gtp`` is the other side: it serves our own agents to Go programs.
"""

__all__ = ["agent"]
