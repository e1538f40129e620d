"""The Tournaments page."""
