"""Tournaments over HTTP and as the topic "tournament:ID": tables, games, starting one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from playproof.arena import standings_picture as picture
from playproof.core.parallel.executor import cores
from playproof.formats.record import Record
from playproof.web.game import replay as replays
from playproof.web.http.operations import operation
from playproof.web.http.redaction import redact
from playproof.web.http.routes import body
from playproof.web.pages.tournaments import start as tournaments_start
from playproof.web.pages.tournaments.database import PAGE, POINTS, TournamentDatabase, TournamentRun
from playproof.web.pages.tournaments.database_files import GameFile, GameFiles
from playproof.web.pages.tournaments.ids import OWN
from playproof.web.pages.tournaments.table import headline
from playproof.web.protocol import bodies
from playproof.web.protocol.codec import build, read
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.tournaments import (
    StartedTournament,
    TournamentGames,
    Tournaments,
    TournamentTable,
)

if TYPE_CHECKING:
    from playproof.web.lab import Lab

_MOST = 2**53
_TOGETHER = 200  # games of a file that are written at once
_MOST_SENT = 3  # files of all games at a time for guests; more wait


def routes(lab: Lab) -> list[Route]:
    door = TournamentHandlers(lab)
    lab.subscriptions.register("tournament", door.table_update, personal=True)
    return [
        Route("/api/tournaments", door.listed, methods=["GET"]),
        Route("/api/tournaments", door.start, methods=["POST"]),
        Route("/api/tournaments/games/{number}", door.game, methods=["GET"]),
        Route("/api/tournaments/games/{number}/views", door.views, methods=["GET"]),
        Route("/api/tournaments/games/{number}/{kind}", door.record, methods=["GET"]),
        Route("/api/tournaments/{id}", door.table, methods=["GET"]),
        Route("/api/tournaments/{id}/games", door.games, methods=["GET"]),
        Route("/api/tournaments/{id}/table.svg", door.drawn, methods=["GET"]),
        Route("/api/tournaments/{id}/all/{kind}", door.records, methods=["GET"]),
    ]


class TournamentHandlers(replays.RecordedGameRoutes):
    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.books = GameFiles(lab.folder)
        self._sending = asyncio.Semaphore(_MOST_SENT)

    # Looking

    def table_update(self, id: str, mark: Any, owner: bool) -> tuple[Any, TournamentTable | None]:
        """The table of a tournament, whenever a game was added or its job has changed."""
        number = _id(id)
        job = self._job(number)
        seen = self.books.of(number).book.last(), job
        if mark is not None and mark == seen:
            return mark, None
        return seen, self._table(number, job, owner)

    @operation(Tournaments, query=("before",))
    async def listed(self, request: Request) -> Tournaments:
        """Tournaments and matches in the book of games, the latest first."""
        before = replays.number(request.query_params, "before", _MOST, most=_MOST)
        first = "before" not in request.query_params
        owner = self._owner(request)

        def work() -> Tournaments:
            found = self._listed(self.books.own, before) if before < OWN or first else []
            others: list[dict[str, Any]] = []
            for shelf in self.books.others() if first else ():
                with contextlib.suppress(Refusal):  # a damaged file hides no other
                    others += self._listed(shelf)
            told = {"tournaments": _merged(found, others), "workers": cores()}
            return build(Tournaments, _for(owner, told))

        return await asyncio.to_thread(work)

    @operation(TournamentTable)
    async def table(self, request: Request) -> TournamentTable:
        """The cross table and the ratings of a tournament, with their intervals."""
        owner = self._owner(request)

        def work() -> TournamentTable:
            number = _id(request.path_params["id"])
            return self._table(number, self._job(number), owner)

        return await asyncio.to_thread(work)

    @operation(query=("theme",), media="image/svg+xml")
    async def drawn(self, request: Request) -> Response:
        """The table as a picture."""
        theme = "dark" if request.query_params.get("theme") == "dark" else "light"

        def work() -> str:
            shelf, run = self._run(request)
            found = shelf.tables.standings(run)
            if not self._owner(request):
                found = replace(found, players=redact(found.players))
            return picture.render(found, theme=theme)

        text = await asyncio.to_thread(work)
        return Response(text, media_type="image/svg+xml")

    @operation(TournamentGames, query=("one", "two", "result", "after"))
    async def games(self, request: Request) -> TournamentGames:
        """The games of two players, fifty at a time, by opening.

        ``next`` is the ``after`` of the next fifty; ``result`` is such as ``won``."""
        query = request.query_params
        one, two = (replays.number(query, name, 0, most=_MOST) for name in ("one", "two"))
        after = replays.number(query, "after", 0, most=_MOST)
        result = query.get("result") or None
        if result is not None and result not in POINTS:
            raise Refusal("bad", f"result must be one of {', '.join(POINTS)}")
        owner = self._owner(request)

        def work() -> TournamentGames:
            shelf, run = self._run(request)
            if max(one, two) >= len(run.players) or one == two:
                raise Refusal("bad", f"there are players 0 to {len(run.players) - 1}: name two")
            last = divmod(after - 1, 2) if after else (-1, 1)
            found = shelf.book.games(run, (one, two), result=result, after=last)
            ends = [2 * game["pair"] + game["leg"] + 1 for game in found[-1:]]
            told = {"games": found, "next": ends[0] if ends else None}
            return build(TournamentGames, _for(owner, told))

        return await asyncio.to_thread(work)

    @operation(media="*/*")
    async def records(self, request: Request) -> Response:
        """All games of a tournament as one file: jsonl, sgf or pgn."""
        kind = request.path_params["kind"]
        shelf, run = await asyncio.to_thread(self._run, request)
        if kind == "txt" or kind not in replays.formats(run.game.partition(":")[0]):
            raise Refusal("gone", f"games of {run.game} cannot be written as {kind[:20]!r}")
        headers = {"content-disposition": f'attachment; filename="tournament-{run.id}.{kind}"'}
        owner = self._owner(request)
        return StreamingResponse(
            self._sent(self._written(shelf.book, run, kind, owner), owner),
            media_type=replays.TYPES[kind],
            headers=headers,
        )

    async def _sent(self, texts: Iterator[str], owner: bool) -> AsyncIterator[str]:
        """Many games at once, each time in a thread; guests take turns, however many
        connections one has: an answer that is being sent is no request any more."""
        async with contextlib.nullcontext() if owner else self._sending:
            while part := await asyncio.to_thread(lambda: "".join(islice(texts, _TOGETHER))):
                yield part

    def _written(
        self, book: TournamentDatabase, run: TournamentRun, kind: str, owner: bool
    ) -> Iterator[str]:
        for text in book.records(run):
            if kind == "jsonl" and owner:
                yield text + "\n"
                continue
            try:
                written = replays.export_record(_record_for(owner, Record.from_json(text)), kind)
                yield written if kind == "jsonl" else written + "\n"
            except Refusal:  # one that this form cannot hold must not end the others
                continue

    # Doing

    @operation(StartedTournament, body=bodies.StartTournament)
    async def start(self, request: Request) -> StartedTournament:
        """Start a tournament; its number in the book, and the job that plays it."""
        self.lab.owner(request)
        fields = read(await body(request), bodies.StartTournament, "a tournament")
        wanted = await asyncio.to_thread(tournaments_start.check, fields)
        await self.lab.warmup.need_game(wanted.game.name)
        await self.lab.warmup.need("batches", "mcts")  # which balance the openings
        command, path = wanted.command(), self.books.own.book.path
        with self.lab.jobs.reserve():  # else one that never begins would be in the book
            number = await asyncio.to_thread(tournaments_start.register_run, wanted, path)
            job = self.lab.jobs.start(
                "tournament", wanted.title, command,
                resume=command, link=f"#/tournaments/{number}", reserved=True,
            )  # fmt: skip
        return build(StartedTournament, {"tournament": number, "job": job})

    # Parts

    def _run(self, request: Request) -> tuple[GameFile, TournamentRun]:
        number = _id(request.path_params["id"])
        shelf = self.books.of(number)
        return shelf, shelf.book.run(number)

    def _file(self, request: Request) -> str:
        return f"game-{request.path_params['number']}"

    def _game(self, request: Request) -> Record:
        number = replays.number(request.path_params, "number", 0, most=_MOST)
        return _record_for(self._owner(request), self.books.of(number).book.game(number))

    def _owner(self, request: Request) -> bool:
        return self.lab.access.require_person(request).owner

    def _table(self, number: int, job: tuple[str, str] | None, owner: bool) -> TournamentTable:
        shelf = self.books.of(number)
        table = shelf.tables.table(number)
        standing = _standing(shelf.book.run(number), job)
        told = {**table, "file": _file(shelf.book), **standing}
        return build(TournamentTable, _for(owner, told))

    def _listed(self, shelf: GameFile, before: int | None = None) -> list[dict[str, Any]]:
        """The tournaments of a file, the latest first."""
        book, jobs = shelf.book, self._jobs()
        runs = book.runs(before)
        played = book.played(runs)
        return [
            {
                **headline(run), "file": _file(book), "played": played[run.id],
                **_standing(run, jobs.get(run.id)),
            }
            for run in runs
        ]  # fmt: skip

    def _jobs(self) -> dict[int, tuple[str, str]]:
        """By the number of a tournament, the latest job that plays it: (id, state)."""
        found: dict[int, tuple[str, str]] = {}
        for entry in self.books.jobs():
            number = _told_number(entry.record.get("link"), entry.progress.get("facts"))
            if number is not None:
                found.setdefault(number, (entry.id, entry.state))
        return found

    def _job(self, number: int) -> tuple[str, str] | None:
        return self._jobs().get(number)


def _file(book: TournamentDatabase) -> str | None:
    """The file of games that is not the lab's own."""
    return str(book.path) if book.share else None


def _merged(own: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lab's own tournaments with those of other files, the latest first; if there are
    more of its own its last one stays last, for the next page begins there."""
    found = list(own)
    end = len(found) - (len(own) >= PAGE)
    for other in sorted(others, key=lambda one: str(one["created"]), reverse=True):
        older = (place for place in range(end) if found[place]["created"] < other["created"])
        found.insert(next(older, end), other)
        end += 1
    return found


def _for(owner: bool, answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as somebody may see it: agents and openings may be named by paths."""
    return answer if owner else redact(answer)  # type: ignore[no-any-return]


def _record_for(owner: bool, record: Record) -> Record:
    if owner:
        return record
    one, two = redact(list(record.players))
    return replace(record, players=(one, two), reason=redact(record.reason))


def _standing(run: TournamentRun, job: tuple[str, str] | None) -> dict[str, Any]:
    """How it stands: done, running, waiting or stopped; and whose work it is."""
    id, state = job or (None, None)
    going = state if state in ("running", "waiting") else "stopped"
    return {"state": "done" if run.done else going, "job": id}


def _told_number(link: Any, facts: Any) -> int | None:
    """The tournament that a job plays: told by it, or by who started it."""
    number = facts.get("tournament") if isinstance(facts, dict) else None
    if isinstance(number, int):
        return number
    last = str(link or "").rpartition("#/tournaments/")[2]
    return int(last) if last.isascii() and last.isdecimal() else None


def _id(text: str) -> int:
    # One number, one name: else a table could be watched under many.
    if not text.isascii() or not text.isdecimal() or len(text) > 16 or text != str(int(text)):
        raise Refusal("gone", f"there is no tournament {text[:20]!r}: want a number")
    return int(text)
