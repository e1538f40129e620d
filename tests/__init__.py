"""Playproof's tests: folders mirror ``src/playproof``, what tests share is in ``support``."""
