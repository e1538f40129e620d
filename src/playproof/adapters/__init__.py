"""Servers and bridges: Playproof through other houses' protocols."""
