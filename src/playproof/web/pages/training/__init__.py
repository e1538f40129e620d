"""The Train page."""

__all__: list[str] = []
