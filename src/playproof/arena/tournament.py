"""A tournament: every player meets every other in pairs of games, sides swapped.

A match is a tournament of two.  All pairings play the same openings.  What is
played is settled by the event (game, openings, seed) and the players' names:
how many workers there are, where they are, and how often the run was killed
on the way make no difference.
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
from playproof.arena.workers import workers
from playproof.core import registry
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.parallel import executor as jobs

_LONG_ENOUGH = 4.0  # seconds that a job should take: less is lost to overhead, more to a kill
_LONGEST_LIMIT = 1e6  # seconds; a clock cannot wait for ever
_FIRST_PAIRS = 2  # pairs of a pairing's first job, whose speed is not known yet

Pairing = tuple[int, int]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class MatchConfig:
    """How to play.  ``pairs`` are for each pairing: twice as many games."""

    pairs: int
    openings: str = "random"
    seed: int | None = None  # None: go on with a killed run of the same wish, or a new one
    limit: float = 60.0  # seconds for a move, after which an agent has hung
    patience: float = 300.0  # seconds for an agent to get ready
    workers: int | None = None  # processes; all cores if None
    batch: int = 64  # pairs put before the agents at once, at most
    together: bool = False  # so many from the first on, whatever they take: for a GPU's sake
    cluster: str | None = None  # the address of a Ray cluster
    sprt: Sprt | None = None

    def __post_init__(self) -> None:
        if self.pairs < 1:
            raise UsageError(f"{self.pairs} pairs of games: want 1 or more")
        if not 0.0 < self.limit <= _LONGEST_LIMIT:
            raise UsageError(
                f"a limit of {self.limit:g} s for a move: want more than 0, at most "
                f"{_LONGEST_LIMIT:g}"
            )
        if self.seed is not None and not 0 <= self.seed < 2**63:
            raise UsageError(f"a seed of {self.seed}: want a whole number from 0, below 2^63")
        if self.batch < 1:
            raise UsageError(f"{self.batch} pairs at once: want 1 or more")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{self.workers} workers cannot work: want 1 or more")


@dataclass
class Tournament:
    """Players, wishes and the file they are played into."""

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
        """Check everything that can be wrong before a game is played."""
        made = registry.resolve_game(game)
        described = resolve_players(contenders, made)
        if config.cluster is not None and any(player.local for player in described):
            raise UsageError(
                "a player or a game that was made in this process cannot play on a cluster: put "
                "it into a module, register it there, and name it by its spec"
            )
        labels, keys = [one.label for one in described], [one.key for one in described]
        if config.sprt is not None and len(labels) != 2:
            raise UsageError(f"a sequential test compares 2 players, not {len(labels)}")
        source = OpeningSource(config.openings)
        event = None
        if config.seed is None:
            event = database.unfinished_run(
                made.spec, source.spec, _run_request(labels, keys, config)
            )
        resumed = event is not None
        if event is None:
            drawn = secrets.randbelow(2**32) if config.seed is None else config.seed
            event = database.event(made.spec, source.spec, drawn)
        seed = event.seed
        players = tuple(
            replace(one, seed=derive_seed(seed, zlib.crc32(one.key.encode()))) for one in described
        )
        pairings = list(combinations(range(len(players)), 2))
        return cls(made, players, config, database, event, resumed, pairings)

    def register_run(self) -> int:
        """Write down what is to be played; its number in the file, however often it is asked."""
        labels, keys = ([getattr(p, name) for p in self.players] for name in ("label", "key"))
        return self.database.start_run(self.event, _run_request(labels, keys, self.config))

    def run(self, progress: Progress | None = None) -> Standings:
        """Play what is missing; the standings at the end."""
        openings = self._openings()
        run = self.register_run()
        reuse = self.reuse()
        schedule = _Schedule(self, openings)
        tell = progress or (lambda done, total: None)
        tell(schedule.done, schedule.total)
        if not schedule.is_over:
            local = any(player.local for player in self.players)
            with workers(self.config.workers, self.config.cluster, local=local) as (pool, slots):
                schedule.play(pool, slots, tell)
        self.database.finish_run(run)
        return replace(self.standings(), reuse=reuse)

    def reuse(self) -> tuple[Reuse, ...]:
        """What is kept of the players' games, and counts or does not; none where nothing is."""
        games, others = Counter[int](), Counter[int]()
        for pairing in self.pairings:
            keys = self.keys(pairing)
            names = self.players[pairing[0]].label, self.players[pairing[1]].label
            kept = self.database.results(self.event, *keys)
            count = 2 * sum(pair < self.config.pairs for pair in kept)
            strange = self.database.others(self.event, names, keys, self.config.pairs)
            for number, others_of in zip(pairing, strange, strict=True):
                games[number] += count
                others[number] += others_of
        return tuple(
            Reuse(player.label, player.digests, games[number], others[number])
            for number, player in enumerate(self.players)
            if games[number] or others[number]
        )

    def standings(self) -> Standings:
        """What the games recorded so far say."""
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
        """What the games of a pairing are kept by."""
        return self.players[pairing[0]].key, self.players[pairing[1]].key

    def results(self, pairing: Pairing) -> list[tuple[float, float]]:
        """What the first of the pairing scored, pair by pair, as far as it counts.

        A sequential test ends with the pair that decides it, even if later
        ones were already under way.
        """
        kept = self.database.results(self.event, *self.keys(pairing))
        if self.config.sprt is None:
            return [result for pair, result in kept.items() if pair < self.config.pairs]
        counted: list[tuple[float, float]] = []
        while len(counted) in kept and len(counted) < self.config.pairs:
            counted.append(kept[len(counted)])
        return counted[: self.config.sprt.decided_after(counted)]

    def _openings(self) -> list[Opening]:
        """Those the event began with, and new ones where it wants more."""
        kept = self.database.openings(self.event)
        if len(kept) >= self.config.pairs:
            return kept
        source = OpeningSource(self.event.openings)
        drawn = source.draw(self.game, self.config.pairs, seed=self.event.seed)
        if drawn[: len(kept)] != kept:
            raise UsageError(
                f"the openings of this event are no longer drawn as they were when it began: "
                f"it has {len(kept)} of them; take another --seed for more games"
            )
        self.database.add_openings(self.event, drawn)
        return drawn


class _Schedule:
    """Which pairs are still to be played, and who plays them when."""

    def __init__(self, tournament: Tournament, openings: list[Opening]) -> None:
        self.of = tournament
        self.openings = openings
        game = tournament.game
        self.opening_texts = {n: opening.text(game) for n, opening in enumerate(openings)}
        self.total = 2 * tournament.config.pairs * len(tournament.pairings)
        self.done = 0
        self.missing: dict[Pairing, deque[int]] = {}
        self.speed: dict[Pairing, float] = {}  # seconds a pair
        for pairing in tournament.pairings:
            self._look(pairing)
        self.done = self._count()
        self._turn = 0

    @property
    def is_over(self) -> bool:
        return self._decided() or not any(self.missing.values())

    def play(self, pool: Executor, slots: int, tell: Progress) -> None:
        active: dict[Future[list[FinishedGame]], tuple[Pairing, float, int]] = {}
        while True:
            while len(active) < slots and (job := self._next()) is not None:
                pairing, pairs, work = job
                active[pool.submit(play, work)] = pairing, monotonic(), len(pairs)
            if not active:
                return
            finished, _ = wait(active, return_when=FIRST_COMPLETED)
            for future in finished:
                pairing, began, pairs_played = active.pop(future)
                self._record(pairing, future.result())
                self.speed[pairing] = (monotonic() - began) / pairs_played
            tell(self.done, self.total)
            if self._decided():
                return

    def _next(self) -> tuple[Pairing, list[int], MatchJob] | None:
        """The next pairs of the pairing whose turn it is."""
        pairings = self.of.pairings
        for _ in pairings:
            pairing = pairings[self._turn % len(pairings)]
            self._turn += 1
            if not self.missing[pairing]:
                continue
            self._skip_what_others_played(pairing)
            pairs = self._take(pairing)
            if pairs:
                return pairing, pairs, self._job(pairing, pairs)
        return None

    def _take(self, pairing: Pairing) -> list[int]:
        speed = self.speed.get(pairing)
        wanted = _FIRST_PAIRS if speed is None else int(_LONG_ENOUGH / max(speed, 1e-9))
        if self.of.config.together:
            wanted = self.of.config.batch
        queue = self.missing[pairing]
        return [queue.popleft() for _ in range(min(len(queue), self.of.config.batch, wanted or 1))]

    def _job(self, pairing: Pairing, pairs: list[int]) -> MatchJob:
        tasks = []
        for pair in pairs:
            opening = self.openings[pair]
            for leg in (0, 1):
                seed = derive_seed(derive_seed(self.of.event.seed, pair), leg)
                tasks.append(GameTask(pair, leg, seed, opening.start, opening.moves))
        config = self.of.config
        return MatchJob(
            game=self.of.game.spec if is_reachable(self.of.game) else self.of.game,
            players=self.of.players,
            seats=pairing,
            tasks=tuple(tasks),
            limit=config.limit,
            patience=config.patience,
            modules=_modules(),
            threads=max(1, jobs.cores() // (config.workers or jobs.cores())),
        )

    def _record(self, pairing: Pairing, played: list[FinishedGame]) -> None:
        of, one, two = self.of, *(self.of.players[number] for number in pairing)
        games = [with_pgn_tags(game, of.event, (one, two)) for game in played]
        of.database.add(of.event, one.key, two.key, games, self.opening_texts)
        self.done += len(played)

    def _look(self, pairing: Pairing) -> None:
        kept = self.of.database.results(self.of.event, *self.of.keys(pairing))
        self.missing[pairing] = deque(p for p in range(self.of.config.pairs) if p not in kept)

    def _skip_what_others_played(self, pairing: Pairing) -> None:
        """Another process may be at work on the same file."""
        kept = self.of.database.results(self.of.event, *self.of.keys(pairing))
        queue = self.missing[pairing]
        before = len(queue)
        self.missing[pairing] = deque(pair for pair in queue if pair not in kept)
        self.done += 2 * (before - len(self.missing[pairing]))

    def _count(self) -> int:
        return self.total - 2 * sum(map(len, self.missing.values()))

    def _decided(self) -> bool:
        sprt = self.of.config.sprt
        if sprt is None:
            return False
        return sprt.decision(Score.from_results(self.of.results(self.of.pairings[0]))) is not None


def _run_request(labels: list[str], keys: list[str], config: MatchConfig) -> dict[str, Any]:
    """What a killed run is found again by; ``keys`` only where they say more than the names."""
    sprt = None if config.sprt is None else config.sprt.to_json()
    request = {"players": labels, "pairs": config.pairs, "sprt": sprt}
    return request if keys == labels else {**request, "keys": keys}


def _modules() -> tuple[str, ...]:
    """The modules that registered agents or games in this process."""
    found = {cls.__module__ for cls in (*agents.registered(), *registry.registered())}
    # A script's own classes are known to its workers, which import the script as well.
    return tuple(sorted(found - {"__main__", "__mp_main__"}))


class MatchOptions(TypedDict, total=False):
    """How a match or a tournament is played: see ``Wishes``."""

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

    The game is given by spec or as itself, an agent by spec, as an object or as its class.
    Objects and classes play in this process and one after the other; an object's games are
    kept, but never counted again for another.  Everything is kept in the file ``path``; the
    same call goes on where it was stopped.

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
    """Play ``games`` games (an even number) in every pairing of the players, as in ``match``;
    scores and ratings with 95 % intervals.

    >>> import playproof, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     standings = playproof.tournament("othello:size=4", ["random", "greedy", "minimax"], 20,
    ...                                      seed=1, workers=1, path=f"{folder}/games.sqlite")
    >>> [standings.players[i] for i in standings.order][0]
    'minimax'
    """
    with GameDatabase(path) as database:
        settled = MatchConfig(pairs=pairs_of(games), **options)
        return Tournament.prepare(game, players, settled, database).run(on_progress)


def pairs_of(games: int) -> int:
    if games < 2 or games % 2:
        raise UsageError(f"{games} games cannot be played in pairs: want an even number from 2")
    return games // 2
