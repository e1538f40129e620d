"""Exact values of whole games, by working backwards from their ends."""

__all__ = ["choko", "small_boards", "syzygy"]
