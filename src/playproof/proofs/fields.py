"""The fields of statements and theorems: conversion to and from JSON, Python values and text.

A field is an int, bool, float or str, one of a few values (``Literal``), a tuple of
such, or a union of these with or without None.  ``word_field`` is for squares: a word,
or words in tuples, written in hexadecimal.

A field at its default is left out of the JSON.  If its metadata have ``absent``, it is left out
at that value instead, and JSON without the field means that value.  So a default can change while
JSON of earlier versions keeps its meaning.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import re
import types
import typing
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeVar, Union

from playproof.core.errors import DataError, UsageError, one_line, one_of
from playproof.proofs.strict_json import NotStrict, read_object

FORMAT = 1  # of the JSON; to be raised if a statement's formula ever changes

_WORD = re.compile("(?:0[xX])?[0-9a-fA-F]+")  # without a sign, which int() would accept
_LONGEST_SHOWN = 80  # characters of an untrusted value

_PLAIN = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def word_field(default: Any = dataclasses.MISSING, *, help: str = "") -> Any:
    """A field of squares: a word, or words in tuples."""
    return dataclasses.field(default=default, metadata={"words": True, "help": help})


def types_of(kind: type) -> dict[str, Any]:
    """The type of each field by name, also where the file writes its types as text."""
    try:
        hints = typing.get_type_hints(kind)
    except Exception as error:  # a type given as text may fail in any way
        raise UsageError(f"the types of {kind.__name__}'s fields cannot be read: {error}") from None
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def check_types(kind: type) -> None:
    """Reject a field that could not be written to JSON and read back."""
    for field in dataclasses.fields(kind):
        hint = types_of(kind)[field.name]
        if not field.init:
            raise UsageError(f"{kind.__name__}.{field.name} must be an argument: want init=True")
        if not field.metadata.get("words") and not _is_supported(hint):
            supported = "int, bool, float, str, Literal, a tuple of these, or a word_field"
            name = getattr(hint, "__name__", hint)
            raise UsageError(f"{kind.__name__}.{field.name} cannot be {name}: want {supported}")


def _is_supported(hint: Any) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return all(type(part) in _PLAIN for part in parts)
    if origin is tuple or _is_union(hint):
        return all(part in (..., type(None)) or _is_supported(part) for part in parts)
    return isinstance(hint, type) and hint in _PLAIN


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (Union, types.UnionType)


# JSON


def write_fields(instance: Any, label: str, name: str) -> str:
    """A dataclass instance as one line of JSON; what a missing field would mean is left out."""
    fields = {}
    for field in dataclasses.fields(instance):
        value = getattr(instance, field.name)
        if value != field.metadata.get("absent", field.default):
            fields[field.name] = hexadecimal(value) if field.metadata.get("words") else value
    return json.dumps({"format": FORMAT, label: name, **fields}, sort_keys=True)


def read_name(text: str | bytes, label: str) -> tuple[str, dict[str, Any]]:
    """Parse the output of ``write_fields`` into the name and the raw JSON fields."""
    try:
        data = read_object(text)
    except NotStrict as error:
        raise DataError(f"a {label} must be JSON, one JSON object: {error}") from None
    version, name = data.pop("format", None), data.pop(label, None)
    if type(version) is not int or version != FORMAT:
        raise DataError(f'a {label} must be a JSON object with "format": {FORMAT}')
    if not isinstance(name, str):
        raise DataError(f'a {label} must have a name, as in "{label}": "othello-mobility"')
    return name, data


def read_fields(kind: type, label: str, name: str, data: dict[str, Any]) -> Any:
    """An instance of the dataclass ``kind`` from raw JSON fields."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    values = {
        key: field.metadata["absent"] for key, field in fields.items() if "absent" in field.metadata
    }
    for key, value in data.items():
        if key not in fields:
            choices = one_of(list(fields)) if fields else "no fields"
            raise DataError(f"a {label} {name} has no {_short(key)}: want {choices}")
        words, hint = bool(fields[key].metadata.get("words")), types_of(kind)[key]
        try:
            values[key] = _words_from_json(value, hint) if words else value_from_json(value, hint)
        except ValueError:
            if words:
                raise DataError(f"{key} of {name} must be words such as '0x1c'") from None
            right = describe_type(hint)
            raise DataError(f"{key} of {name} cannot be {_short(value)}: want {right}") from None
    missing = [
        key for key, field in fields.items()
        if field.default is dataclasses.MISSING is field.default_factory and key not in values
    ]  # fmt: skip
    if missing:
        raise DataError(f"the {label} {name} is incomplete: it needs {one_of(missing)}")
    try:
        return kind(**values)
    except UsageError as error:
        raise DataError(str(error)) from None
    except (ValueError, TypeError, OverflowError) as error:  # raised by a third-party class
        raise DataError(f"the {label} {name} cannot be: {one_line(error)}") from None


def _short(value: object) -> str:
    """A value from an untrusted file, for an error line."""
    text = ascii(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def hexadecimal(value: Any) -> Any:
    """A word, or words in tuples, as JSON has them."""
    if isinstance(value, tuple):
        return [hexadecimal(part) for part in value]
    return f"{value:#x}"


def _words_from_json(value: Any, hint: Any) -> Any:
    """The words of a field of the type ``hint``, nested as it says."""
    if isinstance(value, list):
        if hint is int:
            raise ValueError
        parts = typing.get_args(hint)
        known = typing.get_origin(hint) is tuple and parts
        kinds = _element_types(parts, len(value)) if known else [Any] * len(value)
        return tuple(_words_from_json(one, kind) for one, kind in zip(value, kinds, strict=True))
    if not isinstance(value, str) or typing.get_origin(hint) is tuple or not _WORD.fullmatch(value):
        raise ValueError
    return int(value, 16)


def value_from_json(value: Any, hint: Any) -> Any:
    """``value`` as a value of the type ``hint``; raises ValueError if it does not fit.

    A bool does not count as a number, and a number must be finite.
    """
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
            kinds = _element_types(parts, len(value))
            return tuple(value_from_json(one, kind) for one, kind in zip(value, kinds, strict=True))
    elif hint is float:
        with contextlib.suppress(OverflowError):  # an int too large for a float
            if type(value) in (int, float) and math.isfinite(value):
                return value
    elif type(value) is hint:
        return value
    raise ValueError


def _element_types(parts: tuple[Any, ...], count: int) -> list[Any]:
    """The types of a tuple's ``count`` values; raises ValueError for another length."""
    if len(parts) == 2 and parts[1] is ...:
        return [parts[0]] * count
    if len(parts) != count:
        raise ValueError
    return list(parts)


# Values of Python

T = TypeVar("T")


def from_python(kind: type[T], name: str, arguments: Mapping[str, object]) -> T:
    """An instance of the dataclass ``kind`` with these arguments, checked.

    A UsageError names the argument that is wrong and says what would be right.
    """
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values = {}
    for key, value in arguments.items():
        if key not in fields:
            near = get_close_matches(key, fields, n=1)
            guess = f"; did you mean {near[0]}?" if near else ""
            choices = one_of(list(fields)) if fields else "no fields"
            raise UsageError(f"{name} has no field {key!r}{guess} (want {choices})")
        words = bool(fields[key].metadata.get("words"))
        hint = types_of(kind)[key]
        try:
            values[key] = (
                _words_from_python(value, hint) if words else value_from_json(_as_json(value), hint)
            )
        except ValueError:
            right = describe_type(hint, words)
            raise UsageError(f"{key} of {name} cannot be {value!r}: want {right}") from None
    for key, field in fields.items():
        required = field.default is dataclasses.MISSING is field.default_factory
        if required and key not in values:
            right = describe_type(types_of(kind)[key], bool(field.metadata.get("words")))
            raise UsageError(f"{name} needs {key}: want {right}")
    try:
        return kind(**values)
    except ValueError as error:  # raised by a third-party class
        raise UsageError(f"{name} cannot be: {error}") from None


def _as_json(value: Any) -> Any:
    """Tuples as lists, and NumPy scalars as plain numbers."""
    if isinstance(value, list | tuple):
        return [_as_json(part) for part in value]
    return value.item() if hasattr(value, "item") else value


def _words_from_python(value: Any, hint: Any) -> Any:
    return _words_from_json(_as_hexadecimal(value), hint)


def _as_hexadecimal(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_as_hexadecimal(part) for part in value]
    number = _as_json(value)
    if type(number) is not int or number < 0:
        raise ValueError
    return f"{number:#x}"


# Text of a command line


def parse_field(kind: type, name: str, text: str) -> Any:
    """The value of a field from command-line text; a UsageError says what would be right."""
    field = next(field for field in dataclasses.fields(kind) if field.name == name)
    hint = types_of(kind)[name]
    words = bool(field.metadata.get("words"))
    try:
        return _from_text(text.strip(), hint, words)
    except ValueError:
        option = "--" + name.replace("_", "-")
        raise UsageError(
            f"{option} cannot be {text!r}: want {describe_type(hint, words)}"
        ) from None


def describe_type(hint: Any, words: bool = False) -> str:
    """What a field of this type accepts, for an error line or a help text."""
    parts = [part for part in typing.get_args(hint) if part not in (..., type(None))]
    if typing.get_origin(hint) is Literal:
        return one_of([str(part) for part in parts])
    if _is_union(hint):
        return one_of([describe_type(part, words) for part in parts])
    if typing.get_origin(hint) is tuple:
        elements = "words such as 0x1c" if words else f"values, each {describe_type(parts[0])}"
        return f"{elements}, with commas between them"
    return "a word such as 0x1c" if words else _PLAIN.get(hint, "a value")


def _from_text(text: str, hint: Any, words: bool) -> Any:
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        if text.startswith("["):  # nested tuples are written as JSON
            value = json.loads(text)
            return _words_from_json(value, hint) if words else value_from_json(value, hint)
        pieces = [piece.strip() for piece in text.split(",")] if text else []
        kinds = _element_types(parts, len(pieces))
        return tuple(_from_text(p, kind, words) for p, kind in zip(pieces, kinds, strict=True))
    if words:
        return _words_from_json(text, hint)
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
