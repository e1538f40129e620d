"""The referee: plays a handful of games between two agents, whatever they do.

The agents sit in a watched process of their own.  Those of a player's games
that wait for a move are put before the agent at once, as one batch.  If that
fails, they are put to it one by one, so that only the game in which it raises
an error, hangs, dies or answers illegally is lost, with the reason on record.

What an agent draws at random depends on its own seed, the game's seed and the
ply: the same games come out however they are grouped and wherever they run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from playproof.arena.player_process import AgentHost, InProcessHost, Player
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING
from playproof.core.parallel.isolated_process import CallFailure, CallTimedOut, IsolatedProcess
from playproof.core.registry import resolve_game
from playproof.core.state import State
from playproof.formats.record import RESULTS, Record

MAX_PLIES = 10_000  # a game that will not end is called a draw here
_LONGEST_REASON = 300  # characters: an error may come with all its data


@dataclass(frozen=True)
class GameTask:
    """One game to play.  ``leg`` 0: the first named player moves first."""

    pair: int
    leg: int
    seed: int
    start: str | None  # a position to begin from
    opening: tuple[str, ...]  # moves that are played before the players begin


@dataclass(frozen=True)
class MatchJob:
    """Games of one pairing, played together.

    All players of the event are named, so that a worker's process serves for
    every pairing.  A game that no other process knows is given as itself.
    """

    game: Game | str
    players: tuple[Player, ...]
    seats: tuple[int, int]  # which of the players meet
    tasks: tuple[GameTask, ...]
    limit: float  # seconds for a move
    patience: float = 300.0  # seconds to get ready: kernels may have to be compiled
    modules: tuple[str, ...] = ()  # to import first: they bring agents or games
    threads: int = 1


@dataclass(frozen=True)
class FinishedGame:
    """A finished game.  ``result`` is for the player who moved first."""

    task: GameTask
    players: tuple[str, str]  # labels, who moved first before
    result: int
    reason: str | None  # where the moves do not tell why it ended
    record: Record
    seconds: tuple[float, float]  # thinking, in the order of the pairing


class AgentHosts:
    """The players' watched process, as the referee sees it."""

    def __init__(self, job: MatchJob) -> None:
        self.key = _key(job)
        # Who was made in this process plays here; all others are watched.
        away = tuple(replace(player, agent=None) for player in job.players)
        spec = job.game if isinstance(job.game, str) else job.game.spec
        self._away = IsolatedProcess(AgentHost, spec, away, job.modules, threads=job.threads)
        self._local = [player.local for player in job.players]
        self._here = (
            InProcessHost(AgentHost(job.game, job.players, ())) if any(self._local) else None
        )
        self.left = False
        self.patience = job.patience
        self._ready: set[int] = set()  # in the process of now
        self._unready: set[int] = set()  # hang or die over it
        # Those who need more than a move's time for many; a clock of a game is lost with the
        # process, and so must not be put at risk.
        self._slow = {n for n, one in enumerate(job.players) if one.max_game_seconds is not None}

    def seat(self, number: int) -> None:
        """Have a player made ready, again where the process was lost: that is no move's time.

        An agent that refuses to be made is the caller's mistake, not a lost game;
        one that hangs or dies over it will lose game by game like any other.
        """
        if not self._away.is_running:
            self._ready = {ready for ready in self._ready if self._local[ready]}
        if number in self._ready or number in self._unready:
            return
        try:
            complaint = self._bench(number).call("ready", number, limit=self.patience)
        except CallFailure:
            self._unready.add(number)
            return
        if complaint is not None:
            raise complaint
        self._ready.add(number)

    def ask(
        self, number: int, batch: Batch, limit: float, failed: Callable[[int, str], None]
    ) -> list[Any]:
        """The player's answers, row by row; ``failed(row, why)`` and None where it has none."""
        if len(batch) > 1 and number not in self._slow:
            try:
                return self._ask(number, batch, limit)
            except CallTimedOut:
                self._slow.add(number)
            except CallFailure:
                pass
        answers: list[Any] = []
        for row in range(len(batch)):
            try:
                answers += self._ask(number, batch.take([row]), limit)
            except CallFailure as failure:
                failed(row, str(failure))
                answers.append(None)
        return answers

    def _ask(self, number: int, batch: Batch, limit: float) -> list[Any]:
        if self.left:
            raise GamesAbandoned
        self.seat(number)
        arrays = (batch.rows, batch.plies, batch.seeds, batch.history_lengths, batch.histories)
        answers = self._bench(number).call("choose", number, arrays, limit=limit)
        if len(answers) != len(batch):
            raise CallFailure(f"gave {len(answers)} answers to {len(batch)} positions")
        return list(answers)

    def _bench(self, number: int) -> IsolatedProcess | InProcessHost:
        return self._here if self._here and self._local[number] else self._away

    def leave(self) -> None:
        self.left = True
        self._away.close()


class GamesAbandoned(Exception):
    """The games were given up from outside."""


_mine = threading.local()  # each thread, and so each worker, keeps one table
_tables: list[AgentHosts] = []  # of all threads


def play(job: MatchJob) -> list[FinishedGame]:
    """Play the games of a job to their end."""
    table = getattr(_mine, "table", None)
    if table is None or table.left or table.key != _key(job):
        if table is not None and not table.left:
            table.leave()
            _tables.remove(table)
        table = _mine.table = AgentHosts(job)
        _tables.append(table)
    for number in job.seats:
        table.seat(number)
    return _Round(job, table).play()


def close_player_processes() -> None:
    """End the players' processes of all threads; games under way are given up."""
    while _tables:
        _tables.pop().leave()


def _key(job: MatchJob) -> tuple[Any, ...]:
    return job.game, job.players, job.modules, job.threads


class _Round:
    """The games of one job, played in lockstep."""

    def __init__(self, job: MatchJob, table: AgentHosts) -> None:
        self.job, self.table = job, table
        self.players = [job.players[number] for number in job.seats]
        self.game: Game = resolve_game(job.game)
        self.begun = [_opening_state(self.game, task) for task in job.tasks]
        self.batch = Batch.of(self.begun)
        self.batch.seeds[:] = [task.seed for task in job.tasks]
        self.legs = np.array([task.leg for task in job.tasks])
        self.moves: list[list[int]] = [[] for _ in job.tasks]
        self.losers: list[int | None] = [None] * len(job.tasks)  # seat that failed
        self.reasons: list[str | None] = [None] * len(job.tasks)
        self.seconds = np.zeros((len(job.tasks), 2))

    def play(self) -> list[FinishedGame]:
        for _ in range(MAX_PLIES):
            alive = ~self.batch.finished() & [loser is None for loser in self.losers]
            if not alive.any():
                break
            self._step(alive)
        self.outcomes = self.batch.outcome()
        return [self._played(row) for row in range(len(self.job.tasks))]

    def _step(self, alive: Any) -> None:
        batch = self.batch
        players = batch.players()
        actions = np.full(len(batch), -1, np.int64)
        chance = np.flatnonzero(alive & (players == CHANCE))
        if len(chance):
            actions[chance] = batch.take(chance).random_actions()
        for seat in (0, 1):
            rows = np.flatnonzero(alive & (players != CHANCE) & (players ^ self.legs == seat))
            if len(rows):
                actions[rows] = self._answers(seat, rows)
        for row in np.flatnonzero(actions >= 0).tolist():
            self.moves[row].append(int(actions[row]))
        batch.apply(actions, check=False)

    def _answers(self, seat: int, rows: Any) -> list[int]:
        """Legal actions of one player's games; -1 where the player has just lost."""
        label = self.players[seat].label
        part = self.batch.take(rows)

        def failed(row: int, why: str) -> None:
            self._lose(int(rows[row]), seat, f"{label} {why}")

        began = time.perf_counter()
        # Who has a clock for the game loses by it, not by the limit for a move.
        limit = self.job.limit + (self.players[seat].max_game_seconds or 0.0)
        answers = self.table.ask(self.job.seats[seat], part, limit, failed)
        self.seconds[rows, seat] += (time.perf_counter() - began) / len(rows)
        legal = part.legal_lists()
        checked = []
        for row, answer in enumerate(answers):
            if answer is None and self.losers[rows[row]] is not None:
                checked.append(-1)
            elif isinstance(answer, int) and answer in legal.of(row):
                checked.append(answer)
            else:
                self._lose(int(rows[row]), seat, f"{label} {self._wrong(part[row], answer)}")
                checked.append(-1)
        return checked

    def _wrong(self, state: State, answer: Any) -> str:
        if isinstance(answer, int) and 0 <= answer < self.game.num_actions:
            return f"answered the illegal move {state.name(answer)}"
        return f"answered {str(answer)[:40]}, which is no action"

    def _lose(self, row: int, seat: int, why: str) -> None:
        self.losers[row], self.reasons[row] = seat, _printable(why)

    def _played(self, row: int) -> FinishedGame:
        task, names = self.job.tasks[row], [player.label for player in self.players]
        first, second = names if task.leg == 0 else names[::-1]
        loser, outcome, reason = self.losers[row], int(self.outcomes[row]), self.reasons[row]
        if loser is not None:
            result = -1 if loser ^ task.leg == 0 else 1
        elif outcome == ONGOING:
            result, reason = 0, f"cut off after {MAX_PLIES} plies"
        else:
            result = outcome
        record = Record(
            game=self.game.name,
            options=self.game.options,
            players=(first, second),
            moves=(*task.opening, *self.begun[row].names_of(self.moves[row])),
            result=RESULTS[result],
            seed=task.seed,
            start=task.start,
            reason=reason,
        )
        seconds = (float(self.seconds[row, 0]), float(self.seconds[row, 1]))
        return FinishedGame(task, (first, second), result, reason, record, seconds)


def _printable(why: str) -> str:
    """One line that files and terminals can bear, whatever an agent's error says."""
    line = " ".join(why.split())
    line = line if len(line) <= _LONGEST_REASON else f"{line[:_LONGEST_REASON]}..."
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _opening_state(game: Game, task: GameTask) -> State:
    start = game.start() if task.start is None else game.position(task.start)
    return start.play(task.opening)
