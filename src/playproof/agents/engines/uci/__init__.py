"""The agent ``uci`` and its client for UCI engines such as Stockfish.

``adapters/uci`` is the other side: it serves our own agents to chess programs.
"""

__all__ = ["agent", "client", "rated"]
