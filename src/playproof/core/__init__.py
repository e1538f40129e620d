"""What all games share: Game, State, Batch, the registry, and algorithms for every game.

Kernels of the algorithms (playouts, perft, enumeration) are compiled once and work for all games.
``files``, ``jobs`` and ``parallel`` are what long commands need; ``conformance`` tests games.
Every layer but ``rules`` may use this package.
"""

__all__ = [
    "batch",
    "batch_kernels",
    "bits",
    "compile_ahead",
    "compiling",
    "conformance",
    "enumeration",
    "errors",
    "files",
    "game",
    "jobs",
    "kernels",
    "lazy",
    "memory",
    "parallel",
    "perft",
    "picture_hook",
    "playouts",
    "plugins",
    "registry",
    "spec",
    "state",
    "stopping",
    "time_limit",
    "view",
]
