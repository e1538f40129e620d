"""The Quantum Go classroom: lessons on a position, the guided tour, and the CHSH experiment."""

__all__: list[str] = []
