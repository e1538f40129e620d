"""Agents that run other people's engines: UCI engines for chess, GTP engines for Go.

``process`` runs such a program, and makes sure that it ends when Playproof does.
"""

__all__ = ["gtp", "process", "uci"]
