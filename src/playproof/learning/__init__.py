"""Learning: algorithms that make networks play better."""

__all__ = [
    "algorithm",
    "algorithms",
    "columns",
    "datasets",
    "learner",
    "presets",
    "registry",
    "rewards",
    "runs",
    "setting",
    "settings",
    "training",
]
