"""``playproof census``: count all reachable positions with many moves."""

from __future__ import annotations

from dataclasses import asdict, astuple
from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, progress, table, working
from playproof.cli.proofs.options import SecondsOption
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.registry import make
from playproof.games.othello.game import Othello
from playproof.proofs.certificates.files import writing
from playproof.proofs.othello.census.candidates import candidates, default_file
from playproof.proofs.othello.census.earliest import EarliestGame, earliest_games, prove_earliest
from playproof.proofs.othello.census.records import CANDIDATES, MOVES, census_records, totals
from playproof.proofs.othello.census.search import Census
from playproof.proofs.othello.census.search import census as count


def census(
    game: GameArgument,
    moves: Annotated[int, typer.Option(min=1, max=64, help="Legal moves, at least.")] = 33,
    stones: Annotated[
        int | None,
        typer.Option(min=5, max=64, help="Stones on the board, exactly; 29 if not given."),
    ] = None,
    records: Annotated[
        bool, typer.Option("--records", help="Replay the games of the finished census instead.")
    ] = False,
    earliest: Annotated[
        bool,
        typer.Option(
            "--earliest",
            help="Prove that no game has so many moves sooner than the earliest; with --records, "
            "replay the earliest games.",
        ),
    ] = False,
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
    """Count the reachable positions of Othello with many moves, each with a record.

    With ``--records``, list all reachable positions with 33 moves: the census of 26 to 31 stones
    is finished, and its games are shipped.  With ``--earliest``, show a game that has so many
    moves as early as possible, and exclude all positions with fewer stones.
    """
    othello = make(game)
    if not isinstance(othello, Othello):
        raise UsageError(f"census is for othello, not for {othello.name}")
    if earliest:
        others = {"--stones": stones, "--file": file, "--workers": workers}
        given = [name for name, value in others.items() if value is not None]
        if othello.size != 8 or given:
            what = " and ".join(given) or f"a board of {othello.size}"
            raise UsageError(f"--earliest is for 8x8 and takes --moves alone: want no {what}")
        if records:
            _print_earliest_games(as_json)
        else:
            _prove_earliest(moves, seconds, as_json)
        return
    if records:
        if othello.size != 8 or moves != MOVES:
            raise UsageError(f"the finished census is of {MOVES} moves on 8x8: want no other")
        _print_records(stones, as_json)
        return
    stones = 29 if stones is None else stones
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
    _print_census(result, moves, stones, path, as_json)


def _print_census(result: Census, moves: int, stones: int, path: Path, as_json: bool) -> None:
    """The reachable positions of a census and how far it is."""
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


def _print_records(stones: int | None, as_json: bool) -> None:
    """The shipped records, replayed, and the totals of the census."""
    if stones is not None and stones not in CANDIDATES:
        raise UsageError(
            f"{MOVES} moves need {min(CANDIDATES)} to {max(CANDIDATES)} stones, not {stones}"
        )
    chosen = [one for one in census_records() if stones in (None, one.stones)]
    rows = [row for row in totals(chosen) if stones in (None, row.stones)]
    if as_json:
        games = [{"record": o.record, "stones": o.stones, "colour": o.colour} for o in chosen]
        emit({"moves": MOVES, "totals": [asdict(row) for row in rows], "records": games})
        return
    for one in chosen:
        print(one.record)
    lines = [astuple(row) for row in rows]
    if len(lines) > 1:
        lines.append(("all", *(sum(column) for column in list(zip(*lines, strict=True))[1:])))
    columns = ["stones", "candidates", "reachable", "Black to move", "White to move"]
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in line] for line in lines]
    title = f"Reachable positions with {MOVES} legal moves, up to symmetry"
    table(title, columns, cells, right="r" * len(columns))
    note(f"{len(chosen)} games replayed: each ends with {MOVES} legal moves")


def _prove_earliest(moves: int, seconds: float | None, as_json: bool) -> None:
    """The earliest game with so many moves, and the proof that none has them sooner."""
    with working(f"{moves} moves"):
        proof = prove_earliest(moves, seconds=seconds, on_finding=note)
    if proof.holds is None:
        raise PlayproofError(f"not decided in {proof.seconds:.1f} s: give it more time")
    if not proof.holds:
        raise PlayproofError(f"a position with fewer stones has {moves} moves: the table is wrong")
    game = proof.game
    if as_json:
        emit(
            {
                "moves": moves, **_game_json(game), "findings": list(proof.findings),
                "seconds": round(proof.seconds, 1),
            }
        )  # fmt: skip
        return
    print(game.record)
    print(f"{moves} moves first at ply {game.plies}: {game.stones} stones, {game.colour} to move")
    print(
        f"no reachable position with fewer stones has {moves} moves, so no game has them sooner "
        f"({proof.seconds:.1f} s)"
    )


def _print_earliest_games(as_json: bool) -> None:
    """The shipped earliest games, replayed."""
    games = earliest_games()
    if as_json:
        emit([{"least": g.at_least, "moves": g.moves, **_game_json(g)} for g in games])
        return
    columns = ["moves", "ply", "stones", "to move", "game"]
    rows = [
        [_moves_text(game), str(game.plies), str(game.stones), game.colour, game.record]
        for game in games
    ]
    table("The earliest plies with so many legal moves", columns, rows, right="rrr")
    note(f"{len(games)} games replayed: each has these moves at its end, and no pass")


def _moves_text(game: EarliestGame) -> str:
    few, most = game.at_least, game.moves
    return str(most) if few == most else f"{few} to {most}"


def _game_json(game: EarliestGame) -> dict[str, object]:
    return {
        "ply": game.plies, "stones": game.stones, "colour": game.colour, "record": game.record,
    }  # fmt: skip
