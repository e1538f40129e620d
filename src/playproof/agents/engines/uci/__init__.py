"""The client of a UCI engine, such as Stockfish.  ``adapters/uci`` serves our own agents."""

__all__ = ["agent", "client", "rated"]
