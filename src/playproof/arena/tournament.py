"""Tournaments: every player meets every other in pairs of games with sides swapped.

A match is a tournament of two players.  All pairings play the same openings.  The event (game,
openings, seed) and the players' keys settle what is played.  How many workers there are, where they
run, and how often the run was killed on the way makes no difference.
"""

from __future__ import annotations

import secrets
import zlib
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from time import monotonic
from typing import Any, TypedDict, Unpack

from playproof.agents import registry as agents
from playproof.arena.database import Event, GameDatabase
from playproof.arena.openings import Opening, OpeningSource
from playproof.arena.pgn_tags import with_pgn_tags
from playproof.arena.player_process import Player
from playproof.arena.players import Contender, is_reachable, resolve_players
from playproof.arena.referee import FinishedGame, GameTask, MatchJob, play
from playproof.arena.standings import Reuse, Standings
from playproof.arena.statistics.score import Score
from playproof.arena.statistics.sprt import Sprt
from playproof.arena.workers import worker_pool
from playproof.core import registry
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.parallel import executor as jobs

_JOB_SECONDS = 4.0  # that a job should take: less costs overhead, more is lost by a kill
_MAX_LIMIT = 1e6  # seconds: a clock cannot wait for ever
_FIRST_PAIRS = 2  # pairs in the first job of a pairing, when its speed is not known yet

Pairing = tuple[int, int]
Progress = Callable[[int, int], None]  # (games done, games in all)


@dataclass(frozen=True)
class MatchConfig:
    """How a match or a tournament is played.  Each pairing plays ``pairs`` pairs of games."""

    pairs: int
    openings: str = "random"
    seed: int | None = None  # None resumes a killed run of the same request, or draws a new seed
    limit: float = 60.0  # seconds for a move, after which an agent counts as hung
    patience: float = 300.0  # seconds to prepare an agent
    workers: int | None = None  # processes; all cores if None
    batch: int = 64  # pairs put before the agents at once, at most
    together: bool = False  # whole batches from the first on, however long they take: for GPUs
    cluster: str | None = None  # the address of a Ray cluster
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise UsageError(f"{self.pairs} pairs of games: want 1 or more")
        if not 0.0 < self.limit <= _MAX_LIMIT:
            raise UsageError(
                f"a limit of {self.limit:g} s for a move: want more than 0, at most {_MAX_LIMIT:g}"
            )
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise UsageError(f"a seed of {self.seed}: want a whole number from 0, below 2^63")
        if self.batch < 1:
            raise UsageError(f"{self.batch} pairs at once: want 1 or more")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{self.workers} workers cannot work: want 1 or more")


@dataclass
class Tournament:
    """A tournament that is ready to run: its players, its config, and the database of its games."""

    game: Game
    players: tuple[Player, ...]
    config: MatchConfig
    database: GameDatabase
    event: Event
    resumed: bool = False
    pairings: list[Pairing] = field(default_factory=list)

    @classmethod
    def prepare(
        cls,
        game: Game | str,
        contenders: Sequence[Contender],
        config: MatchConfig,
        database: GameDatabase,
    ) -> Tournament:
        """Check everything that can be wrong, before any game is played."""
        game = registry.resolve_game(game)
        unseeded = resolve_players(contenders, game)
        if config.cluster is not None and any(player.local for player in unseeded):
            raise UsageError(
                "a player or a game that was made in this process cannot play on a cluster: put "
                "it into a module, register it there, and name it by its spec"
            )
        labels, keys = [one.label for one in unseeded], [one.key for one in unseeded]
        if config.sprt is not None and len(labels) != 2:
            raise UsageError(f"a sequential test compares 2 players, not {len(labels)}")
        source = OpeningSource(config.openings)
        event = None
        if config.seed is None:
            event = database.unfinished_run(
                game.spec, source.spec, _run_request(labels, keys, config)
            )
        resumed = event is not None
        if event is None:
            seed = secrets.randbelow(2**32) if config.seed is None else config.seed
            event = database.event(game.spec, source.spec, seed)
        players = tuple(
            replace(one, seed=derive_seed(event.seed, zlib.crc32(one.key.encode())))
            for one in unseeded
        )
        pairings = list(combinations(range(len(players)), 2))
        return cls(game, players, config, database, event, resumed, pairings)

    def register_run(self) -> int:
        """Record in the database what is to be played, and return the number of the run.  Repeated
        calls return the same number."""
        labels, keys = ([getattr(p, name) for p in self.players] for name in ("label", "key"))
        return self.database.start_run(self.event, _run_request(labels, keys, self.config))

    def run(self, on_progress: Progress | None = None) -> Standings:
        """Play the games that are missing, and return the standings."""
        openings = self._openings()
        run = self.register_run()
        reuse = self.reuse()
        schedule = _Schedule(self, openings)
        on_progress = on_progress or (lambda done, total: None)
        on_progress(schedule.done, schedule.total)
        if not schedule.is_over:
            local = any(player.local for player in self.players)
            with worker_pool(self.config.workers, self.config.cluster, local=local) as (
                pool,
                slots,
            ):
                schedule.play(pool, slots, on_progress)
        self.database.finish_run(run)
        return replace(self.standings(), reuse=reuse)

    def reuse(self) -> tuple[Reuse, ...]:
        """For each player with recorded games, how many count again and how many do not."""
        games, others = Counter[int](), Counter[int]()
        for pairing in self.pairings:
            keys = self.keys(pairing)
            names = self.players[pairing[0]].label, self.players[pairing[1]].label
            recorded = self.database.results(self.event, *keys)
            count = 2 * sum(pair < self.config.pairs for pair in recorded)
            other_counts = self.database.count_other_keys(
                self.event, names, keys, self.config.pairs
            )
            for number, other_count in zip(pairing, other_counts, strict=True):
                games[number] += count
                others[number] += other_count
        return tuple(
            Reuse(player.label, player.digests, games[number], others[number])
            for number, player in enumerate(self.players)
            if games[number] or others[number]
        )

    def standings(self) -> Standings:
        """The standings after the games that are recorded so far."""
        scores, statistics = {}, {}
        for pairing in self.pairings:
            results = self.results(pairing)
            scores[pairing] = Score.from_results(results)
            one, two = self.keys(pairing)
            statistics[pairing] = self.database.statistics(self.event, one, two, len(results))
        return Standings(
            game=self.game.spec,
            players=[player.label for player in self.players],
            seed=self.event.seed,
            openings=self.event.openings,
            scores=scores,
            statistics=statistics,
            sprt=self.config.sprt,
        )

    def keys(self, pairing: Pairing) -> tuple[str, str]:
        """The keys under which the games of a pairing are recorded."""
        return self.players[pairing[0]].key, self.players[pairing[1]].key

    def results(self, pairing: Pairing) -> list[tuple[float, float]]:
        """The scores of the first player of the pairing, pair by pair, as far as they count.

        A sequential test ends with the pair that decides it, even if later pairs were already in
        progress.
        """
        recorded = self.database.results(self.event, *self.keys(pairing))
        if self.config.sprt is None:
            return [result for pair, result in recorded.items() if pair < self.config.pairs]
        counted: list[tuple[float, float]] = []
        while len(counted) in recorded and len(counted) < self.config.pairs:
            counted.append(recorded[len(counted)])
        return counted[: self.config.sprt.decided_after(counted)]

    def _openings(self) -> list[Opening]:
        """The stored openings of the event, with new ones added if there are too few."""
        stored = self.database.openings(self.event)
        if len(stored) >= self.config.pairs:
            return stored
        source = OpeningSource(self.event.openings)
        drawn = source.draw(self.game, self.config.pairs, seed=self.event.seed)
        if drawn[: len(stored)] != stored:
            raise UsageError(
                f"the openings of this event are no longer drawn as they were when it started: "
                f"it has {len(stored)} of them; take another --seed for more games"
            )
        self.database.add_openings(self.event, drawn)
        return drawn


class _Schedule:
    """The pairs of games that are still to be played, and the jobs that play them."""

    def __init__(self, tournament: Tournament, openings: list[Opening]) -> None:
        self.tournament = tournament
        self.openings = openings
        game = tournament.game
        self.opening_texts = {n: opening.text(game) for n, opening in enumerate(openings)}
        self.total = 2 * tournament.config.pairs * len(tournament.pairings)
        self.done = 0
        self.missing: dict[Pairing, deque[int]] = {}
        self.seconds_per_pair: dict[Pairing, float] = {}
        for pairing in tournament.pairings:
            recorded = tournament.database.results(tournament.event, *tournament.keys(pairing))
            self.missing[pairing] = deque(
                pair for pair in range(tournament.config.pairs) if pair not in recorded
            )
        self.done = self.total - 2 * sum(map(len, self.missing.values()))
        self._turn = 0

    @property
    def is_over(self) -> bool:
        return self._is_decided() or not any(self.missing.values())

    def play(self, pool: Executor, slots: int, on_progress: Progress) -> None:
        """Play the missing pairs, ``slots`` jobs at a time, and record their games."""
        active: dict[Future[list[FinishedGame]], tuple[Pairing, float, int]] = {}
        while True:
            while len(active) < slots and (next_job := self._next_job()) is not None:
                pairing, pairs, job = next_job
                active[pool.submit(play, job)] = pairing, monotonic(), len(pairs)
            if not active:
                return
            finished, _ = wait(active, return_when=FIRST_COMPLETED)
            for future in finished:
                pairing, started, pair_count = active.pop(future)
                self._record(pairing, future.result())
                self.seconds_per_pair[pairing] = (monotonic() - started) / pair_count
            on_progress(self.done, self.total)
            if self._is_decided():
                return

    def _next_job(self) -> tuple[Pairing, list[int], MatchJob] | None:
        """The next pairs of the pairing whose turn it is, as a job."""
        pairings = self.tournament.pairings
        for _ in pairings:
            pairing = pairings[self._turn % len(pairings)]
            self._turn += 1
            if not self.missing[pairing]:
                continue
            self._skip_recorded(pairing)
            pairs = self._take(pairing)
            if pairs:
                return pairing, pairs, self._job(pairing, pairs)
        return None

    def _take(self, pairing: Pairing) -> list[int]:
        seconds, batch = self.seconds_per_pair.get(pairing), self.tournament.config.batch
        count = _FIRST_PAIRS if seconds is None else int(_JOB_SECONDS / max(seconds, 1e-9))
        if self.tournament.config.together:
            count = batch
        queue = self.missing[pairing]
        return [queue.popleft() for _ in range(min(len(queue), batch, count or 1))]

    def _job(self, pairing: Pairing, pairs: list[int]) -> MatchJob:
        tasks = []
        for pair in pairs:
            opening = self.openings[pair]
            for leg in (0, 1):
                seed = derive_seed(derive_seed(self.tournament.event.seed, pair), leg)
                tasks.append(GameTask(pair, leg, seed, opening.start, opening.moves))
        config, game = self.tournament.config, self.tournament.game
        return MatchJob(
            game=game.spec if is_reachable(game) else game,
            players=self.tournament.players,
            seats=pairing,
            tasks=tuple(tasks),
            limit=config.limit,
            patience=config.patience,
            modules=_modules(),
            threads=max(1, jobs.cores() // (config.workers or jobs.cores())),
        )

    def _record(self, pairing: Pairing, finished: list[FinishedGame]) -> None:
        tournament = self.tournament
        one, two = (tournament.players[number] for number in pairing)
        games = [with_pgn_tags(game, tournament.event, (one, two)) for game in finished]
        tournament.database.add(tournament.event, one.key, two.key, games, self.opening_texts)
        self.done += len(games)

    def _skip_recorded(self, pairing: Pairing) -> None:
        """Drop pairs that are recorded by now: another process may play into the same file."""
        tournament, queue = self.tournament, self.missing[pairing]
        recorded = tournament.database.results(tournament.event, *tournament.keys(pairing))
        before = len(queue)
        self.missing[pairing] = deque(pair for pair in queue if pair not in recorded)
        self.done += 2 * (before - len(self.missing[pairing]))

    def _is_decided(self) -> bool:
        sprt = self.tournament.config.sprt
        if sprt is None:
            return False
        results = self.tournament.results(self.tournament.pairings[0])
        return sprt.decision(Score.from_results(results)) is not None


def _run_request(labels: list[str], keys: list[str], config: MatchConfig) -> dict[str, Any]:
    """The request by which a killed run is found again; it has ``keys`` only if they differ from
    the labels."""
    sprt = None if config.sprt is None else config.sprt.to_json()
    request = {"players": labels, "pairs": config.pairs, "sprt": sprt}
    return request if keys == labels else {**request, "keys": keys}


def _modules() -> tuple[str, ...]:
    """The modules that registered agents or games in this process."""
    names = {cls.__module__ for cls in (*agents.registered(), *registry.registered())}
    # Workers import the script too, so they have its own classes already.
    return tuple(sorted(names - {"__main__", "__mp_main__"}))


class MatchOptions(TypedDict, total=False):
    """Keywords of ``match`` and ``tournament``: the fields of ``MatchConfig``, except ``pairs``."""

    openings: str
    seed: int | None
    limit: float
    patience: float
    workers: int | None
    batch: int
    together: bool
    cluster: str | None
    sprt: Sprt | None


def match(
    game: Game | str,
    one: Contender,
    two: Contender,
    games: int,
    *,
    path: str | Path | None = None,
    on_progress: Progress | None = None,
    **options: Unpack[MatchOptions],
) -> Standings:
    """Play ``games`` games (an even number) between two agents, in pairs with sides swapped.

    The game is a spec or a Game; a player is a spec, an Agent, or the class of one.  Objects and
    classes play in this process, one job after the other.  All games are recorded in the file
    ``path``, and the same call resumes a match that was stopped.  The games of an object never
    count again for another object.

    >>> import playproof, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     standings = playproof.match("othello:size=4", "alphabeta:depth=6", "random", 20,
    ...                                 seed=1, workers=1, path=f"{folder}/games.sqlite")
    >>> standings.score(0, 1).mean > 0.5
    True
    """
    return tournament(game, [one, two], games, path=path, on_progress=on_progress, **options)


def tournament(
    game: Game | str,
    players: Sequence[Contender],
    games: int,
    *,
    path: str | Path | None = None,
    on_progress: Progress | None = None,
    **options: Unpack[MatchOptions],
) -> Standings:
    """Play ``games`` games (an even number) in every pairing of the players, as in ``match``.

    Returns scores and ratings with 95 % intervals.

    >>> import playproof, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     standings = playproof.tournament("othello:size=4", ["random", "greedy", "minimax"], 20,
    ...                                      seed=1, workers=1, path=f"{folder}/games.sqlite")
    >>> [standings.players[i] for i in standings.order][0]
    'minimax'
    """
    with GameDatabase(path) as database:
        config = MatchConfig(pairs=pairs_of(games), **options)
        return Tournament.prepare(game, players, config, database).run(on_progress)


def pairs_of(games: int) -> int:
    """The number of pairs in ``games`` games, which must be an even number."""
    if games < 2 or games % 2:
        raise UsageError(f"{games} games cannot be played in pairs: want an even number from 2")
    return games // 2
