"""Tournaments over HTTP and as the topic "tournament:ID": tables, games, and starting one."""

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

_MAX_NUMBER = 2**53
_CHUNK = 200  # games of a file that are written at once
_MAX_DOWNLOADS = 3  # files that are sent to guests at a time; more wait


def routes(lab: Lab) -> list[Route]:
    handlers = TournamentHandlers(lab)
    lab.subscriptions.register("tournament", handlers.poll, personal=True)
    return [
        Route("/api/tournaments", handlers.listed, methods=["GET"]),
        Route("/api/tournaments", handlers.start, methods=["POST"]),
        Route("/api/tournaments/games/{number}", handlers.game, methods=["GET"]),
        Route("/api/tournaments/games/{number}/views", handlers.views, methods=["GET"]),
        Route("/api/tournaments/games/{number}/{kind}", handlers.record, methods=["GET"]),
        Route("/api/tournaments/{id}", handlers.table, methods=["GET"]),
        Route("/api/tournaments/{id}/games", handlers.games, methods=["GET"]),
        Route("/api/tournaments/{id}/table.svg", handlers.picture_svg, methods=["GET"]),
        Route("/api/tournaments/{id}/all/{kind}", handlers.records, methods=["GET"]),
    ]


class TournamentHandlers(replays.RecordedGameRoutes):
    """The handlers of all requests about tournaments."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.files = GameFiles(lab.folder)
        self._sending = asyncio.Semaphore(_MAX_DOWNLOADS)

    # Reading

    def poll(self, id: str, mark: Any, owner: bool) -> tuple[Any, TournamentTable | None]:
        """The table of a tournament if a game was added or its job has changed since ``mark``."""
        number = _id(id)
        job = self._job(number)
        now = self.files.of(number).database.last(), job
        if mark is not None and mark == now:
            return mark, None
        return now, self._table(number, job, owner)

    @operation(Tournaments, query=("before",))
    async def listed(self, request: Request) -> Tournaments:
        """Recorded tournaments and matches, the latest first."""
        before = replays.number(request.query_params, "before", _MAX_NUMBER, most=_MAX_NUMBER)
        first = "before" not in request.query_params
        owner = self._owner(request)

        def work() -> Tournaments:
            own = self._list(self.files.own, before) if before < OWN or first else []
            others: list[dict[str, Any]] = []
            for file in self.files.others() if first else ():
                with contextlib.suppress(Refusal):  # a damaged file must not hide the others
                    others += self._list(file)
            reply = {"tournaments": _merge(own, others), "workers": cores()}
            return build(Tournaments, _visible_to(owner, reply))

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
    async def picture_svg(self, request: Request) -> Response:
        """The table as a picture."""
        theme = "dark" if request.query_params.get("theme") == "dark" else "light"

        def work() -> str:
            file, run = self._run(request)
            standings = file.tables.standings(run)
            if not self._owner(request):
                standings = replace(standings, players=redact(standings.players))
            return picture.render(standings, theme=theme)

        text = await asyncio.to_thread(work)
        return Response(text, media_type="image/svg+xml")

    @operation(TournamentGames, query=("one", "two", "result", "after"))
    async def games(self, request: Request) -> TournamentGames:
        """The games of two players, fifty at a time, by opening.

        ``next`` is the ``after`` of the next fifty; ``result`` is such as ``won``."""
        query = request.query_params
        one, two = (replays.number(query, name, 0, most=_MAX_NUMBER) for name in ("one", "two"))
        after = replays.number(query, "after", 0, most=_MAX_NUMBER)
        result = query.get("result") or None
        if result is not None and result not in POINTS:
            raise Refusal("bad", f"result must be one of {', '.join(POINTS)}")
        owner = self._owner(request)

        def work() -> TournamentGames:
            file, run = self._run(request)
            if max(one, two) >= len(run.players) or one == two:
                raise Refusal("bad", f"there are players 0 to {len(run.players) - 1}: name two")
            last = divmod(after - 1, 2) if after else (-1, 1)
            games = file.database.games(run, (one, two), result=result, after=last)
            ends = [2 * game["pair"] + game["leg"] + 1 for game in games[-1:]]
            reply = {"games": games, "next": ends[0] if ends else None}
            return build(TournamentGames, _visible_to(owner, reply))

        return await asyncio.to_thread(work)

    @operation(media="*/*")
    async def records(self, request: Request) -> Response:
        """All games of a tournament as one file: jsonl, sgf or pgn."""
        kind = request.path_params["kind"]
        file, run = await asyncio.to_thread(self._run, request)
        if kind == "txt" or kind not in replays.formats(run.game.partition(":")[0]):
            raise Refusal("gone", f"games of {run.game} cannot be written as {kind[:20]!r}")
        headers = {"content-disposition": f'attachment; filename="tournament-{run.id}.{kind}"'}
        owner = self._owner(request)
        return StreamingResponse(
            self._stream(self._export(file.database, run, kind, owner), owner),
            media_type=replays.TYPES[kind],
            headers=headers,
        )

    async def _stream(self, texts: Iterator[str], owner: bool) -> AsyncIterator[str]:
        """The texts in chunks, each of them made in a thread.

        Guests wait for each other, however many connections one of them has: the rate limit counts
        requests, and a response that is being sent is no longer one.
        """
        async with contextlib.nullcontext() if owner else self._sending:
            while part := await asyncio.to_thread(lambda: "".join(islice(texts, _CHUNK))):
                yield part

    def _export(
        self, database: TournamentDatabase, run: TournamentRun, kind: str, owner: bool
    ) -> Iterator[str]:
        for text in database.records(run):
            if kind == "jsonl" and owner:
                yield text + "\n"
                continue
            try:
                record = _visible_record(owner, Record.from_json(text))
                exported = replays.export_record(record, kind)
                yield exported if kind == "jsonl" else exported + "\n"
            except Refusal:  # a game that this format cannot hold must not end the export
                continue

    # Starting

    @operation(StartedTournament, body=bodies.StartTournament)
    async def start(self, request: Request) -> StartedTournament:
        """Start a tournament; its number, and the job that plays it."""
        self.lab.owner(request)
        fields = read(await body(request), bodies.StartTournament, "a tournament")
        tournament = await asyncio.to_thread(tournaments_start.check, fields)
        await self.lab.warmup.need_game(tournament.game.name)
        await self.lab.warmup.need("batches", "mcts")  # they test the balance of the openings
        command, path = tournament.command(), self.files.own.database.path
        with self.lab.jobs.reserve():  # so that no tournament is recorded that cannot start
            number = await asyncio.to_thread(tournaments_start.register_run, tournament, path)
            job = self.lab.jobs.start(
                "tournament", tournament.title, command,
                resume=command, link=f"#/tournaments/{number}", reserved=True,
            )  # fmt: skip
        return build(StartedTournament, {"tournament": number, "job": job})

    # Parts

    def _run(self, request: Request) -> tuple[GameFile, TournamentRun]:
        number = _id(request.path_params["id"])
        file = self.files.of(number)
        return file, file.database.run(number)

    def _file(self, request: Request) -> str:
        return f"game-{request.path_params['number']}"

    def _game(self, request: Request) -> Record:
        number = replays.number(request.path_params, "number", 0, most=_MAX_NUMBER)
        return _visible_record(self._owner(request), self.files.of(number).database.game(number))

    def _owner(self, request: Request) -> bool:
        return self.lab.access.require_person(request).owner

    def _table(self, number: int, job: tuple[str, str] | None, owner: bool) -> TournamentTable:
        file = self.files.of(number)
        table = file.tables.table(number)
        status = _status(file.database.run(number), job)
        reply = {**table, "file": _file(file.database), **status}
        return build(TournamentTable, _visible_to(owner, reply))

    def _list(self, file: GameFile, before: int | None = None) -> list[dict[str, Any]]:
        """The tournaments of a file, the latest first."""
        database, jobs = file.database, self._jobs()
        runs = database.runs(before)
        played = database.played(runs)
        return [
            {
                **headline(run), "file": _file(database), "played": played[run.id],
                **_status(run, jobs.get(run.id)),
            }
            for run in runs
        ]  # fmt: skip

    def _jobs(self) -> dict[int, tuple[str, str]]:
        """For each tournament, by number, the latest job that plays it, as (id, state)."""
        jobs: dict[int, tuple[str, str]] = {}
        for entry in self.files.jobs():
            number = _tournament_number(entry.record.get("link"), entry.progress.get("facts"))
            if number is not None:
                jobs.setdefault(number, (entry.id, entry.state))
        return jobs

    def _job(self, number: int) -> tuple[str, str] | None:
        return self._jobs().get(number)


def _file(database: TournamentDatabase) -> str | None:
    """The path of a file of games; None for the lab's own file."""
    return str(database.path) if database.offset else None


def _merge(own: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lab's own tournaments and those of other files, the latest first.

    If the lab has more of its own, the last of this page stays last: the next page starts after it.
    """
    merged = list(own)
    end = len(merged) - (len(own) >= PAGE)
    for other in sorted(others, key=lambda one: str(one["created"]), reverse=True):
        older = (place for place in range(end) if merged[place]["created"] < other["created"])
        merged.insert(next(older, end), other)
        end += 1
    return merged


def _visible_to(owner: bool, reply: dict[str, Any]) -> dict[str, Any]:
    """A reply as the owner or a guest may see it.  Names of agents and openings may hold paths,
    which guests must not see."""
    return reply if owner else redact(reply)  # type: ignore[no-any-return]


def _visible_record(owner: bool, record: Record) -> Record:
    if owner:
        return record
    one, two = redact(list(record.players))
    return replace(record, players=(one, two), reason=redact(record.reason))


def _status(run: TournamentRun, job: tuple[str, str] | None) -> dict[str, Any]:
    """The state of a tournament (done, running, waiting or stopped), and the job that plays it."""
    id, state = job or (None, None)
    unfinished = state if state in ("running", "waiting") else "stopped"
    return {"state": "done" if run.done else unfinished, "job": id}


def _tournament_number(link: Any, reported: Any) -> int | None:
    """The number of the tournament that a job plays, as the job reports it or as its link says."""
    number = reported.get("tournament") if isinstance(reported, dict) else None
    if isinstance(number, int):
        return number
    last = str(link or "").rpartition("#/tournaments/")[2]
    return int(last) if last.isascii() and last.isdecimal() else None


def _id(text: str) -> int:
    # A number has only one spelling, or else a table could be watched under several names.
    if not text.isascii() or not text.isdecimal() or len(text) > 16 or text != str(int(text)):
        raise Refusal("gone", f"there is no tournament {text[:20]!r}: want a number")
    return int(text)
