"""A recorded game for a page to step through: who played, its moves and its positions.

Positions are sent in windows of plies: a long game on a large board would be megabytes at once,
and nobody views all of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.formats.record import Record
from playproof.web.catalog import listing as catalog
from playproof.web.game.animations import events
from playproof.web.game.announcements import move_sentence
from playproof.web.game.variations import GameLines
from playproof.web.http.operations import operation
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.games import RecordedGame, RecordedSide, RecordedViews

WINDOW = 40  # plies in one reply at most
TYPES = {
    "jsonl": "application/x-ndjson",
    "txt": "text/plain; charset=utf-8",
    "sgf": "application/x-go-sgf",
    "pgn": "application/x-chess-pgn",
}


class RecordedGameRoutes:
    """The endpoints for recorded games; a page's subclass says which game is asked for."""

    def _game(self, request: Request) -> Record:
        raise TypeError(f"{type(self).__name__} has no games")

    def _file(self, request: Request) -> str:
        """The name of the game's file, without its ending."""
        raise TypeError(f"{type(self).__name__} has no files")

    @operation(RecordedGame)
    async def game(self, request: Request) -> RecordedGame:
        """A recorded game: who played, its moves, its end."""
        return await asyncio.to_thread(lambda: recorded_game(self._game(request)))

    @operation(RecordedViews, query=("from", "count"))
    async def views(self, request: Request) -> RecordedViews:
        """The positions of a recorded game, from one ply on."""
        first_ply, count = window(request.query_params)
        return await asyncio.to_thread(lambda: views(self._game(request), first_ply, count))

    @operation(media="*/*")
    async def record(self, request: Request) -> Response:
        """A recorded game as a file: jsonl, txt, sgf or pgn."""
        kind = request.path_params["kind"]
        text = await asyncio.to_thread(lambda: export_record(self._game(request), kind))
        return attachment(text, kind, self._file(request))


def recorded_game(record: Record) -> RecordedGame:
    """A record as a reply: its sides, moves and end."""
    lines = _lines(record)
    game = lines.start.game
    end = lines.state(0)
    return RecordedGame(
        game=game.name,
        title=game.title,
        variant=catalog.variant_of(game),
        options=game.options,
        sides=[
            RecordedSide(colour, name, player)
            for colour, name, player in zip(game.colours, game.players, record.players, strict=True)
        ],
        moves=lines.names(0),
        of=lines.length(0),
        result=record.result,
        reason=record.reason or end.view().over,
        formats=formats(game.name),
        record=record.to_json(),
    )


def views(record: Record, first_ply: int, count: int = WINDOW) -> RecordedViews:
    """The Views from ply ``first_ply`` on, for viewing only: nothing in them can be clicked."""
    lines = _lines(record)
    states, names = lines.states(0), lines.names(0)
    if not 0 <= first_ply < len(states):
        raise Refusal("bad", f"the game has no ply {first_ply}: want 0 to {len(states) - 1}")
    window_views: list[dict[str, Any]] = []
    for ply in range(first_ply, min(len(states), first_ply + max(1, min(count, WINDOW)))):
        view = states[ply].view().to_json()
        view |= {"legal": [], "lazy": False, "actions": [], "steps": []}
        view["turn"] = {**view["turn"], "who": "other"}
        # Marks of possible next moves say nothing about the move that was played.
        view["marks"] = [mark for mark in view["marks"] if mark["k"] not in ("dot", "num")]
        view["events"] = events(states, ply)
        if ply > 0:
            side, name = states[ply - 1].current_player, names[ply - 1]
            before = window_views[-1] if window_views else states[ply - 1].view().to_json()
            view["announcement"] = move_sentence(lines.start.game, side, name, before, view)
        if record.reason and ply == len(states) - 1:
            view |= {"over": f"{record.reason}.", "say": f"{record.reason}."}
        window_views.append(view)
    return RecordedViews(first_ply, window_views)


def formats(game: str) -> list[str]:
    """The formats that a game can be written in."""
    return catalog.formats(game)


def export_record(record: Record, kind: str) -> str:
    """A game as text in a format."""
    available = formats(record.game)
    if kind not in available:
        choices = ", ".join(available)
        raise Refusal("gone", f"{record.game} cannot be written as {kind}: want {choices}")
    try:
        if kind == "sgf":
            from playproof.formats import sgf

            return sgf.write_record(record)
        if kind == "pgn":
            from playproof.formats import pgn

            return pgn.write_record(record)
        if kind == "txt":
            return make(record.game, **record.options).join_moves(record.moves) + "\n"
    except PlayproofError as error:
        raise Refusal("illegal", str(error)) from None
    return record.to_json() + "\n"


def attachment(text: str, kind: str, name: str) -> Response:
    """A text that the browser saves as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}.{kind}"'}
    return Response(text, media_type=TYPES[kind], headers=headers)


def window(query: Mapping[str, str]) -> tuple[int, int]:
    """(first ply, number of plies) from ``?from=12&count=40``."""
    return number(query, "from", 0, most=10**6), number(query, "count", WINDOW, most=10**6)


def number(query: Mapping[str, str], name: str, default: int, *, most: int) -> int:
    """A whole number from a query."""
    text = query.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > most:
        raise Refusal("bad", f"{name}={text[:20]}: want a whole number from 0 to {most}")
    return int(text)


def _lines(record: Record) -> GameLines:
    try:
        return GameLines.of_game(record.replay())
    except PlayproofError as error:
        raise Refusal("gone", f"this game can no longer be read: {error}") from None
