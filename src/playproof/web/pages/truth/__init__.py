"""The Truth page."""

__all__: list[str] = []
