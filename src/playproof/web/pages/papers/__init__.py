"""The Papers page: the papers' claims beside our figures, and running them again."""

__all__: list[str] = []
