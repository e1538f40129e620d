"""``playproof games-of``: find games that were played in matches and tournaments."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.arena.database import GameDatabase, default_path
from playproof.arena.game_query import matching_players
from playproof.cli.output import note
from playproof.core.errors import DataError, UsageError
from playproof.core.registry import make
from playproof.formats.record import append_record, check_writable

if TYPE_CHECKING:
    from playproof.formats.record import Record


_LISTED = 20  # games, where nothing else is asked
_NAMED = 8  # players, where nobody has the name that is asked for


class Result(StrEnum):
    """For the player, or by colour."""

    won = "won"
    drawn = "drawn"
    lost = "lost"
    first = "1-0"
    second = "0-1"


def games_of(
    player: Annotated[
        str,
        typer.Argument(metavar="PLAYER", help="Who played, as written for the match; * is any."),
    ] = "*",
    against: Annotated[str | None, typer.Option(help="The opponent; * is any.")] = None,
    result: Annotated[Result | None, typer.Option(help="For the player.")] = None,
    opening: Annotated[str | None, typer.Option(help="The moves it began with.")] = None,
    game: Annotated[str | None, typer.Option(help="Of which game, such as choko.")] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only games that ended by an agent's failure.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="The latest so many; 20 are listed and all written to --out."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="The file of games to look in; the user's own if not given.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Add the records to a file; .pgn writes chess as PGN."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print whole records, one a line.")
    ] = False,
) -> None:
    """List kept games by player, opponent, result or opening."""
    path = default_path() if file is None else file
    if not path.exists():
        raise DataError(f"there is no file of games {path}: play a match first, or name one")
    if limit is None and out is None:
        limit = _LISTED
    with GameDatabase(path) as database:
        found, count = database.find_and_count(
            player=player,
            against=against,
            result=None if result is None else result.value,
            opening=opening,
            game=None if game is None else _game(game),
            failed=failed,
            limit=limit,
        )
        strangers = [] if found else _strangers(database.players(), player, against)
    if not found and game is not None:
        _check_game(game)
    if out is not None:
        _write(out, [kept.record for kept in found], count)
        return
    for kept in found:
        if as_json:
            print(kept.record.to_json())
        else:
            reason = f"  {kept.reason}" if kept.reason else ""
            print(
                f"{kept.id:>7}  {kept.game}  {kept.first} against {kept.second}  {kept.result}  "
                f"{kept.plies} plies  {kept.opening}{reason}"
            )
    if not found:
        note(strangers[0] if strangers else "no game fits")
    elif len(found) < count:
        note(f"{len(found):,} of {count:,} games shown, the latest: --limit {count} shows all")


def _game(text: str) -> str:
    """A name is any board of that game, one with options that board alone."""
    try:
        return make(text).spec if ":" in text else f"{text}*"
    except UsageError:  # the file may hold games of a game that is not registered here
        return f"{text}*"


def _check_game(text: str) -> None:
    """Tell a game that nobody played from one that there is not."""
    if "*" not in text:
        make(text)


def _strangers(names: list[str], *wanted: str | None) -> list[str]:
    """A line for each of the wanted players who is not in the file."""
    from fnmatch import fnmatchcase

    lines = []
    for text in wanted:
        if text is None or not names:
            continue
        known = matching_players(text, names)
        if known is None:
            known = [name for name in names if fnmatchcase(name, text)]
        if not known:
            some = "; ".join(names[:_NAMED]) + ("; ..." if len(names) > _NAMED else "")
            lines.append(
                f"no game fits: nobody here is {text} (there are {some}; * is any letters)"
            )
    return lines


def _write(path: Path, records: list[Record], count: int) -> None:
    """All or nothing: a game that the file's form cannot hold is found before the first line."""
    games = [make(spec) for spec in {make(r.game, **r.options).spec for r in records}]
    for game in games:
        try:
            check_writable(path, game)
        except UsageError as error:
            chess = any(game.name == "chess" for game in games)
            raise UsageError(f"{error}{', or --game chess' if chess else ''}") from None
    for record in records:
        append_record(path, record)
    part = f"{len(records):,}" if len(records) == count else f"{len(records):,} of {count:,}"
    note(f"{part} games added to {path}")
