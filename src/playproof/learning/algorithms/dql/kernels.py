"""The update of deep Q-learning (Mnih et al., 2015), compiled.

A network gives a value to every action.  For a stored decision the target of the chosen action's
value is

    y = rewards up to the player's n-th next decision + g^n max Q'(there, a)

with the maximum over the *legal* actions there, and Q' a frozen copy of the network.  Only the
value of the chosen action has a gradient.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import float32, float64, int64, types, void
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, PROBABILITIES
from playproof.learning.optim.adam import adam_step
from playproof.learning.optim.layers import close, row_backward, row_forward
from playproof.learning.optim.trunk import head_at, matrix, trunk_backward, trunk_forward

# Indices in the vector of settings
DISCOUNT, RATE, BETA1, BETA2, EPSILON, NORM = range(6)
# Indices in the vector of statistics: means over samples, and the gradient's norm
LOSS, VALUE, GOAL, GRADIENT_NORM = range(4)


@register_jitable
def _gather(table, picked, scratch):
    """Copy the inputs of the picked samples to the start of the scratch space."""
    width = table.shape[1]
    for s in range(len(picked)):
        scratch[s * width : (s + 1) * width] = table[picked[s]]


@register_jitable
def _goals(
    target, widths, actions, rewards, later, counts, legal, picked, discount, scratch, goals
):  # fmt: skip
    """Write the target values of the picked decisions to ``goals``."""
    n, width = len(picked), widths[-1]
    turned = scratch[n * (widths.sum() + 2 * widths.max()) :]
    _gather(later, picked, scratch)
    place, at = trunk_forward(target, widths, n, scratch, turned)
    top = matrix(scratch, place, n, width)
    head, biases = head_at(target, at, actions, width)
    for s in range(n):
        sample = picked[s]
        goals[s] = rewards[sample]
        if counts[sample] > 0:
            best = goals.dtype.type(-np.inf)
            for j in range(counts[sample]):
                action = legal[sample, j]
                best = max(best, row_forward(top, s, head, action) + biases[action])
            goals[s] += goals.dtype.type(discount) * best


def _signature(kind):
    vector, rows = types.Array(kind, 1, "C"), types.Array(kind, 2, "C")
    return void(
        vector, COUNTS, int64, rows, COUNTS, COUNTS, vector, vector, vector, PROBABILITIES
    )  # fmt: skip


@kernel([_signature(float32), _signature(float64)])
def gradient_of(
    parameters, widths, actions, observations, chosen, picked, goals, scratch, gradient, statistics
):  # fmt: skip
    """Compute the gradient of the smooth L1 loss of a minibatch, and its statistics.

    observations  (samples, inputs)
    chosen        (samples,) actions
    picked        (n,) the samples of the minibatch
    goals         (n,) their target values
    gradient      (parameters,) output
    statistics    (4,) output
    """
    n, width = len(picked), widths[-1]
    wide, end = n * widths.max(), n * widths.sum()
    deltas, spare = scratch[end : end + wide], scratch[end + wide : end + 2 * wide]
    turned = scratch[end + 2 * wide :]
    _gather(observations, picked, scratch)
    place, at = trunk_forward(parameters, widths, n, scratch, turned)
    top, below = matrix(scratch, place, n, width), matrix(deltas, 0, n, width)
    kind = gradient.dtype.type
    below[:, :] = kind(0)
    gradient[at:] = kind(0)
    statistics[:] = 0.0
    head, biases = head_at(parameters, at, actions, width)
    head_gradient, bias_gradient = head_at(gradient, at, actions, width)
    for s in range(n):
        action = chosen[picked[s]]
        value = row_forward(top, s, head, action) + biases[action]
        miss = value - goals[s]
        far = abs(miss)
        statistics[LOSS] += 0.5 * miss * miss if far < kind(1) else far - 0.5
        statistics[VALUE] += value
        statistics[GOAL] += goals[s]
        slope = min(max(miss, kind(-1)), kind(1)) / kind(n)
        row_backward(slope, top, s, head, action, head_gradient, below)
        bias_gradient[action] += slope
    statistics[:] /= n
    close(top, below)
    trunk_backward(parameters, widths, n, scratch, turned, deltas, spare, gradient, place, at)


_VECTOR = types.Array(float32, 1, "C")
_ROWS = types.Array(float32, 2, "C")
_LISTS = types.Array(types.int32, 2, "C")


_UPDATES = int64(
    _VECTOR, _VECTOR, _VECTOR, _VECTOR, COUNTS, COUNTS, int64, _ROWS, COUNTS, _VECTOR, _ROWS,
    COUNTS, _LISTS, COUNTS, int64, int64, PROBABILITIES, _VECTOR, _VECTOR, _VECTOR,
    PROBABILITIES, PROBABILITIES,
)  # fmt: skip


@kernel(_UPDATES)
def updates(
    parameters, target, first, second, steps, widths, actions, observations, chosen, rewards,
    later, counts, legal, order, size, sync, settings, scratch, gradient, goals,
    batch_statistics, statistics,
):  # fmt: skip
    """Take a step of Adam for each minibatch of ``size`` samples along ``order``.

    rewards  (samples,) rewards up to the n-th next decision
    later    (samples, inputs) the observation there
    counts   (samples,) the number of legal actions there; 0 where the game was over before
    legal    (samples, width) those actions
    sync     steps after which ``target``, the frozen copy, is updated

    Returns the number of steps taken.  It stops before the first step whose gradient is not
    finite, and changes nothing by it.
    """
    statistics[:] = 0.0
    betas = (settings[BETA1], settings[BETA2])
    done = 0
    for at in range(0, len(order), size):
        picked = order[at : min(at + size, len(order))]
        _goals(
            target, widths, actions, rewards, later, counts, legal, picked, settings[DISCOUNT],
            scratch, goals,
        )  # fmt: skip
        gradient_of(
            parameters, widths, actions, observations, chosen, picked, goals[: len(picked)],
            scratch, gradient, batch_statistics,
        )  # fmt: skip
        norm = adam_step(
            parameters, gradient, first, second, steps, settings[RATE], betas,
            settings[EPSILON], settings[NORM],
        )  # fmt: skip
        if not np.isfinite(norm):
            break
        if steps[0] % sync == 0:
            target[:] = parameters
        batch_statistics[GRADIENT_NORM] = norm
        statistics += batch_statistics
        done += 1
    statistics /= max(done, 1)
    return done
