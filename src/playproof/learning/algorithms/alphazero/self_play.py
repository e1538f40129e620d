"""Games that a network plays with itself by tree search, recorded for learning.

All games take a move together, each from a tree of its own; a game that ends is
followed by a new one in its place, and games go on from one iteration to the
next.  Moves with all simulations are learned from; where only a share of moves
has them (playout cap randomisation, Wu, 2019), the others bring games to their
end sooner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING, Words
from playproof.learning.algorithms.alphazero.replay import Shown
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.learner import never
from playproof.search.mcts.scheduler import PhaseTimes, simulate
from playproof.search.mcts.search import TreeSearch

Counts = npt.NDArray[np.int64]

_OPENING, _LEG, _CHANCE = 0x6F70656E, 0x6C656773, 0x636F696E  # keep these draws apart


@dataclass(frozen=True)
class _Moves:
    """Moves of all games, step after step: entry ``step * games + game``; as in ``Shown``."""

    rows: Words
    offsets: Counts
    actions: npt.NDArray[np.int32]
    policy: npt.NDArray[np.float32]
    movers: Counts
    values: npt.NDArray[np.float64]  # of the search, from the first player's side
    proven: npt.NDArray[np.bool_]
    learned: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def together(cls, parts: Sequence[_Moves]) -> _Moves:
        both = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
            if field.name != "offsets"
        }
        ends = np.cumsum([0] + [len(part.actions) for part in parts])
        offsets = [part.offsets[1:] + end for part, end in zip(parts, ends, strict=False)]
        return cls(offsets=np.concatenate([np.zeros(1, np.int64), *offsets]), **both)

    def lists(self, chosen: Counts) -> tuple[Counts, Counts]:
        """Where the lists of some entries lie, end to end: (offsets, places)."""
        counts = self.offsets[chosen + 1] - self.offsets[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        starts = np.repeat(self.offsets[chosen] - offsets[:-1], counts)
        return offsets, starts + np.arange(offsets[-1])

    def since(self, entry: int) -> _Moves:
        """Those from an entry on."""
        begin = int(self.offsets[entry])
        rest = {
            field.name: getattr(self, field.name)[begin:].copy()
            if field.name in ("actions", "policy")
            else getattr(self, field.name)[entry:].copy()
            for field in fields(self)
            if field.name != "offsets"
        }
        return _Moves(offsets=self.offsets[entry:] - begin, **rest)


class SelfPlay:
    """``settings.games`` games that go on; ``searches`` share them, in their order.

    A run that goes on without its games begins others: ``leg`` makes them differ."""

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, searches: list[TreeSearch], leg: int = 0
    ) -> None:
        self.game, self.settings, self.searches = game, settings, searches
        n = settings.games
        self._seed = derive_seed(settings.seed, _LEG + leg) if leg else settings.seed
        self.batch = Batch.start(game, n, seed=derive_seed(self._seed, 3))
        self.chooser = np.random.default_rng(derive_seed(self._seed, 5))
        self.begun: Counts = np.zeros(n, np.int64)  # the step at which each game began
        self.openings: Counts = self._draw_openings(n)  # plies of each that are random
        self.steps = 0  # taken, all of them
        self.kept: list[_Moves] = []  # of games that go on: a step each, or several together
        self.times = PhaseTimes()
        # Of the games that have ended since positions were last handed out: game, first and
        # last step, result; how many positions they have to learn; their lengths.
        self.ended: list[tuple[int, int, int, int]] = []
        self.learned = 0
        self.lengths: list[int] = []

    def _draw_openings(self, n: int) -> Counts:
        return self.chooser.integers(0, self.settings.opening_plies + 1, n)

    def collect(self, positions: int, stopped: Callable[[], bool] = never) -> Shown | None:
        """Play until games have ended with at least so many positions to learn.

        None if it was stopped before; the next call goes on with the same games."""
        per_step: list[npt.NDArray[np.bool_]] = [
            step.learned.reshape(-1, len(self.batch)) for step in self.kept
        ]
        marks = list(np.concatenate(per_step)) if per_step else []
        first = self.steps - len(marks)
        while self.learned < positions:
            if stopped():
                return None
            before = self.begun.copy()
            results = self.step(stopped)
            if results is None:
                return None
            marks.append(self.kept[-1].learned)
            for game in np.flatnonzero(results != ONGOING).tolist():
                begin = int(before[game])
                self.ended.append((game, begin, self.steps, int(results[game])))
                self.learned += sum(bool(mark[game]) for mark in marks[begin - first :])
        began = time.perf_counter()
        shown = self._harvest(self.ended)
        self.ended, self.learned = [], 0
        self.times.add("harvest", began)
        return shown

    def step(self, stopped: Callable[[], bool] = never) -> Counts | None:
        """One move in every game; the results of those that it ended.

        None if it was stopped before: on a CPU the searches of thousands of games take a
        minute, and nobody waits for them.  The next call makes the same searches from anew."""
        s, batch, n = self.settings, self.batch, len(self.batch)
        drawn = self.chooser.bit_generator.state
        full = self.chooser.random() < s.full_share
        goal = s.simulations if full else s.fast_simulations
        early = batch.plies < s.temperature_plies
        exploring = np.where(early if s.root == "gumbel" else full, np.ones(n), 0.0)
        temperatures = np.where(early, s.temperature, 0.0)
        seed = derive_seed(self._seed, 11 + self.steps)
        movers = batch.players()
        drawing = movers == CHANCE  # a step like any other, but nobody searches or learns it
        parts, at = [], 0
        for search in self.searches:
            mine = np.arange(at, at + len(search))
            parts.append((search, mine))
            search.reset_roots(
                batch.take(mine), simulations=goal, seed=seed, exploring=exploring[mine],
                active=~drawing[mine],
            )  # fmt: skip
            at += len(search)
        simulate(self.searches, times=self.times, stopped=stopped)
        if any(search.needs_simulations for search in self.searches):
            self.chooser.bit_generator.state = drawn
            return None
        now = time.perf_counter()
        found = [search.policies(temperatures[mine]) for search, mine in parts]
        chosen = np.concatenate([one.chosen for one in found])
        values = np.concatenate([one.values for one in found])
        opening = batch.plies < self.openings
        counts = np.concatenate([np.diff(one.legal.offsets) for one in found])
        self.kept.append(
            _Moves(
                batch.rows.copy(), np.concatenate([[0], np.cumsum(counts)]),
                np.concatenate([one.legal.actions for one in found]),
                np.concatenate([one.policy for one in found]), movers, values,
                np.concatenate([one.proven for one in found]),
                np.full(n, full) & ~opening & ~drawing,
            )
        )  # fmt: skip
        if opening.any():
            chosen = np.where(opening, batch.random_actions(_OPENING), chosen)
        if drawing.any():
            chosen = np.where(drawing, batch.random_actions(_CHANCE), chosen)
        results = self._play(chosen, movers, values)
        self.steps += 1
        over = np.flatnonzero(results != ONGOING)
        self.begun[over] = self.steps
        if len(over):
            self.openings[over] = self._draw_openings(len(over))
        self.times.add("moves", now)
        return results

    def _play(self, chosen: Counts, movers: Counts, values: npt.NDArray[np.float64]) -> Counts:
        """Play the actions; games that are over begin anew, their results are told."""
        s, batch = self.settings, self.batch
        batch.apply(chosen, check=False)
        results = batch.outcome()
        signs = np.where(movers == 1, -1, 1)
        if s.resign > 0.0:
            given_up = (results == ONGOING) & (values * signs < -s.resign)
            results[given_up] = -signs[given_up]
        results[(results == ONGOING) & (batch.plies >= s.ply_limit)] = 0
        over = np.flatnonzero(results != ONGOING)
        self.lengths += batch.plies[over].tolist()
        batch.rows[over] = self.game.start_row()
        batch.plies[over] = 0
        batch.history_lengths[over] = 0
        batch.seeds[over] = batch.seeds[over] * np.uint64(6364136223846793005) + np.uint64(1)
        return results

    def _harvest(self, ended: list[tuple[int, int, int, int]]) -> Shown:
        """The games that ended, one after the other; what no game needs is dropped."""
        n, moves = len(self.batch), _Moves.together(self.kept)
        first = self.steps - len(moves) // n
        spans = [np.arange(begin - first, end - first) * n + game for game, begin, end, _ in ended]
        lengths = np.array([len(span) for span in spans])
        chosen = np.concatenate(spans)
        offsets, places = moves.lists(chosen)
        results = np.repeat([float(result) for *_, result in ended], lengths)
        share = self.settings.search_value
        values = (1.0 - share) * results + share * moves.values[chosen]
        values = np.where(moves.proven[chosen], moves.values[chosen], values)
        signs = np.where(moves.movers[chosen] == 1, -1.0, 1.0)
        firsts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        shown = Shown(
            moves.rows[chosen], firsts, offsets, moves.actions[places], moves.policy[places],
            (values * signs).astype(np.float32), moves.learned[chosen],
        )  # fmt: skip
        oldest = int(self.begun.min())
        rest = moves.since((oldest - first) * n)
        self.kept = [rest] if len(rest) else []
        return shown

    # Checkpoints

    growing = ("pasts", "ended", "lengths", *(f"moves.{field.name}" for field in fields(_Moves)))

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, facts) from which the games go on exactly as they would."""
        batch = self.batch
        moves = _Moves.together(self.kept) if self.kept else _no_moves(self.game)
        arrays = {
            "rows": batch.rows, "plies": batch.plies, "seeds": batch.seeds,
            "known": batch.history_lengths, "pasts": batch.histories,
            "begun": self.begun, "openings": self.openings,
            "ended": np.array(self.ended, np.int64).reshape(-1, 4),
            "lengths": np.array(self.lengths, np.int64),
        }  # fmt: skip
        arrays |= {f"moves.{field.name}": getattr(moves, field.name) for field in fields(moves)}
        return arrays, {
            "seed": self._seed,
            "steps": self.steps,
            "learned": self.learned,
            "chooser": self.chooser.bit_generator.state,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        for name in ("rows", "plies", "seeds", "known", "pasts"):
            setattr(self.batch, name, arrays[name].copy())
        self.begun, self.openings = arrays["begun"].copy(), arrays["openings"].copy()
        moves = _Moves(
            **{field.name: arrays[f"moves.{field.name}"].copy() for field in fields(_Moves)}
        )
        self.kept = [moves] if len(moves) else []
        self.ended = [(int(g), int(b), int(e), int(r)) for g, b, e, r in arrays["ended"]]
        self.lengths = arrays["lengths"].tolist()
        self._seed = int(facts["seed"])
        self.steps, self.learned = int(facts["steps"]), int(facts["learned"])
        self.chooser.bit_generator.state = facts["chooser"]


def _no_moves(game: Game) -> _Moves:
    return _Moves(
        np.zeros((0, game.words), np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int32),
        np.zeros(0, np.float32), np.zeros(0, np.int64), np.zeros(0, np.float64),
        np.zeros(0, np.bool_), np.zeros(0, np.bool_),
    )  # fmt: skip
