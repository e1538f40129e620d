"""What a client may say, field by field: every message is checked before anything
else looks at it, and what is wrong is told in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

LARGEST = 64 * 1024  # bytes of one message
MOST_CLICKS = 16  # of one move
MOST_LINES = 20  # best moves of one thinking
LONGEST_LINE = 300  # characters of an error

# Statuses of the HTTP twins.
STATUS = {
    "bad": 400,
    "access": 403,
    "gone": 404,
    "stale": 409,
    "illegal": 409,
    "turn": 409,
    "busy": 409,
    "large": 413,
    "limit": 429,
}

Message = dict[str, Any]
Check = Callable[[str, Any], Any]


class Refusal(Exception):
    """A message that is not obeyed: a code for programs, a line for people."""

    def __init__(self, code: str, text: str) -> None:
        line = " ".join(text.split())
        super().__init__(line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 3] + "...")
        self.code = code

    @property
    def status(self) -> int:
        return STATUS[self.code]

    def to_json(self, rid: str | None = None) -> Message:
        code = "limit" if self.code == "large" else self.code
        answer = {"type": "error", "code": code, "msg": str(self)}
        return answer if rid is None else {**answer, "rid": rid}


def _bad(text: str) -> Refusal:
    return Refusal("bad", text)


# Fields


def text(longest: int) -> Check:
    def check(name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > longest:
            raise _bad(f"{name} must be a text of at most {longest} characters")
        return value

    return check


def whole(least: int, most: int) -> Check:
    def check(name: str, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise _bad(f"{name} must be a whole number from {least} to {most}")
        return value

    return check


def number(least: float, most: float) -> Check:
    def check(name: str, value: Any) -> float:
        good = isinstance(value, int | float) and not isinstance(value, bool)
        if not good or not least <= value <= most:  # as is no number that is not finite
            raise _bad(f"{name} must be a number from {least:g} to {most:g}")
        return float(value)

    return check


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _bad(f"{name} must be true or false")
    return value


def clicks(name: str, value: Any) -> tuple[str, ...]:
    few = isinstance(value, list) and 1 <= len(value) <= MOST_CLICKS
    if not few or not all(isinstance(token, str) and len(token) <= 16 for token in value):
        raise _bad(f'{name} must be a list of 1 to {MOST_CLICKS} tokens, such as ["e2", "e4"]')
    return tuple(value)


def prefix(name: str, value: Any) -> tuple[str, ...]:
    return () if value == [] else clicks(name, value)


def options(name: str, value: Any) -> str | dict[str, Any]:
    if isinstance(value, str) and len(value) <= 64:
        return value
    plain = isinstance(value, dict) and len(value) <= 32
    if not plain or not all(
        len(key) <= 32 and isinstance(item, str | int | float) and len(str(item)) <= 64
        for key, item in value.items()
    ):
        raise _bad(f'{name} must be the id of a variant or options such as {{"size": 6}}')
    return dict(value)


def seats(name: str, value: Any) -> tuple[str, str]:
    two = isinstance(value, list) and len(value) == 2
    if not two or not all(isinstance(item, str) and 0 < len(item) <= 200 for item in value):
        raise _bad(f'{name} must be two of "human", "open" and agents, such as ["human", "greedy"]')
    return value[0], value[1]


def clock(name: str, value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or set(value) - {"seconds", "increment"}:
        raise _bad(f'{name} must be such as {{"seconds": 300, "increment": 2}}')
    seconds = number(1, 86_400)(f"{name}.seconds", value.get("seconds"))
    return seconds, number(0, 3_600)(f"{name}.increment", value.get("increment", 0))


def budget(name: str, value: Any) -> dict[str, float]:
    if isinstance(value, int | float):
        value = {"seconds": value}
    if not isinstance(value, dict) or set(value) - {"seconds"}:
        raise _bad(f'{name} must be seconds, such as 2 or {{"seconds": 2}}')
    return {"seconds": number(0.05, 30)(f"{name}.seconds", value.get("seconds"))}


def ply(name: str, value: Any) -> int | None:
    return None if value in ("last", None) else whole(0, 1_000_000)(name, value)


def seat(name: str, value: Any) -> int | None:
    return None if value is None else whole(0, 1)(name, value)


# Messages: the fields that each may have; those in capitals below must be there.

_VER = whole(0, 2**53)
_PLACE = {"line": whole(0, 100_000), "ply": ply}
FIELDS: dict[str, dict[str, Check]] = {
    "new": {
        "game": text(32),
        "variant": options,
        "seats": seats,
        "seed": whole(0, 2**53),
        "clock": clock,
        "text": text(LARGEST),
        "analysis": flag,
    },
    "join": {"seat": seat, "ply": ply},
    "leave": {},
    "move": {"ver": _VER, "c": clicks, "action": whole(0, 2**31), **_PLACE},
    "next": {"ver": _VER, "prefix": prefix, **_PLACE},
    "undo": {"ver": _VER},
    "redo": {"ver": _VER},
    "resign": {"ver": _VER},
    "goto": {"ply": ply},
    "line": {"line": whole(0, 100_000), "ply": ply},
    "think": {
        "ver": _VER,
        "agent": text(200),
        "budget": budget,
        "lines": whole(1, MOST_LINES),
        **_PLACE,
    },
    "hint": {"ver": _VER, **_PLACE},
    "stop": {},
    "share": {"on": flag},
    "delete": {},
    "ping": {},
    "watch": {"topic": text(160)},
    "unwatch": {"topic": text(160)},
}
REQUIRED = {
    "move": ("ver",),
    "next": ("ver", "prefix"),
    "undo": ("ver",),
    "redo": ("ver",),
    "resign": ("ver",),
    "goto": ("ply",),
    "line": ("line",),
    "think": ("agent",),
    "share": ("on",),
    "watch": ("topic",),
    "unwatch": ("topic",),
}


def parse(data: str | bytes) -> Message:
    """The message in ``data`` as it stands, which must be one JSON object."""
    if len(data) > LARGEST:
        raise Refusal("large", f"a message has at most {LARGEST} bytes")
    try:
        found = json.loads(data, parse_constant=_no_constant)
        json.dumps(found, ensure_ascii=False).encode()  # half a character cannot be told back
    except (ValueError, RecursionError):
        raise _bad('a message is a JSON object such as {"type": "ping"}') from None
    if not isinstance(found, dict):
        raise _bad('a message is a JSON object such as {"type": "ping"}')
    return found


def _no_constant(name: str) -> None:
    raise ValueError(name)


def rid_of(message: Message) -> str | None:
    """The request's own name, to be echoed."""
    rid = message.get("rid")
    if rid is None:
        return None
    if isinstance(rid, int) and not isinstance(rid, bool) and abs(rid) < 2**53:
        rid = str(rid)
    if not isinstance(rid, str) or len(rid) > 64:
        raise _bad("rid must be a text of at most 64 characters")
    return rid


def check(message: Message) -> tuple[str, Message]:
    """The type of a message and its fields, each of them checked; absent ones are None."""
    kind = message.get("type")
    if not isinstance(kind, str) or kind not in FIELDS:
        known = ", ".join(FIELDS)
        raise _bad(f"type must be one of {known}")
    fields = {**FIELDS[kind], "id": text(64)}
    for name in message:
        if name not in fields and name not in ("type", "rid"):
            hint = "; options are given as variant, {...}" if name == "options" else ""
            raise _bad(f"{kind} has no field {name[:40]!r}: it has {', '.join(fields)}{hint}")
    for name in REQUIRED.get(kind, ()):
        if name not in message:
            raise _bad(f"{kind} needs {name}")
    checked = {
        name: how(name, message[name]) if name in message else None for name, how in fields.items()
    }
    return kind, checked
