"""``playproof census``: all reachable positions with so many moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, progress, working
from playproof.cli.proofs.options import SecondsOption
from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.games.othello.game import Othello
from playproof.proofs.certificates.files import writing
from playproof.proofs.othello.census import census as count
from playproof.proofs.othello.census_candidates import candidates, default_file


def census(
    game: GameArgument,
    moves: Annotated[int, typer.Option(min=1, max=64, help="Legal moves, at least.")] = 33,
    stones: Annotated[int, typer.Option(min=5, max=64, help="On the board, exactly.")] = 29,
    file: Annotated[
        Path | None, typer.Option(help="What is done goes here; in the cache if not given.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=4096, help="Processes.")] = None,
    megabytes: Annotated[int, typer.Option(min=1, max=65536, help="Memory of each.")] = 1024,
    seconds: SecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the reachable positions of Othello with many moves, each with a record."""
    made = make(game)
    if not isinstance(made, Othello):
        raise UsageError(f"a census is of othello, not of {made.name}")
    if stones > made.size**2:
        raise UsageError(f"{stones} stones on {made.size**2} squares: want 5 to {made.size**2}")
    with working("candidates") as update:
        found = candidates(moves, stones, size=made.size, tell=update)
    note(f"{len(found):,} candidates up to symmetry")
    path = default_file(moves, stones, made.size) if file is None else file
    with writing(path), progress("census", "candidates") as bar:
        result = count(
            found, size=made.size, workers=workers, store=path, megabytes=megabytes,
            seconds=seconds, progress=lambda so_far: bar(so_far.done, so_far.total),
        )  # fmt: skip
    if as_json:
        emit(
            {
                "moves": moves, "stones": stones, "candidates": result.total, "done": result.done,
                "reachable": len(result.reachable), "unknown": result.unknown,
                "records": [one.record for one in result.reachable],
                "nodes": result.nodes, "seconds": round(result.seconds, 1), "file": str(path),
            }
        )  # fmt: skip
        return
    for one in result.reachable:
        print(one.record)
    state = "finished" if result.finished else f"{result.done:,} of {result.total:,} done"
    print(
        f"{len(result.reachable)} reachable positions with {stones} stones and at least {moves} "
        f"moves, up to symmetry ({state})"
    )
    note(f"{result.nodes:,} positions taken back, {result.seconds:.0f} s of search; kept in {path}")
    if not result.finished:
        note("the same command goes on from there")
