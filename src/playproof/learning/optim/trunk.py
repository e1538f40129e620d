"""The hidden layers of a network, forward and backward, for one minibatch."""
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
    """The scratch space, in numbers, that a minibatch of ``samples`` needs."""
    turned = max(a * b for a, b in itertools.pairwise((0, *widths)))
    return samples * (sum(widths) + 2 * max(widths)) + max(turned, 2 * actions)


@register_jitable
def matrix(vector, at, rows, columns):
    return vector[at : at + rows * columns].reshape(rows, columns)


@register_jitable
def trunk_forward(parameters, widths, n, scratch, turned):
    """Compute all hidden layers for ``n`` samples, whose inputs are at the start of ``scratch``.

    The outputs of each layer follow its inputs there.  Returns the offset of the last outputs in
    ``scratch``, and that of the heads in the parameters.
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
    """Compute the gradients of all hidden layers from ``deltas``.

    ``deltas`` belong to the last layer's outputs before its ReLU, which start at ``place`` in
    ``scratch``; the heads start at ``at`` in the parameters.
    """
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
    """Views of the weights (rows, width) and biases (rows,) that start at ``at``."""
    end = at + rows * width
    return matrix(vector, at, rows, width), vector[end : end + rows]
