"""``playproof enumerate``: count all distinct positions, level by level."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note
from playproof.core.enumeration import enumerate_positions
from playproof.core.errors import UsageError
from playproof.core.registry import make


def enumerate_(
    game: GameArgument,
    ply: Annotated[int | None, typer.Option(min=0, help="Up to this ply.")] = None,
    stones: Annotated[
        int | None, typer.Option(min=0, help="Othello: up to this many stones, passes skipped.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Count symmetric positions as different.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Count the distinct positions that have a legal move, up to symmetry."""
    chosen_game = make(game)
    if (ply is None) == (stones is None):
        raise UsageError("want exactly one limit: --ply N, or --stones N for Othello")
    by_stones = stones is not None
    if by_stones and chosen_game.level_name != "stones":
        raise UsageError(f"{chosen_game.name} is not counted by stones: use --ply N")
    first = chosen_game.level_start if by_stones else 0
    last = stones if stones is not None else ply or 0
    if last < first:
        raise UsageError(
            f"{chosen_game.title} begins with {first} stones: want --stones {first} or more"
        )
    what = "stones" if by_stones else "ply"
    counts: dict[int, int] = {}
    began = time.perf_counter()
    for level in enumerate_positions(chosen_game, last - first, symmetric=not raw, skip=by_stones):
        counts[first + level.number] = level.count
        if not as_json:
            print(f"{what} {first + level.number:>3}  {level.count:>15,}", flush=True)
    seconds = time.perf_counter() - began
    if as_json:
        emit(
            {
                "game": chosen_game.spec,
                "level": what,
                "symmetric": not raw,
                "positions": {str(k): v for k, v in counts.items()},
                "seconds": round(seconds, 3),
            }
        )
    else:
        note(f"{seconds:.1f} s")
