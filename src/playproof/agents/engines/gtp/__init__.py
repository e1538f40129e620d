"""The client of a GTP engine, such as GNU Go.  ``adapters/gtp`` serves our own agents."""

__all__ = ["agent"]
