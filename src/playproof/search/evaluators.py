"""Evaluators: what a tree search asks about its leaves, for all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.kernels import CHANCE


class Evaluation(NamedTuple):
    """Answers for a batch of positions, none of them finished.

    priors  (legal.offsets[-1],) the probability of each legal action, row by row
    values  (n,) from -1 to 1, from the first player's side
    """

    priors: npt.NDArray[np.float32]
    values: npt.NDArray[np.float64]


Evaluator = Callable[[Batch, LegalLists], Evaluation]


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

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        priors = policy(batch, legal).priors
        play = batch.copy()
        for _ in range(limit):
            if play.finished().all():
                break
            play.apply(_policy_actions(play, policy, greedy), check=False)
        outcome = play.outcome()
        values = np.where(np.abs(outcome) <= 1, outcome, 0).astype(np.float64)
        return Evaluation(priors, values)

    return evaluate


def _policy_actions(batch: Batch, policy: Evaluator, greedy: bool) -> npt.NDArray[np.int64]:
    """An action for every row: chance by its odds, players by the policy."""
    actions = batch.random_actions()
    deciding = (batch.players() >= 0) & (actions >= 0)
    if not deciding.any():
        return actions
    rows = np.flatnonzero(deciding)
    part = batch.take(rows)
    legal = part.legal_lists()
    priors = policy(part, legal).priors
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
