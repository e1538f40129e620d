"""The built-in algorithms, one package each.

In every package ``algorithm`` declares the algorithm with its settings, metrics and presets, and
``learner`` is the training loop.  CONTRIBUTING.md explains how to add one.
"""

__all__ = ["alphazero", "distillation", "dql", "imitation", "ppo"]
