"""Messages read and written: JSON on the line, structs inside."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from playproof.web.protocol import requests
from playproof.web.protocol.explain import ERRORS, explain
from playproof.web.protocol.refusal import LARGEST, Refusal

_NO_OBJECT = 'a message is a JSON object such as {"type": "ping"}'

S = TypeVar("S", bound=msgspec.Struct)


# Reading


def parse(data: str | bytes) -> dict[str, Any]:
    """The JSON object in ``data``; its fields are not checked yet."""
    if len(data) > LARGEST:
        raise Refusal("large", f"a message has at most {LARGEST} bytes")
    try:
        content = json.loads(data, parse_constant=_refuse_constant)
        json.dumps(content, ensure_ascii=False).encode()  # a lone surrogate could not be sent back
    except (ValueError, RecursionError):
        raise Refusal("bad", _NO_OBJECT) from None
    if not isinstance(content, dict):
        raise Refusal("bad", _NO_OBJECT)
    return content


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def rid_of(message: Mapping[str, Any]) -> str | None:
    """The request's own id, which its reply repeats."""
    rid = message.get("rid")
    if rid is None:
        return None
    if isinstance(rid, int) and not isinstance(rid, bool) and abs(rid) < 2**53:
        rid = str(rid)
    if not isinstance(rid, str) or len(rid) > 64:
        raise Refusal("bad", "rid must be a text of at most 64 characters")
    return rid


def parse_request(message: Mapping[str, Any]) -> requests.Request:
    """A message as a request, with every field checked."""
    name = message.get("type")
    kind = requests.BY_TYPE.get(name) if isinstance(name, str) else None
    if kind is None:
        raise Refusal("bad", f"type must be one of {', '.join(requests.BY_TYPE)}")
    return read(message, kind, str(name))


def read(content: Mapping[str, Any], kind: type[S], subject: str) -> S:
    """``content`` as a struct; a Refusal about ``subject`` says what is wrong with it."""
    try:
        return msgspec.convert(content, kind)
    except ERRORS:
        raise Refusal("bad", explain(content, kind, subject)) from None


# Writing


def build(kind: type[S], content: Any) -> S:
    """A reply from plain data, which must have exactly the reply's fields."""
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError:
        # NumPy numbers and subclasses of str become plain values when written as JSON.
        return msgspec.convert(msgspec.json.decode(encode(content)), kind)


def encode(message: Any) -> bytes:
    """A reply, or plain data, as JSON; what JSON cannot hold becomes null or U+FFFD."""
    try:
        return _ENCODER.encode(message)
    except UnicodeEncodeError:  # a file's name that is not UTF-8
        text = json.dumps(msgspec.to_builtins(message, enc_hook=_plain), ensure_ascii=False)
        return text.encode("utf-8", "replace")


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return bool(value)
    for whole in (int, float):
        if isinstance(value, whole):
            return whole(value)
    item = getattr(value, "item", None)  # NumPy scalars have it
    if callable(item):
        return item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


_ENCODER = msgspec.json.Encoder(enc_hook=_plain)
