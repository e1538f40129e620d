"""The Tournaments page: tables and games of what the arena has played, and starting tournaments.

It reads the arena's games databases directly, without changing them.  ``ids`` numbers tournaments
across several files; the command line uses it too.
"""

__all__ = ["ids"]
