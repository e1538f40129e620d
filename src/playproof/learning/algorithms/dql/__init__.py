"""Deep Q-learning (Mnih et al., 2015) by self-play.

Read ``learner`` first; ``replay`` plays games and stores their decisions, ``kernels`` is the
compiled update.
"""

__all__ = ["registration"]
