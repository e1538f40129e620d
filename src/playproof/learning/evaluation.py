"""Evaluation: games of a network against an earlier one and against a random player.

Where the game has a yardstick, the network is also measured against exact values (``yardstick``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.formats.record import Record
from playproof.learning.learner import Learner
from playproof.learning.yardstick import measure_policy
from playproof.nets.architectures import ForwardPass, forward_of
from playproof.nets.forward.mlp import choose_actions, softmax
from playproof.nets.mlp import Vector

RECORDED = 2  # games of an evaluation that are saved: one with each player moving first


class ResultCounts(NamedTuple):
    """The numbers of games that a player won, drew and lost."""

    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / max(1, sum(self))


def compare(
    game: Game,
    observation: str,
    player: ForwardPass,
    opponent: ForwardPass | None,
    games: int,
    seed: int,
    *,
    temperature: float = 1.0,
) -> tuple[ResultCounts, list[list[int]]]:
    """Play ``games`` games, in half of which each side moves first.

    Both sides draw their moves from their policies; an ``opponent`` of None plays random moves.
    Returns the results of ``player`` and the first :data:`RECORDED` games as lists of actions;
    ``player`` moves first in games with an even index."""
    batch = Batch.start(game, games, seed=seed)
    first = np.arange(games) % 2 == 0  # where ``player`` moves first
    results = np.full(games, ONGOING, np.int64)
    move_lists: list[list[int]] = [[] for _ in range(min(RECORDED, games))]
    while (open_ := np.flatnonzero(results == ONGOING)).size:
        part = batch.take(open_)
        legal, movers = part.legal_lists(), part.players()
        seen = part.observe(observation).reshape(len(part), -1)
        mine = (movers == 0) == first[open_]
        words = part.words()

        def draw(net: ForwardPass, seen: Any = seen, legal: Any = legal, words: Any = words) -> Any:
            policy = softmax(legal, net.logits(seen, legal).policy, temperature=temperature)
            return choose_actions(legal, policy, words)

        others = part.random_actions() if opponent is None else draw(opponent)
        chosen = np.full(games, -1, np.int64)
        chosen[open_] = np.where(mine, draw(player), others)
        batch.apply(chosen, check=False)
        for moves, action in zip(move_lists, chosen.tolist(), strict=False):
            if action >= 0:
                moves.append(action)
        results = batch.outcome()
    own = np.where(first, results, -results)
    counts = ResultCounts(int((own > 0).sum()), int((own == 0).sum()), int((own < 0).sum()))
    return counts, move_lists


@dataclass(frozen=True)
class Evaluation:
    """The results of an evaluation by opponent, and some of its games.

    ``kept`` are the metrics of the yardstick, if the game has one."""

    results: dict[str, ResultCounts]
    records: list[Record]
    kept: Mapping[str, float] = field(default_factory=dict)

    def metrics(self) -> dict[str, float]:
        """The results as metrics: ``earlier_wins``, ``earlier_draws`` and so on, then ``kept``."""
        results: dict[str, float] = {
            f"{name}_{kind}": count
            for name, counts in self.results.items()
            for kind, count in counts._asdict().items()
        }
        return results | dict(self.kept)

    facts = metrics  # its former name


def evaluate(
    learner: Learner, earlier: Vector, games: int, *, back: int, temperature: float = 1.0
) -> Evaluation:
    """Play the network against itself ``back`` iterations ago and against a random player.

    ``games`` are played against each; ``earlier`` are the weights of that time.  The yardstick is
    measured as well, if the game has one."""
    s, now = learner.settings, forward_of(learner.architecture, learner.weights)
    seed = derive_seed(s.seed, 1000 + learner.iteration)
    results, records = {}, []
    before = max(0, learner.iteration - back)
    for name, title, other in (
        ("earlier", f"iteration {before}", forward_of(learner.architecture, earlier)),
        ("random", "random", None),
    ):
        counts, move_lists = compare(
            learner.game, s.observation, now, other, games, seed,
            temperature=temperature,
        )  # fmt: skip
        results[name] = counts
        for number, actions in enumerate(move_lists):
            names = [f"iteration {learner.iteration}", title]
            records.append(record_of(learner, names[:: 1 - 2 * (number % 2)], actions, seed))
    return Evaluation(results, records, measure_policy(learner.game, s, now))


def record_of(learner: Learner, names: list[str], actions: list[int], seed: int) -> Record:
    """The record of one game of a learner, from its actions."""
    state = learner.game.start()
    for action in actions:
        state = state.apply(action)
    return Record.of(state, (names[0], names[1]), seed=seed)
