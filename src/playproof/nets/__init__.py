"""Networks: what they are, how they are kept, and how they judge positions."""

__all__ = [
    "evaluators",
    "families",
    "files",
    "forward",
    "kinds",
    "mlp",
    "resnet",
    "run_nets",
    "shipped",
    "torch_modules",
]
