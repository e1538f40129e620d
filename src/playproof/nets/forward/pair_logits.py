"""The logits of legal actions from the planes of ``nets.resnet.PairPlanes``, compiled.

Only the legal actions are computed, each as a sum in a fixed order.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from numba import float32, int64, prange, types, void

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, FLOATS, LIST

_PLANES = types.Array(float32, 3, "C")
_STEP, _JUMP, _SECOND, _Q = 1, 5, 9, 10  # the first plane of each kind


@kernel(void(_PLANES, int64, COUNTS, LIST, FLOATS), parallel=True)
def pair_logits(planes, rank, offsets, actions, out):
    """Write the logit of each legal action; ``planes`` is (rows, 10 + 5 rank, squares)."""
    squares = planes.shape[2]
    for row in prange(planes.shape[0]):
        for i in range(offsets[row], offsets[row + 1]):
            action = int64(actions[i])
            if action < squares:
                out[i] = planes[row, 0, action]
            elif action < 5 * squares:
                square, direction = divmod(action - squares, 4)
                out[i] = planes[row, _STEP + direction, square]
            else:
                start, second = divmod(action - 5 * squares, squares)
                square, direction = divmod(start, 4)
                logit = planes[row, _JUMP + direction, square] + planes[row, _SECOND, second]
                for r in range(rank):
                    q = planes[row, _Q + 4 * r + direction, square]
                    logit += q * planes[row, _Q + 4 * rank + r, second]
                out[i] = logit
