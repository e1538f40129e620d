"""Events of a proof as JSON, the form in which a job stores its steps.

``{"text": a readable line, "facts": {"what": the kind, the event's fields ...}}``.  Steps stored
by other versions are read too, as far as this version knows their kinds and fields.
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
    """The event as ``{"text", "facts"}``, as a job stores it."""
    return {"text": event.text, "facts": {"what": event.what, **json_fields(event)}}


def json_fields(event: ProofEvent) -> dict[str, object]:
    """The fields of an event by their names in JSON, without its kind."""
    values = {}
    for field in dataclasses.fields(event):
        name = _json_name(field)
        value = getattr(event, field.name)
        # Without assumptions a step is stored as versions before these stored it.
        if name is not None and not (name == "assumes" and not value):
            values[name] = list(value) if isinstance(value, tuple) else value
    return values


def from_json(data: object) -> ProofEvent | None:
    """Read an event that ``to_json`` wrote, in this version or another one.

    Unknown fields are ignored.  Returns None if the kind is unknown or the data are damaged.
    """
    if not isinstance(data, Mapping):
        return None
    text, stored = data.get("text"), data.get("facts")
    if not isinstance(text, str) or not isinstance(stored, Mapping):
        return None
    event_class = _event_class(stored)
    if event_class is None:
        return None
    values = event_class.read_text(text)
    try:
        for field in dataclasses.fields(event_class):
            name = _json_name(field)
            if name is not None and (name in stored or field.default is dataclasses.MISSING):
                values[field.name] = _value(stored.get(name), _TYPES[event_class][field.name])
        return event_class(**values)
    except (ValueError, OverflowError, RecursionError):
        return None


def _json_name(field: dataclasses.Field[object]) -> str | None:
    name: str | None = field.metadata.get("json", field.name)
    return name


def _event_class(stored: Mapping[object, object]) -> type[ProofEvent] | None:
    what = stored.get("what")
    if what == SearchAnswered.what:  # three kinds of answers share a name
        if "parts" in stored:
            return TheoremAnswered
        return SolverAnswered if "solver" in stored else SearchAnswered
    return _BY_NAME.get(what) if isinstance(what, str) else None


_BY_NAME = {event_class.what: event_class for event_class in EVENTS}
_TYPES = {event_class: typing.get_type_hints(event_class) for event_class in EVENTS}


def _value(value: object, hint: object) -> object:
    """``value`` as a value of the type ``hint``; raises ValueError if it does not fit."""
    if typing.get_origin(hint) is not Mapping:
        return value_from_json(value, hint)
    if not isinstance(value, Mapping):
        raise ValueError
    key_type, value_type = typing.get_args(hint)
    return {
        value_from_json(name, key_type): value_from_json(item, value_type)
        for name, item in value.items()
    }
