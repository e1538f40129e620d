"""The fields of statements and theorems: to JSON and back, from Python and from the words of a
command.

A field is an int, bool, float or str, one of a few values (``Literal``), a tuple of
such, or any of these or None.  ``word_field`` is for squares: a word, or words in
tuples, written in hexadecimal.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import types
import typing
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, Union

from playproof.core.errors import DataError, UsageError, one_of

FORMAT = 1  # of the JSON; a formula that is built otherwise would be another format

_PLAIN = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def word_field(default: Any = dataclasses.MISSING, *, help: str = "") -> Any:
    """A field of squares: a word, or words in tuples."""
    return dataclasses.field(default=default, metadata={"words": True, "help": help})


def types_of(kind: type) -> dict[str, Any]:
    """The type of each field, by name, whether the file writes types as text or not."""
    try:
        hints = typing.get_type_hints(kind)
    except Exception as error:  # a name that the file does not have, or anything in its place
        raise UsageError(f"the types of {kind.__name__}'s fields cannot be read: {error}") from None
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def check_types(kind: type) -> None:
    """Refuse a field that could not be written and read."""
    for field in dataclasses.fields(kind):
        hint = types_of(kind)[field.name]
        if not field.init:
            raise UsageError(f"{kind.__name__}.{field.name} must be given: want init=True")
        if not field.metadata.get("words") and not _is_known(hint):
            wanted = "int, bool, float, str, Literal, a tuple of these, or a word_field"
            name = getattr(hint, "__name__", hint)
            raise UsageError(f"{kind.__name__}.{field.name} cannot be {name}: want {wanted}")


def _is_known(hint: Any) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return all(type(part) in _PLAIN for part in parts)
    if origin is tuple or _is_union(hint):
        return all(part in (..., type(None)) or _is_known(part) for part in parts)
    return isinstance(hint, type) and hint in _PLAIN


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (Union, types.UnionType)


# JSON


def write_fields(thing: Any, label: str, name: str) -> str:
    """A dataclass as one line of JSON: fields at their default are left out."""
    fields = {}
    for field in dataclasses.fields(thing):
        value = getattr(thing, field.name)
        if value != field.default:
            fields[field.name] = _hexadecimal(value) if field.metadata.get("words") else value
    return json.dumps({"format": FORMAT, label: name, **fields}, sort_keys=True)


def read_name(text: str, label: str) -> tuple[str, dict[str, Any]]:
    """What ``write_fields`` wrote: the name, and the fields as JSON has them."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"a {label} must be JSON") from None
    if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
        raise DataError(f'a {label} must be a JSON object with "format": {FORMAT}')
    return str(data.pop(label, None)), data


def read_fields(kind: type, label: str, name: str, data: dict[str, Any]) -> Any:
    """The dataclass whose fields JSON gives."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    values = {}
    for key, value in data.items():
        if key not in fields:
            wanted = one_of(list(fields)) if fields else "no fields"
            raise DataError(f"a {label} {name} has no {key!r}: want {wanted}")
        words = bool(fields[key].metadata.get("words"))
        try:
            values[key] = _numbers(value) if words else value_from_json(value, types_of(kind)[key])
        except ValueError:
            if words:
                raise DataError(f"{key} of {name} must be words such as '0x1c'") from None
            wanted = expected(types_of(kind)[key])
            raise DataError(f"{key} of {name} cannot be {value!r}: want {wanted}") from None
    try:
        return kind(**values)
    except TypeError:
        shown = json.dumps(data, sort_keys=True)
        raise DataError(f"the {label} {name} is incomplete: {shown}") from None
    except ValueError as error:  # what a class of somebody's own raises
        raise DataError(f"the {label} {name} cannot be: {error}") from None


def _hexadecimal(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_hexadecimal(part) for part in value]
    return f"{value:#x}"


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_numbers(part) for part in value)
    if not isinstance(value, str):
        raise ValueError
    return int(value, 16)


def value_from_json(value: Any, hint: Any) -> Any:
    """A value of the field's type, or a ValueError.  A flag is no number, and what is no finite
    number is none either."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        if any(type(value) is type(part) and value == part for part in parts):
            return value
    elif _is_union(hint):
        if value is None and type(None) in parts:
            return None
        for part in parts:
            if part is not type(None):
                try:
                    return value_from_json(value, part)
                except ValueError:
                    continue
    elif typing.get_origin(hint) is tuple:
        if isinstance(value, list):
            kinds = _kinds(parts, len(value))
            return tuple(value_from_json(one, kind) for one, kind in zip(value, kinds, strict=True))
    elif hint is float:
        with contextlib.suppress(OverflowError):  # a whole number beyond all floats
            if type(value) in (int, float) and math.isfinite(value):
                return value
    elif type(value) is hint:
        return value
    raise ValueError


def _kinds(parts: tuple[Any, ...], count: int) -> list[Any]:
    """The types of a tuple's values, which must be so many."""
    if len(parts) == 2 and parts[1] is ...:
        return [parts[0]] * count
    if len(parts) != count:
        raise ValueError
    return list(parts)


# Values of Python

T = TypeVar("T")


def from_python(kind: type[T], name: str, given: Mapping[str, object]) -> T:
    """The dataclass with these fields; a UsageError says which cannot be, and what could."""
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values = {}
    for key, value in given.items():
        if key not in fields:
            near = get_close_matches(key, fields, n=1)
            guess = f"; did you mean {near[0]}?" if near else ""
            known = one_of(list(fields)) if fields else "no fields"
            raise UsageError(f"{name} has no field {key!r}{guess} (want {known})")
        words = bool(fields[key].metadata.get("words"))
        hint = types_of(kind)[key]
        try:
            values[key] = _words(value) if words else value_from_json(_lists(value), hint)
        except ValueError:
            wanted = expected(hint, words)
            raise UsageError(f"{key} of {name} cannot be {value!r}: want {wanted}") from None
    for key, field in fields.items():
        needed = field.default is dataclasses.MISSING is field.default_factory
        if needed and key not in values:
            wanted = expected(types_of(kind)[key], bool(field.metadata.get("words")))
            raise UsageError(f"{name} needs {key}: want {wanted}")
    try:
        return kind(**values)
    except ValueError as error:  # what a class of somebody's own raises
        raise UsageError(f"{name} cannot be: {error}") from None


def _lists(value: Any) -> Any:
    """Tuples as JSON has them, and numbers of NumPy as numbers."""
    if isinstance(value, list | tuple):
        return [_lists(part) for part in value]
    return value.item() if hasattr(value, "item") else value


def _words(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_words(part) for part in value)
    number = _lists(value)
    if type(number) is not int or number < 0:
        raise ValueError
    return number


# Words of a command


def parse_field(kind: type, name: str, text: str) -> Any:
    """The value of a field as somebody types it; a UsageError says what would be right."""
    field = next(field for field in dataclasses.fields(kind) if field.name == name)
    hint = types_of(kind)[name]
    words = bool(field.metadata.get("words"))
    try:
        return _from_text(text.strip(), hint, words)
    except ValueError:
        option = "--" + name.replace("_", "-")
        raise UsageError(f"{option} cannot be {text!r}: want {expected(hint, words)}") from None


def expected(hint: Any, words: bool = False) -> str:
    """What a field takes, for a message."""
    parts = [part for part in typing.get_args(hint) if part not in (..., type(None))]
    if typing.get_origin(hint) is Literal:
        return one_of([str(part) for part in parts])
    if _is_union(hint):
        return one_of([expected(part, words) for part in parts])
    if typing.get_origin(hint) is tuple:
        one = "words such as 0x1c" if words else f"values, each {expected(parts[0])}"
        return f"{one}, with commas between them"
    return "a word such as 0x1c" if words else _PLAIN.get(hint, "a value")


def _from_text(text: str, hint: Any, words: bool) -> Any:
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        if text.startswith("["):  # tuples in tuples, as JSON has them
            value = json.loads(text)
            return _numbers(value) if words else value_from_json(value, hint)
        pieces = [piece.strip() for piece in text.split(",")] if text else []
        kinds = _kinds(parts, len(pieces))
        return tuple(_from_text(p, kind, words) for p, kind in zip(pieces, kinds, strict=True))
    if words:
        return int(text, 16)
    if typing.get_origin(hint) is Literal:
        for part in parts:
            if str(part) == text:
                return part
        raise ValueError
    if _is_union(hint):
        for part in parts:
            if part is not type(None):
                try:
                    return _from_text(text, part, words)
                except ValueError:
                    continue
        raise ValueError
    if hint is bool:
        if text not in ("true", "false"):
            raise ValueError
        return text == "true"
    if hint is float and not math.isfinite(float(text)):
        raise ValueError
    return hint(text)
