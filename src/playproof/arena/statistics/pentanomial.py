"""The pentanomial likelihood of a mean score, from the results of pairs of games.

A pair is two games from one opening with sides swapped.  Its games share the opening and are not
independent, but pairs are.  So a match is a multinomial sample over the five scores of a pair, and
nothing is assumed about draws.

The most likely multinomial with a given mean is the observed one tilted by a multiplier ``v``:
``p_i ~ n_i / (1 - a_i + a_i e^v)`` (empirical likelihood; Owen, 1988).  Van den Bergh uses the same
fit in his sequential test.  Every score carries a grain of weight, so that results which have not
occurred remain possible: a match without variance is no certainty.

Everything is vectorised: ``counts`` has shape ``(..., 5)``, results have shape ``(...)``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

PAIR_SCORES: Floats = np.array([0.0, 0.25, 0.5, 0.75, 1.0])  # per game: half the pair's points
# The weight added to every score, in pairs.  It is the same for all five, so that a better result
# never makes strength less likely.
GRAIN = 1e-3
_REACH = 80.0  # no multiplier is larger, since e^80 grains outweigh any match
_HALVINGS = 50  # after which the multiplier is known to 1e-13
_CLOSE, _FLAT = 1e-10, 1e-300  # the loss is flat at its minimum, so this precision is ample


def _tilted(weights: Floats, tilt: Floats) -> tuple[Floats, Floats]:
    """(mean score, log-likelihood lost against the untilted fit); the mean falls with ``tilt``."""
    thinning = (1.0 - PAIR_SCORES) + PAIR_SCORES * np.exp(tilt)[..., None]
    total = weights.sum(-1)
    kept = weights / thinning
    mass = kept.sum(-1)
    lost = (weights * np.log(thinning)).sum(-1) + total * np.log(mass / total)
    return kept @ PAIR_SCORES / mass, np.maximum(lost, 0.0)


def likelihood_lost(counts: npt.ArrayLike, score: npt.ArrayLike) -> Floats:
    """The log-likelihood, in nats, that is lost if the mean score is ``score`` (0..1)."""
    weights = np.asarray(counts, dtype=np.float64) + GRAIN
    target = np.asarray(score, dtype=np.float64)
    shape = np.broadcast_shapes(weights.shape[:-1], target.shape)
    low, high = np.full(shape, -_REACH), np.full(shape, _REACH)
    tilt = np.zeros(shape)
    # Newton steps inside a bracket: this must be fast, since matches are tested after every pair.
    for _ in range(_HALVINGS):
        grown = PAIR_SCORES * np.exp(tilt)[..., None]
        thinning = (1.0 - PAIR_SCORES) + grown
        kept = weights / thinning
        kept /= kept.sum(-1, keepdims=True)
        share = grown / thinning
        mean = kept @ PAIR_SCORES
        slope = (kept * share) @ PAIR_SCORES - mean * (kept * share).sum(-1)
        above = mean > target
        low, high = np.where(above, tilt, low), np.where(above, high, tilt)
        step = (mean - target) / np.maximum(slope, _FLAT)
        next_ = tilt + step
        next_ = np.where((low <= next_) & (next_ <= high), next_, (low + high) / 2)
        done = np.abs(next_ - tilt).max(initial=0.0) < _CLOSE
        tilt = next_
        if done:
            break
    return _tilted(weights, tilt)[1]


def likelihood_interval(counts: npt.ArrayLike, allowed: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The lowest and highest mean score that lose at most ``allowed`` nats of likelihood."""
    weights = (np.asarray(counts, dtype=np.float64) + GRAIN)[..., None, :]
    limit = np.asarray(allowed, dtype=np.float64)[..., None]
    sides = np.array([1.0, -1.0])  # tilted down, tilted up
    shape = np.broadcast_shapes(weights.shape[:-1], limit.shape, sides.shape)
    low, high = np.zeros(shape), np.full(shape, _REACH)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = _tilted(weights, middle * sides)[1] <= limit
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    ends = _tilted(weights, (low + high) / 2 * sides)[0]
    return ends[..., 0], ends[..., 1]
