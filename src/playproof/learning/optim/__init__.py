"""The optimiser and the dense layers that compiled updates share."""

__all__ = ["adam", "layers", "trunk"]
