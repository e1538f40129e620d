"""The papers' claims beside our figures."""

__all__: list[str] = []
