"""The Truth page."""
