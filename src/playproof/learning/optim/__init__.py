"""Optimisers: Adam and dense layers in compiled code, shared by PPO and deep Q-learning, and
``torch_trainer``, which trains a network in PyTorch.
"""

__all__ = ["adam", "layers", "torch_trainer", "trunk"]
