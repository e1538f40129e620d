"""``playproof solve``: the exact value of a position, proven by search."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, refuse_option
from playproof.core.errors import DataError, PlayproofError, UsageError


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
    as_json: JsonOption = False,
) -> None:
    """Solve a position of Othello: score, best move and a perfect line."""
    from playproof.core.registry import make
    from playproof.core.stopping import interruptible
    from playproof.formats.reading import read_state
    from playproof.search import othello_endgame

    refuse_option(position)
    made = make(game)
    if made.name != "othello":
        raise UsageError(f"there is no solver for {made.name}: want othello")
    text = sys.stdin.read() if position == "-" else position
    state = read_state(made, text) if position else made.start()
    if state.is_terminal:
        raise DataError(f"the game is over ({state.view().over}): there is nothing to solve")
    found = interruptible(
        lambda stop: othello_endgame.solve(
            state, exact=not wld, megabytes=memory, seconds=seconds, stop=stop
        )
    )
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
