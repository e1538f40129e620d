"""A client's text as a game of the lab: its lines, its source, and what is left out of it."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import Any

from starlette.requests import Request
from starlette.routing import Route

from playproof.core.errors import PlayproofError
from playproof.core.registry import find
from playproof.formats.any_text import read_any, read_game
from playproof.formats.contents import MAX_LISTED, games_in, known_value, variations_of
from playproof.formats.record import Record, parse_records
from playproof.formats.transcripts import AmbiguousText
from playproof.web.catalog import listing as catalog
from playproof.web.game.variations import MOST_LINES, GameLines
from playproof.web.http.operations import operation
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.games import Contents, FoundGame, GameChoice

AUTO = "auto"  # the game is recognised from the text
LARGEST = 1 << 20  # bytes of a text whose games are listed
Variant = str | dict[str, Any] | None


@dataclass(frozen=True)
class Source:
    """Where a game comes from, according to its text."""

    players: tuple[str, str]
    result: str
    date: str = ""
    event: str = ""
    left_out: tuple[str, ...] = ()  # what the lab does not show, in words

    @classmethod
    def of(cls, record: Record, left_out: tuple[str, ...]) -> Source | None:
        """None if the text holds nothing but moves."""
        tags = record.extra.get("tags", {})
        tag = tags.get if isinstance(tags, dict) else {}.get
        date, event = (known_value(str(tag(name, ""))) for name in ("Date", "Event"))
        players = known_value(record.players[0]), known_value(record.players[1])
        if not (any(players) or date or event or left_out or record.reason):
            return None
        return cls(players, record.result, date.rstrip(".?"), event, left_out)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_lines(text: str, name: str, variant: Variant) -> tuple[GameLines, Source | None]:
    """The game that a text holds, with its variations; no file is ever opened."""
    name = (name == AUTO and _other_game(text)) or name
    try:
        if name == AUTO:
            state, record = read_any(text, catalog.GAMES)
        else:
            game = catalog.make_game(name, variant or {})
            state, record = read_game(game, text, files=False)
        if state.game.name not in (catalog.GAMES if name == AUTO else (name,)):
            raise Refusal("bad", f"this is a game of {state.game.name}")
        lines = GameLines.of_game(state)
        variations = variations_of(text, state)
        broken = variations.broken + sum(not _added(lines, path) for path in variations.paths)
        others = len(games_in(text)) - 1
    except PlayproofError as error:
        raise Refusal("bad", str(error)) from None
    except Refusal:
        raise
    except Exception as error:  # whatever a stranger's text does to a reader must end here
        kind = type(error).__name__
        raise Refusal("bad", f"this text cannot be read ({kind}): is it complete?") from None
    left_out = (
        _count(others, "further game", "further games"),
        _count(broken, "variation", f"variations (illegal, or beyond {MOST_LINES})"),
        _count(variations.comments, "comment or sign", "comments and signs"),
    )
    return lines, Source.of(record, tuple(filter(None, left_out)))


def _other_game(text: str) -> str | None:
    """The game that a record names, if it is a game of another package.

    Bare moves are tried for our games only: "3 2 1" would be a game of too many others.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        named = next(iter(parse_records(text))).game
    except (PlayproofError, StopIteration):
        return None
    return named if named not in catalog.GAMES and catalog.is_offered(named) else None


def _added(lines: GameLines, path: tuple[int, ...]) -> bool:
    try:
        return lines.follow(path)
    except Refusal:  # too many lines
        return False


def _count(number: int, one: str, many: str) -> str:
    return "" if number <= 0 else f"1 {one}" if number == 1 else f"{number} {many}"


def routes() -> list[Route]:
    """The route that lists the games in a text."""

    @operation(Contents, query=("game",), upload="text/plain")
    async def list_contents(request: Request) -> Contents:
        """The games in a posted text: players, result, date, and their place in it.

        A text has at most 1 MiB; ``game`` may be ``auto``."""
        data = b""
        async for part in request.stream():
            data += part
            if len(data) > LARGEST:
                size = f"{LARGEST >> 20} MiB"
                raise Refusal("large", f"a text has at most {size}: split it into parts")
        name = request.query_params.get("game", AUTO)
        text = data.decode("utf-8", "replace")
        return await asyncio.to_thread(contents, text, name)

    return [Route("/api/contents", list_contents, methods=["POST"])]


def contents(text: str, name: str) -> Contents:
    """What a text holds.

    ``choices`` are the games it may be of, if there are several; else ``games`` are the first of
    the ``of`` games in it. ``msg`` says why it is not simply one game.
    """
    try:
        games = games_in(text)
        if len(games) < 2:
            if name == AUTO and not _other_game(text):
                read_any(text, catalog.GAMES)
            games = games[:1]
    except AmbiguousText as error:
        choices = [GameChoice(one, find(one).title) for one in error.games]
        return Contents(choices, str(error), [], 0)
    except PlayproofError as error:
        return Contents([], str(error), [], 0)
    games_listed = [FoundGame(**asdict(one)) for one in games[:MAX_LISTED]]
    return Contents([], "", games_listed, len(games))
