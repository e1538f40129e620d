"""The server's part of each page, a package a page: ``routes`` answers requests, the other modules
do the work."""

__all__ = ["home", "tournaments"]
