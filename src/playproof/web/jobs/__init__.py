"""Jobs: the long commands that pages start, in one list with those of the command line."""

__all__ = ["index", "routes", "runner"]
