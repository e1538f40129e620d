"""``playproof tournament``: a round robin, every agent against every other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.arena import standings_picture as picture
from playproof.arena.database import GameDatabase
from playproof.arena.standings_text import percent, results
from playproof.arena.tournament import MatchConfig, Tournament, pairs_of
from playproof.cli.match_options import (
    BatchOption,
    ClusterOption,
    FileOption,
    LimitOption,
    OpeningsOption,
    WorkersOption,
    check_writable,
    print_failures,
    print_reuse,
    run_with_progress,
    with_reuse,
)
from playproof.cli.output import GameArgument, JsonOption, SeedOption, emit, note, table, write_text

if TYPE_CHECKING:
    from playproof.arena.standings import Standings
    from playproof.arena.statistics.score import Score


def tournament(
    game: GameArgument,
    players: Annotated[list[str], typer.Argument(metavar="A B C ...", help="Two agents or more.")],
    games: Annotated[int, typer.Option(min=2, max=10**7, help="In every pairing.")] = 100,
    openings: OpeningsOption = "random",
    limit: LimitOption = 60.0,
    workers: WorkersOption = None,
    batch: BatchOption = 64,
    cluster: ClusterOption = None,
    file: FileOption = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the table as a picture.")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a round robin; cross table and ratings, all with 95 % intervals."""
    config = MatchConfig(
        pairs=pairs_of(games),
        openings=openings,
        seed=seed,
        limit=limit,
        workers=workers,
        batch=batch,
        cluster=cluster,
    )
    if svg is not None:
        check_writable(svg)
    with GameDatabase(file) as database:
        standings = run_with_progress(Tournament.prepare(game, players, config, database))
    if svg is not None:
        write_text(svg, picture.render(standings))
        note(f"picture in {svg}")
    if as_json:
        emit(with_reuse(standings))
        return
    _print_tables(standings, games)
    print_reuse(standings.reuse)
    print_failures(standings.failures)


def _print_tables(standings: Standings, games: int) -> None:
    """Print ratings and cross table separately, so that no name is cut off in a large table."""
    from rich.markup import escape

    order = standings.order
    numbers = [str(place + 1) for place in range(len(order))]
    rows, cells = [], []
    for number, i in zip(numbers, order, strict=True):
        total, name = standings.total(i), escape(standings.players[i])
        rating = str(standings.ratings.players[i])
        rows.append([number, name, rating, f"{total.points:g}/{total.games}"])
        cells.append([number, *("" if i == j else _cell(standings.score(i, j)) for j in order)])
    table(f"{standings.game}, {games} games in a pairing", ["", "player", "Elo", "points"], rows)
    table("Score against", ["", *numbers], cells)


def _cell(score: Score) -> str:
    mean, interval = percent(score).split(" [")
    return f"{mean}\n[{interval}\n{results(score)}"
