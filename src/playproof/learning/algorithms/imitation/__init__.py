"""Imitation: a residual network learns from games or from an engine's labels.

Read ``learner`` first; ``minibatches`` feeds it, ``held_out`` measures it.
"""

__all__ = ["algorithm", "held_out"]
