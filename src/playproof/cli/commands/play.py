"""``playproof play``: a game in the terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, SeedOption, note, settle_seed
from playproof.cli.terminal_game import PlayerLeft, TerminalGame
from playproof.core.registry import make
from playproof.formats.any_text import read_state
from playproof.formats.record import append_record, check_writable


def play(
    game: GameArgument,
    first: Annotated[str, typer.Option(help="Who moves first: human or an agent.")] = "human",
    second: Annotated[str, typer.Option(help="Who moves second.")] = "greedy",
    start: Annotated[str, typer.Option("--from", help="Moves or a position to start from.")] = "",
    save: Annotated[
        Path | None,
        typer.Option(help="Add the game to this file, finished or not (.pgn: PGN)."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show the result only.")] = False,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a game: people and agents in any combination."""
    made = make(game)
    begin = read_state(made, start) if start else made.start()
    made = begin.game  # a record brings its own options
    if save is not None:
        check_writable(save, made)
    seed = settle_seed(seed)
    # With --json stdout is for the record alone; a person still sees the board.
    out = sys.stderr if as_json else sys.stdout
    session = TerminalGame(begin, (first, second), seed=seed, out=out)
    if quiet and not session.has_human:
        session.out = io.StringIO()
    note(f"{made.title}: {first} against {second}, seed {seed}")
    left = False
    try:
        session.run()
    except (PlayerLeft, KeyboardInterrupt) as reason:
        left = True
        note(f"The game was left unfinished after {len(session.state.actions)} moves.")
        if isinstance(reason, KeyboardInterrupt):
            raise
    finally:
        if save is not None:
            append_record(save, session.record())
            note(f"saved to {save}")
        if as_json:
            print(session.record().to_json())
    if not left and not as_json:
        record = session.record()
        ending = record.reason or session.state.view().over or ""
        print(f"{record.result}  {ending}".rstrip())
