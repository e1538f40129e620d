"""Statements about Choko: ``mobility`` bounds the number of legal actions, and ``records`` finds
games that reach a witness."""

__all__ = ["mobility", "records"]
