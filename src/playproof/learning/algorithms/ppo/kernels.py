"""The update of PPO (Schulman et al., 2017), compiled, with logits of legal actions only.

Choko has 2,625 actions, of which about 18 are legal: a dense head and its softmax would be nearly
the whole cost.  Here a sample visits only the rows of its own legal actions, forwards and
backwards; the other rows keep a gradient of 0.

The loss of a minibatch is the mean over its samples of

    - min(r A, clip(r, 1 - e, 1 + e) A) + c1 (v - R)^2 - c2 H

with r the ratio of the chosen action's new probability to its old one, A its
advantage, v the value and R the return, and H the entropy of the policy.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numpy as np
from numba import boolean, float32, float64, int64, types, void
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS, LIST, PROBABILITIES
from playproof.learning.optim.adam import adam_step
from playproof.learning.optim.layers import close, row_backward, row_forward
from playproof.learning.optim.trunk import head_at, matrix, trunk_backward, trunk_forward

# Indices in the vector of settings
CLIP, VALUE_WEIGHT, ENTROPY_WEIGHT, RATE, BETA1, BETA2, EPSILON, NORM = range(8)
# Indices in the vector of statistics: means over samples, and the gradient's norm
POLICY_LOSS, VALUE_LOSS, ENTROPY, CLIPPED, DIVERGENCE, GRADIENT_NORM = range(6)


@register_jitable
def _softmax(logits, probabilities):
    """Write the probabilities of logits; returns the logarithm of the sum of exponentials."""
    most = logits[0]
    for j in range(1, len(logits)):
        most = max(most, logits[j])
    total = logits.dtype.type(0)
    for j in range(len(logits)):
        probabilities[j] = np.exp(logits[j] - most)
        total += probabilities[j]
    share = logits.dtype.type(1) / total
    for j in range(len(logits)):
        probabilities[j] *= share
    return most + np.log(total)


@register_jitable
def _policy(
    head, biases, top, s, legal, chosen, old, advantage, settings, logits, odds, head_gradient,
    bias_gradient, deltas, statistics,
):  # fmt: skip
    """Add the gradients and statistics of sample ``s``'s policy."""
    kind, n = head.dtype.type, top.shape[0]
    for j in range(len(legal)):
        logits[j] = row_forward(top, s, head, legal[j]) + biases[legal[j]]
    log_total = _softmax(logits, odds)
    entropy = kind(0)
    for j in range(len(legal)):
        logits[j] -= log_total
        entropy -= odds[j] * logits[j]
    change = logits[chosen] - old
    ratio, clip, gain = np.exp(change), kind(settings[CLIP]), kind(advantage)
    low, high = kind(1) - clip, kind(1) + clip
    inside = min(max(ratio, low), high)
    statistics[POLICY_LOSS] -= min(ratio * gain, inside * gain)
    statistics[ENTROPY] += entropy
    statistics[CLIPPED] += 1.0 if ratio < low or ratio > high else 0.0
    statistics[DIVERGENCE] += (ratio - kind(1)) - change
    # Where the clipped term is the smaller one, it is constant and has no gradient.
    closed = (gain > kind(0) and ratio > high) or (gain < kind(0) and ratio < low)
    pull = kind(0) if closed else -gain * ratio / kind(n)
    spread = kind(settings[ENTROPY_WEIGHT]) / kind(n)
    for j in range(len(legal)):
        slope = odds[j] * (spread * (logits[j] + entropy) - pull)
        if j == chosen:
            slope += pull
        row_backward(slope, top, s, head, legal[j], head_gradient, deltas)
        bias_gradient[legal[j]] += slope


@register_jitable
def _value(weights, bias, top, s, goal, settings, gradient, bias_gradient, deltas, statistics):
    """Add the gradients and statistics of sample ``s``'s value.

    Its return is ``goal``; ``weights`` is (1, width)."""
    miss = row_forward(top, s, weights, 0) + bias[0] - goal
    statistics[VALUE_LOSS] += miss * miss
    slope = weights.dtype.type(2.0 * settings[VALUE_WEIGHT] / top.shape[0]) * miss
    row_backward(slope, top, s, weights, 0, gradient, deltas)
    bias_gradient[0] += slope


def _samples(kind):
    """Types of observations, offsets, legal, chosen, old, advantages, returns."""
    vector = types.Array(kind, 1, "C")
    return types.Array(kind, 2, "C"), COUNTS, LIST, COUNTS, vector, vector, vector


def _signature(kind):
    vector = types.Array(kind, 1, "C")
    return void(
        vector, COUNTS, int64, boolean, *_samples(kind), COUNTS, PROBABILITIES, vector, vector,
        PROBABILITIES,
    )  # fmt: skip


@kernel([_signature(float32), _signature(float64)])
def gradient_of(
    parameters, widths, actions, has_value, observations, offsets, legal, chosen, old,
    advantages, returns, picked, settings, scratch, gradient, statistics,
):  # fmt: skip
    """Compute the gradient of a minibatch's loss, and its statistics.

    parameters    the network's vector, as ``nets.mlp`` lays it out
    widths        (layers + 1,) inputs, and outputs of each hidden layer
    observations  (samples, inputs)
    offsets, legal  the legal actions of all samples, as in ``LegalLists``
    chosen        (samples,) the index of the chosen action in its sample's list
    old           (samples,) its log-probability when it was chosen
    picked        (n,) the samples of the minibatch
    scratch       ``scratch_length`` numbers
    gradient      (parameters,) output
    statistics    (6,) output
    """
    n, width = len(picked), widths[-1]
    # The scratch space holds the activations of all layers, two sets of deltas, and a transposed
    # matrix or, in between, a sample's logits and probabilities.
    wide = n * widths.max()
    end = n * widths.sum()
    deltas, spare = scratch[end : end + wide], scratch[end + wide : end + 2 * wide]
    turned = scratch[end + 2 * wide :]
    for s in range(n):
        scratch[s * widths[0] : (s + 1) * widths[0]] = observations[picked[s]]
    place, at = trunk_forward(parameters, widths, n, scratch, turned)
    top, below = matrix(scratch, place, n, width), matrix(deltas, 0, n, width)
    below[:, :] = below.dtype.type(0)
    gradient[at:] = gradient.dtype.type(0)
    statistics[:] = 0.0
    head, biases = head_at(parameters, at, actions, width)
    head_gradient, bias_gradient = head_at(gradient, at, actions, width)
    for s in range(n):
        sample = picked[s]
        own = legal[offsets[sample] : offsets[sample + 1]]
        _policy(
            head, biases, top, s, own, chosen[sample], old[sample], advantages[sample], settings,
            turned[: len(own)], turned[len(own) : 2 * len(own)], head_gradient, bias_gradient,
            below, statistics,
        )  # fmt: skip
    if has_value:
        value_at = at + actions * (width + 1)
        weights, bias = head_at(parameters, value_at, 1, width)
        weights_gradient, value_gradient = head_at(gradient, value_at, 1, width)
        for s in range(n):
            _value(
                weights, bias, top, s, returns[picked[s]], settings, weights_gradient,
                value_gradient, below, statistics,
            )  # fmt: skip
    statistics[:] /= n
    close(top, below)
    trunk_backward(parameters, widths, n, scratch, turned, deltas, spare, gradient, place, at)


def _signature_of_updates(kind):
    vector = types.Array(kind, 1, "C")
    return int64(
        vector, vector, vector, COUNTS, COUNTS, int64, boolean, *_samples(kind), COUNTS, int64,
        PROBABILITIES, vector, vector, PROBABILITIES, PROBABILITIES,
    )  # fmt: skip


@kernel([_signature_of_updates(float32), _signature_of_updates(float64)])
def updates(
    parameters, first, second, steps, widths, actions, has_value, observations, offsets, legal,
    chosen, old, advantages, returns, order, size, settings, scratch, gradient,
    batch_statistics, statistics,
):  # fmt: skip
    """Take a step of Adam for each minibatch of ``size`` samples along ``order``.

    ``batch_statistics`` are those of the last minibatch, ``statistics`` the means over all, each
    (6,).  Returns the number of steps taken.  It stops before the first step whose gradient is not
    finite, and changes nothing by it.
    """
    statistics[:] = 0.0
    betas = (settings[BETA1], settings[BETA2])
    done = 0
    for at in range(0, len(order), size):
        gradient_of(
            parameters, widths, actions, has_value, observations, offsets, legal, chosen, old,
            advantages, returns, order[at : min(at + size, len(order))], settings, scratch,
            gradient, batch_statistics,
        )  # fmt: skip
        norm = adam_step(
            parameters, gradient, first, second, steps, settings[RATE], betas,
            settings[EPSILON], settings[NORM],
        )  # fmt: skip
        if not np.isfinite(norm):
            break
        batch_statistics[GRADIENT_NORM] = norm
        statistics += batch_statistics
        done += 1
    statistics /= max(done, 1)
    return done
