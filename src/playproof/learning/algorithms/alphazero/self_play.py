"""Self-play: games of a network against itself by tree search, recorded for learning.

All games move in lockstep, each by a tree of its own.  A finished game is replaced by a new one,
and games continue from one iteration to the next.  Only moves with the full number of simulations
are learned from.  With playout cap randomisation (Wu, 2019) only a share of the moves has it; the
others finish games sooner.
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
from playproof.learning.algorithms.alphazero.replay import Trajectories
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.learner import BATCH_ARRAYS, never
from playproof.search.mcts.scheduler import PhaseTimes, simulate
from playproof.search.mcts.search import RootPolicies, TreeSearch

Counts = npt.NDArray[np.int64]

# Salts that separate these random numbers from others
_OPENING, _LEG, _CHANCE = 0x6F70656E, 0x6C656773, 0x636F696E


@dataclass(frozen=True)
class _Moves:
    """The moves of all games, step by step: entry ``step * games + game``.

    The fields are those of :class:`Trajectories`, and what is known before a game has ended."""

    rows: Words
    offsets: Counts
    actions: npt.NDArray[np.int32]
    policy: npt.NDArray[np.float32]
    movers: Counts
    values: npt.NDArray[np.float64]  # the search's, from the first player's side
    proven: npt.NDArray[np.bool_]
    learned: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def concatenate(cls, parts: Sequence[_Moves]) -> _Moves:
        both = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
            if field.name != "offsets"
        }
        ends = np.cumsum([0] + [len(part.actions) for part in parts])
        offsets = [part.offsets[1:] + end for part, end in zip(parts, ends, strict=False)]
        return cls(offsets=np.concatenate([np.zeros(1, np.int64), *offsets]), **both)

    def lists(self, chosen: Counts) -> tuple[Counts, Counts]:
        """Where the lists of some entries lie: (offsets when put end to end, indices)."""
        counts = self.offsets[chosen + 1] - self.offsets[chosen]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        starts = np.repeat(self.offsets[chosen] - offsets[:-1], counts)
        return offsets, starts + np.arange(offsets[-1])

    def since(self, entry: int) -> _Moves:
        """The moves from an entry on."""
        start = int(self.offsets[entry])
        rest = {
            field.name: getattr(self, field.name)[start:].copy()
            if field.name in ("actions", "policy")
            else getattr(self, field.name)[entry:].copy()
            for field in fields(self)
            if field.name != "offsets"
        }
        return _Moves(offsets=self.offsets[entry:] - start, **rest)


class SelfPlay:
    """``settings.games`` games in progress, divided among ``searches`` in order.

    A run that moved here without its games starts new ones; ``leg`` gives them other seeds."""

    def __init__(
        self, game: Game, settings: AlphaZeroSettings, searches: list[TreeSearch], leg: int = 0
    ) -> None:
        self.game, self.settings, self.searches = game, settings, searches
        n = settings.games
        self._seed = derive_seed(settings.seed, _LEG + leg) if leg else settings.seed
        self.batch = Batch.start(game, n, seed=derive_seed(self._seed, 3))
        self.rng = np.random.default_rng(derive_seed(self._seed, 5))
        self.start_steps: Counts = np.zeros(n, np.int64)  # the step at which each game started
        self.openings: Counts = self._draw_openings(n)  # random plies at the start of each game
        self.steps = 0  # steps taken so far
        self.pending: list[_Moves] = []  # moves of unfinished games, one or more steps each
        self.times = PhaseTimes()
        # The games that ended since the last ``collect``: game, first step, last step, result;
        # the number of their positions to learn; their lengths.
        self.ended: list[tuple[int, int, int, int]] = []
        self.learned = 0
        self.lengths: list[int] = []

    def _draw_openings(self, n: int) -> Counts:
        return self.rng.integers(0, self.settings.opening_plies + 1, n)

    def collect(self, positions: int, stopped: Callable[[], bool] = never) -> Trajectories | None:
        """Play until the finished games have at least ``positions`` positions to learn.

        None if it was stopped before; the next call continues the same games."""
        per_step: list[npt.NDArray[np.bool_]] = [
            step.learned.reshape(-1, len(self.batch)) for step in self.pending
        ]
        marks = list(np.concatenate(per_step)) if per_step else []
        first = self.steps - len(marks)
        while self.learned < positions:
            if stopped():
                return None
            before = self.start_steps.copy()
            results = self.step(stopped)
            if results is None:
                return None
            marks.append(self.pending[-1].learned)
            for game in np.flatnonzero(results != ONGOING).tolist():
                start = int(before[game])
                self.ended.append((game, start, self.steps, int(results[game])))
                self.learned += sum(bool(mark[game]) for mark in marks[start - first :])
        started = time.perf_counter()
        trajectories = self._harvest(self.ended)
        self.ended, self.learned = [], 0
        self.times.add("harvest", started)
        return trajectories

    def step(self, stopped: Callable[[], bool] = never) -> Counts | None:
        """Play one move in every game; returns the results of the games, ONGOING or final.

        None if it was stopped during the searches, which take a minute for thousands of games on
        a CPU.  The next call starts the same searches again."""
        s, batch = self.settings, self.batch
        rng_state = self.rng.bit_generator.state
        full = self.rng.random() < s.full_share
        movers = batch.players()
        by_chance = movers == CHANCE  # chance moves are neither searched nor learned
        early = batch.plies < s.temperature_plies
        searched = self._search(full, early, ~by_chance, stopped)
        if searched is None:
            self.rng.bit_generator.state = rng_state
            return None
        started = time.perf_counter()
        temperatures = np.where(early, s.temperature, 0.0)
        choices = [search.policies(temperatures[games]) for search, games in searched]
        opening = batch.plies < self.openings
        learned = np.full(len(batch), full) & ~opening & ~by_chance
        moves = self._moves_of(choices, movers, learned)
        self.pending.append(moves)
        chosen = np.concatenate([choice.chosen for choice in choices])
        if opening.any():
            chosen = np.where(opening, batch.random_actions(_OPENING), chosen)
        if by_chance.any():
            chosen = np.where(by_chance, batch.random_actions(_CHANCE), chosen)
        results = self._play(chosen, movers, moves.values)
        self.steps += 1
        over = np.flatnonzero(results != ONGOING)
        self.start_steps[over] = self.steps
        if len(over):
            self.openings[over] = self._draw_openings(len(over))
        self.times.add("moves", started)
        return results

    def _search(
        self,
        full: bool,
        early: npt.NDArray[np.bool_],
        active: npt.NDArray[np.bool_],
        stopped: Callable[[], bool],
    ) -> list[tuple[TreeSearch, Counts]] | None:
        """Search the ``active`` games; every search with the indices of its games.

        ``full``: with all simulations; ``early``: games whose moves are still drawn by their
        visits.  None if it was stopped."""
        s, parts, at = self.settings, [], 0
        exploring = np.where(early if s.root == "gumbel" else full, np.ones(len(self.batch)), 0.0)
        seed = derive_seed(self._seed, 11 + self.steps)
        for search in self.searches:
            games = np.arange(at, at + len(search))
            parts.append((search, games))
            search.reset_roots(
                self.batch.take(games), seed=seed, exploring=exploring[games],
                simulations=s.simulations if full else s.fast_simulations, active=active[games],
            )  # fmt: skip
            at += len(search)
        simulate(self.searches, times=self.times, stopped=stopped)
        return None if any(search.needs_simulations for search in self.searches) else parts

    def _moves_of(
        self, choices: Sequence[RootPolicies], movers: Counts, learned: npt.NDArray[np.bool_]
    ) -> _Moves:
        """One step of all games as the searches chose it."""
        counts = np.concatenate([np.diff(choice.legal.offsets) for choice in choices])
        return _Moves(
            self.batch.rows.copy(), np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([choice.legal.actions for choice in choices]),
            np.concatenate([choice.policy for choice in choices]), movers,
            np.concatenate([choice.values for choice in choices]),
            np.concatenate([choice.proven for choice in choices]), learned,
        )  # fmt: skip

    def _play(self, chosen: Counts, movers: Counts, values: npt.NDArray[np.float64]) -> Counts:
        """Play the actions and replace finished games by new ones; returns the results."""
        s, batch = self.settings, self.batch
        batch.apply(chosen, check=False)
        results = batch.outcome()
        signs = np.where(movers == 1, -1, 1)
        if s.resign > 0.0:
            resigned = (results == ONGOING) & (values * signs < -s.resign)
            results[resigned] = -signs[resigned]
        results[(results == ONGOING) & (batch.plies >= s.ply_limit)] = 0
        over = np.flatnonzero(results != ONGOING)
        self.lengths += batch.plies[over].tolist()
        batch.rows[over] = self.game.start_row()
        batch.plies[over] = 0
        batch.history_lengths[over] = 0
        batch.seeds[over] = batch.seeds[over] * np.uint64(6364136223846793005) + np.uint64(1)
        return results

    def _harvest(self, ended: list[tuple[int, int, int, int]]) -> Trajectories:
        """The games that ended, as trajectories; drops the moves that no game needs any more."""
        n, moves = len(self.batch), _Moves.concatenate(self.pending)
        first = self.steps - len(moves) // n
        spans = [np.arange(start - first, end - first) * n + game for game, start, end, _ in ended]
        lengths = np.array([len(span) for span in spans])
        chosen = np.concatenate(spans)
        offsets, places = moves.lists(chosen)
        results = np.repeat([float(result) for *_, result in ended], lengths)
        share = self.settings.search_value
        values = (1.0 - share) * results + share * moves.values[chosen]
        values = np.where(moves.proven[chosen], moves.values[chosen], values)
        signs = np.where(moves.movers[chosen] == 1, -1.0, 1.0)
        firsts = np.repeat(np.cumsum(lengths) - lengths, lengths)
        trajectories = Trajectories(
            moves.rows[chosen], firsts, offsets, moves.actions[places], moves.policy[places],
            (values * signs).astype(np.float32), moves.learned[chosen],
        )  # fmt: skip
        oldest = int(self.start_steps.min())
        rest = moves.since((oldest - first) * n)
        self.pending = [rest] if len(rest) else []
        return trajectories

    # Checkpoints

    growing = ("pasts", "ended", "lengths", *(f"moves.{field.name}" for field in fields(_Moves)))

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, metadata) from which the games continue exactly as they would have."""
        batch = self.batch
        moves = _Moves.concatenate(self.pending) if self.pending else _no_moves(self.game)
        arrays = {
            **{name: getattr(batch, attribute) for name, attribute in BATCH_ARRAYS.items()},
            "begun": self.start_steps, "openings": self.openings,
            "ended": np.array(self.ended, np.int64).reshape(-1, 4),
            "lengths": np.array(self.lengths, np.int64),
        }  # fmt: skip
        arrays |= {f"moves.{field.name}": getattr(moves, field.name) for field in fields(moves)}
        return arrays, {
            "seed": self._seed,
            "steps": self.steps,
            "learned": self.learned,
            "chooser": self.rng.bit_generator.state,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> None:
        for name, attribute in BATCH_ARRAYS.items():
            setattr(self.batch, attribute, arrays[name].copy())
        self.start_steps, self.openings = arrays["begun"].copy(), arrays["openings"].copy()
        moves = _Moves(
            **{field.name: arrays[f"moves.{field.name}"].copy() for field in fields(_Moves)}
        )
        self.pending = [moves] if len(moves) else []
        self.ended = [(int(g), int(b), int(e), int(r)) for g, b, e, r in arrays["ended"]]
        self.lengths = arrays["lengths"].tolist()
        self._seed = int(metadata["seed"])
        self.steps, self.learned = int(metadata["steps"]), int(metadata["learned"])
        self.rng.bit_generator.state = metadata["chooser"]


def _no_moves(game: Game) -> _Moves:
    return _Moves(
        np.zeros((0, game.words), np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int32),
        np.zeros(0, np.float32), np.zeros(0, np.int64), np.zeros(0, np.float64),
        np.zeros(0, np.bool_), np.zeros(0, np.bool_),
    )  # fmt: skip
