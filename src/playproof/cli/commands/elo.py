"""``playproof elo``: rates an agent by games against the levels of an engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.agents.engines.uci.rated import RatedEngine
from playproof.arena.database import GameDatabase
from playproof.arena.elo.picture import render
from playproof.arena.elo.run import LEVELS, WARNING, EloMeasurement
from playproof.arena.standings_text import percent, results
from playproof.arena.tournament import MatchConfig, pairs_of
from playproof.cli.match_options import (
    BatchOption,
    FileOption,
    LimitOption,
    OpeningsOption,
    WorkersOption,
    check_writable,
    print_failures,
    print_reuse,
    with_reuse,
)
from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    progress,
    table,
    write_text,
)
from playproof.core.errors import UsageError

if TYPE_CHECKING:
    from playproof.arena.elo.rating import LevelResult, Tally
    from playproof.arena.elo.run import EloMeasurement, EloReport

_LEVELS = ",".join(map(str, LEVELS))


def elo(
    game: GameArgument,
    agent: Annotated[
        str, typer.Argument(metavar="AGENT", help="The agent to rate: alphabeta:depth=4")
    ],
    against: Annotated[str, typer.Option(help="An engine with levels.")] = "uci:stockfish",
    levels: Annotated[
        str | None, typer.Option(metavar="ELO,ELO", help=f"{_LEVELS} if not given.")
    ] = None,
    games: Annotated[int, typer.Option(min=2, max=10**6, help="At every level.")] = 400,
    itself: Annotated[
        int, typer.Option(min=0, max=10**6, help="Games of every level against itself.")
    ] = 100,
    movetime: Annotated[
        int | None,
        typer.Option(min=1, help="The engine's milliseconds for a move; 20 without any limit."),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Or its plies.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Or its nodes.")] = None,
    bracket: Annotated[
        bool, typer.Option("--bracket", help="First find the levels around an even score.")
    ] = False,
    openings: OpeningsOption = "random",
    limit: LimitOption = 60.0,
    workers: WorkersOption = None,
    batch: BatchOption = 64,
    together: Annotated[
        bool,
        typer.Option("--together", help="Full batches from the first one on: for a GPU."),
    ] = False,
    file: FileOption = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write scores and rating as a picture.")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rate an agent by an engine's levels: score, rating and 95 % intervals."""
    numbers = [] if levels is None and bracket else _read_levels(levels or _LEVELS)
    config = MatchConfig(
        pairs=pairs_of(games),
        openings=openings,
        seed=seed,
        limit=limit,
        workers=workers,
        batch=batch,
        together=together,
    )
    if svg is not None:
        check_writable(svg)
    opponent = RatedEngine.of(against, game, movetime=movetime, depth=depth, nodes=nodes)
    with GameDatabase(file) as database:
        measurement = EloMeasurement(
            game, agent, opponent, numbers, config, database, itself=itself, bracket=bracket
        )
        report = _run_with_progress(measurement)
    if svg is not None:
        write_text(svg, render(report))
        note(f"picture in {svg}")
    if as_json:
        emit(with_reuse(report))
        return
    _print_report(report)


def _run_with_progress(measurement: EloMeasurement) -> EloReport:
    """Run under a progress bar; Ctrl-C keeps what was played."""
    event, database = measurement.event, measurement.database
    how = "resuming the run that was stopped" if measurement.resumed else "games"
    note(f"seed {event.seed}, {how} in {database.path}")
    started_parts: set[str] = set()
    with progress(measurement.game.title, "games") as bar:

        def on_progress(part: str, done: int, total: int) -> None:
            if part not in started_parts:
                started_parts.add(part)
                note(f"{part}: {total - done} of {total} games to play")
            bar(done, total)

        try:
            return measurement.run(on_progress)
        except KeyboardInterrupt:
            note(f"what was played is kept in {database.path}: the same command goes on from there")
            raise


def _print_report(report: EloReport) -> None:
    rows = [
        [str(level.nominal), str(level.score.games), results(level.score), percent(level.score),
         _rating_by_level(level)]
        for level in report.levels
    ]  # fmt: skip
    print(f"{report.player} against {report.opponent.title}, {report.opponent.limits}")
    table("Score", ["level", "games", "results", "score", "rating by this level"], rows)
    if any(level.itself[0].games for level in report.levels):
        win_rates = [
            [str(level.nominal), *(_win_rate(tally) for tally in (*level.colours, *level.itself)),
             {None: "-", True: "yes", False: "no"}[level.reaches]]
            for level in report.levels
        ]  # fmt: skip
        columns = ["level", "won as White", "as Black", "itself as White", "as Black", "reached"]
        table("Wins beside those of the level against itself", columns, win_rates)
    rating = report.rating
    print(f"rating   {_format_rating(rating.elo, rating.lower, rating.upper)}")
    if rating.levels_disagree:
        print("         the levels contradict each other: the interval is widened by that")
    if report.opponent.timed:
        print("limit    time: the engine's strength depends on this machine (--depth, --nodes)")
    else:
        print("limit    no time: the engine's strength does not depend on the machine")
    print(f"openings {report.openings}, seed {report.seed}")
    print(f"warning  {WARNING}")
    print_reuse(report.reuse)
    for level in report.levels:
        print_failures(level.failures)


def _rating_by_level(level: LevelResult) -> str:
    """The rating that the games at one level alone would give."""
    ends = (level.score.elo, *level.score.elo_interval())
    return _format_rating(*(None if end is None else level.nominal + end for end in ends))


def _format_rating(elo: float | None, lower: float | None, upper: float | None) -> str:
    """``1523 [1478, 1567]``, or the one bound that is known."""
    low = "open" if lower is None else f"{lower:.0f}"
    high = "open" if upper is None else f"{upper:.0f}"
    if elo is not None:
        return f"{elo:.0f} [{low}, {high}]"
    return f"at least {low}" if lower is not None else f"at most {high}"


def _win_rate(tally: Tally) -> str:
    rate = tally.win_rate
    return "-" if rate is None else f"{100 * rate:.1f} % of {tally.games}"


def _read_levels(text: str) -> list[int]:
    try:
        levels = [int(part) for part in text.split(",")]
    except ValueError:
        levels = []
    if not levels:
        raise UsageError(f"--levels {text} cannot be read: want numbers such as {_LEVELS}")
    return levels
