"""Events of a proof: each kind goes to JSON and back, and what is damaged is never an error."""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.proofs import events
from playproof.proofs.event_json import from_json, json_fields, to_json
from playproof.proofs.events import EVENTS, ProofEvent
from tests.support.longer import longer

Kind = type[ProofEvent]

NUMBERS = st.integers(0, 10**9 - 1)
SECONDS = st.floats(0, 1e9)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def of_type(hint: Any) -> st.SearchStrategy[Any]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return st.sampled_from(parts)
    if origin is tuple:
        return st.lists(of_type(parts[0]), max_size=5).map(tuple)
    if origin is Mapping:
        return st.dictionaries(of_type(parts[0]), of_type(parts[1]), max_size=5)
    if parts:  # a union
        return st.one_of([of_type(part) for part in parts])
    plain = {int: NUMBERS, float: SECONDS, str: st.text(), bool: st.booleans()}
    return st.none() if hint is type(None) else plain[hint]


def some(kind: Kind) -> st.SearchStrategy[ProofEvent]:
    hints = typing.get_type_hints(kind)
    fields = {field.name: of_type(hints[field.name]) for field in dataclasses.fields(kind)}
    return st.builds(kind, **fields)


def described(kind: Kind = ProofEvent) -> Iterator[Kind]:
    """All classes of events that there are, but for those that only hold what others share."""
    if "what" in vars(kind):
        yield kind
    for below in kind.__subclasses__():
        yield from described(below)


def test_no_kind_of_event_is_left_out() -> None:
    assert set(EVENTS) == set(described())
    steps = [kind.what for kind in EVENTS if issubclass(kind, events.ProofStep)]
    # The answers of a solver, of a theorem and of a search are told apart by their figures.
    assert len(set(steps)) == len(steps) - 2
    assert {"begin", "follow", "formula", "answer", "proof", "part", "witness", "record"} <= set(
        steps
    )
    assert {"levels", "found", "checking", "check", "checked", "verdict"} <= set(steps)


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(deadline=None, max_examples=longer(25, 1000))
@given(data=st.data())
def test_an_event_comes_back_from_its_json(kind: Kind, data: st.DataObject) -> None:
    event = data.draw(some(kind))
    stored = json.loads(json.dumps(to_json(event), allow_nan=False))
    assert set(stored) == {"text", "facts"}
    assert stored["facts"]["what"] == kind.what
    assert from_json(stored) == event
    assert type(from_json(stored)) is kind
    assert from_json({"at": 1.5, **stored}) == event  # as a job reads its steps


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(deadline=None, max_examples=longer(25, 1000))
@given(data=st.data())
def test_damaged_json_is_never_an_error(kind: Kind, data: st.DataObject) -> None:
    stored = to_json(data.draw(some(kind)))
    facts = dict(typing.cast("dict[str, object]", stored["facts"]))
    for name in data.draw(st.lists(st.sampled_from(sorted(facts)))):
        if data.draw(st.booleans()):
            facts[name] = data.draw(VALUES)
        else:
            facts.pop(name, None)
    found = from_json({**stored, "facts": facts})
    if found is not None:  # then it is as good as any other
        assert from_json(to_json(found)) == found
    assert (
        from_json({**stored, "text": data.draw(VALUES.filter(lambda v: type(v) is not str))})
        is None
    )


@settings(deadline=None, max_examples=longer(100, 5000))
@given(VALUES)
def test_anything_may_be_read(value: object) -> None:
    assert from_json(value) is None
    assert from_json({"text": "x", "facts": value}) is None
    assert from_json({"text": "x", "facts": {"what": value}}) is None or isinstance(value, str)


@pytest.mark.parametrize(
    "facts",
    [
        {"what": "formula", "variables": True, "clauses": 2},
        {"what": "formula", "variables": 1.0, "clauses": 2},
        {"what": "formula", "variables": 1},
        {"what": "answer", "status": "unsat", "seconds": float("nan")},
        {"what": "answer", "status": "unsat", "seconds": 10**400},
        {"what": "answer", "status": "maybe", "seconds": 1.0},
        {"what": "answer", "status": "unsat", "seconds": 1.0, "solver": "x", "conflicts": "3"},
        {"what": "levels", "counts": "123", "at_least": 1, "size": 4, "sets": 1, "exhausted": True},
        {"what": "checked", "part": "001", "checks": {"proof": 1}, "detail": "", "seconds": 0.0},
        {"what": "nothing known"},
        {"what": 7},
        {},
    ],
)
def test_what_is_of_the_wrong_kind_is_none(facts: dict[str, object]) -> None:
    assert from_json({"text": "a line", "facts": facts}) is None


def test_facts_of_a_later_version_are_passed_over() -> None:
    event = events.FormulaBuilt(188, 491)
    stored = to_json(event)
    later = {**stored, "facts": {**json_fields(event), "what": "formula", "gates": 12}}
    assert from_json(later) == event


def test_answers_are_told_apart_by_their_figures() -> None:
    answers = [
        events.SolverAnswered("unsat", 0.5, None, "cadical 1.9.5"),
        events.TheoremAnswered("unsat", 0.5, "kissat 4.0.4", 12, 3),
        events.SearchAnswered("unsat", 0.5),
    ]
    assert [type(from_json(to_json(one))) for one in answers] == [type(one) for one in answers]


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        events.FormulaBuilt(1, 2).variables = 3  # type: ignore[misc]
