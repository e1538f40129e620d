"""The HTTP side: the catalog, the door, and a twin of every message for scripts."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from playproof.formats import svg
from playproof.web import catalog
from playproof.web.access import Person, address_of, is_our_origin
from playproof.web.fair_queue import Asker
from playproof.web.handling import handle, think, thought
from playproof.web.lab import Lab
from playproof.web.messages import FIELDS, LARGEST, Message, Refusal, check, parse, ply, whole
from playproof.web.visits import Visit
from playproof.web.warmup import parts_of

_TYPES = {
    "jsonl": "application/x-ndjson",
    "txt": "text/plain; charset=utf-8",
    "sgf": "application/x-go-sgf",
    "pgn": "application/x-chess-pgn",
}
# Messages about a game; ``new`` and ``ping`` are about none, the others a connection's.
TWINS = tuple(kind for kind in FIELDS if kind not in ("new", "ping", "leave", "watch", "unwatch"))

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

    async def ready(self, request: Request) -> Response:
        """What is being compiled that a page waits for."""
        return JSONResponse(self.lab.warmup.status(), headers={"cache-control": "no-store"})

    async def catalog(self, request: Request) -> Response:
        person = self.lab.access.known(request)
        # Games of other packages are compiled by what looks at them.
        offered = await asyncio.to_thread(catalog.catalog)
        return self._answer(request, person, offered)

    async def join(self, request: Request) -> Response:
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
        return JSONResponse(answer, headers={"cache-control": "no-store"})

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

    async def join_svg(self, request: Request) -> Response:
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

    async def enter(self, request: Request) -> Response:
        fields = await body(request)
        given = {key: fields.get(key) for key in ("code", "key")}
        if any(not isinstance(value, str | None) for value in given.values()):
            raise Refusal("bad", 'enter wants {"code": "ABC234"} or {"key": ...}')
        try:
            person = self.lab.access.enter(request, code=given["code"], key=given["key"])
        except Refusal as refusal:
            if refusal.code == "access":
                await self.lab.access.hold_back(address_of(request))
            raise
        answer = {"type": "entered", "owner": person.owner}
        return self._answer(request, person, answer, again=True)

    async def invite(self, request: Request) -> Response:
        """Say where those go who come with the join code alone."""
        person, fields = self.lab.owner(request), await body(request)
        page, _, id = str(fields.get("go", "")).removeprefix("/").partition("/")
        if page not in _PAGES:
            pages = ", ".join(f"/{name}" for name in _PAGES)
            raise Refusal("bad", f"go must be one of {pages}, and may name a game: /play/ID")
        self.lab.invitation = f"/{page}/{self.lab.find(request, id).id}" if id else f"/{page}"
        return self._answer(request, person, {"type": "invited"})

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

    async def renew_code(self, request: Request) -> Response:
        self._keeper(request)
        self.lab.renew_code()
        return await self.join(request)

    async def turn_guests_out(self, request: Request) -> Response:
        self._keeper(request)
        self.lab.turn_guests_out()
        return await self.join(request)

    def _keeper(self, request: Request) -> None:
        """A Refusal, unless it is the owner of a lab that has guests."""
        self.lab.owner(request)
        if self.lab.access.code is None:
            raise Refusal("gone", "this lab has no guests: start it with --host")

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(self.lab.description)

    # Games

    async def games(self, request: Request) -> Response:
        person = self.lab.access.known(request)
        games = await self.lab.lobby.listed(person, keeper=self.lab.keeps(person))
        return self._answer(request, person, {"games": games})

    async def new(self, request: Request) -> Response:
        person = self.lab.access.known(request)
        kind, fields = check({**await body(request), "type": "new"})
        visit = Visit(person, address_of(request))
        try:
            answer = await handle(self.lab, visit, kind, fields)
        finally:
            self.lab.leave(visit)
        return self._answer(request, person, answer)

    async def state(self, request: Request) -> Response:
        visit = await self._visit(request)
        self._stand(request, visit)
        await self.lab.workshop.draw(visit)
        return self._answer(request, visit.person, visit.state())

    async def twin(self, request: Request) -> Response:
        kind = request.path_params["kind"]
        if kind not in TWINS:
            raise Refusal("gone", f"there is no {kind[:40]!r}: want one of {', '.join(TWINS)}")
        given = await body(request)
        if kind == "delete":  # also what one may not see, or what can no longer be read
            person = self.lab.access.known(request)
            self.lab.delete(person, request.path_params["id"])
            await self.lab.store.flush()
            return self._answer(request, person, {"type": "deleted"})
        visit = await self._visit(request)
        id = request.path_params["id"]
        kind, fields = check({**given, "type": kind, "id": id})
        request.state.state = visit.state
        if kind in ("think", "hint"):
            return await self._think(request, visit, kind, fields)
        if kind == "stop":
            self._stop(visit)
        try:
            answer = await handle(self.lab, visit, kind, fields)
        finally:
            if kind == "join":  # whoever asks over HTTP does not stay
                room = visit.room
                self.lab.leave(visit)
                visit.room = room
        return self._answer(request, visit.person, answer)

    async def _think(self, request: Request, visit: Visit, kind: str, fields: Message) -> Response:
        """The whole thinking: the answer is its last message."""
        room = visit.here()
        job, head = think(self.lab, visit, kind, fields, lambda report: None)
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

    async def picture(self, request: Request) -> Response:
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

    async def record(self, request: Request) -> Response:
        visit, kind = await self._visit(request), request.path_params["kind"]
        self._stand(request, visit)
        room = visit.here()
        text = await self.lab.workshop.export(visit, kind)
        name = f"{room.game.name}-{room.id}.{kind}"
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(text, media_type=_TYPES[kind], headers=headers)

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
        wanted = 0 if line is None else whole(0, 100_000)("line", _number("line", line))
        visit.here().lines.line(wanted)
        visit.go(wanted, None if at in (None, "last") else ply("ply", _number("ply", at or "")))

    def _answer(
        self, request: Request, person: Person, content: Any, *, again: bool = False
    ) -> Response:
        """JSON, with a cookie for someone who is new here."""
        response = JSONResponse(content, headers={"cache-control": "no-store"})
        if again or self.lab.access.person(request) is None:
            response.headers["set-cookie"] = self.lab.access.set_cookie(person, request)
        return response


def _number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Refusal("bad", f"{name} must be a whole number")
    return int(text)


async def body(request: Request) -> Message:
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
