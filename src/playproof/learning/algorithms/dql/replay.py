"""Experience for Q-learning: whole games cut into decisions, kept until newer ones come.

Each player of each game has a timeline of its own decisions.  A decision is
kept with what the player got up to its ``ahead``-th next decision, and with
what it saw and could do there; if the game was over before, there is no there.
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
Choose = Callable[[Batch, Floats, LegalLists], Counts]  # actions from what is seen and legal

DECISIONS = ("observations", "chosen", "rewards", "later", "counts", "legal")


@dataclass(frozen=True)
class Decisions:
    """Rows of experience.

    observations  (n, inputs); ``chosen`` (n,) the action; ``rewards`` (n,) their sum
    later         (n, inputs) the observation some decisions on
    counts        (n,) legal actions there, 0 where the game was over before
    legal         (n, most) those actions, the rest 0
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
class _Played:
    """The decisions of some games in the order they were made."""

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
    """Play ``games`` from the start to the end, both sides by ``choose``."""
    batch, made = Batch.start(game, games, seed=seed), _Played()
    results = np.full(games, ONGOING, np.int64)
    while (open_ := np.flatnonzero(results == ONGOING)).size:
        part = batch.take(open_)
        movers, legal = part.players(), part.legal_lists()
        seen = part.observe(observation).reshape(len(part), -1)
        chosen = choose(part, seen, legal)
        gained = rewards.play(part, chosen, movers)
        made.lines.append(2 * open_ + movers)
        made.seen.append(seen)
        made.chosen.append(chosen)
        made.gained.append(gained)
        made.counts.append(np.diff(legal.offsets))
        made.legal.append(legal.actions)
        actions = np.full(games, -1, np.int64)
        actions[open_] = chosen
        batch.apply(actions, check=False)
        results = batch.outcome()
    return _cut(made, results, rewards, ahead)


def _cut(made: _Played, results: Counts, rewards: Rewards, ahead: int) -> Decisions:
    lines = np.concatenate(made.lines)
    order = np.argsort(lines, kind="stable")  # a timeline at a time, in order of time
    lines, gained = lines[order], np.concatenate(made.gained)[order]
    last = np.flatnonzero(np.append(np.diff(lines) != 0, True))  # each timeline's last decision
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
    seen = np.concatenate(made.seen)[order]
    counts = np.concatenate(made.counts)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    lists = _padded(LegalLists(offsets, np.concatenate(made.legal)))
    return Decisions(
        seen, np.concatenate(made.chosen)[order], (sums[there] - sums[here]).astype(np.float32),
        seen[at], np.where(goes_on, counts[order][at], 0), lists[order][at],
    )  # fmt: skip


def _padded(legal: LegalLists) -> npt.NDArray[np.int32]:
    """(n, longest) the lists one below the other, filled up with 0."""
    counts = np.diff(legal.offsets)
    out = np.zeros((len(counts), int(counts.max())), np.int32)
    rows = np.repeat(np.arange(len(counts)), counts)
    out[rows, np.arange(len(legal.actions)) - legal.offsets[rows]] = legal.actions
    return out


class Replay:
    """The latest decisions; the oldest make room for new ones."""

    def __init__(self, size: int, inputs: int) -> None:
        self.kept = Decisions(
            np.zeros((size, inputs), np.float32), np.zeros(size, np.int64),
            np.zeros(size, np.float32), np.zeros((size, inputs), np.float32),
            np.zeros(size, np.int64), np.zeros((size, 1), np.int32),
        )  # fmt: skip
        self.added = 0  # decisions, all of them

    def __len__(self) -> int:
        return min(self.added, len(self.kept))

    @property
    def full(self) -> bool:
        return self.added >= len(self.kept)

    def add(self, decisions: Decisions) -> None:
        size = len(self.kept)
        decisions = self._as_wide(decisions)
        new = min(len(decisions), size)  # of more than there is room for, the last
        places = (self.added + len(decisions) - new + np.arange(new)) % size
        for name in DECISIONS:
            getattr(self.kept, name)[places] = getattr(decisions, name)[len(decisions) - new :]
        self.added += len(decisions)

    def _as_wide(self, decisions: Decisions) -> Decisions:
        """Widen the lists of legal actions, ours or the new ones', to the wider."""
        wide = max(self.kept.legal.shape[1], decisions.legal.shape[1])
        self.kept = replace(self.kept, legal=_widened(self.kept.legal, wide))
        return replace(decisions, legal=_widened(decisions.legal, wide))

    def state(self) -> dict[str, npt.NDArray[Any]]:
        return {name: getattr(self.kept, name) for name in DECISIONS}

    def restore(self, arrays: dict[str, npt.NDArray[Any]], added: int) -> None:
        self.kept = Decisions(**{name: arrays[name].copy() for name in DECISIONS})
        self.added = added


def _widened(lists: npt.NDArray[np.int32], wide: int) -> npt.NDArray[np.int32]:
    missing = wide - lists.shape[1]
    return np.pad(lists, ((0, 0), (0, missing))) if missing else lists
