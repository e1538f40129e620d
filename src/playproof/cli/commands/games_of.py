"""``playproof games-of``: finds recorded games of matches and tournaments."""

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
    from playproof.arena.database import RecordedGame
    from playproof.formats.record import Record


_LISTED = 20  # games, without --limit and --out
_NAMED = 8  # players that are named if nobody has the name that was typed


class GameResult(StrEnum):
    """A result for the player, or by who moved first."""

    won = "won"
    drawn = "drawn"
    lost = "lost"
    first = "1-0"
    second = "0-1"


def games_of(
    player: Annotated[
        str,
        typer.Argument(metavar="PLAYER", help="A player, as written for the match; * is any."),
    ] = "*",
    against: Annotated[str | None, typer.Option(help="The opponent; * is any.")] = None,
    result: Annotated[GameResult | None, typer.Option(help="For the player.")] = None,
    opening: Annotated[str | None, typer.Option(help="The first moves of the game.")] = None,
    game: Annotated[str | None, typer.Option(help="Which game, such as choko.")] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only games that ended by an agent's failure.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Only the latest; without it 20 are listed, all go to --out."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="The file of games to search; the user's own if not given.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Add the records to a file; .pgn writes chess as PGN."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print whole records, one a line.")
    ] = False,
) -> None:
    """List recorded games by player, opponent, result or opening."""
    path = default_path() if file is None else file
    if not path.exists():
        raise DataError(f"there is no file of games {path}: play a match first, or name one")
    if limit is None and out is None:
        limit = _LISTED
    with GameDatabase(path) as database:
        games, count = database.find_and_count(
            player=player,
            against=against,
            result=None if result is None else result.value,
            opening=opening,
            game=None if game is None else _game_pattern(game),
            failed=failed,
            limit=limit,
        )
        unknown = [] if games else _unknown_players(database.players(), player, against)
    if not games and game is not None:
        _check_game(game)
    if out is not None:
        _write(out, [recorded.record for recorded in games], count)
    else:
        _print_games(games, as_json)
        if not games:
            note(unknown[0] if unknown else "no game fits")
        elif len(games) < count:
            note(f"{len(games):,} of {count:,} games shown, the latest: --limit {count} shows all")


def _print_games(games: list[RecordedGame], as_json: bool) -> None:
    for game in games:
        if as_json:
            print(game.record.to_json())
        else:
            reason = f"  {game.reason}" if game.reason else ""
            print(
                f"{game.id:>7}  {game.game}  {game.first} against {game.second}  {game.result}  "
                f"{game.plies} plies  {game.opening}{reason}"
            )


def _game_pattern(text: str) -> str:
    """The pattern for ``--game``: a name means all boards of the game, a spec that board alone."""
    try:
        return make(text).spec if ":" in text else f"{text}*"
    except UsageError:  # the file may hold games of a game that is not registered here
        return f"{text}*"


def _check_game(text: str) -> None:
    """An error if there is no such game, rather than that nobody has played it."""
    if "*" not in text:
        make(text)


def _unknown_players(names: list[str], *queries: str | None) -> list[str]:
    """A line for each query that no player in the file matches."""
    from fnmatch import fnmatchcase

    lines = []
    for text in queries:
        if text is None or not names:
            continue
        matches = matching_players(text, names)
        if matches is None:
            matches = [name for name in names if fnmatchcase(name, text)]
        if not matches:
            some = "; ".join(names[:_NAMED]) + ("; ..." if len(names) > _NAMED else "")
            lines.append(
                f"no game fits: nobody here is {text} (there are {some}; * is any letters)"
            )
    return lines


def _write(path: Path, records: list[Record], count: int) -> None:
    """Add all records to a file, or none: what it cannot hold is an error before the first."""
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
