"""``playproof reach``: decide whether any game leads to a position."""

from __future__ import annotations

from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, refuse_option, working
from playproof.cli.proofs.options import SecondsOption
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.registry import make
from playproof.formats.any_text import read_state
from playproof.games.othello.game import Othello
from playproof.proofs.othello.retrograde.forward import forward_table
from playproof.proofs.othello.retrograde.search import Reachable, Unknown
from playproof.proofs.othello.retrograde.search import reach as search


def reach(
    game: GameArgument,
    position: Annotated[
        str, typer.Argument(metavar="POSITION", help="The position as `show` prints it.")
    ],
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="Accept any image of it, with either colour.")
    ] = False,
    stones: Annotated[
        int, typer.Option(min=4, max=15, help="Stones of the forward table, which is cached.")
    ] = 12,
    seconds: SecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a game of Othello that leads to a position, or prove that there is none."""
    refuse_option(position)
    state = read_state(make(game), position)
    if not isinstance(state.game, Othello):
        raise UsageError(f"reach is for othello, not for {state.game.name}")
    with working("tabulating") as update:
        table = forward_table(
            stones, state.game.size, on_progress=lambda n, count: update(f"{n} stones: {count:,}")
        )
    with working("searching backwards"):
        result = search(state, symmetric=symmetric, forward=table, seconds=seconds)
    if isinstance(result, Unknown):
        raise PlayproofError(f"not decided in {result.seconds:.1f} s: give it more time")
    explored = sum(result.explored.values())
    if as_json:
        emit(
            {
                "position": state.position,
                "reachable": isinstance(result, Reachable),
                "record": result.record if isinstance(result, Reachable) else None,
                "explored": result.explored,
                "seconds": round(result.seconds, 3),
            }
        )
        return
    if isinstance(result, Reachable):
        print(f"reachable   {result.record}")
    elif not result.constructible:
        print("unreachable   its squares cannot be filled from the centre")
    else:
        print("unreachable   every way back was tried, none leads to the start")
        if result.explored:
            counts = ", ".join(f"{n} stones: {count:,}" for n, count in result.explored.items())
            print(f"taken back    {counts}")
    noun = "position" if explored == 1 else "positions"
    note(f"{explored:,} {noun} taken back, {result.seconds:.2f} s")
