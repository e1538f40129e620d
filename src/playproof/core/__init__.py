"""The frame every game lives in: Game, State, Batch, the registry, and the
algorithms that are compiled once and work for all games."""

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
    "view",
]
