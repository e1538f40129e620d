"""Long commands that the page starts, and all others, in one list."""

__all__ = ["index", "routes", "runner"]
