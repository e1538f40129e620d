"""Events of a proof as JSON: the form in which a job stores its steps.

``{"text": a line for people, "facts": {"what": the kind, figures ...}}``.  What jobs of other
versions have stored is read as well, as far as it is known here.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping

from playproof.proofs.events import (
    EVENTS,
    ProofEvent,
    SearchAnswered,
    SolverAnswered,
    TheoremAnswered,
)
from playproof.proofs.fields import value_from_json


def to_json(event: ProofEvent) -> dict[str, object]:
    """``{"text", "facts"}``, as a job stores it."""
    return {"text": event.text, "facts": {"what": event.what, **figures(event)}}


def figures(event: ProofEvent) -> dict[str, object]:
    """The facts of an event but for its kind, by their names in JSON."""
    values = {}
    for one in dataclasses.fields(event):
        name = _json_name(one)
        if name is not None:
            value = getattr(event, one.name)
            values[name] = list(value) if isinstance(value, tuple) else value
    return values


def from_json(data: object) -> ProofEvent | None:
    """The event that ``to_json`` wrote, in this version or another one: facts that are not
    known are passed over.  None for a kind that is not known, and for what is damaged."""
    if not isinstance(data, Mapping):
        return None
    text, facts = data.get("text"), data.get("facts")
    if not isinstance(text, str) or not isinstance(facts, Mapping):
        return None
    kind = _kind_of(facts)
    if kind is None:
        return None
    values = kind.read_text(text)
    try:
        for one in dataclasses.fields(kind):
            name = _json_name(one)
            if name is not None and (name in facts or one.default is dataclasses.MISSING):
                values[one.name] = _value(facts.get(name), _TYPES[kind][one.name])
        return kind(**values)
    except (ValueError, OverflowError, RecursionError):
        return None


def _json_name(one: dataclasses.Field[object]) -> str | None:
    name: str | None = one.metadata.get("json", one.name)
    return name


def _kind_of(facts: Mapping[object, object]) -> type[ProofEvent] | None:
    what = facts.get("what")
    if what == SearchAnswered.what:  # three kinds of answers share a name
        if "parts" in facts:
            return TheoremAnswered
        return SolverAnswered if "solver" in facts else SearchAnswered
    return _KINDS.get(what) if isinstance(what, str) else None


_KINDS = {kind.what: kind for kind in EVENTS}
_TYPES = {kind: typing.get_type_hints(kind) for kind in EVENTS}


def _value(value: object, hint: object) -> object:
    """A value of the field's type; a ValueError if it is none."""
    if typing.get_origin(hint) is not Mapping:
        return value_from_json(value, hint)
    if not isinstance(value, Mapping):
        raise ValueError
    of_key, of_value = typing.get_args(hint)
    return {
        value_from_json(name, of_key): value_from_json(one, of_value) for name, one in value.items()
    }
