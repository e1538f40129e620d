"""``playproof solve``: the exact value of a position, proven by search."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, refuse_option, working
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.formats.any_text import read_state
from playproof.search import solve as solving
from playproof.search.small_board_margins import Margin

if TYPE_CHECKING:
    from playproof.core.game import Game


def solve(
    game: GameArgument,
    position: Annotated[
        str,
        typer.Argument(metavar="RECORD|POSITION", help="What to solve; the start if not given."),
    ] = "",
    wld: Annotated[
        bool, typer.Option("--wld", help="Find out who wins, not by how much (faster).")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Give up after so many seconds.")
    ] = None,
    memory: Annotated[int, typer.Option(min=1, max=16384, help="Megabytes of hash table.")] = 64,
    board: Annotated[str | None, typer.Option(help="Go: a small board, such as 2x2.")] = None,
    variant: Annotated[str | None, typer.Option(help="Quantum Go: weak, semi-black ...")] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a position of Othello, or a small board of Go or Quantum Go, exactly."""
    refuse_option(position)
    # "semi" is what the paper calls the game in which Black alone has pairs.
    named = {"board": board, "variant": "semi-black" if variant == "semi" else variant}
    made = make(game, **{key: value for key, value in named.items() if value is not None})
    text = sys.stdin.read() if position == "-" else position
    state = read_state(made, text) if position else made.start()
    with working(f"solving {made.spec}") as update:
        found = solving.solve(
            state, exact=not wld, seconds=seconds, megabytes=memory, on_progress=update
        )
    if isinstance(found, Margin):
        _tell_margin(made, found, as_json)
        return
    line = [state.name(action) for action in found.line]
    best = None if found.best_move is None else state.name(found.best_move)
    if as_json:
        emit(
            {
                "game": state.game.spec,
                "position": state.position,
                "player": state.game.players[found.player],
                "score": found.score,
                "exact": found.exact,
                "finished": found.finished,
                "lower": found.lower,
                "upper": found.upper,
                "best": best,
                "line": line,
                "nodes": found.nodes,
                "seconds": found.seconds,
            }
        )
    elif found.finished and found.score is not None:
        mover = state.game.players[found.player]
        told = f"{found.score:+d}" if found.exact else ("loss", "draw", "win")[found.score + 1]
        print(f"{mover} to move: {told}")
        print(f"best {best}  line {' '.join(line)}")
        rate = found.nodes / max(found.seconds, 1e-9) / 1e6
        note(f"{found.nodes:,} nodes, {found.seconds:.2f} s, {rate:.1f} M nodes/s")
    if not found.finished:
        bounds = f"between {found.lower:+d} and {found.upper:+d}"
        raise PlayproofError(
            f"not solved in {found.seconds:.1f} s: the score is {bounds}; give it more time"
        )


def _tell_margin(made: Game, found: Margin, as_json: bool) -> None:
    """By how much Black wins a small board, komi aside."""
    ko = made.options["ko"]
    if as_json:
        emit(
            {
                "game": made.spec,
                "ko": ko,
                "margin": found.lower if found.exact else None,
                "lower": found.lower,
                "upper": found.upper,
                "line": list(found.line),
                "nodes": found.nodes,
                "seconds": round(found.seconds, 3),
            }
        )
    elif found.exact:
        rule = ko if ko == "superko" else "simple ko"
        print(f"{made.spec}: Black {found.lower:+d} with best play ({rule}, komi aside)")
    if not found.exact:
        raise PlayproofError(
            f"not solved in {found.seconds:.1f} s: Black's margin is {found.lower:+d} to "
            f"{found.upper:+d}; give it more time"
        )
    note(f"{found.nodes:,} nodes, {found.seconds:.2f} s")
