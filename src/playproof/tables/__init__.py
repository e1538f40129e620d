"""Exact values of whole games, by working backwards from their ends."""
