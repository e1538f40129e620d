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
        bool, typer.Option("--wld", help="Find only who wins, not by how much (faster).")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Give up after this many seconds.")
    ] = None,
    memory: Annotated[int, typer.Option(min=1, max=16384, help="Megabytes of hash table.")] = 64,
    board: Annotated[str | None, typer.Option(help="Go: a small board, such as 2x2.")] = None,
    variant: Annotated[str | None, typer.Option(help="Quantum Go: weak, semi-black ...")] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a position of Othello, or a small board of Go or Quantum Go, exactly."""
    refuse_option(position)
    # "semi" is the paper's name of the game in which only Black has pairs.
    named = {"board": board, "variant": "semi-black" if variant == "semi" else variant}
    chosen_game = make(game, **{key: value for key, value in named.items() if value is not None})
    text = sys.stdin.read() if position == "-" else position
    state = read_state(chosen_game, text) if position else chosen_game.start()
    with working(f"solving {chosen_game.spec}") as update:
        solution = solving.solve(
            state, exact=not wld, seconds=seconds, megabytes=memory, on_progress=update
        )
    if isinstance(solution, Margin):
        _print_margin(chosen_game, solution, as_json)
        return
    line = [state.name(action) for action in solution.line]
    best = None if solution.best_move is None else state.name(solution.best_move)
    if as_json:
        emit(
            {
                "game": state.game.spec,
                "position": state.position,
                "player": state.game.players[solution.player],
                "score": solution.score,
                "exact": solution.exact,
                "finished": solution.finished,
                "lower": solution.lower,
                "upper": solution.upper,
                "best": best,
                "line": line,
                "nodes": solution.nodes,
                "seconds": solution.seconds,
            }
        )
    elif solution.finished and solution.score is not None:
        mover = state.game.players[solution.player]
        result = (
            f"{solution.score:+d}"
            if solution.exact
            else ("loss", "draw", "win")[solution.score + 1]
        )
        print(f"{mover} to move: {result}")
        print(f"best {best}  line {' '.join(line)}")
        rate = solution.nodes / max(solution.seconds, 1e-9) / 1e6
        note(f"{solution.nodes:,} nodes, {solution.seconds:.2f} s, {rate:.1f} M nodes/s")
    if not solution.finished:
        bounds = f"between {solution.lower:+d} and {solution.upper:+d}"
        raise PlayproofError(
            f"not solved in {solution.seconds:.1f} s: the score is {bounds}; give it more time"
        )


def _print_margin(chosen_game: Game, solution: Margin, as_json: bool) -> None:
    """Print by how much Black wins a small board, komi aside."""
    ko = chosen_game.options["ko"]
    if as_json:
        emit(
            {
                "game": chosen_game.spec,
                "ko": ko,
                "margin": solution.lower if solution.exact else None,
                "lower": solution.lower,
                "upper": solution.upper,
                "line": list(solution.line),
                "nodes": solution.nodes,
                "seconds": round(solution.seconds, 3),
            }
        )
    elif solution.exact:
        rule = ko if ko == "superko" else "simple ko"
        print(f"{chosen_game.spec}: Black {solution.lower:+d} with best play ({rule}, komi aside)")
    if not solution.exact:
        raise PlayproofError(
            f"not solved in {solution.seconds:.1f} s: Black's margin is {solution.lower:+d} to "
            f"{solution.upper:+d}; give it more time"
        )
    note(f"{solution.nodes:,} nodes, {solution.seconds:.2f} s")
