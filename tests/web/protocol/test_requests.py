"""Every field of every message is checked, and what is wrong is one clear line."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from playproof.web.protocol import requests
from playproof.web.protocol.codec import parse, parse_request, rid_of
from playproof.web.protocol.explain import field_names
from playproof.web.protocol.refusal import LARGEST, Refusal

GOOD: dict[str, dict[str, Any]] = {
    "new": {
        "game": "othello",
        "variant": "6x6",
        "seats": ["human", "greedy"],
        "seed": 1,
        "clock": {"seconds": 300, "increment": 2},
        "text": "f5d6",
        "analysis": False,
    },
    "join": {"id": "abc", "seat": 1, "ply": "last"},
    "leave": {},
    "move": {"ver": 1, "c": ["e2", "e4"], "line": 0, "ply": 3},
    "next": {"ver": 1, "prefix": [], "line": 0, "ply": None},
    "undo": {"ver": 1},
    "redo": {"ver": 1},
    "resign": {"ver": 1},
    "goto": {"ply": 3},
    "line": {"line": 1, "ply": 2},
    "think": {"ver": 1, "agent": "greedy", "budget": 2, "line": 0, "ply": 0},
    "hint": {"ver": 1, "line": 0, "ply": "last"},
    "stop": {},
    "share": {"on": True},
    "delete": {},
    "ping": {},
    "watch": {"topic": "jobs"},
    "unwatch": {"topic": "run:choko"},
}
WRONG = {
    "game": [1, None, "x" * 33, ["othello"]],
    "variant": [1, None, [], {"a": []}, {"a": None}, {"a" * 40: 1}, {str(n): 1 for n in range(40)}],
    "seats": ["human", ["human"], ["human"] * 3, [1, 2], ["", "human"], ["x" * 201, "open"], None],
    "seed": [-1, 1.5, "1", True, 2**60],
    "clock": [5, {"seconds": 0}, {"seconds": "5"}, {"seconds": 9, "bonus": 1}, {"increment": 2}],
    "text": [1, None, ["f5"]],
    "analysis": [1, "yes", None],
    "id": [1, None, "x" * 65],
    "seat": [2, -1, "0", True, 0.0],
    "ply": [-1, 1.5, "first", True, 10**7],
    "ver": [-1, 1.5, "1", None, True],
    "action": [-1, "3", 1.5, None, True],
    "c": [[], "e2", [1], ["x" * 17], ["a"] * 17, None, [["a"]]],
    "prefix": ["e2", [1], None],
    "line": [-1, "0", None],
    "agent": [1, None, "x" * 201],
    "budget": [0, -1, 31, "2", {}, {"seconds": 99}, {"hours": 1}, [2], None],
    "lines": [0, 21, "3", 1.5, True, None],
    "on": [1, "true", None],
    "topic": [1, None, "x" * 161],
}


def required(kind: str) -> list[str]:
    fields = msgspec.structs.fields(requests.BY_TYPE[kind])
    return [field.encode_name for field in fields if field.required]


def test_every_message_has_a_good_one_here() -> None:
    assert set(GOOD) == set(requests.BY_TYPE)


@pytest.mark.parametrize("kind", GOOD)
def test_a_good_message_passes(kind: str) -> None:
    found = parse_request({"type": kind, "rid": "1", **GOOD[kind]})
    assert requests.type_of(found) == kind
    again = msgspec.json.decode(msgspec.json.encode(found))
    assert {name: again[name] for name in GOOD[kind]} == GOOD[kind]


@pytest.mark.parametrize("kind", GOOD)
def test_a_wrong_field_is_named(kind: str) -> None:
    for name in field_names(requests.BY_TYPE[kind]):
        for value in WRONG[name]:
            if name in ("ply", "seat", "clock") and value is None:
                continue
            with pytest.raises(Refusal) as refusal:
                parse_request({"type": kind, **GOOD[kind], name: value})
            assert refusal.value.code == "bad"
            assert name in str(refusal.value), (kind, name, value)
            assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("kind", [kind for kind in GOOD if required(kind)])
def test_a_missing_field_is_named(kind: str) -> None:
    for name in required(kind):
        with pytest.raises(Refusal, match=f"{kind} needs {name}"):
            parse_request({"type": kind, **{k: v for k, v in GOOD[kind].items() if k != name}})


@pytest.mark.parametrize("kind", [None, 1, "", "MOVE", "__class__", ["move"], {"a": 1}])
def test_an_unknown_type_is_refused(kind: Any) -> None:
    with pytest.raises(Refusal, match="type must be one of"):
        parse_request({"type": kind})


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(Refusal, match="undo has no field 'now': it has ver, id"):
        parse_request({"type": "undo", "ver": 1, "now": True})


@pytest.mark.parametrize(
    "text",
    ["", "null", "1", "[]", '"ping"', "{", "{'a': 1}", "[" * 60_000, '{"a": NaN}',
     '{"seed": ' + "9" * 5000 + "}", "\ud800", '{"type": Infinity}'],
)  # fmt: skip
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        parse(text)
    assert refusal.value.code == "bad"


def test_a_large_message_is_refused_unread() -> None:
    with pytest.raises(Refusal) as refusal:
        parse("x" * (LARGEST + 1))
    assert refusal.value.status == 413


@pytest.mark.parametrize("rid", [1.5, [], {}, True, "x" * 65, 2**60])
def test_a_request_has_a_short_name(rid: Any) -> None:
    with pytest.raises(Refusal, match="rid must be"):
        rid_of({"rid": rid})
    assert rid_of({"rid": 7}) == "7"
    assert rid_of({}) is None


def test_a_long_error_is_cut() -> None:
    assert len(str(Refusal("bad", "x" * 1000))) == 300
