"""``playproof census``: count all reachable positions with many moves."""

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
    stones: Annotated[int, typer.Option(min=5, max=64, help="Stones on the board, exactly.")] = 29,
    file: Annotated[
        Path | None, typer.Option(help="File for the results; by default in the cache.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, max=4096, help="Processes.")] = None,
    megabytes: Annotated[
        int, typer.Option(min=1, max=65536, help="Memory of each process.")
    ] = 1024,
    seconds: SecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Count the reachable positions of Othello with many moves, each with a record."""
    othello = make(game)
    if not isinstance(othello, Othello):
        raise UsageError(f"a census is of othello, not of {othello.name}")
    squares = othello.size**2
    if stones > squares:
        raise UsageError(f"{stones} stones on {squares} squares: want 5 to {squares}")
    with working("candidates") as update:
        positions = candidates(moves, stones, size=othello.size, on_progress=update)
    note(f"{len(positions):,} candidates up to symmetry")
    path = default_file(moves, stones, othello.size) if file is None else file
    with writing(path), progress("census", "candidates") as bar:
        result = count(
            positions, size=othello.size, workers=workers, file=path, megabytes=megabytes,
            seconds=seconds, on_progress=lambda so_far: bar(so_far.done, so_far.total),
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
