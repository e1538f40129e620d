"""``playproof match``: many games between two agents, and what they prove."""

from __future__ import annotations

from typing import Annotated

import typer

from playproof.arena.database import GameDatabase
from playproof.arena.statistics.sprt import Sprt
from playproof.arena.tournament import MatchConfig, Tournament, pairs_of
from playproof.cli.match_options import (
    BatchOption,
    ClusterOption,
    FileOption,
    LimitOption,
    OpeningsOption,
    WorkersOption,
    run_with_progress,
    with_reuse,
)
from playproof.cli.output import GameArgument, JsonOption, SeedOption, emit


def match(
    game: GameArgument,
    one: Annotated[str, typer.Argument(metavar="A", help="An agent: mcts:simulations=800")],
    two: Annotated[str, typer.Argument(metavar="B", help="Another, or the same again.")],
    games: Annotated[
        int, typer.Option(min=2, max=10**7, help="How many; with --sprt at most so many.")
    ] = 100,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="ELO0,ELO1", help="Stop as soon as a sequential test decides."),
    ] = None,
    openings: OpeningsOption = "random",
    limit: LimitOption = 60.0,
    workers: WorkersOption = None,
    batch: BatchOption = 64,
    cluster: ClusterOption = None,
    file: FileOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play two agents against each other: pairs of games with sides swapped."""
    config = MatchConfig(
        pairs=pairs_of(games),
        openings=openings,
        seed=seed,
        limit=limit,
        workers=workers,
        batch=batch,
        cluster=cluster,
        sprt=None if sprt is None else Sprt.parse(sprt),
    )
    with GameDatabase(file) as database:
        standings = run_with_progress(Tournament.prepare(game, [one, two], config, database))
    if as_json:
        emit(with_reuse(standings))
    else:
        print(standings)
