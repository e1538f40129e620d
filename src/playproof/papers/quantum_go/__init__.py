"""Ranchin (2016) on Quantum Go, checked: its examples, its formula and its open question."""

__all__ = ["boards", "example1", "komi", "paper"]
