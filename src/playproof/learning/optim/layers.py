"""Dense layers there and back, for minibatches, on one core.

Every inner loop runs along contiguous numbers, four terms at a time, so that it
becomes vector instructions and each partial sum is loaded and stored a quarter
as often.  Products may be fused with sums, and dot products split into lanes:
the order of summation is settled when the code is compiled, so the same machine
gives the same bits every time.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from numba.extending import register_jitable

LOOSE = {"contract", "reassoc", "nsz"}  # what the compiler may do with sums


@register_jitable
def turn(matrix, turned):
    """Transpose a matrix into another."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            turned[j, i] = matrix[i, j]


@register_jitable(fastmath=LOOSE)
def _add_product(inputs, matrix, outputs):
    """``outputs += inputs @ matrix``: four rows of the matrix meet all samples in turn."""
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
    """The gradients of a layer: ``inputs.T @ deltas`` into ``turned`` (i, o), and
    the sum of ``deltas`` over samples into ``biases`` (o,)."""
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
    """What reaches the layer below: ``deltas @ weights`` (o, i) into ``back``, and
    nothing where ReLU had closed an input."""
    back[:, :] = back.dtype.type(0)
    _add_product(deltas, weights, back)
    close(inputs, back)


@register_jitable
def close(outputs, deltas):
    """Nothing comes back where ReLU gave 0."""
    zero = deltas.dtype.type(0)
    for s in range(deltas.shape[0]):
        for i in range(deltas.shape[1]):
            deltas[s, i] = deltas[s, i] if outputs[s, i] > zero else zero


@register_jitable(fastmath=LOOSE)
def dot(first, second):
    """The product of two vectors of one length."""
    total = first.dtype.type(0)
    for k in range(len(first)):
        total += first[k] * second[k]
    return total


@register_jitable(fastmath=LOOSE)
def row_forward(inputs, s, weights, row):
    """What one row of a head makes of sample ``s``, less its bias."""
    total = inputs.dtype.type(0)
    for k in range(inputs.shape[1]):
        total += inputs[s, k] * weights[row, k]
    return total


@register_jitable(fastmath=LOOSE)
def row_backward(slope, inputs, s, weights, row, gradient, deltas):
    """Add what a ``slope`` at that row's output gives its weights, and sample ``s``."""
    for k in range(inputs.shape[1]):
        gradient[row, k] += slope * inputs[s, k]
    for k in range(inputs.shape[1]):
        deltas[s, k] += slope * weights[row, k]
