"""A check that every request names our host, and the security headers of every response."""

from __future__ import annotations

import contextlib

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from playproof.web.http.access import is_our_host


class SecurityMiddleware:
    """Refuses requests for another host and adds security headers to responses.

    ``has_guests``: the lab is served to others too, so any IP address may name it, and so may
    ``name``, the host it is published under.
    """

    def __init__(self, app: ASGIApp, *, has_guests: bool, name: str = "") -> None:
        self._app, self._has_guests, self._name = app, has_guests, name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        host = Headers(scope=scope).get("host", "")
        if not is_our_host(host, has_guests=self._has_guests, name=self._name):
            if scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008})
                return
            refusal = PlainTextResponse("this host name does not belong to the lab\n", 403)
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

        with contextlib.suppress(ClientDisconnect):  # nobody is left to answer
            await self._app(scope, receive, guarded)


def policy(host: str) -> str:
    """The content security policy: only our own files and scripts, and no frame around us."""
    return (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        # Some browsers do not count a WebSocket of the same host as 'self'.
        f"connect-src 'self' ws://{host} wss://{host}; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    )
