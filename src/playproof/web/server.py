"""The lab as a web application: ``make_app`` combines routes, access control and headers."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from playproof.core.errors import PlayproofError
from playproof.web.game import parse_text as game_text
from playproof.web.http import routes as api
from playproof.web.http.access import Person, is_our_origin
from playproof.web.http.headers import SecurityMiddleware
from playproof.web.http.openapi import describe
from playproof.web.http.operations import respond
from playproof.web.http.redaction import redact
from playproof.web.lab import Lab
from playproof.web.protocol.refusal import Code, Refusal
from playproof.web.protocol.replies.games import Error
from playproof.web.websocket.connection import POLICY, Connections, refuse

# Each package has a module ``routes`` with ``routes(lab) -> list[Route]``. The first line of an
# endpoint's docstring is its summary in /api/openapi.json.
ROUTE_MODULES = (
    "pages.classroom",
    "jobs",
    "pages.proofs",
    "pages.training",
    "pages.tournaments",
    "pages.truth",
    "pages.papers",
)
STATIC = Path(__file__).resolve().parent / "static"


def make_app(
    folder: Path,
    *,
    code: str | None = None,
    owner_key: str | None = None,
    url: str = "",
    workers: int | None = None,
    warm: bool = False,
    on_note: Callable[[str], None] = lambda text: None,
) -> Starlette:
    """The application for the lab whose games are stored in ``folder``.

    Whoever presents ``owner_key`` is the owner; if there is a ``code``, guests enter with it.
    Without either, everybody is let in as the owner: such a lab is for scripts and tests and must
    never be served. ``url`` is the address under which others reach the lab, ``workers`` the
    number of engine processes. ``warm`` compiles all kernels in the background and then starts
    an engine; ``on_note`` is called with progress messages about that.
    """
    lab = Lab(folder, code=code, owner_key=owner_key, workers=workers)
    lab.url = url

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        lab.start()
        if warm:
            lab.warmup.start(on_note, on_ready=lab.engines.warm)
        yield
        await lab.close()

    app = Starlette(
        routes=_routes(lab),
        middleware=[
            Middleware(
                SecurityMiddleware, has_guests=code is not None, name=urlsplit(url).hostname or ""
            ),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={
            Refusal: _refused,
            PlayproofError: _refused,
            HTTPException: _missing,
        },
        lifespan=lifespan,
    )
    app.state.lab = lab
    return app


def _routes(lab: Lab) -> list[BaseRoute]:
    connections = Connections(lab)
    lab.hang_up_on_guests = connections.hang_up_on_guests

    async def page(request: Request) -> Response:
        response = FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})
        # A request from another site carries no cookie: do not replace the one the browser has.
        if lab.access.is_open and is_our_origin(request):
            person = lab.access.person(request)
            if person is None:
                newcomer = lab.access.newcomer()
                response.headers["set-cookie"] = lab.access.set_cookie(newcomer, request)
        return response

    async def websocket(socket: WebSocket) -> None:
        if not is_our_origin(socket):
            await socket.close(POLICY)
            return
        person, headers = _person(lab, socket)
        if person is None:
            await refuse(socket, Refusal("access", lab.access.question), POLICY)
            return
        await connections.serve(socket, person, headers)

    api_routes = [*api.routes(lab), *api.protected_routes(lab, _page_routes(lab))]
    lab.openapi = describe(api_routes)
    routes: list[BaseRoute] = [Route("/", page), WebSocketRoute("/ws", websocket), *api_routes]
    if STATIC.is_dir():
        routes.append(Mount("/static", _Files(directory=STATIC)))
    return routes


def _page_routes(lab: Lab) -> list[Route]:
    """The routes of all ROUTE_MODULES."""
    routes: list[Route] = []
    for name in ROUTE_MODULES:
        module = importlib.import_module(f"playproof.web.{name}.routes")
        routes += module.routes(lab)
    return routes + game_text.routes()


def _person(lab: Lab, socket: WebSocket) -> tuple[Person | None, list[tuple[bytes, bytes]]]:
    """The person who connects, and the headers that set a newcomer's cookie."""
    person = lab.access.person(socket)
    if person is not None or not lab.access.is_open:
        return person, []
    person = lab.access.newcomer()
    return person, [(b"set-cookie", lab.access.set_cookie(person, socket).encode())]


class _Files(StaticFiles):
    """Static files, which the browser revalidates before it uses a cached copy."""

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        response.headers["cache-control"] = "no-cache"
        return response


async def _refused(request: Request, error: Exception) -> Response:
    refusal = error if isinstance(error, Refusal) else Refusal("bad", str(error))
    message = Error.of(refusal)
    access = request.app.state.lab.access
    person = access.person(request)
    if not access.is_open and not (person and person.owner):
        message.msg = redact(message.msg)
    state = getattr(request.state, "state", None)
    if state is not None and refusal.status == 409:
        message.state = state()
    headers = {"retry-after": "10"} if refusal.status == 429 else {}
    return respond(message, refusal.status, headers=headers)


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code: Code = "gone" if error.status_code == 404 else "bad"
    text = f"{request.url.path[:80]}: {error.detail}"
    return respond(Error(code, text), error.status_code)
