"""Everything that can choose a move, by spec string: ``random``, ``greedy``, ``human``."""

__all__ = [
    "analysis",
    "base",
    "engines",
    "identity",
    "limits",
    "net",
    "registry",
    "tables",
    "value_text",
]
