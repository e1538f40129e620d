"""What ``match`` and ``tournament`` share: options, the run, the table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.arena.database import default_path
from playproof.arena.standings_text import failure_lines
from playproof.cli.output import note, progress
from playproof.core.jobs.recorder import current
from playproof.formats import record
from playproof.web.pages.tournaments.ids import share_of

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
    float, typer.Option(help="Seconds for a move; an agent that takes longer has lost the game.")
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


def run_with_progress(prepared: Tournament) -> Standings:
    """Run a tournament under a progress bar; Ctrl-C keeps what was played."""
    event, database = prepared.event, prepared.database
    report_tournament(prepared)
    if prepared.resumed:
        note(f"going on with the run that was stopped, seed {event.seed}")
    else:
        note(f"seed {event.seed}, games in {database.path}")
    counted: dict[str, int] = {}

    with progress(prepared.game.title, "games") as bar:

        def tell(done: int, total: int) -> None:
            if not counted and done:
                note(f"{done} of {total} games are there already and are not played again")
            counted.update(done=done, total=total)
            bar(done, total)

        try:
            return prepared.run(tell)
        except KeyboardInterrupt:
            if counted:  # otherwise it had not begun
                note(
                    f"{counted['done']} of {counted['total']} games are kept in {database.path}: "
                    "the same command goes on from there"
                )
            raise


def report_tournament(prepared: Tournament) -> None:
    """Tell the job which tournament it plays, by the number that the lab knows it by."""
    job = current()
    if job is not None:
        share = share_of(prepared.database.path, default_path())
        job.report(tournament=share + prepared.register_run())


def check_writable(path: Path) -> None:
    """Before hours of games, not after; what is in the file stays, and no empty one is left."""
    there = path.exists()
    record.check_writable(path)
    if not there:
        path.unlink()


def print_reuse(reuse: Iterable[Reuse]) -> None:
    """Which games were not played now, and of whom."""
    for one in reuse:
        for line in one.lines():
            print(line)


def with_reuse(found: Standings | EloReport) -> dict[str, Any]:
    """As JSON: the table, which is the same however often it was stopped, and what was kept."""
    return {**found.to_json(), "reuse": [one.to_json() for one in found.reuse]}


def print_failures(failures: dict[str, int]) -> None:
    for line in failure_lines(failures):
        print(line)
