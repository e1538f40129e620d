"""Evaluators: what a tree search asks about its leaves, for all of them at once.

An evaluator may be anybody's, so a search asks it through :func:`evaluate`, which refuses
a wrong answer in one line: a NaN in a tree spreads to its root and chooses the move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.errors import UsageError
from playproof.core.kernels import CHANCE

_OFF = 1e-2  # that priors may add up to beside 1: half precision is not exact
_BEYOND = 1e-4  # that a value may lie outside its range: rounding
_LOGITS = "network_evaluator makes probabilities of logits"


class Evaluation(NamedTuple):
    """Answers for a batch of positions, none of them finished.

    priors  (legal.offsets[-1],) the probability of each legal action, row by row
    values  (n,) from -1 to 1, from the first player's side

    An evaluator of one's own may give priors of all actions instead, (n, num_actions):
    the legal ones count.
    """

    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]


Evaluator = Callable[[Batch, LegalLists], Evaluation]


def evaluate(evaluator: Evaluator, batch: Batch, legal: LegalLists) -> Evaluation:
    """Ask an evaluator about positions, none of them finished, and check what it answers.

    Shapes, NaN and ranges are as :class:`Evaluation` says; arrays may be lists, tensors of
    PyTorch on any device, and values may be (n, 1).  Where chance moves, its odds are
    the priors.
    """
    priors, values = read_pair(evaluator(batch, legal), "(priors, values)")
    return Evaluation(
        _read_priors(priors, batch, legal),
        read_values(values, len(batch), "the second player wins", "the first player wins"),
    )


def read_pair(answer: Any, names: str) -> tuple[Any, Any]:
    """The two parts of an answer."""
    try:
        one, two = answer
    except (TypeError, ValueError):
        raise UsageError(f"the evaluator gave {_described(answer)}: want a pair {names}") from None
    return one, two


def read_values(given: object, rows: int, worst: str, best: str) -> npt.NDArray[np.float64]:
    """A value for each row; -1 means ``worst`` and 1 means ``best``."""
    values = as_numbers(given, "values").astype(np.float64, copy=False)
    if values.shape == (rows, 1):
        values = values[:, 0]
    if values.shape != (rows,):
        raise UsageError(
            f"the evaluator's values have shape {values.shape}: "
            f"want ({rows},), one for each position"
        )
    inside = np.abs(values) <= 1.0 + _BEYOND  # not so for a NaN
    if not inside.all():
        row = int(np.argmin(inside))
        raise UsageError(
            f"the evaluator's values have {values[row]:.4g} in row {row}: want numbers from -1 "
            f"({worst}) to 1 ({best})"
        )
    return np.clip(values, -1.0, 1.0)


def _read_priors(given: object, batch: Batch, legal: LegalLists) -> npt.NDArray[np.float32]:
    priors = as_numbers(given, "priors")
    offsets, rows = legal.offsets, len(batch)
    every = (rows, batch.game.num_actions)
    dense = priors.shape == every
    if dense:
        priors = of_legal(priors, legal)
    if priors.shape != legal.actions.shape:
        raise UsageError(
            f"the evaluator's priors have shape {priors.shape}: want ({len(legal.actions)},), "
            f"one for each legal action, or {every}, one for each action"
        )
    priors = with_odds(batch, legal, np.ascontiguousarray(priors, np.float32))
    right = (priors >= 0.0) & np.isfinite(priors)
    if not right.all():
        first = int(np.argmin(right))
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
    elif (off := np.abs(sums - 1.0) > _OFF).any():
        row = int(np.argmax(off))
        raise UsageError(
            f"the evaluator's priors of row {row} add up to {sums[row]:.4g}: want 1 ({_LOGITS})"
        )
    return priors


def as_numbers(given: Any, name: str) -> npt.NDArray[Any]:
    """What an evaluator gave as an array of numbers; a tensor is fetched from its device."""
    if hasattr(given, "detach"):
        given = given.detach().double().cpu()
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    if array.dtype.kind not in "fiu":
        raise UsageError(f"the evaluator's {name} are no numbers: want an array of floats")
    return array


def of_legal(of_all: npt.NDArray[Any], legal: LegalLists) -> npt.NDArray[Any]:
    """The entries of the legal actions, row by row, out of (n, num_actions)."""
    rows = np.repeat(np.arange(len(legal.offsets) - 1), np.diff(legal.offsets))
    return of_all[rows, legal.actions]


def _described(answer: object) -> str:
    kind = type(answer).__name__
    if isinstance(answer, tuple | list):
        return f"a {kind} of {len(answer)}"
    return "None" if answer is None else f"one {kind}"


def uniform_priors(legal: LegalLists) -> npt.NDArray[np.float32]:
    """Every legal action of a row with the same probability."""
    counts = np.diff(legal.offsets)
    return np.repeat(1.0 / np.maximum(counts, 1), counts).astype(np.float32)


def with_odds(
    batch: Batch, legal: LegalLists, priors: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The priors, with chance's own odds where chance moves."""
    if not batch.game.has_chance:
        return priors
    priors = np.array(priors, np.float32)
    for row in np.flatnonzero(batch.players() == CHANCE):
        odds = dict(batch[int(row)].chance_outcomes())
        mine = slice(legal.offsets[row], legal.offsets[row + 1])
        priors[mine] = [odds[int(action)] for action in legal.of(int(row))]
    return priors


def material(batch: Batch, legal: LegalLists) -> Evaluation:
    """A uniform policy, and the score squeezed into -1 ... 1."""
    return Evaluation(uniform_priors(legal), np.tanh(batch.score() / 6.0))


def playout(policy: Evaluator, *, greedy: bool = True, limit: int = 500) -> Evaluator:
    """Value leaves by playing them to the end with ``policy``, all at once.

    The policy's most likely action is played (``greedy``) or one drawn by its
    priors; a game longer than ``limit`` counts as a draw.
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
    """An action for every row: chance by its odds, players by the policy."""
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
