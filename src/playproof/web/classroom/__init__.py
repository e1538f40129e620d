"""The Quantum Go classroom."""
