"""The referee: plays some games between two agents, and survives whatever they do.

The agents run in a separate process that is watched.  All games in which a player is to move are
put before its agent at once, as one batch.  If that fails, they are put before it one by one.  So
an agent that raises an error, hangs, dies or plays an illegal move loses that one game, and the
reason is recorded.

What an agent draws at random depends on its own seed, the game's seed and the ply.  So the same
games result however they are grouped and wherever they run.
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
from playproof.core.errors import UnavailableError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, ONGOING
from playproof.core.parallel.isolated_process import CallFailure, CallTimedOut, IsolatedProcess
from playproof.core.registry import resolve_game
from playproof.core.state import State
from playproof.formats.record import RESULTS, Record

MAX_PLIES = 10_000  # a longer game is cut off and counts as a draw
_MAX_REASON = 300  # characters: an error message may include all its data


@dataclass(frozen=True)
class GameTask:
    """One game to play.  In leg 0 the first named player moves first, in leg 1 the second."""

    pair: int
    leg: int
    seed: int
    start: str | None  # the position that the opening starts from; None for the game's own start
    opening: tuple[str, ...]  # moves that are played before the players take over


@dataclass(frozen=True)
class MatchJob:
    """Games of one pairing that are played together.

    ``players`` are all players of the event, so that a worker can keep its process for the next
    pairing.  ``game`` is a spec, or the Game itself if no other process can make it from a spec.
    """

    game: Game | str
    players: tuple[Player, ...]
    seats: tuple[int, int]  # the two of the players that meet
    tasks: tuple[GameTask, ...]
    limit: float  # seconds for a move
    patience: float = 300.0  # seconds to prepare an agent: kernels may have to be compiled
    modules: tuple[str, ...] = ()  # to import first: they define agents or games
    threads: int = 1


@dataclass(frozen=True)
class FinishedGame:
    """A finished game.  ``result`` is for the player who moved first."""

    task: GameTask
    players: tuple[str, str]  # labels; the player who moved first comes first
    result: int
    reason: str | None  # why it ended, if not by the rules of the game
    record: Record
    seconds: tuple[float, float]  # thinking time, in the order of the pairing


class AgentHosts:
    """The hosts of the players' agents: a watched process, and this one for local players."""

    def __init__(self, job: MatchJob) -> None:
        self.key = _key(job)
        # Agents that were made in this process play here; all others are watched.
        remote = tuple(replace(player, agent=None) for player in job.players)
        spec = job.game if isinstance(job.game, str) else job.game.spec
        self._remote = IsolatedProcess(AgentHost, spec, remote, job.modules, threads=job.threads)
        self._is_local = [player.local for player in job.players]
        self._local = (
            InProcessHost(AgentHost(job.game, job.players, ())) if any(self._is_local) else None
        )
        self.is_closed = False
        self.patience = job.patience
        self._prepared: set[int] = set()  # players that are ready in the present process
        self._failed_to_prepare: set[int] = set()  # players that hang or die when prepared
        # Players that get one position at a time.  A batch takes them longer than one move may
        # take, or they have a game clock, which would be lost if the process had to be ended.
        self._one_by_one = {
            n for n, one in enumerate(job.players) if one.max_game_seconds is not None
        }

    def prepare(self, number: int) -> None:
        """Prepare a player, again if the process was lost.  This does not count as thinking.

        An agent that cannot be made is the caller's mistake and raises its error.  One that hangs
        or dies while it is prepared loses its games one by one like any other.
        """
        if not self._remote.is_running:
            self._prepared = {one for one in self._prepared if self._is_local[one]}
        if number in self._prepared or number in self._failed_to_prepare:
            return
        try:
            error = self._host(number).call("prepare", number, limit=self.patience)
        except CallFailure:
            self._failed_to_prepare.add(number)
            return
        if error is not None:
            raise error
        self._prepared.add(number)

    def choose(
        self, number: int, batch: Batch, limit: float, on_failure: Callable[[int, str], None]
    ) -> list[Any]:
        """A player's actions, one per row.

        Where the player fails, ``on_failure(row, reason)`` is called and the action is None.
        """
        if len(batch) > 1 and number not in self._one_by_one:
            try:
                return self._choose(number, batch, limit)
            except CallTimedOut:
                self._one_by_one.add(number)
            except CallFailure:
                pass
        actions: list[Any] = []
        for row in range(len(batch)):
            try:
                actions += self._choose(number, batch.take([row]), limit)
            except CallFailure as failure:
                on_failure(row, str(failure))
                actions.append(None)
        return actions

    def _choose(self, number: int, batch: Batch, limit: float) -> list[Any]:
        if self.is_closed:
            raise GamesAbandoned
        self.prepare(number)
        arrays = (batch.rows, batch.plies, batch.seeds, batch.history_lengths, batch.histories)
        actions = self._host(number).call("choose", number, arrays, limit=limit)
        if isinstance(actions, UnavailableError):
            raise actions
        if len(actions) != len(batch):
            raise CallFailure(f"gave {len(actions)} answers to {len(batch)} positions")
        return list(actions)

    def _host(self, number: int) -> IsolatedProcess | InProcessHost:
        return self._local if self._local and self._is_local[number] else self._remote

    def close(self) -> None:
        self.is_closed = True
        self._remote.close()


class GamesAbandoned(Exception):
    """The games were abandoned because the match ended."""


_of_thread = threading.local()  # each thread, and so each worker, keeps its hosts
_all_hosts: list[AgentHosts] = []  # of all threads


def play(job: MatchJob) -> list[FinishedGame]:
    """Play the games of a job to their end."""
    hosts = getattr(_of_thread, "hosts", None)
    if hosts is None or hosts.is_closed or hosts.key != _key(job):
        if hosts is not None and not hosts.is_closed:
            hosts.close()
            _all_hosts.remove(hosts)
        hosts = _of_thread.hosts = AgentHosts(job)
        _all_hosts.append(hosts)
    for number in job.seats:
        hosts.prepare(number)
    return _Games(job, hosts).play()


def close_player_processes() -> None:
    """End the players' processes of all threads; games in progress are abandoned."""
    while _all_hosts:
        _all_hosts.pop().close()


def _key(job: MatchJob) -> tuple[Any, ...]:
    return job.game, job.players, job.modules, job.threads


class _Games:
    """The games of one job, played in lockstep."""

    def __init__(self, job: MatchJob, hosts: AgentHosts) -> None:
        self.job, self.hosts = job, hosts
        self.players = [job.players[number] for number in job.seats]
        self.game: Game = resolve_game(job.game)
        self.starts = [_opening_state(self.game, task) for task in job.tasks]
        self.batch = Batch.of(self.starts)
        self.batch.seeds[:] = [task.seed for task in job.tasks]
        self.legs = np.array([task.leg for task in job.tasks])
        self.moves: list[list[int]] = [[] for _ in job.tasks]
        self.losers: list[int | None] = [None] * len(job.tasks)  # the seat that failed, if one did
        self.reasons: list[str | None] = [None] * len(job.tasks)
        self.seconds = np.zeros((len(job.tasks), 2))

    def play(self) -> list[FinishedGame]:
        for _ in range(MAX_PLIES):
            alive = ~self.batch.finished() & [loser is None for loser in self.losers]
            if not alive.any():
                break
            self._step(alive)
        self.outcomes = self.batch.outcome()
        return [self._finished_game(row) for row in range(len(self.job.tasks))]

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
                actions[rows] = self._choose(seat, rows)
        for row in np.flatnonzero(actions >= 0).tolist():
            self.moves[row].append(int(actions[row]))
        batch.apply(actions, check=False)

    def _choose(self, seat: int, rows: Any) -> list[int]:
        """A player's legal actions in the games ``rows``; -1 where the player has just lost."""
        label = self.players[seat].label
        part = self.batch.take(rows)

        def on_failure(row: int, reason: str) -> None:
            self._lose(int(rows[row]), seat, f"{label} {reason}")

        started = time.perf_counter()
        # A player with a game clock loses by its clock, and not by the limit for a move.
        limit = self.job.limit + (self.players[seat].max_game_seconds or 0.0)
        actions = self.hosts.choose(self.job.seats[seat], part, limit, on_failure)
        self.seconds[rows, seat] += (time.perf_counter() - started) / len(rows)
        legal = part.legal_lists()
        checked = []
        for row, action in enumerate(actions):
            if action is None and self.losers[rows[row]] is not None:
                checked.append(-1)
            elif isinstance(action, int) and action in legal.of(row):
                checked.append(action)
            else:
                self._lose(int(rows[row]), seat, f"{label} {self._illegal(part[row], action)}")
                checked.append(-1)
        return checked

    def _illegal(self, state: State, action: Any) -> str:
        if isinstance(action, int) and 0 <= action < self.game.num_actions:
            return f"answered the illegal move {state.name(action)}"
        return f"answered {str(action)[:40]}, which is no action"

    def _lose(self, row: int, seat: int, reason: str) -> None:
        self.losers[row], self.reasons[row] = seat, _printable(reason)

    def _finished_game(self, row: int) -> FinishedGame:
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
            moves=(*task.opening, *self.starts[row].names_of(self.moves[row])),
            result=RESULTS[result],
            seed=task.seed,
            start=task.start,
            reason=reason,
        )
        seconds = (float(self.seconds[row, 0]), float(self.seconds[row, 1]))
        return FinishedGame(task, (first, second), result, reason, record, seconds)


def _printable(reason: str) -> str:
    """One printable line, of limited length, from whatever an agent's error says."""
    line = " ".join(reason.split())
    line = line if len(line) <= _MAX_REASON else f"{line[:_MAX_REASON]}..."
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _opening_state(game: Game, task: GameTask) -> State:
    start = game.start() if task.start is None else game.position(task.start)
    return start.play(task.opening)
