"""The compiled forward pass of a small network, which computes the policy of legal actions only.

Choko has 2,625 actions, of which about 18 are legal: only their rows of the head are computed, and
the softmax runs over those.

A hidden layer is a sum of columns, each times one input, eight at a time. So the inner loop runs
along contiguous outputs and becomes vector instructions, with every sum in the order that is
written here. Therefore a row's outputs do not depend on the other rows of a batch, to the last bit.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import boolean, float32, float64, int64, prange, types, uint64, void
from numba.extending import register_jitable

from playproof.core.batch import LegalLists
from playproof.core.compiling import kernel
from playproof.core.errors import UsageError
from playproof.core.kernels import COUNTS, FLOATS, LIST, WORDS, Words
from playproof.core.parallel.threads import share_threads
from playproof.nets.forward.dot_product import dot
from playproof.nets.mlp import Architecture, Vector, parts_of

_MATRIX = types.Array(float32, 2, "C")
_BLOCK = 64  # rows per task, so that scratch space is rarely allocated
_UNROLLED = 8  # inputs whose columns are added to the outputs in one pass


# Indices into flat arrays are unsigned: for a signed index Numba checks whether it counts from the
# end, and this check prevents vector instructions.


@register_jitable
def _add_columns(x, i, columns, at, outputs, out):
    """Add eight columns of weights, times the inputs from ``i`` on, to ``out``."""
    x0, x1, x2, x3 = x[i], x[i + 1], x[i + 2], x[i + 3]
    x4, x5, x6, x7 = x[i + 4], x[i + 5], x[i + 6], x[i + 7]
    m = outputs
    m2, m4 = m + m, m + m + m + m
    for o in range(outputs):
        a = at + o
        b = a + m4
        low = (x0 * columns[a] + x1 * columns[a + m]) + (
            x2 * columns[a + m2] + x3 * columns[a + m2 + m]
        )
        high = (x4 * columns[b] + x5 * columns[b + m]) + (
            x6 * columns[b + m2] + x7 * columns[b + m2 + m]
        )
        out[o] += low + high


@register_jitable
def _hidden(columns, at, widths, first, second):
    """Compute all hidden layers of the network whose columns start at ``at``.

    The inputs are in ``first``; ``first`` and ``second`` take turns as outputs. Returns the one
    that holds the outputs of the last layer.
    """
    for layer in range(len(widths) - 1):
        inputs, outputs = widths[layer], uint64(widths[layer + 1])
        padded = -(-inputs // _UNROLLED) * _UNROLLED
        for i in range(inputs, padded):
            first[i] = float32(0.0)
        for o in range(outputs):
            second[o] = columns[at + o]
        at += outputs
        for i in range(0, padded, _UNROLLED):
            _add_columns(first, i, columns, at, outputs, second)
            at += uint64(_UNROLLED) * outputs
        for o in range(outputs):
            second[o] = max(second[o], float32(0.0))
        first, second = second, first
    return first


@kernel(
    void(FLOATS, COUNTS, FLOATS, FLOATS, FLOATS, COUNTS, _MATRIX, COUNTS, LIST, FLOATS, FLOATS),
    parallel=True,
)
def _forward(
    columns, widths, head, biases, value_head, sizes, observations, offsets, actions, logits, values
):
    """Write the logits of the legal actions and the value of every row.

    ``sizes`` holds the length of one network in each of the four arrays, and then the index of each
    row's network.
    """
    rows = observations.shape[0]
    for block in prange((rows + _BLOCK - 1) // _BLOCK):
        room = widths.max() + _UNROLLED
        first, second = np.empty(room, np.float32), np.empty(room, np.float32)
        width = uint64(widths[-1])
        for row in range(block * _BLOCK, min(rows, (block + 1) * _BLOCK)):
            net = uint64(sizes[4 + row])
            for i in range(observations.shape[1]):
                first[i] = observations[row, i]
            top = _hidden(columns, net * uint64(sizes[0]), widths, first, second)
            best = float32(0.0)
            rows_at, biases_at = net * uint64(sizes[1]), net * uint64(sizes[2])
            for j in range(offsets[row], offsets[row + 1]):
                action = uint64(actions[j])
                logit = dot(top, head, rows_at + action * width, width) + biases[biases_at + action]
                logits[j] = logit
                best = logit if j == offsets[row] else max(best, logit)
            if len(value_head) > 0:
                value_at = net * uint64(sizes[3])
                best = dot(top, value_head, value_at, width) + value_head[value_at + width]
            values[row] = best


@kernel(void(COUNTS, FLOATS, float32, FLOATS), parallel=True)
def _softmax(offsets, logits, temperature, out):
    """Write the probabilities of each row's legal actions."""
    for row in prange(offsets.shape[0] - 1):
        start, end = offsets[row], offsets[row + 1]
        best = float32(-np.inf)
        for j in range(start, end):
            best = max(best, logits[j])
        total = float32(0.0)
        for j in range(start, end):
            weight = np.exp((logits[j] - best) / temperature)
            out[j] = weight
            total += weight
        for j in range(start, end):
            out[j] /= total


@kernel(void(COUNTS, LIST, FLOATS, WORDS, boolean, COUNTS), parallel=True)
def _choose_actions(offsets, actions, probabilities, words, greedy, out):
    """Write an action for every row: the likeliest or one drawn; -1 if none is legal."""
    for row in prange(offsets.shape[0] - 1):
        start, end = offsets[row], offsets[row + 1]
        chosen = int64(-1)
        # 53 bits of the word are a point from 0 to 1. If rounding leaves a gap at the end, it
        # belongs to the last action with a positive probability.
        point = float64(words[row] >> uint64(11)) / float64(9007199254740992.0)
        reached = float64(0.0)
        for j in range(start, end):
            if greedy:
                if chosen < 0 or probabilities[j] > probabilities[chosen]:
                    chosen = j
            elif chosen < 0 or (reached <= point and probabilities[j] > float32(0.0)):
                chosen = j
            reached += float64(probabilities[j])
        out[row] = int64(actions[chosen]) if chosen >= 0 else int64(-1)


class NetOutput(NamedTuple):
    """The outputs of a network for a batch, each row from its mover's side.

    policy  (legal.offsets[-1],) logits or probabilities of the legal actions, row by row
    values  (n,) as the network computes them, unbounded
    """

    policy: npt.NDArray[np.float32]
    values: npt.NDArray[np.float32]


class Forward:
    """The forward pass of a small network, or of several with the same architecture.

    The weights of hidden layers are stored as columns in one array.
    """

    def __init__(self, architecture: Architecture, vector: Vector) -> None:
        if vector.shape != (architecture.parameters,):
            raise UsageError(
                f"a network of {architecture.parameters:,} parameters cannot have weights of "
                f"shape {vector.shape}"
            )
        self.architecture = architecture
        parts = parts_of(architecture, np.ascontiguousarray(vector, np.float32))
        self._widths = np.array(architecture.widths, np.int64)
        columns = [np.zeros(0, np.float32)]
        for layer in range(len(architecture.hidden)):
            weights = parts[f"hidden.{layer}.weight"]
            filling = np.zeros((-weights.shape[1] % _UNROLLED, weights.shape[0]), np.float32)
            columns += [parts[f"hidden.{layer}.bias"], weights.T.ravel(), filling.ravel()]
        self._columns = np.concatenate(columns)
        self._head = parts["actions.weight"].ravel().copy()
        self._biases = parts["actions.bias"].copy()
        value = (parts[name].ravel() for name in parts if name.startswith("value."))
        self._value_head = np.concatenate([np.zeros(0, np.float32), *value])
        arrays = (self._columns, self._head, self._biases, self._value_head)
        self._sizes, self.nets = [len(array) for array in arrays], 1

    @classmethod
    def stack(cls, nets: Sequence[Forward]) -> Forward:
        """Several networks of one architecture, of which each row selects one."""
        if any(net.architecture != nets[0].architecture for net in nets):
            raise UsageError("networks that answer together must have one architecture")
        stack = copy(nets[0])
        stack.nets = len(nets)
        for name in ("_columns", "_head", "_biases", "_value_head"):
            setattr(stack, name, np.concatenate([getattr(net, name) for net in nets]))
        return stack

    def logits(
        self,
        observations: npt.NDArray[np.float32],
        legal: LegalLists,
        which: npt.NDArray[np.int64] | None = None,
    ) -> NetOutput:
        """Logits of the legal actions, and values, from observations (n, ...).

        ``which`` (n,) has the index of each row's network if there are several.

        Without a value head, the outputs for actions are action values, as in deep Q-learning (Mnih
        et al., 2015): the value is then the best one of the legal actions, or 0 if there are none.
        """
        rows = len(legal.offsets) - 1
        flat = np.ascontiguousarray(observations, np.float32).reshape(len(observations), -1)
        if flat.shape != (rows, self.architecture.inputs):
            raise UsageError(
                f"want {self.architecture.inputs} inputs for each of {rows} rows, "
                f"not observations of shape {observations.shape}"
            )
        # Compiled code does not check its indices.
        most = self.architecture.actions - 1
        if len(legal.actions) and not 0 <= legal.actions.min() <= legal.actions.max() <= most:
            raise UsageError(f"a network with actions 0 to {most} was asked for others")
        sizes = np.zeros(4 + rows, np.int64)
        sizes[:4] = self._sizes
        if which is not None:
            if which.shape != (rows,) or (rows and not 0 <= which.min() <= which.max() < self.nets):
                raise UsageError(f"want a network below {self.nets} for each of {rows} rows")
            sizes[4:] = which
        logits = np.empty(len(legal.actions), np.float32)
        values = np.empty(rows, np.float32)
        with share_threads(rows):
            _forward(
                self._columns, self._widths, self._head, self._biases, self._value_head,
                sizes, flat, legal.offsets, legal.actions, logits, values,
            )  # fmt: skip
        return NetOutput(logits, values)

    def policy(
        self,
        observations: npt.NDArray[np.float32],
        legal: LegalLists,
        *,
        temperature: float = 1.0,
    ) -> NetOutput:
        """Probabilities of the legal actions, and values."""
        logits, values = self.logits(observations, legal)
        return NetOutput(softmax(legal, logits, temperature=temperature), values)


def softmax(
    legal: LegalLists, logits: npt.NDArray[np.float32], *, temperature: float = 1.0
) -> npt.NDArray[np.float32]:
    """The probabilities of each row's legal actions; a low temperature sharpens them."""
    if not temperature > 0.0:
        raise UsageError(f"a temperature of {temperature} is not above 0")
    out = np.empty(len(logits), np.float32)
    with share_threads(len(legal.offsets) - 1):
        _softmax(legal.offsets, logits, temperature, out)
    return out


def choose_actions(
    legal: LegalLists,
    probabilities: npt.NDArray[np.float32],
    words: Words,
    *,
    greedy: bool = False,
) -> npt.NDArray[np.int64]:
    """(n,) an action for every row: drawn by its random word, or the likeliest; -1 if none."""
    out = np.empty(len(legal.offsets) - 1, np.int64)
    with share_threads(len(out)):
        _choose_actions(legal.offsets, legal.actions, probabilities, words, greedy, out)
    return out
