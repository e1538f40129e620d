"""The Quantum Go classroom."""

__all__: list[str] = []
