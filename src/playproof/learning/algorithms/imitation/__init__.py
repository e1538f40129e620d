"""Imitation: a residual network learns chess from games or from an engine's labels.

Read ``learner`` first; ``minibatches`` feeds it, ``held_out`` measures the network.
"""

__all__ = ["held_out", "registration"]
