"""Servers for other programs: our agents as UCI engines for chess, and as GTP engines for Go.

``agents/engines`` is the other side: clients of other people's engines.
"""

__all__ = ["gtp", "uci"]
