"""The lab's own routes: entering, the catalog, games, and an HTTP twin of every message."""

from __future__ import annotations

import asyncio
import functools
import io
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from playproof.formats import svg
from playproof.web.catalog import listing as catalog
from playproof.web.engines.fair_queue import Requester
from playproof.web.game.replay import TYPES
from playproof.web.game.session import Session
from playproof.web.http.access import Person, address_of, is_our_origin
from playproof.web.http.operations import operation, respond
from playproof.web.lab import Lab
from playproof.web.protocol import bodies, requests
from playproof.web.protocol.codec import build, parse, parse_request, read
from playproof.web.protocol.refusal import LARGEST, Refusal
from playproof.web.protocol.replies import lab as replies
from playproof.web.protocol.replies.base import Deleted
from playproof.web.protocol.replies.games import Games, State
from playproof.web.protocol.requests import TWINS
from playproof.web.warmup import groups_for_path
from playproof.web.websocket.handlers import final_thought, handle, start_analysis

_PAGES = ("play", "analyse", "classroom")  # pages that show one game

Endpoint = Callable[[Request], Awaitable[Response]]


def routes(lab: Lab) -> list[Route]:
    """The routes of the lab itself; those of its pages are in ``protected_routes``."""
    api = Api(lab)
    return [
        Route("/api/ready", api.guard(api.readiness, strangers=True)),
        Route("/api/catalog", api.guard(api.catalog)),
        Route("/api/join", api.guard(api.join, strangers=True)),
        Route("/api/enter", api.guard(api.enter, strangers=True), methods=["POST"]),
        Route("/api/join.svg", api.guard(api.join_svg)),
        Route("/api/join/renew", api.guard(api.renew_code), methods=["POST"]),
        Route("/api/join/turn-out", api.guard(api.turn_guests_out), methods=["POST"]),
        Route("/api/invitation", api.guard(api.invite), methods=["POST"]),
        Route("/api/openapi.json", api.guard(api.openapi)),
        Route("/api/games", api.guard(api.games), methods=["GET"]),
        Route("/api/games", api.guard(api.new), methods=["POST"]),
        Route("/api/games/{id}.svg", api.guard(api.picture)),
        Route("/api/games/{id}.{kind}", api.guard(api.record)),
        Route("/api/games/{id}", api.guard(api.state)),
        Route("/api/games/{id}/{kind}", api.guard(api.twin), methods=["POST"]),
    ]


def protected_routes(lab: Lab, routes: list[Route]) -> list[Route]:
    """The pages' routes, rate limited, for our own pages and for persons who have entered."""
    api = Api(lab)

    def authenticated(endpoint: Endpoint) -> Endpoint:
        @functools.wraps(endpoint)
        async def handle_request(request: Request) -> Response:
            person = lab.access.require_person(request)
            requester = Requester.of(person, address_of(request))
            id = request.path_params.get("id") or request.query_params.get("id")
            if id and request.url.path.startswith("/api/classroom/"):
                await lab.worker_threads.load_game(requester, id)
            await lab.warmup.need(*groups_for_path(request.url.path))
            async with lab.thread_slots.hold(requester):
                response = await endpoint(request)
            response.headers.setdefault("cache-control", "no-store")
            if lab.access.person(request) is None:
                response.headers["set-cookie"] = lab.access.set_cookie(person, request)
            return response

        return api.guard(handle_request)

    return [
        Route(
            route.path,
            authenticated(route.endpoint),
            methods=sorted((route.methods or set()) - {"HEAD"}),
        )
        for route in routes
    ]


class Api:
    """The endpoints of the lab itself."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def guard(self, endpoint: Endpoint, *, strangers: bool = False) -> Endpoint:
        """Refuse requests from other sites' pages, and too many requests.

        ``strangers``: requests of persons who have not entered yet are not counted, so that a
        flood of wrong codes from their address does not keep them out.
        """

        @functools.wraps(endpoint)  # keeps its docstring and its operation
        async def guarded(request: Request) -> Response:
            if not is_our_origin(request):
                raise Refusal("access", "this request comes from another site")
            person = self.lab.access.person(request)
            if not (strangers and person is None):
                self._check_rate(person, address_of(request))
            return await endpoint(request)

        return guarded

    def _check_rate(self, person: Person | None, address: str) -> None:
        """A Refusal if a person, or the guests at an address, send too many requests."""
        name = person.id if person else f"@{address}"
        from_here = self.lab.address_request_limits.bucket(address)
        owner = person is not None and person.owner
        if not (self.lab.request_limits.bucket(name).take() and (owner or from_here.take())):
            raise Refusal("limit", "too many requests: wait a few seconds")

    # Entering

    @operation(replies.Readiness)
    async def readiness(self, request: Request) -> Response:
        """Whether everything is compiled.

        While somebody waits, ``text`` says for what and ``left`` for about how many seconds."""
        return _uncached(build(replies.Readiness, self.lab.warmup.status()))

    @operation(replies.Catalog)
    async def catalog(self, request: Request) -> Response:
        """The games with variants, opponents and analysts, and the games that are broken.

        ``options`` and ``rules`` are present for games of other packages."""
        person = self.lab.access.require_person(request)
        # Reading the catalog compiles games of other packages.
        content = await asyncio.to_thread(lambda: build(replies.Catalog, catalog.catalog()))
        return self._reply(request, person, content)

    @operation(replies.Joining)
    async def join(self, request: Request) -> Response:
        """Whether a code or a key is needed, and who you are.

        The owner also gets the code, a guest the page that the invitation leads to (``go``)."""
        access = self.lab.access
        person = access.person(request)
        owner = person.owner if person else access.is_open
        content: dict[str, Any] = {
            "needs_code": access.code is not None,
            "needs_key": not access.is_open and access.code is None,
            "entered": person is not None or access.is_open,
            "owner": owner,
            "url": self.lab.url or str(request.base_url),
        }
        if person is not None and not owner and (go := self._invitation_for(person)):
            content["go"] = go
        if owner and access.code is not None:
            content["code"] = access.code
            content["link"] = self._link(request)
        return _uncached(build(replies.Joining, content))

    def _link(self, request: Request) -> str:
        """The join link, which holds the code."""
        base = self.lab.url or str(request.base_url)
        return f"{base.rstrip('/')}/#code={self.lab.access.code}"

    def _link_to_game(self, request: Request) -> str:
        """The join link; with ``?game=`` it leads to that game."""
        link, id = self._link(request), request.query_params.get("game")
        if id is None:
            return link
        page = request.query_params.get("page", "play")
        if page not in _PAGES:
            raise Refusal("bad", f"page must be one of {', '.join(_PAGES)}")
        return f"{link}&go=/{page}/{self.lab.find(request, id).id}"

    @operation(query=("game", "page"), media="image/svg+xml")
    async def join_svg(self, request: Request) -> Response:
        """A QR code of the join link, or of a link to one game; for the owner only."""
        import segno

        if not self.lab.access.require_person(request).owner:
            raise Refusal("access", "only the owner of the lab may see the join code")
        if self.lab.access.code is None:
            raise Refusal("gone", "this lab is open to its owner only: start it with --host")
        out = io.BytesIO()
        segno.make(self._link_to_game(request), error="m").save(
            out, kind="svg", scale=8, border=4, dark="#000", light="#fff", svgclass=None
        )
        return Response(out.getvalue(), media_type="image/svg+xml")

    @operation(replies.Entered, body=bodies.Enter)
    async def enter(self, request: Request) -> Response:
        """Enter with the code or the key; sets the cookie."""
        fields = read(await body(request), bodies.Enter, "enter")
        try:
            person = self.lab.access.enter(request, code=fields.code, key=fields.key)
        except Refusal as refusal:
            if refusal.code == "access":
                await self.lab.access.delay_wrong_attempt(address_of(request))
            raise
        return self._reply(request, person, replies.Entered(person.owner), set_cookie=True)

    @operation(replies.Invited, body=bodies.Invite)
    async def invite(self, request: Request) -> Response:
        """Set the page that guests with only the join code land at, until the lab stops.

        ``go`` is a page such as ``/play/ID``. For the owner only."""
        person = self.lab.owner(request)
        fields = read(await body(request), bodies.Invite, "invitation")
        page, _, id = fields.go.removeprefix("/").partition("/")
        if page not in _PAGES:
            pages = ", ".join(f"/{name}" for name in _PAGES)
            raise Refusal("bad", f"go must be one of {pages}, and may name a game: /play/ID")
        self.lab.invitation = f"/{page}/{self.lab.find(request, id).id}" if id else f"/{page}"
        return self._reply(request, person, replies.Invited())

    def _invitation_for(self, person: Person) -> str:
        """The page that the owner invites to; empty if this guest may not see it."""
        go = self.lab.invitation
        id = go.removeprefix("/").partition("/")[2]
        try:
            if id:
                self.lab.lobby.room(person, id)
        except Refusal:
            return ""
        return go

    @operation(replies.Joining, body=bodies.Nothing)
    async def renew_code(self, request: Request) -> Response:
        """Make a new join code; guests who are in stay in. For the owner only."""
        self._check_has_guests(request)
        self.lab.renew_code()
        return await self.join(request)

    @operation(replies.Joining, body=bodies.Nothing)
    async def turn_guests_out(self, request: Request) -> Response:
        """Make a new join code and turn all guests out. For the owner only.

        The guests' connections are closed and their cookies become invalid."""
        self._check_has_guests(request)
        self.lab.turn_guests_out()
        return await self.join(request)

    def _check_has_guests(self, request: Request) -> None:
        """A Refusal unless this is the owner of a lab that is open to guests."""
        self.lab.owner(request)
        if self.lab.access.code is None:
            raise Refusal("gone", "this lab has no guests: start it with --host")

    @operation()
    async def openapi(self, request: Request) -> Response:
        """This HTTP interface, described for programs."""
        return respond(self.lab.openapi)

    # Games

    @operation(Games)
    async def games(self, request: Request) -> Response:
        """The games you may see: your own first, then the newest.

        The owner of a lab that is open to guests gets, and may delete, all games."""
        person = self.lab.access.require_person(request)
        games = await self.lab.lobby.list_games(person, moderator=self.lab.is_moderator(person))
        return self._reply(request, person, Games(games))

    @operation(State, body=requests.New)
    async def new(self, request: Request) -> Response:
        """Start a game; the fields are those of the message ``new``."""
        person = self.lab.access.require_person(request)
        message = _message(await body(request), "new")
        session = Session(person, address_of(request))
        try:
            reply = await handle(self.lab, session, message)
        finally:
            self.lab.leave(session)
        return self._reply(request, person, reply)

    @operation(State, query=("line", "ply"))
    async def state(self, request: Request) -> Response:
        """The state at a ply, by default the last."""
        session = await self._session(request)
        self._go_to_query(request, session)
        await self.lab.worker_threads.render(session)
        return self._reply(request, session.person, session.state())

    async def twin(self, request: Request) -> Response:
        """Send a message about a game; its fields are in the table of messages."""
        kind = request.path_params["kind"]
        if kind not in TWINS:
            raise Refusal("gone", f"there is no {kind[:40]!r}: want one of {', '.join(TWINS)}")
        content = await body(request)
        if kind == "delete":  # works also for games that one may not see, or that cannot be read
            person = self.lab.access.require_person(request)
            self.lab.delete(person, request.path_params["id"])
            await self.lab.database.flush()
            return self._reply(request, person, Deleted())
        session = await self._session(request)
        message = _message(content, kind, id=request.path_params["id"])
        request.state.state = session.state
        if isinstance(message, requests.Think | requests.Hint):
            return await self._analyse(request, session, message)
        if kind == "stop":
            self._stop_analyses(session)
        try:
            reply = await handle(self.lab, session, message)
        finally:
            if kind == "join":  # a session of one request does not stay in the room
                room = session.room
                self.lab.leave(session)
                session.room = room
        return self._reply(request, session.person, reply)

    async def _analyse(
        self, request: Request, session: Session, message: requests.Think | requests.Hint
    ) -> Response:
        """Run an analysis to its end; only the last report is sent."""
        room = session.current_room()
        job, head = start_analysis(self.lab, session, message, lambda report: None)
        self.lab.sessions.setdefault(room.id, set()).add(session)
        try:
            return self._reply(request, session.person, await final_thought(job, head))
        finally:
            self.lab.leave(session)

    def _stop_analyses(self, session: Session) -> None:
        """Stop all analyses that this person has running in the game."""
        for other in self.lab.sessions.get(session.current_room().id, ()):
            if other.person.id == session.person.id:
                other.stop_analysis()

    @operation(query=("line", "ply", "theme"), media="image/svg+xml")
    async def picture(self, request: Request) -> Response:
        """The position as a picture, the same as ``playproof show --svg`` draws."""
        session = await self._session(request)
        self._go_to_query(request, session)
        room = session.current_room()
        theme: Literal["light", "dark"] = "light"
        if request.query_params.get("theme", "light") == "dark":
            theme = "dark"
        replay, ply = room.lines.replay(session.line), -1 if session.ply is None else session.ply
        text = await self.lab.worker_threads.run(
            session.requester,
            ("picture", room.id, room.ver, session.line, ply, theme),
            lambda: svg.render(replay()[ply].view(), theme=theme),
        )
        return Response(text, media_type="image/svg+xml", headers={"cache-control": "no-cache"})

    @operation(query=("line",), media="*/*")
    async def record(self, request: Request) -> Response:
        """The game as a file: jsonl, txt, and sgf or pgn for games that have it."""
        session, kind = await self._session(request), request.path_params["kind"]
        self._go_to_query(request, session)
        room = session.current_room()
        text = await self.lab.worker_threads.export(session, kind)
        name = f"{room.game.name}-{room.id}.{kind}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type=TYPES[kind], headers=headers)

    # Helpers

    async def _session(self, request: Request) -> Session:
        """A session of the person who sends this request, in the game named by the path."""
        session = Session(self.lab.access.require_person(request), address_of(request))
        await self.lab.worker_threads.load_game(session.requester, request.path_params["id"])
        session.enter(self.lab.lobby.room(session.person, request.path_params["id"]))
        self.lab.mark_seen(session)
        return session

    def _go_to_query(self, request: Request, session: Session) -> None:
        """View the place that ``?line=`` and ``?ply=`` name."""
        line_text, ply_text = (request.query_params.get(name) for name in ("line", "ply"))
        line = 0 if line_text is None else _number("line", line_text, most=100_000)
        session.current_room().lines.line(line)
        is_last = ply_text is None or ply_text == "last"
        ply = None if is_last else _number("ply", ply_text or "", most=1_000_000)
        session.go_to(line, ply)

    def _reply(
        self, request: Request, person: Person, content: Any, *, set_cookie: bool = False
    ) -> Response:
        """A reply as JSON; with a cookie if asked for, or if the person is new here."""
        response = _uncached(content)
        if set_cookie or self.lab.access.person(request) is None:
            response.headers["set-cookie"] = self.lab.access.set_cookie(person, request)
        return response


def _uncached(content: Any) -> Response:
    """A reply that no browser may cache."""
    return respond(content, headers={"cache-control": "no-store"})


def _message(content: dict[str, Any], kind: str, **more: str) -> requests.Request:
    """The message ``kind`` that was posted; a ``rid`` is ignored over HTTP."""
    fields = {name: value for name, value in content.items() if name != "rid"}
    return parse_request({**fields, "type": kind, **more})


def _number(name: str, text: str, *, most: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > most:
        raise Refusal("bad", f"{name} must be a whole number from 0 to {most}")
    return int(text)


async def body(request: Request) -> dict[str, Any]:
    """The JSON object that was posted, at most 64 KiB; an empty body is {}."""
    return parse(await _body(request))


async def _body(request: Request) -> bytes:
    """The raw body; reading stops when it is larger than a message may be."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > LARGEST:
            raise Refusal("large", f"a message has at most {LARGEST} bytes")
    return content or b"{}"
