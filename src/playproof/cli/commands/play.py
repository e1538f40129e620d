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
    first: Annotated[
        str, typer.Option(help="The player who moves first: human or an agent.")
    ] = "human",
    second: Annotated[str, typer.Option(help="The player who moves second.")] = "greedy",
    start: Annotated[str, typer.Option("--from", help="Moves or a position to start from.")] = "",
    save: Annotated[
        Path | None,
        typer.Option(help="Add the game to this file, finished or not (.pgn: PGN)."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show only the result.")] = False,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a game: people and agents in any combination."""
    made_game = make(game)
    state = read_state(made_game, start) if start else made_game.start()
    # A record brings its own options, so the game from here on is that of the position.
    if save is not None:
        check_writable(save, state.game)
    seed = settle_seed(seed)
    # With --json stdout is for the record alone, and the board goes to stderr.
    out = sys.stderr if as_json else sys.stdout
    terminal_game = TerminalGame(state, (first, second), seed=seed, out=out)
    if quiet and not terminal_game.has_human:
        terminal_game.out = io.StringIO()
    note(f"{state.game.title}: {first} against {second}, seed {seed}")
    is_unfinished = False
    try:
        terminal_game.run()
    except (PlayerLeft, KeyboardInterrupt) as reason:
        is_unfinished = True
        note(f"The game was left unfinished after {len(terminal_game.state.actions)} moves.")
        if isinstance(reason, KeyboardInterrupt):
            raise
    finally:
        if save is not None:
            append_record(save, terminal_game.record())
            note(f"saved to {save}")
        if as_json:
            print(terminal_game.record().to_json())
    if not is_unfinished and not as_json:
        record = terminal_game.record()
        ending = record.reason or terminal_game.state.view().over or ""
        print(f"{record.result}  {ending}".rstrip())
