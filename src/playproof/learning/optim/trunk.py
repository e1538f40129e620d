"""The hidden layers of a network there and back, for a minibatch: what every update shares."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import itertools

from numba.extending import register_jitable

from playproof.learning.optim.layers import (
    inputs_backward,
    layer_forward,
    turn,
    weights_backward,
)


def scratch_length(widths: tuple[int, ...], actions: int, samples: int) -> int:
    """Numbers of scratch space that a minibatch of ``samples`` needs."""
    turned = max(a * b for a, b in itertools.pairwise((0, *widths)))
    return samples * (sum(widths) + 2 * max(widths)) + max(turned, 2 * actions)


@register_jitable
def matrix(vector, at, rows, columns):
    return vector[at : at + rows * columns].reshape(rows, columns)


@register_jitable
def trunk_forward(parameters, widths, n, scratch, turned):
    """All hidden layers for ``n`` samples, whose inputs ``scratch`` begins with.

    Each layer's outputs follow on its inputs.  Gives where the last ones lie,
    and where the heads begin in the parameters.
    """
    at = place = 0
    for layer in range(len(widths) - 1):
        fan_in, width = widths[layer], widths[layer + 1]
        biases = at + width * fan_in
        columns = matrix(turned, 0, fan_in, width)
        turn(matrix(parameters, at, width, fan_in), columns)
        inputs = matrix(scratch, place, n, fan_in)
        place += n * fan_in
        outputs = matrix(scratch, place, n, width)
        layer_forward(inputs, columns, parameters[biases : biases + width], outputs)
        at = biases + width
    return place, at


@register_jitable
def trunk_backward(parameters, widths, n, scratch, turned, deltas, spare, gradient, place, at):
    """Gradients of all hidden layers from ``deltas``, those of the last one's outputs
    before its ReLU, which lie at ``place``; the heads begin at ``at``."""
    for layer in range(len(widths) - 2, -1, -1):
        fan_in, width = widths[layer], widths[layer + 1]
        biases = at - width
        at = biases - width * fan_in
        place -= n * fan_in
        inputs = matrix(scratch, place, n, fan_in)
        above = matrix(deltas, 0, n, width)
        rows = matrix(turned, 0, fan_in, width)
        weights_backward(inputs, above, rows, gradient[biases : biases + width])
        turn(rows, matrix(gradient, at, width, fan_in))
        if layer > 0:
            weights = matrix(parameters, at, width, fan_in)
            inputs_backward(inputs, weights, above, matrix(spare, 0, n, fan_in))
            deltas, spare = spare, deltas


@register_jitable
def head_at(vector, at, rows, width):
    """Weights (rows, width) and biases (rows,) that lie at ``at``, as views."""
    end = at + rows * width
    return matrix(vector, at, rows, width), vector[end : end + rows]
