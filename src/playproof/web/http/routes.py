"""The HTTP side: the catalog, the door, and a twin of every message for scripts."""

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
from playproof.web.engines.fair_queue import Asker
from playproof.web.game.replay import TYPES
from playproof.web.game.session import Visit
from playproof.web.http.access import Person, address_of, is_our_origin
from playproof.web.http.operations import operation, respond
from playproof.web.lab import Lab
from playproof.web.protocol import bodies, requests
from playproof.web.protocol.codec import build, parse, read
from playproof.web.protocol.codec import request as request_of
from playproof.web.protocol.refusal import LARGEST, Refusal
from playproof.web.protocol.replies import door
from playproof.web.protocol.replies.base import Deleted
from playproof.web.protocol.replies.games import Games, State
from playproof.web.protocol.requests import TWINS
from playproof.web.warmup import parts_of
from playproof.web.websocket.handlers import handle, think, thought

_PAGES = ("play", "analyse", "classroom")  # that show one game

Endpoint = Callable[[Request], Awaitable[Response]]


def routes(lab: Lab) -> list[Route]:
    api = Api(lab)
    return [
        Route("/api/ready", api.open(api.ready, strangers=True)),
        Route("/api/catalog", api.open(api.catalog)),
        Route("/api/join", api.open(api.join, strangers=True)),
        Route("/api/enter", api.open(api.enter, strangers=True), methods=["POST"]),
        Route("/api/join.svg", api.open(api.join_svg)),
        Route("/api/join/renew", api.open(api.renew_code), methods=["POST"]),
        Route("/api/join/turn-out", api.open(api.turn_guests_out), methods=["POST"]),
        Route("/api/invitation", api.open(api.invite), methods=["POST"]),
        Route("/api/openapi.json", api.open(api.openapi)),
        Route("/api/games", api.open(api.games), methods=["GET"]),
        Route("/api/games", api.open(api.new), methods=["POST"]),
        Route("/api/games/{id}.svg", api.open(api.picture)),
        Route("/api/games/{id}.{kind}", api.open(api.record)),
        Route("/api/games/{id}", api.open(api.state)),
        Route("/api/games/{id}/{kind}", api.open(api.twin), methods=["POST"]),
    ]


def behind_the_door(lab: Lab, parts: list[Route]) -> list[Route]:
    """Routes of the lab's parts: braked, for our own page, and for those who have come in."""
    door = Api(lab)

    def known(endpoint: Endpoint) -> Endpoint:
        @functools.wraps(endpoint)
        async def answer(request: Request) -> Response:
            person = lab.access.known(request)
            asker = Asker.of(person, address_of(request))
            id = request.path_params.get("id") or request.query_params.get("id")
            if id and request.url.path.startswith("/api/classroom/"):
                await lab.workshop.open(asker, id)
            await lab.warmup.need(*parts_of(request.url.path))
            async with lab.turns.take(asker):
                response = await endpoint(request)
            response.headers.setdefault("cache-control", "no-store")
            if lab.access.person(request) is None:
                response.headers["set-cookie"] = lab.access.set_cookie(person, request)
            return response

        return door.open(answer)

    return [
        Route(part.path, known(part.endpoint), methods=sorted((part.methods or set()) - {"HEAD"}))
        for part in parts
    ]


class Api:
    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def open(self, endpoint: Endpoint, *, strangers: bool = False) -> Endpoint:
        """No request comes from somebody else's page, and all are braked.

        ``strangers``: but for those who are not in yet.  Their brake is that of their address,
        and a flood of wrong codes must not keep out who has the right one.
        """

        @functools.wraps(endpoint)  # with what it says of itself
        async def guarded(request: Request) -> Response:
            if not is_our_origin(request):
                raise Refusal("access", "this request comes from another site")
            person = self.lab.access.person(request)
            name = person.id if person else f"@{address_of(request)}"
            # A stranger may still enter, whoever else asks from there; the owner always may ask.
            from_here = self.lab.requests_from.of(address_of(request))
            free = strangers and person is None
            owner = person is not None and person.owner
            if not free and not (self.lab.requests.of(name).take() and (owner or from_here.take())):
                raise Refusal("limit", "too many requests: wait a few seconds")
            return await endpoint(request)

        return guarded

    # Coming in

    @operation(door.Ready)
    async def ready(self, request: Request) -> Response:
        """Whether all is compiled, and what somebody waits for.

        ``text`` says for what, ``left`` about how many seconds are left."""
        return _fresh(build(door.Ready, self.lab.warmup.status()))

    @operation(door.Catalog)
    async def catalog(self, request: Request) -> Response:
        """The games with variants, opponents and analysts; those that are broken, and why.

        ``options`` and ``rules`` are there for games that are not of this house."""
        person = self.lab.access.known(request)
        # Games of other packages are compiled by what looks at them.
        offered = await asyncio.to_thread(lambda: build(door.Catalog, catalog.catalog()))
        return self._answer(request, person, offered)

    @operation(door.Joining)
    async def join(self, request: Request) -> Response:
        """Whether a code or a key is needed, and who one is.

        The owner is told the code, a guest where the invitation leads (``go``)."""
        access = self.lab.access
        person = access.person(request)
        owner = person.owner if person else access.is_open
        answer: dict[str, Any] = {
            "needs_code": access.code is not None,
            "needs_key": not access.is_open and access.code is None,
            "entered": person is not None or access.is_open,
            "owner": owner,
            "url": self.lab.url or str(request.base_url),
        }
        if person is not None and not owner and (go := self._invited(person)):
            answer["go"] = go
        if owner and access.code is not None:
            answer["code"] = access.code
            answer["link"] = self._link(request)
        return _fresh(build(door.Joining, answer))

    def _link(self, request: Request) -> str:
        base = self.lab.url or str(request.base_url)
        return f"{base.rstrip('/')}/#code={self.lab.access.code}"

    def _invitation(self, request: Request) -> str:
        """The join link, or the one to a game that is named."""
        link, id = self._link(request), request.query_params.get("game")
        if id is None:
            return link
        page = request.query_params.get("page", "play")
        if page not in _PAGES:
            raise Refusal("bad", f"page must be one of {', '.join(_PAGES)}")
        return f"{link}&go=/{page}/{self.lab.find(request, id).id}"

    @operation(query=("game", "page"), media="image/svg+xml")
    async def join_svg(self, request: Request) -> Response:
        """A QR code of the join link, or of a link to one game; for the owner."""
        import segno

        if not self.lab.access.known(request).owner:
            raise Refusal("access", "only who started the lab is shown the join code")
        if self.lab.access.code is None:
            raise Refusal("gone", "this lab is for its owner alone: start it with --host")
        out = io.BytesIO()
        segno.make(self._invitation(request), error="m").save(
            out, kind="svg", scale=8, border=4, dark="#000", light="#fff", svgclass=None
        )
        return Response(out.getvalue(), media_type="image/svg+xml")

    @operation(door.Entered, body=bodies.Enter)
    async def enter(self, request: Request) -> Response:
        """Come in with code or key; sets the cookie."""
        given = read(await body(request), bodies.Enter, "enter")
        try:
            person = self.lab.access.enter(request, code=given.code, key=given.key)
        except Refusal as refusal:
            if refusal.code == "access":
                await self.lab.access.hold_back(address_of(request))
            raise
        return self._answer(request, person, door.Entered(person.owner), again=True)

    @operation(door.Invited, body=bodies.Invite)
    async def invite(self, request: Request) -> Response:
        """Where those go who come with the join code alone; for the owner, until the lab ends.

        ``go`` is a page such as ``/play/ID``."""
        person = self.lab.owner(request)
        given = read(await body(request), bodies.Invite, "invitation")
        page, _, id = given.go.removeprefix("/").partition("/")
        if page not in _PAGES:
            pages = ", ".join(f"/{name}" for name in _PAGES)
            raise Refusal("bad", f"go must be one of {pages}, and may name a game: /play/ID")
        self.lab.invitation = f"/{page}/{self.lab.find(request, id).id}" if id else f"/{page}"
        return self._answer(request, person, door.Invited())

    def _invited(self, person: Person) -> str:
        """Where the owner invites to; nothing where the guest may not look."""
        go = self.lab.invitation
        id = go.removeprefix("/").partition("/")[2]
        try:
            if id:
                self.lab.lobby.room(person, id)
        except Refusal:
            return ""
        return go

    @operation(door.Joining, body=bodies.Nothing)
    async def renew_code(self, request: Request) -> Response:
        """Another join code, for the owner; those who are in stay."""
        self._keeper(request)
        self.lab.renew_code()
        return await self.join(request)

    @operation(door.Joining, body=bodies.Nothing)
    async def turn_guests_out(self, request: Request) -> Response:
        """Another join code, and all guests are out; for the owner.

        Their connections are closed, their cookies void."""
        self._keeper(request)
        self.lab.turn_guests_out()
        return await self.join(request)

    def _keeper(self, request: Request) -> None:
        """A Refusal, unless it is the owner of a lab that has guests."""
        self.lab.owner(request)
        if self.lab.access.code is None:
            raise Refusal("gone", "this lab has no guests: start it with --host")

    @operation()
    async def openapi(self, request: Request) -> Response:
        """All this for programs."""
        return respond(self.lab.description)

    # Games

    @operation(Games)
    async def games(self, request: Request) -> Response:
        """The games one may see, one's own first, then the newest.

        Whoever opened a lab to others is told of all, and may delete all."""
        person = self.lab.access.known(request)
        games = await self.lab.lobby.listed(person, keeper=self.lab.keeps(person))
        return self._answer(request, person, Games(games))

    @operation(State, body=requests.New)
    async def new(self, request: Request) -> Response:
        """Begin a game: the fields of the message ``new``."""
        person = self.lab.access.known(request)
        wanted = _message(await body(request), "new")
        visit = Visit(person, address_of(request))
        try:
            answer = await handle(self.lab, visit, wanted)
        finally:
            self.lab.leave(visit)
        return self._answer(request, person, answer)

    @operation(State, query=("line", "ply"))
    async def state(self, request: Request) -> Response:
        """The state at a ply, the last if not told."""
        visit = await self._visit(request)
        self._stand(request, visit)
        await self.lab.workshop.draw(visit)
        return self._answer(request, visit.person, visit.state())

    async def twin(self, request: Request) -> Response:
        """A message about a game, over HTTP: its fields are in the table of messages."""
        kind = request.path_params["kind"]
        if kind not in TWINS:
            raise Refusal("gone", f"there is no {kind[:40]!r}: want one of {', '.join(TWINS)}")
        given = await body(request)
        if kind == "delete":  # also what one may not see, or what can no longer be read
            person = self.lab.access.known(request)
            self.lab.delete(person, request.path_params["id"])
            await self.lab.store.flush()
            return self._answer(request, person, Deleted())
        visit = await self._visit(request)
        id = request.path_params["id"]
        wanted = _message(given, kind, id=id)
        request.state.state = visit.state
        if isinstance(wanted, requests.Think | requests.Hint):
            return await self._think(request, visit, wanted)
        if kind == "stop":
            self._stop(visit)
        try:
            answer = await handle(self.lab, visit, wanted)
        finally:
            if kind == "join":  # whoever asks over HTTP does not stay
                room = visit.room
                self.lab.leave(visit)
                visit.room = room
        return self._answer(request, visit.person, answer)

    async def _think(
        self, request: Request, visit: Visit, wanted: requests.Think | requests.Hint
    ) -> Response:
        """The whole thinking: the answer is its last message."""
        room = visit.here()
        job, head = think(self.lab, visit, wanted, lambda report: None)
        self.lab.visits.setdefault(room.id, set()).add(visit)
        try:
            return self._answer(request, visit.person, await thought(job, head))
        finally:
            self.lab.leave(visit)

    def _stop(self, visit: Visit) -> None:
        """Over HTTP one stops all that one has asked for in this game."""
        for other in self.lab.visits.get(visit.here().id, ()):
            if other.person.id == visit.person.id:
                other.stop()

    @operation(query=("line", "ply", "theme"), media="image/svg+xml")
    async def picture(self, request: Request) -> Response:
        """The position as a picture, the same as ``playproof show --svg`` draws."""
        visit = await self._visit(request)
        self._stand(request, visit)
        room = visit.here()
        theme: Literal["light", "dark"] = "light"
        if request.query_params.get("theme", "light") == "dark":
            theme = "dark"
        replay, here = room.lines.replay(visit.line), -1 if visit.ply is None else visit.ply
        text = await self.lab.workshop.run(
            visit.asker,
            ("picture", room.id, room.ver, visit.line, here, theme),
            lambda: svg.render(replay()[here].view(), theme=theme),
        )
        return Response(text, media_type="image/svg+xml", headers={"cache-control": "no-cache"})

    @operation(query=("line",), media="*/*")
    async def record(self, request: Request) -> Response:
        """The game as a file: jsonl, txt, and sgf or pgn where the game has it."""
        visit, kind = await self._visit(request), request.path_params["kind"]
        self._stand(request, visit)
        room = visit.here()
        text = await self.lab.workshop.export(visit, kind)
        name = f"{room.game.name}-{room.id}.{kind}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type=TYPES[kind], headers=headers)

    # Parts

    async def _visit(self, request: Request) -> Visit:
        """Whoever asks, in the game of the path."""
        visit = Visit(self.lab.access.known(request), address_of(request))
        await self.lab.workshop.open(visit.asker, request.path_params["id"])
        visit.enter(self.lab.lobby.room(visit.person, request.path_params["id"]))
        self.lab.attend(visit)
        return visit

    def _stand(self, request: Request, visit: Visit) -> None:
        """Where ``?line=`` and ``?ply=`` say."""
        line, at = (request.query_params.get(name) for name in ("line", "ply"))
        wanted = 0 if line is None else _number("line", line, most=100_000)
        visit.here().lines.line(wanted)
        last = at is None or at == "last"
        visit.go(wanted, None if last else _number("ply", at or "", most=1_000_000))

    def _answer(
        self, request: Request, person: Person, content: Any, *, again: bool = False
    ) -> Response:
        """JSON, with a cookie for someone who is new here."""
        response = _fresh(content)
        if again or self.lab.access.person(request) is None:
            response.headers["set-cookie"] = self.lab.access.set_cookie(person, request)
        return response


def _fresh(content: Any) -> Response:
    """A reply that no browser keeps."""
    return respond(content, headers={"cache-control": "no-store"})


def _message(given: dict[str, Any], kind: str, **more: str) -> requests.Request:
    """What was posted as the message ``kind``; over HTTP it needs no name of its own."""
    fields = {name: value for name, value in given.items() if name != "rid"}
    return request_of({**fields, "type": kind, **more})


def _number(name: str, text: str, *, most: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9 or int(text) > most:
        raise Refusal("bad", f"{name} must be a whole number from 0 to {most}")
    return int(text)


async def body(request: Request) -> dict[str, Any]:
    """The JSON object that was posted, at most 64 KiB of it; nothing at all is {}."""
    return parse(await _body(request))


async def _body(request: Request) -> bytes:
    """A body of the size of a message, read no further."""
    found = b""
    async for part in request.stream():
        found += part
        if len(found) > LARGEST:
            raise Refusal("large", f"a message has at most {LARGEST} bytes")
    return found or b"{}"
