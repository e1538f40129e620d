"""The dot product of float32 arrays, in sixteen partial sums by vector instructions.

A compiler must not change the order of the sum in a plain loop, so such a loop adds one number
after the other. Here the order is another one, and fixed: number k is added to partial sum k mod
16, and the partial sums are folded in halves. The result is fast, and the same on every machine.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import llvmlite.ir as ir
import numpy as np
from numba import float32, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

LANES = 16


def dot(vector, weights, at, n):
    """The dot product of the first ``n`` numbers of ``vector`` and of ``weights`` from ``at``."""
    lanes = np.zeros(LANES, np.float32)
    whole = int(n) - int(n) % LANES
    for k in range(0, whole, LANES):
        lanes += vector[k : k + LANES] * weights[int(at) + k : int(at) + k + LANES]
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = lanes[:half] + lanes[half:]
    total = lanes[0]
    for k in range(whole, int(n)):
        total += vector[k] * weights[int(at) + k]
    return total


@intrinsic
def _lanes(context, vector, weights, at, whole):
    """The dot product of ``whole`` numbers, a multiple of sixteen."""

    def generate(context, builder, signature, arguments):
        runs = [
            context.make_array(kind)(context, builder, value).data
            for kind, value in zip(signature.args[:2], arguments[:2], strict=True)
        ]
        at, whole = arguments[2:]
        wide = ir.VectorType(ir.FloatType(), LANES)
        sums = cgutils.alloca_once_value(builder, ir.Constant(wide, [0.0] * LANES))

        def load(run, index):
            place = builder.bitcast(builder.gep(run, [index]), wide.as_pointer())
            return builder.load(place, align=4)

        step = ir.Constant(whole.type, LANES)
        with cgutils.for_range_slice(builder, ir.Constant(whole.type, 0), whole, step) as (k, _):
            product = builder.fmul(load(runs[0], k), load(runs[1], builder.add(at, k)))
            builder.store(builder.fadd(builder.load(sums), product), sums)
        total, left = builder.load(sums), LANES
        while left > 1:
            left //= 2
            low, high = (
                builder.shuffle_vector(total, total, ir.Constant(ir.VectorType(_INT, left), places))
                for places in (list(range(left)), list(range(left, 2 * left)))
            )
            total = builder.fadd(low, high)
        return builder.extract_element(total, ir.Constant(_INT, 0))

    return types.float32(vector, weights, types.uint64, types.uint64), generate


_INT = ir.IntType(32)


@overload(dot)
def _compiled_dot(vector, weights, at, n):
    def product(vector, weights, at, n):
        whole = n - n % types.uint64(LANES)
        total = _lanes(vector, weights, at, whole)
        for k in range(whole, n):
            total += vector[k] * weights[at + k]
        return float32(total)

    return product
