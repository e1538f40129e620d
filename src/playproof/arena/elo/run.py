"""Plays for a rating: an agent against the levels of an engine, and each level against itself.

All games are recorded in the games database, so a killed run can be resumed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from playproof.agents import registry as agents
from playproof.agents.engines.uci.rated import RatedEngine
from playproof.arena.database import GameDatabase
from playproof.arena.elo.rating import EloRating, LevelResult, Tally, fit
from playproof.arena.openings import OpeningSource
from playproof.arena.standings import Reuse, merged_reuse
from playproof.arena.tournament import MatchConfig, MatchOptions, Tournament, pairs_of
from playproof.core import registry
from playproof.core.bits import derive_seed
from playproof.core.game import Game

WARNING = (
    "UCI_Elo is a nominal scale: Stockfish set it in 2019 at 60 s + 0.6 s a move, where it is "
    "itself inaccurate; at another limit its levels may lie hundreds of points elsewhere, and "
    "they are no ratings of people"
)
LEVELS = (1350, 1500, 1700)  # the default levels
_STEP = 150  # between the levels that --bracket tries by default
_TRIAL_GAMES = 20
_TRIAL_SALT = 0xE10  # gives the trials a seed of their own

Progress = Callable[[str, int, int], None]  # (part of the run, games done, games in all)


@dataclass(frozen=True)
class EloReport:
    """A rating, with the results that it rests on."""

    game: str
    player: str
    opponent: RatedEngine
    openings: str
    seed: int
    levels: list[LevelResult]
    rating: EloRating
    reuse: tuple[Reuse, ...] = ()  # games that were recorded before, by player, without trials

    def _repr_svg_(self) -> str:
        """A notebook shows the scores at all levels and the fitted rating."""
        from playproof.arena.elo.picture import render

        return render(self)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "player": self.player,
            "engine": self.opponent.title,
            "limit": self.opponent.limits,
            "depends_on_machine": self.opponent.timed,
            "openings": self.openings,
            "seed": self.seed,
            "levels": [level.to_json() for level in self.levels],
            "rating": self.rating.to_json(),
            "warning": WARNING,
        }


class EloMeasurement:
    """Plays for a rating: games against each level, and ``itself`` games of every level against
    itself."""

    def __init__(
        self,
        game: str,
        player: str,
        opponent: RatedEngine,
        levels: Sequence[int],
        config: MatchConfig,
        database: GameDatabase,
        *,
        itself: int = 0,
        bracket: bool = False,
    ) -> None:
        self.game, self.player = registry.make(game), agents.settled_spec(player)
        self.opponent, self.levels = opponent, sorted(set(levels))
        self.itself = pairs_of(itself) if itself else 0
        self.bracket, self.database = bracket, database
        if bracket and not self.levels:
            self.levels = list(range(opponent.lowest, opponent.highest + 1, _STEP))
        opponent.check(self.levels)
        source = OpeningSource(config.openings)
        self._run_request = {
            "elo": [
                agents.identity(self.player, self.game).text,
                agents.identity(opponent.spec, self.game).text,
                self.levels,
                bracket,
            ],
            "pairs": [config.pairs, self.itself],
        }
        seed = config.seed
        unfinished_run = None
        if seed is None:
            unfinished_run = database.unfinished_run(self.game.spec, source.spec, self._run_request)
            seed = secrets.randbelow(2**32) if unfinished_run is None else unfinished_run.seed
        self.resumed = unfinished_run is not None
        self.config = replace(config, seed=seed)
        self._reuse: list[Reuse] = []
        self._last_reuse: tuple[Reuse, ...] = ()  # of the match that was played last
        self.event = unfinished_run or database.event(self.game.spec, source.spec, seed)

    def run(self, on_progress: Progress | None = None) -> EloReport:
        """Play the games that are missing, and fit the rating."""
        on_progress = on_progress or (lambda part, done, total: None)
        run = self.database.start_run(self.event, self._run_request)
        chosen = self._bracket(on_progress) if self.bracket else self.levels
        levels = [self._level(level, on_progress) for level in chosen]
        self.database.finish_run(run)
        return EloReport(
            game=self.game.spec,
            player=self.player,
            opponent=self.opponent,
            openings=self.event.openings,
            seed=self.event.seed,
            levels=levels,
            rating=fit(levels),
            reuse=merged_reuse(self._reuse),
        )

    def _level(self, nominal: int, on_progress: Progress) -> LevelResult:
        engine = self.opponent.at(nominal)
        match = self._play([self.player, engine], self.config, f"level {nominal}", on_progress)
        standings = match.standings()
        self._reuse += self._last_reuse
        colours = Tally(), Tally()
        for as_white, as_black in match.results((0, 1)):
            colours = colours[0].add(as_white), colours[1].add(as_black)
        itself = Tally(), Tally()
        failures = dict(standings.failures)
        if self.itself:
            config = replace(self.config, pairs=self.itself)
            mirror = self._play([engine, engine], config, f"{nominal} with itself", on_progress)
            itself = mirror_tallies(mirror.results((0, 1)))
            self._reuse += self._last_reuse
            for reason, count in mirror.standings().failures.items():
                failures[reason] = failures.get(reason, 0) + count
        return LevelResult(nominal, engine, standings.scores[0, 1], colours, itself, failures)

    def _play(
        self, specs: list[str], config: MatchConfig, part: str, on_progress: Progress
    ) -> Tournament:
        match = Tournament.prepare(self.game, specs, config, self.database)
        standings = match.run(lambda done, total: on_progress(part, done, total))
        self._last_reuse = standings.reuse
        return match

    def _bracket(self, on_progress: Progress) -> list[int]:
        """The two levels between which the score passes one half, or the one level at an end.

        The trials have openings of their own and do not count for the rating.  Otherwise levels
        that were chosen by lucky results would carry that luck into it.
        """
        trial = replace(
            self.config,
            pairs=_TRIAL_GAMES // 2,
            seed=derive_seed(self.event.seed, _TRIAL_SALT) % 2**32,
        )
        # Bisection for the first level at which the score is not above one half.
        low, high = 0, len(self.levels)
        while low < high:
            middle = (low + high) // 2
            nominal = self.levels[middle]
            specs = [self.player, self.opponent.at(nominal)]
            match = self._play(specs, trial, f"trial at {nominal}", on_progress)
            if (match.standings().scores[0, 1].mean or 0.0) > 0.5:
                low = middle + 1
            else:
                high = middle
        return self.levels[max(0, low - 1) : low + 1]


def mirror_tallies(results: Sequence[tuple[float, float]]) -> tuple[Tally, Tally]:
    """The tallies of White and of Black in games of a player against itself.

    The first result of a pair is White's, the second Black's.
    """
    white, black = Tally(), Tally()
    for first, second in results:
        for result in (first, 1.0 - second):
            white, black = white.add(result), black.add(1.0 - result)
    return white, black


def elo(
    game: Game | str,
    agent: str,
    games: int = 400,
    *,
    against: str = "uci:stockfish",
    levels: Sequence[int] | None = None,
    itself: int = 100,
    bracket: bool = False,
    movetime: int | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    path: str | Path | None = None,
    on_progress: Progress | None = None,
    **options: Unpack[MatchOptions],
) -> EloReport:
    """Rate an agent by the levels of an engine.

    The agent plays ``games`` games at each level, and every level plays ``itself`` games against
    itself.  ``movetime`` (in milliseconds; 20 if there is no limit), ``depth`` or ``nodes`` limit
    the engine.  The default levels are 1350, 1500 and 1700; with ``bracket`` the levels around an
    even score are found first.  The scale is nominal: see ``WARNING``.  The engine must have the
    option ``UCI_Elo``::

        report = playproof.elo("chess", "alphabeta:depth=3", 100, nodes=2000, seed=1)
        print(report.rating.elo, report.rating.lower, report.rating.upper)
    """
    numbers = levels if levels is not None else () if bracket else LEVELS
    config = MatchConfig(pairs=pairs_of(games), **options)
    spec_of_game = game if isinstance(game, str) else game.spec
    engine = RatedEngine.of(against, spec_of_game, movetime=movetime, depth=depth, nodes=nodes)
    with GameDatabase(path) as database:
        return EloMeasurement(
            spec_of_game, agent, engine, numbers, config, database, itself=itself, bracket=bracket
        ).run(on_progress)
