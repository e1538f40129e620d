"""The algorithms that train networks, a package each.

In every package ``algorithm`` registers the algorithm with its settings, metrics and presets, and
``learner`` is the training loop. To add one, see docs/extending.md.
"""

__all__ = ["alphazero", "dql", "imitation", "ppo"]
