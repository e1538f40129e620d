"""Dense layers, forward and backward, for minibatches on one core.

Every inner loop runs along contiguous numbers, four terms at a time, so that it compiles to vector
instructions and loads and stores each partial sum a quarter as often.  The compiler may fuse
products with sums and split dot products into lanes.  It fixes the order of summation, so the same
machine gives the same bits every time.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from numba.extending import register_jitable

LOOSE = {"contract", "reassoc", "nsz"}  # the liberties that the compiler may take with sums


@register_jitable
def turn(matrix, turned):
    """Transpose a matrix into another."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            turned[j, i] = matrix[i, j]


@register_jitable(fastmath=LOOSE)
def _add_product(inputs, matrix, outputs):
    """``outputs += inputs @ matrix``, four rows of the matrix at a time for all samples."""
    n, width = outputs.shape
    fan_in = inputs.shape[1]
    whole = fan_in - fan_in % 4
    for i in range(0, whole, 4):
        for s in range(n):
            a, b, c, d = inputs[s, i], inputs[s, i + 1], inputs[s, i + 2], inputs[s, i + 3]
            for o in range(width):
                outputs[s, o] += (
                    a * matrix[i, o]
                    + b * matrix[i + 1, o]
                    + c * matrix[i + 2, o]
                    + d * matrix[i + 3, o]
                )
    for i in range(whole, fan_in):
        for s in range(n):
            a = inputs[s, i]
            for o in range(width):
                outputs[s, o] += a * matrix[i, o]


@register_jitable
def layer_forward(inputs, columns, biases, outputs):
    """``relu(inputs @ columns + biases)``: (n, i) by (i, o) into (n, o)."""
    zero = outputs.dtype.type(0)
    for s in range(outputs.shape[0]):
        for o in range(outputs.shape[1]):
            outputs[s, o] = biases[o]
    _add_product(inputs, columns, outputs)
    for s in range(outputs.shape[0]):
        for o in range(outputs.shape[1]):
            outputs[s, o] = max(outputs[s, o], zero)


@register_jitable(fastmath=LOOSE)
def weights_backward(inputs, deltas, turned, biases):
    """Write the gradients of a layer: ``inputs.T @ deltas`` to ``turned`` (i, o), and the sum of
    ``deltas`` over samples to ``biases`` (o,)."""
    n, width = deltas.shape
    fan_in = inputs.shape[1]
    whole = n - n % 4
    turned[:, :] = turned.dtype.type(0)
    biases[:] = biases.dtype.type(0)
    for s in range(0, whole, 4):
        for i in range(fan_in):
            a, b, c, d = inputs[s, i], inputs[s + 1, i], inputs[s + 2, i], inputs[s + 3, i]
            for o in range(width):
                turned[i, o] += (
                    a * deltas[s, o]
                    + b * deltas[s + 1, o]
                    + c * deltas[s + 2, o]
                    + d * deltas[s + 3, o]
                )
    for s in range(whole, n):
        for i in range(fan_in):
            a = inputs[s, i]
            for o in range(width):
                turned[i, o] += a * deltas[s, o]
    for s in range(n):
        for o in range(width):
            biases[o] += deltas[s, o]


@register_jitable
def inputs_backward(inputs, weights, deltas, back):
    """Write the deltas of the layer below to ``back``: ``deltas @ weights`` (o, i), and 0 where
    the ReLU of an input was closed."""
    back[:, :] = back.dtype.type(0)
    _add_product(deltas, weights, back)
    close(inputs, back)


@register_jitable
def close(outputs, deltas):
    """Set the deltas to 0 where the ReLU's output was 0."""
    zero = deltas.dtype.type(0)
    for s in range(deltas.shape[0]):
        for i in range(deltas.shape[1]):
            deltas[s, i] = deltas[s, i] if outputs[s, i] > zero else zero


@register_jitable(fastmath=LOOSE)
def dot(first, second):
    """The dot product of two vectors of equal length."""
    total = first.dtype.type(0)
    for k in range(len(first)):
        total += first[k] * second[k]
    return total


@register_jitable(fastmath=LOOSE)
def row_forward(inputs, s, weights, row):
    """The output of one row of a head for sample ``s``, without its bias."""
    total = inputs.dtype.type(0)
    for k in range(inputs.shape[1]):
        total += inputs[s, k] * weights[row, k]
    return total


@register_jitable(fastmath=LOOSE)
def row_backward(slope, inputs, s, weights, row, gradient, deltas):
    """Add the gradient ``slope`` at one row's output to its weights and to sample ``s``."""
    for k in range(inputs.shape[1]):
        gradient[row, k] += slope * inputs[s, k]
    for k in range(inputs.shape[1]):
        deltas[s, k] += slope * weights[row, k]
