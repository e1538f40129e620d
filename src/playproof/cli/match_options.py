"""What ``match``, ``tournament`` and ``elo`` share: options, the progress bar, printed lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.arena.database import default_path
from playproof.arena.standings_text import failure_lines
from playproof.cli.output import note, progress
from playproof.core.jobs.recorder import current
from playproof.formats import record
from playproof.web.pages.tournaments.ids import offset_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from playproof.arena.elo.run import EloReport
    from playproof.arena.standings import Reuse, Standings
    from playproof.arena.tournament import Tournament

FileOption = Annotated[
    Path | None,
    typer.Option("--file", help="The file of games to play into; the user's own if not given."),
]
OpeningsOption = Annotated[
    str,
    typer.Option(
        help="random:plies=6,balance=0.3, or a file of openings; .pgn .epd .fen .bin for chess."
    ),
]
LimitOption = Annotated[
    float, typer.Option(help="Seconds for a move; an agent that takes longer loses the game.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=4096, help="Processes that play; all cores if not given.")
]
BatchOption = Annotated[
    int, typer.Option(min=1, max=100_000, help="Pairs of games put before an agent at once.")
]
ClusterOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, or local."),
]


def run_with_progress(tournament: Tournament) -> Standings:
    """Run a tournament under a progress bar; Ctrl-C keeps what was played."""
    event, database = tournament.event, tournament.database
    report_tournament(tournament)
    if tournament.resumed:
        note(f"resuming the run that was stopped, seed {event.seed}")
    else:
        note(f"seed {event.seed}, games in {database.path}")
    counts: dict[str, int] = {}

    with progress(tournament.game.title, "games") as bar:

        def on_progress(done: int, total: int) -> None:
            if not counts and done:
                note(f"{done} of {total} games are there already and are not played again")
            counts.update(done=done, total=total)
            bar(done, total)

        try:
            return tournament.run(on_progress)
        except KeyboardInterrupt:
            if counts:  # else no game was played yet
                note(
                    f"{counts['done']} of {counts['total']} games are kept in {database.path}: "
                    "the same command goes on from there"
                )
            raise


def report_tournament(tournament: Tournament) -> None:
    """Record in the job which tournament it plays, by the number that the lab uses."""
    job = current()
    if job is not None:
        offset = offset_of(tournament.database.path, default_path())
        job.report(tournament=offset + tournament.register_run())


def check_writable(path: Path) -> None:
    """An error if a file cannot be written, before hours of games rather than after.

    An existing file is left as it is, and no empty one is created.
    """
    existed = path.exists()
    record.check_writable(path)
    if not existed:
        path.unlink()


def print_reuse(reuse: Iterable[Reuse]) -> None:
    """Print how many recorded games of each player counted again, and how many did not."""
    for one in reuse:
        for line in one.lines():
            print(line)


def with_reuse(report: Standings | EloReport) -> dict[str, Any]:
    """A report as JSON with its ``reuse``, which alone depends on what was recorded before."""
    return {**report.to_json(), "reuse": [one.to_json() for one in report.reuse]}


def print_failures(failures: dict[str, int]) -> None:
    for line in failure_lines(failures):
        print(line)
