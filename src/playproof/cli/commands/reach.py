"""``playproof reach``: does any game lead to this position?"""

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
    position: Annotated[str, typer.Argument(metavar="POSITION", help="As `show` prints it.")],
    symmetric: Annotated[
        bool, typer.Option("--symmetric", help="Any of its images will do, with either colour.")
    ] = False,
    stones: Annotated[
        int, typer.Option(min=4, max=15, help="How far forward play is tabulated (kept on disk).")
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
            stones, state.game.size, progress=lambda n, found: update(f"{n} stones: {found:,}")
        )
    with working("searching backwards"):
        found = search(state, symmetric=symmetric, forward=table, seconds=seconds)
    if isinstance(found, Unknown):
        raise PlayproofError(f"not decided in {found.seconds:.1f} s: give it more time")
    explored = sum(found.explored.values())
    if as_json:
        emit(
            {
                "position": state.position,
                "reachable": isinstance(found, Reachable),
                "record": found.record if isinstance(found, Reachable) else None,
                "explored": found.explored,
                "seconds": round(found.seconds, 3),
            }
        )
        return
    if isinstance(found, Reachable):
        print(f"reachable   {found.record}")
    elif not found.constructible:
        print("unreachable   its squares cannot be filled from the centre")
    else:
        print("unreachable   every way back was tried, none leads to the start")
        if found.explored:
            told = ", ".join(f"{n} stones: {count:,}" for n, count in found.explored.items())
            print(f"taken back    {told}")
    word = "position" if explored == 1 else "positions"
    note(f"{explored:,} {word} taken back, {found.seconds:.2f} s")
