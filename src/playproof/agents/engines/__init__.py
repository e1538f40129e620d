"""Agents that are programs of others: UCI engines for chess, GTP engines for Go.

``process`` starts such a program and ends it with us.
"""

__all__ = ["gtp", "process", "uci"]
