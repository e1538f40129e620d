"""The Proofs page."""

__all__: list[str] = []
