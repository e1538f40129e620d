"""What every request must bring and every response carries: a Host that is us, and the
rules that a browser keeps for our page."""

from __future__ import annotations

import contextlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playproof.web.http.access import is_our_host


class Guard:
    """``open_``: the lab is served to others too, so any address may name us, and
    the ``name`` that it was told to listen at."""

    def __init__(self, app: ASGIApp, *, open_: bool, name: str = "") -> None:
        self._app, self._open, self._name = app, open_, name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "")
        if not is_our_host(host, open_=self._open, name=self._name):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
            refusal = PlainTextResponse("this is not the address of the lab\n", 403)
            await refusal(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["content-security-policy"] = policy(host)
                headers["x-content-type-options"] = "nosniff"
                headers["x-frame-options"] = "DENY"
                headers["referrer-policy"] = "no-referrer"
                headers["cross-origin-resource-policy"] = "same-origin"
                headers["cross-origin-opener-policy"] = "same-origin"
            await send(message)

        with contextlib.suppress(ClientDisconnect):  # who hangs up needs no answer
            await self._app(scope, receive, guarded)


def policy(host: str) -> str:
    """Nothing from elsewhere, no script but our files, no frame around us."""
    return (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        # Some browsers do not count a WebSocket of the same host as 'self'.
        f"connect-src 'self' ws://{host} wss://{host}; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    )
