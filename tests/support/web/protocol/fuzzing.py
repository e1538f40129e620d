"""Every struct of the protocol on values of its own types, and next to them.

A client's message is accepted or refused in one line; a reply is built or found wrong. Whether
it fits is asked of the JSON schema as well, which jsonschema reads: both must say the same.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from typing import Any

import jsonschema
import msgspec

from playproof.web.protocol import bodies, replies, requests
from playproof.web.protocol.codec import build, encode, parse, parse_request, read
from playproof.web.protocol.refusal import LARGEST, LONGEST_LINE, Refusal
from playproof.web.protocol.replies.base import Reply
from tests.support.web.protocol.values import Values

Kind = type[msgspec.Struct]


def taken() -> list[Kind]:
    """What clients send: messages, and bodies of other routes."""
    found = [one for one in vars(bodies).values() if isinstance(one, type)]
    own = [one for one in found if one.__module__ == bodies.__name__ and one is not bodies.Body]
    return [*requests.ALL, *own]


def given() -> list[Kind]:
    """What the lab answers, each part of an answer by itself as well."""
    found: dict[Kind, None] = {}
    for module in pkgutil.iter_modules(replies.__path__, f"{replies.__name__}."):
        for one in vars(importlib.import_module(module.name)).values():
            if isinstance(one, type) and issubclass(one, Reply) and one is not Reply:
                found[one] = None
    return list(found)


def fuzz(kind: Kind, number: int, seed: int = 1) -> str:
    """``number`` values of a struct, half of them bent; what became of them."""
    judge = jsonschema.Draft202012Validator(msgspec.json.schema(kind))
    values, accepted = Values(seed), 0
    for n in range(number):
        value = values.bent(kind) if n % 2 else values.good(kind)
        if len(json.dumps(value)) > LARGEST:
            continue
        fits = _fits(kind, value)
        assert fits or n % 2, f"{kind.__name__} refuses {value}"
        wanted = judge.is_valid(value)
        # To JSON schema 1.0 is an integer and 2**63 a number; we tell the two by the point, and
        # integers have 64 bits.
        ambiguous = _has_ambiguous_number(value)
        assert fits == wanted or ambiguous, f"{kind.__name__}, fits {fits}: {value}"
        accepted += fits
    return f"{kind.__name__}: {accepted} of {number} accepted"


def _fits(kind: Kind, value: dict[str, Any]) -> bool:
    if issubclass(kind, Reply):
        try:
            found = build(kind, value)
        except msgspec.ValidationError:
            return False
        sent = json.loads(encode(found))
        assert build(kind, sent) == found
        return _has_tag(kind, value)
    data = parse(json.dumps(value))
    try:
        if issubclass(kind, requests.Request):
            assert isinstance(parse_request({**data, "type": requests.type_of(kind)}), kind)
            return _has_tag(kind, value)
        read(data, kind, kind.__name__)
    except Refusal as refusal:
        _check_line(refusal)
        return False
    return True


def _check_line(refusal: Refusal) -> None:
    line = str(refusal)
    assert refusal.code == "bad"
    assert 0 < len(line) <= LONGEST_LINE
    assert "\n" not in line


def _has_tag(kind: Kind, value: dict[str, Any]) -> bool:
    """Whether a value says its type, which only its schema insists on."""
    config = kind.__struct_config__
    return config.tag is None or value.get(config.tag_field) == config.tag


def _has_ambiguous_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_ambiguous_number, value.values()))
    if isinstance(value, list):
        return any(map(_has_ambiguous_number, value))
    if isinstance(value, int):
        return not -(2**63) <= value < 2**63
    return isinstance(value, float) and value.is_integer()
