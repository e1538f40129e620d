"""The replay of deep Q-learning: games are played, cut into decisions, and stored.

Each player of each game has a timeline of its own decisions.  A decision is stored with the
rewards up to the player's ``ahead``-th next decision, and with the observation and the legal
actions there.  If the game was over before, these are empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.game import Game
from playproof.core.kernels import ONGOING
from playproof.learning.rewards import Rewards

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Choose = Callable[[Batch, Floats, LegalLists], Counts]  # (batch, observations, legal) -> actions

DECISIONS = ("observations", "chosen", "rewards", "later", "counts", "legal")


@dataclass(frozen=True)
class Decisions:
    """Decisions with their consequences.

    observations  (n, inputs)
    chosen        (n,) the action taken
    rewards       (n,) the sum of rewards up to the ``ahead``-th next decision
    later         (n, inputs) the observation there
    counts        (n,) the number of legal actions there; 0 where the game was over before
    legal         (n, width) those actions, then 0
    """

    observations: Floats
    chosen: Counts
    rewards: Floats
    later: Floats
    counts: Counts
    legal: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.chosen)


@dataclass
class _DecisionLog:
    """The decisions of some games in the order in which they were made."""

    lines: list[Counts] = field(default_factory=list)  # timelines: 2 * game + player
    seen: list[Floats] = field(default_factory=list)
    chosen: list[Counts] = field(default_factory=list)
    gained: list[npt.NDArray[np.float64]] = field(default_factory=list)
    counts: list[Counts] = field(default_factory=list)
    legal: list[npt.NDArray[np.int32]] = field(default_factory=list)


def play(
    game: Game, observation: str, games: int, choose: Choose, rewards: Rewards, ahead: int,
    seed: int,
) -> Decisions:  # fmt: skip
    """Play ``games`` games from start to end, with ``choose`` for both sides."""
    batch, log = Batch.start(game, games, seed=seed), _DecisionLog()
    results = np.full(games, ONGOING, np.int64)
    while (open_ := np.flatnonzero(results == ONGOING)).size:
        part = batch.take(open_)
        movers, legal = part.players(), part.legal_lists()
        seen = part.observe(observation).reshape(len(part), -1)
        chosen = choose(part, seen, legal)
        gained = rewards.play(part, chosen, movers)
        log.lines.append(2 * open_ + movers)
        log.seen.append(seen)
        log.chosen.append(chosen)
        log.gained.append(gained)
        log.counts.append(np.diff(legal.offsets))
        log.legal.append(legal.actions)
        actions = np.full(games, -1, np.int64)
        actions[open_] = chosen
        batch.apply(actions, check=False)
        results = batch.outcome()
    return _cut(log, results, rewards, ahead)


def _cut(log: _DecisionLog, results: Counts, rewards: Rewards, ahead: int) -> Decisions:
    lines = np.concatenate(log.lines)
    order = np.argsort(lines, kind="stable")  # a timeline at a time, in order of time
    lines, gained = lines[order], np.concatenate(log.gained)[order]
    last = np.flatnonzero(np.append(np.diff(lines) != 0, True))  # the last of each timeline
    outcome = results[lines[last] // 2] * np.where(lines[last] % 2 == 0, 1, -1)
    gained[last] = np.where(
        outcome < 0, rewards.loss, gained[last] + np.where(outcome > 0, rewards.win, rewards.draw)
    )
    # The decision ``ahead`` further on, or the end of the timeline.
    here = np.arange(len(lines))
    ends = np.repeat(last + 1, np.diff(np.append(-1, last)))
    there = np.minimum(here + ahead, ends)
    sums = np.concatenate([[0.0], np.cumsum(gained)])
    goes_on = there < ends
    at = np.where(goes_on, there, here)
    seen = np.concatenate(log.seen)[order]
    counts = np.concatenate(log.counts)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    lists = _padded(LegalLists(offsets, np.concatenate(log.legal)))
    return Decisions(
        seen, np.concatenate(log.chosen)[order], (sums[there] - sums[here]).astype(np.float32),
        seen[at], np.where(goes_on, counts[order][at], 0), lists[order][at],
    )  # fmt: skip


def _padded(legal: LegalLists) -> npt.NDArray[np.int32]:
    """The lists as rows, (n, longest), filled up with 0."""
    counts = np.diff(legal.offsets)
    out = np.zeros((len(counts), int(counts.max())), np.int32)
    rows = np.repeat(np.arange(len(counts)), counts)
    out[rows, np.arange(len(legal.actions)) - legal.offsets[rows]] = legal.actions
    return out


class Replay:
    """A ring buffer of the latest ``size`` decisions."""

    def __init__(self, size: int, inputs: int) -> None:
        self.decisions = Decisions(
            np.zeros((size, inputs), np.float32), np.zeros(size, np.int64),
            np.zeros(size, np.float32), np.zeros((size, inputs), np.float32),
            np.zeros(size, np.int64), np.zeros((size, 1), np.int32),
        )  # fmt: skip
        self.added = 0  # decisions added so far, overwritten ones included

    def __len__(self) -> int:
        return min(self.added, len(self.decisions))

    @property
    def full(self) -> bool:
        return self.added >= len(self.decisions)

    def add(self, decisions: Decisions) -> None:
        size = len(self.decisions)
        decisions = self._as_wide(decisions)
        new = min(len(decisions), size)  # if there are more than fit, keep the last ones
        places = (self.added + len(decisions) - new + np.arange(new)) % size
        for name in DECISIONS:
            getattr(self.decisions, name)[places] = getattr(decisions, name)[len(decisions) - new :]
        self.added += len(decisions)

    def _as_wide(self, decisions: Decisions) -> Decisions:
        """Widen the narrower lists of legal actions, the stored ones or the new ones."""
        width = max(self.decisions.legal.shape[1], decisions.legal.shape[1])
        self.decisions = replace(self.decisions, legal=_widened(self.decisions.legal, width))
        return replace(decisions, legal=_widened(decisions.legal, width))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {name: getattr(self.decisions, name) for name in DECISIONS}

    def restore(self, arrays: dict[str, npt.NDArray[Any]], added: int) -> None:
        self.decisions = Decisions(**{name: arrays[name].copy() for name in DECISIONS})
        self.added = added


def _widened(lists: npt.NDArray[np.int32], width: int) -> npt.NDArray[np.int32]:
    missing = width - lists.shape[1]
    return np.pad(lists, ((0, 0), (0, missing))) if missing else lists
