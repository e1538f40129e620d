"""An endpoint that says what it takes and gives: what it returns is made a reply of that kind,
and ``/api/openapi.json`` describes it."""

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
Answering = Callable[..., Awaitable[Response]]


@dataclass(frozen=True)
class Operation:
    """What an endpoint takes and gives.

    ``reply`` is None where it gives a file, of type ``media``, and ``One | Other`` where it gives
    either; ``query`` are the names that may stand after the question mark; ``upload`` is the type
    of a body that is no JSON object.
    """

    reply: type[Struct] | UnionType | None = None
    body: type[Struct] | None = None
    query: tuple[str, ...] = ()
    media: str = JSON
    upload: str = ""

    @property
    def replies(self) -> tuple[type[Struct], ...]:
        """The replies that it may give."""
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
) -> Callable[[Endpoint], Answering]:
    """Say what an endpoint takes and gives; see Operation.  What it returns may be the reply,
    plain data of just its fields where there is one kind of reply, or a whole Response."""

    def mark(endpoint: Endpoint) -> Answering:
        @functools.wraps(endpoint)
        async def answer(*arguments: Any) -> Response:
            content = await endpoint(*arguments)
            if isinstance(content, Response):
                return content
            assert reply is not None, "only replies can be returned as they are"
            if not isinstance(content, reply):
                assert isinstance(reply, type), "which reply it is cannot be told from plain data"
                content = build(reply, content)
            return respond(content)

        answer.operation = Operation(reply, body, query, media, upload)  # type: ignore[attr-defined]
        return answer

    return mark


def operation_of(endpoint: Any) -> Operation:
    """What an endpoint says of itself."""
    return getattr(endpoint, "operation", Operation())


def respond(
    content: Any, status: int = 200, *, headers: Mapping[str, str] | None = None
) -> Response:
    """A reply as JSON."""
    return Response(encode(content), status, dict(headers or {}), JSON)
