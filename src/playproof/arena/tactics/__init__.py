"""Tactical tests of Choko with exact answers, by family."""

__all__ = ["families", "make", "measure", "positions"]
