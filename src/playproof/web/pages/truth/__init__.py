"""The Truth page: Choko solved, endings of Othello, and small boards."""

__all__: list[str] = []
