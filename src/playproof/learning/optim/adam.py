"""Adam (Kingma and Ba, 2015) over one vector, with the clip of the gradient's norm.

Both are what PyTorch's ``clip_grad_norm_`` and ``Adam`` do, in one pass over the
parameters; the pass is dense, so that the moments of parameters without a
gradient decay just the same.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numba import float32, float64, int64, types
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.learning.optim.layers import dot

_CHUNK = 1024  # numbers whose squares are summed before the sum is widened
# Moments that decay for long become subnormal, which many processors handle a
# hundred times slower.  Below this they are 0: beside epsilon they never counted.
_TINY = 1e-30
EPSILON_OF_CLIP = 1e-6  # PyTorch adds it to the norm


@dataclass
class Moments:
    """What Adam remembers: running means of the gradient and of its square."""

    first: npt.NDArray[np.floating]
    second: npt.NDArray[np.floating]
    steps: npt.NDArray[np.int64]  # (1,) steps taken

    @classmethod
    def start(cls, parameters: npt.NDArray[np.floating]) -> Moments:
        return cls(np.zeros_like(parameters), np.zeros_like(parameters), np.zeros(1, np.int64))


@register_jitable
def norm_of(vector):
    """The Euclidean norm, in double precision where many terms meet."""
    total = 0.0
    for at in range(0, len(vector), _CHUNK):
        part = vector[at : min(at + _CHUNK, len(vector))]
        total += float(dot(part, part))
    return np.sqrt(total)


@register_jitable(fastmath={"contract"})
def _move(parameters, gradient, first, second, scale, shares, square_shares, rate, root, epsilon):
    tiny, zero = parameters.dtype.type(_TINY), parameters.dtype.type(0)
    keep, new = shares
    keep_square, new_square = square_shares
    for k in range(len(parameters)):
        g = gradient[k] * scale
        m = keep * first[k] + new * g
        v = keep_square * second[k] + new_square * (g * g)
        m = m if abs(m) > tiny else zero
        v = v if v > tiny else zero
        first[k] = m
        second[k] = v
        parameters[k] -= rate * m / (np.sqrt(v) * root + epsilon)


def _signature(kind):
    vector = types.Array(kind, 1, "C")
    pair = types.UniTuple(float64, 2)
    steps = types.Array(int64, 1, "C")
    return float64(vector, vector, vector, vector, steps, float64, pair, float64, float64)


@kernel([_signature(float32), _signature(float64)])
def adam_step(parameters, gradient, first, second, steps, rate, betas, epsilon, limit):
    """One step of Adam along a gradient whose norm is cut to ``limit``; gives the norm before.

    A gradient that is not finite changes nothing.
    """
    norm = norm_of(gradient)
    if not np.isfinite(norm):
        return norm
    kind, (keep, keep_square) = parameters.dtype.type, betas
    steps[0] += 1
    scale = min(1.0, limit / (norm + EPSILON_OF_CLIP))
    # What is left of 1 is taken in double precision: in single it would be off by 1e-5.
    _move(
        parameters, gradient, first, second, kind(scale), (kind(keep), kind(1.0 - keep)),
        (kind(keep_square), kind(1.0 - keep_square)), kind(rate / (1.0 - keep ** steps[0])),
        kind(1.0 / np.sqrt(1.0 - keep_square ** steps[0])), kind(epsilon),
    )  # fmt: skip
    return norm
