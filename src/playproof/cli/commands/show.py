"""``playproof show``: draw a position or the end of a game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, refuse_option, write_text
from playproof.core.errors import DataError, UsageError
from playproof.core.registry import make
from playproof.formats import svg, terminal
from playproof.formats.any_text import read_game
from playproof.formats.record import Record


def show(
    game: GameArgument,
    record: Annotated[
        str,
        typer.Argument(
            metavar="RECORD|POSITION",
            help="Moves (f5d6c4), a position, a record, a file of those, or - for stdin.",
        ),
    ] = "",
    ply: Annotated[
        int | None, typer.Option(min=0, help="Show the game after this many moves.")
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="Which game of a file of records.")] = 1,
    svg: Annotated[Path | None, typer.Option(help="Also draw the position into this file.")] = None,
    sgf: Annotated[
        Path | None, typer.Option(help="Also write the game into this file (Go, Quantum Go).")
    ] = None,
    pgn: Annotated[
        Path | None, typer.Option(help="Also write the game into this file (chess).")
    ] = None,
    theme: Annotated[str, typer.Option(help="Theme of the picture: light or dark.")] = "light",
    as_json: JsonOption = False,
) -> None:
    """Draw a position or the end of a game, and name its legal moves."""
    if theme not in ("light", "dark"):
        raise UsageError(f"there is no theme '{theme}': want light or dark")
    chosen_game = make(game)
    refuse_option(record)
    text = sys.stdin.read() if record == "-" else record
    state = chosen_game.start()
    record_of_game = Record.of(state)
    if record:
        state, record_of_game = read_game(chosen_game, text, number=number)
    chosen_game = state.game  # a record brings its own options
    if ply is not None:
        if ply > len(state.actions):
            raise DataError(f"the game has no ply {ply}: want 0 to {len(state.actions)}")
        if ply < len(state.actions):
            state = state.before(len(state.actions) - ply)
            record_of_game = Record.of(state, record_of_game.players)
    if sgf is not None:
        from playproof.formats.sgf.records import write

        write_text(
            sgf,
            write(
                state,
                record_of_game.players,
                result=record_of_game.result,
                reason=record_of_game.reason,
            ),
        )
        note(f"wrote {sgf}")
    if pgn is not None:
        from playproof.formats.pgn.records import write as write_pgn

        tags = record_of_game.extra.get("tags") or {}
        pgn_text = write_pgn(
            state,
            record_of_game.players,
            result=record_of_game.result,
            reason=record_of_game.reason,
            tags=tags,
        )
        write_text(pgn, pgn_text)
        note(f"wrote {pgn}")
    if svg is not None:
        _draw(state.view(), svg, theme)
    names = state.legal_names()
    if as_json:
        emit(
            {
                "game": chosen_game.name,
                "options": chosen_game.options,
                "position": state.position,
                "ply": state.ply,
                "moves": state.moves,
                "player": state.current_player,
                "legal": names,
                "legal_moves": len(names),
                "outcome": state.outcome,
                "score": state.score,
                "view": state.view().to_json(),
            }
        )
        return

    out = sys.stdout
    colour, unicode = terminal.supports_colour(out), terminal.supports_unicode(out)
    print(terminal.render(state.view(), colour=colour, unicode=unicode))
    if names:
        print(f"Legal: {' '.join(names)}")
    print(f"Position: {state.position}")


def _draw(view, file: Path, theme: str) -> None:  # type: ignore[no-untyped-def]

    picture = svg.render(view, theme="dark" if theme == "dark" else "light")
    write_text(file, picture)
    note(f"drew {file}")
