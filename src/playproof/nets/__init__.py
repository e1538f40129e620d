"""Networks: their architectures, files, forward passes and evaluators, and those that are shipped.

``mlp`` and ``resnet`` define sizes and parameters, and ``architectures`` treats both alike.
``files`` reads and writes networks, ``shipped`` and ``run_nets`` find them by name, and
``families`` says which games they cover. ``forward`` computes, ``evaluators`` serve searches, and
``torch_modules`` serve training. Agents, learning, commands and the lab use them.
"""

__all__ = [
    "architectures",
    "evaluators",
    "files",
    "forward",
    "game_families",
    "mlp",
    "resnet",
    "run_nets",
    "shipped",
    "torch_modules",
]
