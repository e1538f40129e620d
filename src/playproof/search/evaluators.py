"""Evaluators: functions that give priors and values for a batch of positions.

An evaluator may be written by anybody, so a search calls it through :func:`evaluate`, which
rejects a malformed evaluation with a one-line error. Otherwise a single NaN would spread to the
root of a tree and choose the move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.errors import UsageError
from playproof.core.kernels import CHANCE

_SUM_TOLERANCE = 1e-2  # how far a sum of priors may be from 1: half precision is not exact
_RANGE_TOLERANCE = 1e-4  # how far rounding may take a value outside its range
_LOGITS = "network_evaluator makes probabilities of logits"


class Evaluation(NamedTuple):
    """Priors and values of a batch of positions, none of them finished.

    priors  (legal.offsets[-1],) the probability of each legal action, row by row
    values  (n,) from -1 to 1, from the first player's side

    An evaluator may also return priors of all actions, (n, num_actions); only those of legal
    actions are used.
    """

    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]


Evaluator = Callable[[Batch, LegalLists], Evaluation]


def evaluate(evaluator: Evaluator, batch: Batch, legal: LegalLists) -> Evaluation:
    """Evaluate positions, none of them finished, and check the evaluation.

    Shapes and ranges must be those of :class:`Evaluation`, without NaN. Arrays may be lists or
    PyTorch tensors on any device, and values may be (n, 1). At chance nodes the priors are replaced
    by the probabilities of the outcomes.
    """
    priors, values = read_pair(evaluator(batch, legal), "(priors, values)")
    return Evaluation(
        _read_priors(priors, batch, legal),
        read_values(values, len(batch), "the second player wins", "the first player wins"),
    )


def read_pair(pair: Any, names: str) -> tuple[Any, Any]:
    """The two parts of what an evaluator returned."""
    try:
        first, second = pair
    except (TypeError, ValueError):
        raise UsageError(f"the evaluator gave {_describe(pair)}: want a pair {names}") from None
    return first, second


def read_values(values: object, rows: int, worst: str, best: str) -> npt.NDArray[np.float64]:
    """The values as an array (rows,); -1 means ``worst`` and 1 means ``best``."""
    values = as_numbers(values, "values").astype(np.float64, copy=False)
    if values.shape == (rows, 1):
        values = values[:, 0]
    if values.shape != (rows,):
        raise UsageError(
            f"the evaluator's values have shape {values.shape}: "
            f"want ({rows},), one for each position"
        )
    inside = np.abs(values) <= 1.0 + _RANGE_TOLERANCE  # false for a NaN
    if not inside.all():
        row = int(np.argmin(inside))
        raise UsageError(
            f"the evaluator's values have {values[row]:.4g} in row {row}: want numbers from -1 "
            f"({worst}) to 1 ({best})"
        )
    return np.clip(values, -1.0, 1.0)


def _read_priors(raw: object, batch: Batch, legal: LegalLists) -> npt.NDArray[np.float32]:
    priors = as_numbers(raw, "priors")
    offsets, rows = legal.offsets, len(batch)
    dense_shape = (rows, batch.game.num_actions)
    dense = priors.shape == dense_shape
    if dense:
        priors = legal_entries(priors, legal)
    if priors.shape != legal.actions.shape:
        raise UsageError(
            f"the evaluator's priors have shape {priors.shape}: want ({len(legal.actions)},), "
            f"one for each legal action, or {dense_shape}, one for each action"
        )
    priors = with_odds(batch, legal, np.ascontiguousarray(priors, np.float32))
    valid = (priors >= 0.0) & np.isfinite(priors)
    if not valid.all():
        first = int(np.argmin(valid))
        row = int(np.searchsorted(offsets, first, side="right")) - 1
        raise UsageError(
            f"the evaluator's priors have {priors[first]:.4g} in row {row}: "
            f"want probabilities from 0 to 1 ({_LOGITS})"
        )
    sums = np.add.reduceat(priors, offsets[:-1], dtype=np.float64)
    if dense:
        if not sums.all():
            row = int(np.argmin(sums))
            raise UsageError(
                f"the evaluator's priors of row {row} are all 0 for legal actions: "
                "want one of them above 0"
            )
        priors = (priors / np.repeat(sums, np.diff(offsets))).astype(np.float32)
    elif (wrong := np.abs(sums - 1.0) > _SUM_TOLERANCE).any():
        row = int(np.argmax(wrong))
        raise UsageError(
            f"the evaluator's priors of row {row} add up to {sums[row]:.4g}: want 1 ({_LOGITS})"
        )
    return priors


def as_numbers(numbers: Any, name: str) -> npt.NDArray[Any]:
    """An array of numbers from what an evaluator returned; tensors are copied to the CPU."""
    if hasattr(numbers, "detach"):
        numbers = numbers.detach().double().cpu()
    try:
        array = np.asarray(numbers)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    if array.dtype.kind not in "fiu":
        raise UsageError(f"the evaluator's {name} are no numbers: want an array of floats")
    return array


def legal_entries(dense: npt.NDArray[Any], legal: LegalLists) -> npt.NDArray[Any]:
    """The entries of ``dense``, (n, num_actions), for the legal actions, row by row."""
    rows = np.repeat(np.arange(len(legal.offsets) - 1), np.diff(legal.offsets))
    return dense[rows, legal.actions]


def _describe(value: object) -> str:
    kind = type(value).__name__
    if isinstance(value, tuple | list):
        return f"a {kind} of {len(value)}"
    return "None" if value is None else f"one {kind}"


def uniform_priors(legal: LegalLists) -> npt.NDArray[np.float32]:
    """The same probability for every legal action of a row."""
    counts = np.diff(legal.offsets)
    return np.repeat(1.0 / np.maximum(counts, 1), counts).astype(np.float32)


def with_odds(
    batch: Batch, legal: LegalLists, priors: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The priors, with the probabilities of the outcomes at chance nodes."""
    if not batch.game.has_chance:
        return priors
    priors = np.array(priors, np.float32)
    for row in np.flatnonzero(batch.players() == CHANCE):
        odds = dict(batch[int(row)].chance_outcomes())
        outcomes = slice(legal.offsets[row], legal.offsets[row + 1])
        priors[outcomes] = [odds[int(action)] for action in legal.of(int(row))]
    return priors


def material(batch: Batch, legal: LegalLists) -> Evaluation:
    """Uniform priors, and tanh(score / 6) as the value."""
    return Evaluation(uniform_priors(legal), np.tanh(batch.score() / 6.0))


def playout(policy: Evaluator, *, greedy: bool = True, limit: int = 500) -> Evaluator:
    """An evaluator that plays all leaves to the end with ``policy``, side by side.

    It plays the policy's most likely action if ``greedy``, else one drawn by its priors. A game
    longer than ``limit`` plies counts as a draw.
    """

    def play_out(batch: Batch, legal: LegalLists) -> Evaluation:
        priors = evaluate(policy, batch, legal).priors
        play = batch.copy()
        for _ in range(limit):
            if play.finished().all():
                break
            play.apply(_policy_actions(play, policy, greedy), check=False)
        outcome = play.outcome()
        values = np.where(np.abs(outcome) <= 1, outcome, 0).astype(np.float64)
        return Evaluation(priors, values)

    return play_out


def _policy_actions(batch: Batch, policy: Evaluator, greedy: bool) -> npt.NDArray[np.int64]:
    """An action for every row: players follow the policy, chance its probabilities."""
    actions = batch.random_actions()
    deciding = (batch.players() >= 0) & (actions >= 0)
    if not deciding.any():
        return actions
    rows = np.flatnonzero(deciding)
    part = batch.take(rows)
    legal = part.legal_lists()
    priors = evaluate(policy, part, legal).priors
    counts = np.diff(legal.offsets)
    inside = np.arange(int(counts.max())) < counts[:, None]
    shares = np.full(inside.shape, -1.0)
    shares[inside] = priors
    if greedy:
        index = np.argmax(shares, axis=1)
    else:
        sums = np.cumsum(np.where(inside, shares, 0.0), axis=1)
        points = part.words(1) / 2.0**64 * sums[:, -1]
        index = np.minimum((sums < points[:, None]).sum(axis=1), counts - 1)
    actions[rows] = legal.actions[legal.offsets[:-1] + index]
    return actions
