"""Games of a network against itself or its ancestors, recorded for learning.

Many games are played in lockstep.  Each player of each game has a *timeline*:
its own decisions one after the other, with what it got from one to the next.
Against ancestors only the learner's decisions are recorded, and sides alternate
from game to game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.bits import derive_seed
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.learning.algorithms.ppo.advantages import advantages, normalised
from playproof.learning.algorithms.ppo.update import Samples
from playproof.learning.rewards import Rewards
from playproof.nets.forward.mlp import Forward, choose_actions, softmax

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

ITSELF = -1  # the opponent that is the learner
_TURNING = 0x7475726E  # keeps these draws apart from those of actions
BOTH = 2  # in place of the learner's side: both sides are recorded


@dataclass
class _Recorded:
    """Decisions in the order they were made, a list entry for each step of all games."""

    observations: list[Floats] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)  # of legal actions
    actions: list[npt.NDArray[np.int32]] = field(default_factory=list)
    chosen: list[Counts] = field(default_factory=list)
    old: list[Floats] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    timelines: list[Counts] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rewards)


class Rollout:
    """Games that go on from one iteration to the next.

    games       how many are played side by side
    ancestors   whether there are opponents other than the learner; without them
                both sides of every game learn
    itself      share of games that the learner plays against itself even so
    symmetries  whether positions are turned and mirrored at random as they go on,
                so that what is learned holds for all images of a position
    """

    def __init__(
        self, game: Game, observation: str, games: int, *, ancestors: bool, seed: int,
        itself: float = 0.0, symmetries: bool = False,
    ) -> None:  # fmt: skip
        self.game, self.observation, self.ancestors = game, observation, ancestors
        self.itself, self.symmetries = itself, symmetries
        self.batch = Batch.start(game, games, seed=seed)
        self.sides: Counts = np.arange(games, dtype=np.int64) % 2  # the learner's
        if itself > 0 or not ancestors:
            self.sides[:] = BOTH
        self.turns: Counts = np.arange(games, dtype=np.int64) % 2  # its side when last it had one
        self.opponents: Counts = np.full(games, ITSELF, np.int64)
        self._chooser = np.random.default_rng(derive_seed(seed, 1))

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], Any]:
        """(arrays, random state) from which the games go on exactly as they would."""
        batch = self.batch
        arrays = {
            "rows": batch.rows, "plies": batch.plies, "seeds": batch.seeds,
            "known": batch.history_lengths, "pasts": batch.histories,
            "sides": self.sides, "turns": self.turns,
            "opponents": self.opponents,
        }  # fmt: skip
        return arrays, self._chooser.bit_generator.state

    def restore(self, arrays: dict[str, npt.NDArray[Any]], random_state: Any) -> None:
        for name in ("rows", "plies", "seeds", "known", "pasts"):
            setattr(self.batch, name, arrays[name].copy())
        for name in ("sides", "turns", "opponents"):
            setattr(self, name, arrays[name].copy())
        self._chooser.bit_generator.state = random_state

    def collect(
        self,
        learner: Forward,
        pool: Sequence[Forward],
        steps: int,
        rewards: Rewards,
        *,
        gamma: float,
        decay: float,
    ) -> Samples:
        """At least ``steps`` decisions of the learner, with advantages of mean 0."""
        made, last = _Recorded(), np.full(2 * len(self.batch), -1, np.int64)
        players = Forward.stack([learner, *pool])
        while len(made) < steps:
            self._step(players, rewards, made, last)
        return self._samples(learner, made, gamma, decay)

    def _step(self, players: Forward, rewards: Rewards, made: _Recorded, last: Counts) -> None:
        """One action in every game; ``last`` is each timeline's latest decision.

        Of the ``players`` the first is the learner, the others are the pool."""
        batch = self.batch
        if self.symmetries:
            batch.transform(batch.words(salt=_TURNING) % np.uint64(self.game.symmetries))
        movers, legal = batch.players(), batch.legal_lists()
        seen = batch.observe(self.observation).reshape(len(batch), -1)
        theirs = (movers != self.sides) & (self.opponents >= 0)
        logits, values = players.logits(seen, legal, np.where(theirs, self.opponents + 1, 0))
        policy = softmax(legal, logits)
        actions = choose_actions(legal, policy, batch.words())
        lines = 2 * np.arange(len(batch)) + movers
        recorded = np.flatnonzero((movers == self.sides) | (self.sides == BOTH))
        first = len(made)
        _record(made, recorded, seen, legal, actions, policy, values, lines)
        last[lines[recorded]] = first + np.arange(len(recorded))
        if rewards.point:
            gained = rewards.play(batch, actions, movers)
            made.rewards += gained[recorded].tolist()
        else:
            batch.apply(actions, check=False)
            made.rewards += [0.0] * len(recorded)
        made.ended += [False] * len(recorded)
        self._finish(rewards, made, last, players.nets - 1)

    def _finish(self, rewards: Rewards, made: _Recorded, last: Counts, pool: int) -> None:
        """Give wins and losses to the players' last decisions, and begin new games."""
        outcomes = self.batch.outcome()
        over = np.flatnonzero(outcomes != ONGOING)
        for game in over.tolist():
            for player in (0, 1):
                decision = int(last[2 * game + player])
                last[2 * game + player] = -1
                if decision < 0:
                    continue
                result = int(outcomes[game]) * (1 if player == 0 else -1)
                if result > 0:
                    made.rewards[decision] += rewards.win
                elif result < 0:
                    made.rewards[decision] = rewards.loss
                else:
                    made.rewards[decision] += rewards.draw
                made.ended[decision] = True
        self.batch.reset_finished()
        if len(over) and self.ancestors:
            self._pair(over, pool)

    def _pair(self, over: Counts, pool: int) -> None:
        """Opponents for new games, the other side for the learner than in the games before."""
        drawn = self._chooser.integers(0, max(pool, 1), len(over))
        self.opponents[over] = drawn if pool else ITSELF
        sides = 1 - self.turns[over]
        self.turns[over] = sides
        if self.itself > 0:
            alone = (self._chooser.random(len(over)) < self.itself) | np.bool_(pool == 0)
            self.opponents[over] = np.where(alone, ITSELF, self.opponents[over])
            sides = np.where(alone, BOTH, sides)
        self.sides[over] = sides

    def _samples(self, learner: Forward, made: _Recorded, gamma: float, decay: float) -> Samples:
        batch = self.batch
        movers, legal = batch.players(), batch.legal_lists()
        seen = batch.observe(self.observation).reshape(len(batch), -1)
        values = learner.logits(seen, legal).values
        # Cut games: what is good for who is to move is bad for the other.
        following = np.empty(2 * len(batch), np.float32)
        for player in (0, 1):
            following[player::2] = np.where(movers == player, values, -values)
        gains, returns = advantages(
            np.concatenate(made.timelines), np.array(made.rewards, np.float32),
            np.concatenate(made.values), np.array(made.ended), following,
            gamma=gamma, decay=decay,
        )  # fmt: skip
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(made.counts))])
        return Samples(
            np.concatenate(made.observations),
            LegalLists(offsets, np.concatenate(made.actions)),
            np.concatenate(made.chosen),
            np.concatenate(made.old),
            normalised(gains),
            returns,
        )


def _places(legal: LegalLists, rows: Counts) -> Counts:
    """Where the legal actions of some rows lie in the list of all."""
    counts = np.diff(legal.offsets)[rows]
    starts = np.repeat(legal.offsets[rows] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    return starts + np.arange(int(counts.sum()))


def _record(
    made: _Recorded, rows: Counts, seen: Floats, legal: LegalLists, actions: Counts,
    policy: Floats, values: Floats, lines: Counts,
) -> None:  # fmt: skip
    """Write down the decisions of some rows, before they are carried out."""
    if not len(rows):
        return
    counts = np.diff(legal.offsets)[rows]
    places = _places(legal, rows)
    listed = legal.actions[places]
    hits = np.flatnonzero(listed == np.repeat(actions[rows], counts))  # one in each row
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    made.observations.append(seen[rows])
    made.counts.append(counts)
    made.actions.append(listed)
    made.chosen.append(hits - begins)
    made.old.append(np.log(np.maximum(policy[places][hits], 1e-30)))
    made.values.append(values[rows])
    made.timelines.append(lines[rows])
