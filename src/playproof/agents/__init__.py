"""Everything that can choose a move, by spec string: ``random``, ``greedy``, ``human``."""

__all__ = [
    "analysis",
    "base",
    "engines",
    "exact",
    "identity",
    "limits",
    "net",
    "registry",
]
