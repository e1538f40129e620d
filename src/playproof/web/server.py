"""The lab as a web application: ``make_app`` puts routes, access and headers together."""

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
from playproof.web.http.headers import Guard
from playproof.web.http.openapi import describe
from playproof.web.http.operations import respond
from playproof.web.http.redaction import hidden
from playproof.web.lab import Lab
from playproof.web.protocol.refusal import Code, Refusal
from playproof.web.protocol.replies.games import Error
from playproof.web.websocket.connection import POLICY, Talks, refuse

# Modules with ``routes(lab) -> list[Route]``; each endpoint's first line of documentation
# is what /api/openapi.json says of it.
PARTS = (
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
    note: Callable[[str], None] = lambda text: None,
) -> Starlette:
    """The lab whose games live in ``folder``.

    Whoever shows ``owner_key`` owns it; with a ``code`` guests may enter it and come in.
    With neither nothing is asked: never serve such a lab, it is for scripts and tests.
    ``url`` is how others reach it, ``workers`` the processes that agents think in;
    ``warm`` has all kernels compiled behind the pages and then starts one of them; ``note``
    gets a line where there is something to tell about that.
    """
    lab = Lab(folder, code=code, owner_key=owner_key, workers=workers)
    lab.url = url

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        lab.start()
        if warm:
            lab.warmup.start(note, on_ready=lab.thinkers.warm)
        yield
        await lab.close()

    app = Starlette(
        routes=_routes(lab),
        middleware=[
            Middleware(Guard, open_=code is not None, name=urlsplit(url).hostname or ""),
            Middleware(GZipMiddleware, minimum_size=1000),
        ],
        exception_handlers={
            Refusal: _refused,
            PlayproofError: _refused,
            HTTPException: _missing,
        },
        lifespan=life,
    )
    app.state.lab = lab
    return app


def _routes(lab: Lab) -> list[BaseRoute]:
    talks = Talks(lab)
    lab.hang_up_on_guests = talks.hang_up_on_guests

    async def page(request: Request) -> Response:
        response = FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})
        # Coming from another site a browser keeps its cookie back: do not replace it then.
        if lab.access.is_open and is_our_origin(request):
            person = lab.access.person(request)
            if person is None:
                newcomer = lab.access.newcomer()
                response.headers["set-cookie"] = lab.access.set_cookie(newcomer, request)
        return response

    async def talk(socket: WebSocket) -> None:
        if not is_our_origin(socket):
            await socket.close(POLICY)
            return
        person, headers = _person(lab, socket)
        if person is None:
            await refuse(socket, Refusal("access", lab.access.question), POLICY)
            return
        await talks.talk(socket, person, headers)

    parts = _parts(lab)
    asked = [*api.routes(lab), *api.behind_the_door(lab, parts)]
    lab.description = describe(asked)
    routes: list[BaseRoute] = [Route("/", page), WebSocketRoute("/ws", talk), *asked]
    if STATIC.is_dir():
        routes.append(Mount("/static", _Files(directory=STATIC)))
    return routes


def _parts(lab: Lab) -> list[Route]:
    """The routes of all parts."""
    found: list[Route] = []
    for name in PARTS:
        part = importlib.import_module(f"playproof.web.{name}.routes")
        found += part.routes(lab)
    return found + game_text.routes()


def _person(lab: Lab, socket: WebSocket) -> tuple[Person | None, list[tuple[bytes, bytes]]]:
    """Who connects, and the cookie for a newcomer."""
    person = lab.access.person(socket)
    if person is not None or not lab.access.is_open:
        return person, []
    person = lab.access.newcomer()
    return person, [(b"set-cookie", lab.access.set_cookie(person, socket).encode())]


class _Files(StaticFiles):
    """Files of the page: kept by the browser only after asking whether they changed."""

    def file_response(self, *arguments: Any, **named: Any) -> Response:
        response = super().file_response(*arguments, **named)
        response.headers["cache-control"] = "no-cache"
        return response


async def _refused(request: Request, error: Exception) -> Response:
    refusal = error if isinstance(error, Refusal) else Refusal("bad", str(error))
    answer = Error.of(refusal)
    access = request.app.state.lab.access
    person = access.person(request)
    if not access.is_open and not (person and person.owner):
        answer.msg = hidden(answer.msg)
    state = getattr(request.state, "state", None)
    if state is not None and refusal.status == 409:
        answer.state = state()
    headers = {"retry-after": "10"} if refusal.status == 429 else {}
    return respond(answer, refusal.status, headers=headers)


async def _missing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code: Code = "gone" if error.status_code == 404 else "bad"
    text = f"{request.url.path[:80]}: {error.detail}"
    return respond(Error(code, text), error.status_code)
