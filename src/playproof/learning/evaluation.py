"""How a network does against another one, in games that are played side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.formats.record import Record
from playproof.learning.learner import Learner
from playproof.nets.architectures import ForwardPass, forward_of
from playproof.nets.forward.mlp import choose_actions, softmax
from playproof.nets.mlp import Vector

RECORDED = 2  # games of an evaluation that are kept: one begun by each


class Result(NamedTuple):
    """Games that the first network won, drew and lost."""

    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        return (self.wins + self.draws / 2) / max(1, sum(self))


def compare(
    game: Game,
    observation: str,
    one: ForwardPass,
    two: ForwardPass | None,
    games: int,
    seed: int,
    *,
    temperature: float = 1.0,
) -> tuple[Result, list[list[int]]]:
    """Play ``games``, half of them begun by each; ``two`` is None for a random player.

    Both draw their moves by their policies.  The first few games come along as
    lists of actions; of those with an even number ``one`` is the first player."""
    batch = Batch.start(game, games, seed=seed)
    first = np.arange(games) % 2 == 0  # where ``one`` is the first player
    results = np.full(games, ONGOING, np.int64)
    played: list[list[int]] = [[] for _ in range(min(RECORDED, games))]
    while (open_ := np.flatnonzero(results == ONGOING)).size:
        part = batch.take(open_)
        legal, movers = part.legal_lists(), part.players()
        seen = part.observe(observation).reshape(len(part), -1)
        mine = (movers == 0) == first[open_]
        words = part.words()

        def drawn(by: ForwardPass, seen: Any = seen, legal: Any = legal, words: Any = words) -> Any:
            policy = softmax(legal, by.logits(seen, legal).policy, temperature=temperature)
            return choose_actions(legal, policy, words)

        others = part.random_actions() if two is None else drawn(two)
        chosen = np.full(games, -1, np.int64)
        chosen[open_] = np.where(mine, drawn(one), others)
        batch.apply(chosen, check=False)
        for kept, action in zip(played, chosen.tolist(), strict=False):
            if action >= 0:
                kept.append(action)
        results = batch.outcome()
    own = np.where(first, results, -results)
    return Result(int((own > 0).sum()), int((own == 0).sum()), int((own < 0).sum())), played


@dataclass(frozen=True)
class Evaluation:
    """Results by opponent, and some of the games."""

    results: dict[str, Result]
    records: list[Record]

    def facts(self) -> dict[str, float]:
        return {
            f"{name}_{word}": count
            for name, result in self.results.items()
            for word, count in result._asdict().items()
        }


def evaluate(
    learner: Learner, earlier: Vector, games: int, *, back: int, temperature: float = 1.0
) -> Evaluation:
    """Against the net of ``back`` iterations ago, and against a random player."""
    s, now = learner.settings, forward_of(learner.architecture, learner.weights)
    seed = derive_seed(s.seed, 1000 + learner.iteration)
    results, records = {}, []
    before = max(0, learner.iteration - back)
    for name, title, other in (
        ("earlier", f"iteration {before}", forward_of(learner.architecture, earlier)),
        ("random", "random", None),
    ):
        found, played = compare(
            learner.game, s.observation, now, other, games, seed,
            temperature=temperature,
        )  # fmt: skip
        results[name] = found
        for number, actions in enumerate(played):
            names = [f"iteration {learner.iteration}", title]
            records.append(record_of(learner, names[:: 1 - 2 * (number % 2)], actions, seed))
    return Evaluation(results, records)


def record_of(learner: Learner, names: list[str], actions: list[int], seed: int) -> Record:
    """A game of a learner as a record."""
    state = learner.game.start()
    for action in actions:
        state = state.apply(action)
    return Record.of(state, (names[0], names[1]), seed=seed)
