"""Rollouts of PPO: games of a network against itself or its ancestors, recorded for learning.

Many games are played in lockstep.  Each player of each game has a *timeline*: its own decisions in
order, with the rewards from each to the next.  Against ancestors only the learner's decisions are
recorded, and sides alternate from game to game.
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
from playproof.learning.learner import BATCH_ARRAYS
from playproof.learning.rewards import Rewards
from playproof.nets.forward.mlp import Forward, choose_actions, softmax

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]

ITSELF = -1  # in place of an opponent's number: the learner plays itself
BOTH = 2  # in place of the learner's side: it plays both, and both are recorded
_TURNING = 0x7475726E  # salt that separates the choice of symmetries from that of actions


@dataclass
class _DecisionLog:
    """Decisions in the order in which they were made, one list entry for each step of all games."""

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
    """Games in progress, which continue from one iteration to the next.

    games       the number of games played side by side
    ancestors   whether there are opponents other than the learner; without them both sides of
                every game are recorded
    itself      the share of games that the learner plays against itself even so
    symmetries  whether positions are rotated and mirrored at random during a game, so that what
                is learned holds for all images of a position
    """

    def __init__(
        self, game: Game, observation: str, games: int, *, ancestors: bool, seed: int,
        itself: float = 0.0, symmetries: bool = False,
    ) -> None:  # fmt: skip
        self.game, self.observation, self.ancestors = game, observation, ancestors
        self.itself, self.symmetries = itself, symmetries
        self.batch = Batch.start(game, games, seed=seed)
        self.sides: Counts = np.arange(games, dtype=np.int64) % 2  # the learner's side
        if itself > 0 or not ancestors:
            self.sides[:] = BOTH
        # The learner's side in its last game against an ancestor
        self.turns: Counts = np.arange(games, dtype=np.int64) % 2
        self.opponents: Counts = np.full(games, ITSELF, np.int64)
        self._rng = np.random.default_rng(derive_seed(seed, 1))

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], Any]:
        """(arrays, random state) from which the games continue exactly as they would have."""
        batch = self.batch
        arrays = {
            **{name: getattr(batch, attribute) for name, attribute in BATCH_ARRAYS.items()},
            "sides": self.sides, "turns": self.turns,
            "opponents": self.opponents,
        }  # fmt: skip
        return arrays, self._rng.bit_generator.state

    def restore(self, arrays: dict[str, npt.NDArray[Any]], random_state: Any) -> None:
        for name, attribute in BATCH_ARRAYS.items():
            setattr(self.batch, attribute, arrays[name].copy())
        for name in ("sides", "turns", "opponents"):
            setattr(self, name, arrays[name].copy())
        self._rng.bit_generator.state = random_state

    def collect(
        self,
        learner: Forward,
        pool: Sequence[Forward],
        steps: int,
        rewards: Rewards,
        *,
        gamma: float,
        decay: float,
        normalise: bool = True,
    ) -> Samples:
        """Play until ``steps`` decisions or more are recorded.

        With ``normalise`` their advantages are scaled to mean 0 and deviation 1."""
        log, last = _DecisionLog(), np.full(2 * len(self.batch), -1, np.int64)
        players = Forward.stack([learner, *pool])
        while len(log) < steps:
            self._step(players, rewards, log, last)
        return self._samples(learner, log, gamma, decay, normalise)

    def _step(self, players: Forward, rewards: Rewards, log: _DecisionLog, last: Counts) -> None:
        """Play one action in every game; ``last`` is the index of each timeline's last decision.

        The first of the ``players`` is the learner, the others are its ancestors."""
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
        first = len(log)
        _record(log, recorded, seen, legal, actions, policy, values, lines)
        last[lines[recorded]] = first + np.arange(len(recorded))
        if rewards.point:
            gained = rewards.play(batch, actions, movers)
            log.rewards += gained[recorded].tolist()
        else:
            batch.apply(actions, check=False)
            log.rewards += [0.0] * len(recorded)
        log.ended += [False] * len(recorded)
        self._finish(rewards, log, last, players.nets - 1)

    def _finish(self, rewards: Rewards, log: _DecisionLog, last: Counts, pool: int) -> None:
        """Reward the last decisions of finished games, and replace these games by new ones."""
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
                    log.rewards[decision] += rewards.win
                elif result < 0:
                    log.rewards[decision] = rewards.loss
                else:
                    log.rewards[decision] += rewards.draw
                log.ended[decision] = True
        self.batch.reset_finished()
        if len(over) and self.ancestors:
            self._pair(over, pool)

    def _pair(self, over: Counts, pool: int) -> None:
        """Draw opponents for new games, and give the learner the other side than before."""
        drawn = self._rng.integers(0, max(pool, 1), len(over))
        self.opponents[over] = drawn if pool else ITSELF
        sides = 1 - self.turns[over]
        self.turns[over] = sides
        if self.itself > 0:
            alone = (self._rng.random(len(over)) < self.itself) | np.bool_(pool == 0)
            self.opponents[over] = np.where(alone, ITSELF, self.opponents[over])
            sides = np.where(alone, BOTH, sides)
        self.sides[over] = sides

    def _samples(
        self, learner: Forward, log: _DecisionLog, gamma: float, decay: float, normalise: bool
    ) -> Samples:
        batch = self.batch
        movers, legal = batch.players(), batch.legal_lists()
        seen = batch.observe(self.observation).reshape(len(batch), -1)
        values = learner.logits(seen, legal).values
        # Unfinished games: the value for the side not to move is the negative.
        following = np.empty(2 * len(batch), np.float32)
        for player in (0, 1):
            following[player::2] = np.where(movers == player, values, -values)
        gains, returns = advantages(
            np.concatenate(log.timelines), np.array(log.rewards, np.float32),
            np.concatenate(log.values), np.array(log.ended), following,
            gamma=gamma, decay=decay,
        )  # fmt: skip
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(log.counts))])
        return Samples(
            np.concatenate(log.observations),
            LegalLists(offsets, np.concatenate(log.actions)),
            np.concatenate(log.chosen),
            np.concatenate(log.old),
            normalised(gains) if normalise else gains,
            returns,
        )


def _places(legal: LegalLists, rows: Counts) -> Counts:
    """The indices of some rows' legal actions in the list of all rows' actions."""
    counts = np.diff(legal.offsets)[rows]
    starts = np.repeat(legal.offsets[rows] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
    return starts + np.arange(int(counts.sum()))


def _record(
    log: _DecisionLog, rows: Counts, seen: Floats, legal: LegalLists, actions: Counts,
    policy: Floats, values: Floats, lines: Counts,
) -> None:  # fmt: skip
    """Record the decisions of some rows, before they are carried out."""
    if not len(rows):
        return
    counts = np.diff(legal.offsets)[rows]
    places = _places(legal, rows)
    listed = legal.actions[places]
    hits = np.flatnonzero(listed == np.repeat(actions[rows], counts))  # one in each row
    begins = np.concatenate([[0], np.cumsum(counts)[:-1]])
    log.observations.append(seen[rows])
    log.counts.append(counts)
    log.actions.append(listed)
    log.chosen.append(hits - begins)
    log.old.append(np.log(np.maximum(policy[places][hits], 1e-30)))
    log.values.append(values[rows])
    log.timelines.append(lines[rows])
