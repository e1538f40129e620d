"""Adam and dense layers in compiled code, shared by the updates of PPO and deep Q-learning."""

__all__ = ["adam", "layers", "trunk"]
