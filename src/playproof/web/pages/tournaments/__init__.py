"""The Tournaments page."""

__all__ = ["ids"]
