"""The decorator ``@operation``, which declares what an endpoint takes and returns.

What the endpoint returns is converted to its reply, and ``/api/openapi.json`` describes it.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from playproof.web.protocol.codec import build, encode

JSON = "application/json"

Endpoint = Callable[..., Awaitable[Any]]
Handler = Callable[..., Awaitable[Response]]


@dataclass(frozen=True)
class Operation:
    """What an endpoint takes and returns.

    ``reply`` is None if it returns a file, of type ``media``, and ``One | Other`` if it returns
    either. ``query`` are the names of its query parameters. ``upload`` is the media type of a
    body that is not a JSON object.
    """

    reply: type[Struct] | UnionType | None = None
    body: type[Struct] | None = None
    query: tuple[str, ...] = ()
    media: str = JSON
    upload: str = ""

    @property
    def replies(self) -> tuple[type[Struct], ...]:
        """The replies that it may return."""
        if self.reply is None:
            return ()
        return self.reply.__args__ if isinstance(self.reply, UnionType) else (self.reply,)


def operation(
    reply: type[Struct] | UnionType | None = None,
    *,
    body: type[Struct] | None = None,
    query: tuple[str, ...] = (),
    media: str = JSON,
    upload: str = "",
) -> Callable[[Endpoint], Handler]:
    """Declare what an endpoint takes and returns; see Operation.

    It may return the reply, a whole Response or, where there is one kind of reply, plain data
    with just its fields.
    """

    def decorate(endpoint: Endpoint) -> Handler:
        @functools.wraps(endpoint)
        async def handle(*arguments: Any) -> Response:
            content = await endpoint(*arguments)
            if isinstance(content, Response):
                return content
            assert reply is not None, "an endpoint without a reply must return a Response"
            if not isinstance(content, reply):
                assert isinstance(reply, type), "plain data does not tell which reply it is"
                content = build(reply, content)
            return respond(content)

        handle.operation = Operation(reply, body, query, media, upload)  # type: ignore[attr-defined]
        return handle

    return decorate


def operation_of(endpoint: Any) -> Operation:
    """The declaration of an endpoint; an empty one if it has none."""
    return getattr(endpoint, "operation", Operation())


def respond(
    content: Any, status: int = 200, *, headers: Mapping[str, str] | None = None
) -> Response:
    """A reply as JSON."""
    return Response(encode(content), status, dict(headers or {}), JSON)
