"""Dirichlet noise in the priors of a root (Silver et al., 2017).

The noise makes self-play also try moves to which the policy gives a small probability.
In this module a parameter ``word`` seeds the random numbers: see ``core.bits``.
"""

from __future__ import annotations

import numpy as np
from numba import float32, int64, uint64

from playproof.core.bits import advance, mix
from playproof.core.compiling import jitable
from playproof.search.mcts.forest import Forest


@jitable
def _uniform(word: int) -> float:
    """A uniform sample from the open interval (0, 1)."""
    return (float(int64(mix(word) >> uint64(11))) + 0.5) * 2.0**-53


@jitable
def _gamma(alpha: float, word: int) -> float:
    """A sample of the gamma distribution with shape ``alpha`` and scale 1.

    ``d``, ``c`` and ``v`` are as in Marsaglia and Tsang (2000).
    """
    boost = 1.0
    if alpha < 1.0:  # their method needs 1 or more: Gamma(a) is Gamma(a + 1) * U^(1 / a)
        word = advance(word)
        boost = _uniform(word) ** (1.0 / alpha)
        alpha += 1.0
    d = alpha - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    while True:
        word = advance(word)  # a normal sample by Box and Muller (1958)
        radius = np.sqrt(-2.0 * np.log(_uniform(word)))
        word = advance(word)
        normal = radius * np.cos(2.0 * np.pi * _uniform(word))
        word = advance(word)
        v = (1.0 + c * normal) ** 3
        if v > 0.0:
            accept = 0.5 * normal * normal + d * (1.0 - v + np.log(v))
            if np.log(_uniform(word)) < accept:
                return float(boost * d * v)


@jitable
def mix_noise(forest: Forest, tree: int, word: int, share: float, alpha: float) -> None:
    """Mix noise into the root priors of one tree of the forest, in place.

    Each prior P(a) becomes (1 - share) P(a) + share eta(a), with eta drawn from Dir(alpha).
    """
    start, n = forest.first_edge[tree, 0], forest.degree[tree, 0]
    noise = np.empty(n, np.float64)
    total = 0.0
    for i in range(n):
        # A small alpha can make every sample 0, and the total must not be.
        noise[i] = max(_gamma(alpha, mix(word + uint64(i))), 1e-30)
        total += noise[i]
    for i in range(n):
        prior = (1.0 - share) * forest.priors[tree, start + i] + share * noise[i] / total
        forest.priors[tree, start + i] = float32(prior)
