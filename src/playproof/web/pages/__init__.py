"""The server's side of the pages, one package for each: ``routes`` answers requests, the other
modules do the work. ``server`` imports the routes; no page imports another.
"""

__all__ = ["home", "tournaments"]
