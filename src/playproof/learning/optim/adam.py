"""Adam (Kingma and Ba, 2015) over one vector, with clipping of the gradient's norm.

It does what PyTorch's ``clip_grad_norm_`` and ``Adam`` do, in one pass over the parameters.  The
pass is dense, so the moments of parameters with a gradient of 0 decay as well.
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

_CHUNK = 1024  # squares summed in single precision before they are added in double
# Moments that keep decaying become subnormal, and many processors handle subnormal numbers a
# hundred times slower.  Below this bound they are set to 0: compared with epsilon they are nothing.
_TINY = 1e-30
EPSILON_OF_CLIP = 1e-6  # PyTorch adds it to the norm


@dataclass
class Moments:
    """The state of Adam: running means of the gradient and of its square."""

    first: npt.NDArray[np.floating]
    second: npt.NDArray[np.floating]
    steps: npt.NDArray[np.int64]  # (1,) steps taken

    @classmethod
    def start(cls, parameters: npt.NDArray[np.floating]) -> Moments:
        return cls(np.zeros_like(parameters), np.zeros_like(parameters), np.zeros(1, np.int64))


@register_jitable
def norm_of(vector):
    """The Euclidean norm, with the sums of chunks added in double precision."""
    total = 0.0
    for at in range(0, len(vector), _CHUNK):
        part = vector[at : min(at + _CHUNK, len(vector))]
        total += float(dot(part, part))
    return np.sqrt(total)


@register_jitable(fastmath={"contract"})
def _move(parameters, gradient, first, second, scale, shares, square_shares, rate, root, epsilon):
    tiny, zero = parameters.dtype.type(_TINY), parameters.dtype.type(0)
    beta1, rest1 = shares
    beta2, rest2 = square_shares
    for k in range(len(parameters)):
        g = gradient[k] * scale
        m = beta1 * first[k] + rest1 * g
        v = beta2 * second[k] + rest2 * (g * g)
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
    """Take a step of Adam with the gradient's norm clipped to ``limit``; the norm before that.

    A gradient that is not finite changes nothing.
    """
    norm = norm_of(gradient)
    if not np.isfinite(norm):
        return norm
    kind, (beta1, beta2) = parameters.dtype.type, betas
    steps[0] += 1
    scale = min(1.0, limit / (norm + EPSILON_OF_CLIP))
    # Subtract from 1 in double precision: in single it would be off by 1e-5.
    _move(
        parameters, gradient, first, second, kind(scale), (kind(beta1), kind(1.0 - beta1)),
        (kind(beta2), kind(1.0 - beta2)), kind(rate / (1.0 - beta1 ** steps[0])),
        kind(1.0 / np.sqrt(1.0 - beta2 ** steps[0])), kind(epsilon),
    )  # fmt: skip
    return norm
