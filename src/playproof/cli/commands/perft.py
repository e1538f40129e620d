"""``playproof perft``: count the move sequences of a given length."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, progress, table
from playproof.core import perft as counting
from playproof.core.registry import make
from playproof.formats.any_text import read_state


def perft(
    game: GameArgument,
    depth: Annotated[int, typer.Argument(min=0, max=1000, help="Plies to look ahead.")],
    start: Annotated[str, typer.Option("--from", help="Moves or a position to count from.")] = "",
    divide: Annotated[
        bool, typer.Option("--divide", help="Also count the leaves below each move.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Count the leaves of the game tree, the test of every rules engine."""
    chosen_game = make(game)
    state = read_state(chosen_game, start) if start else chosen_game.start()
    chosen_game = state.game  # a record brings its own options
    state = chosen_game.perft_root(state)
    counting.perft(state, 1)  # compiled or loaded before the clock starts
    began = time.perf_counter()
    below: dict[str, int] = {}
    with progress(f"perft {chosen_game.spec} {depth}", "subtrees") as update:
        if divide and depth > 0:
            for action in state.legal_actions():
                below[state.name(action)] = counting.perft(
                    state.apply(action), depth - 1, progress=update
                )
            leaves = sum(below.values())
        else:
            leaves = counting.perft(state, depth, progress=update)
    seconds = time.perf_counter() - began
    if as_json:
        data = {
            "game": chosen_game.spec,
            "depth": depth,
            "leaves": leaves,
            "seconds": round(seconds, 3),
        }
        emit({**data, "divide": below} if divide else data)
        return
    if below:
        table(
            "Leaves below each move",
            ["move", "leaves"],
            [[k, f"{v:,}"] for k, v in below.items()],
            right=" r",
        )
    speed = f", {leaves / seconds / 1e6:,.1f} M/s" if seconds > 0.01 else ""
    print(f"perft({depth}) = {leaves:,}   ({seconds:.2f} s{speed})")
