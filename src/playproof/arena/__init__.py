"""Matches and tournaments between agents, and what their results say about strength."""
