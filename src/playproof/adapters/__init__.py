"""Servers and bridges: Playproof through other houses' protocols."""

__all__ = ["gtp", "uci"]
