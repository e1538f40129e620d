"""Statements about Choko."""

__all__ = ["mobility"]
