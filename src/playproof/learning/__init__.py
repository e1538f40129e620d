"""Learning: training networks for games, by self-play, from rewards or by imitation.

``algorithm``, ``learner``, ``settings`` and ``metrics`` are what an algorithm declares and
implements; ``registry`` and ``presets`` find one by name, ``runs`` keeps a training run in a
folder, ``net_curve`` measures its nets, and ``training`` is :func:`playproof.train`.  Papers, the
lab and commands use this package; packages below it must not.
"""

__all__ = [
    "algorithm",
    "algorithms",
    "columns",
    "datasets",
    "learner",
    "net_curve",
    "presets",
    "registry",
    "rewards",
    "runs",
    "setting",
    "settings",
    "training",
]
