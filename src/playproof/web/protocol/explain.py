"""One line that says why a value does not fit a struct and what would fit."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, cast, get_type_hints

import msgspec
from msgspec import inspect

# All that msgspec.convert raises for unsuitable values.
ERRORS = (msgspec.ValidationError, OverflowError, RecursionError, ValueError)


def explain(content: Mapping[str, Any], kind: type[msgspec.Struct], subject: str) -> str:
    """What is wrong with ``content``, which does not fit ``kind``; ``subject`` names it."""
    info = _info(kind)
    names = field_names(kind)
    ignored = ("rid", info.tag_field)
    for name in content:
        if name not in names and name not in ignored:
            hint = "; options are given as variant, {...}" if name == "options" else ""
            fields_text = f"it has {', '.join(names)}" if names else "it has none"
            return f"{subject} has no field {name[:40]!r}: {fields_text}{hint}"
    fields = {field.encode_name: field for field in info.fields}
    for name in names:
        if fields[name].required and name not in content:
            return f"{subject} needs {name}"
    for name, field in fields.items():
        if name in content and not _fits(content[name], kind, field.name):
            return _wrong_field(name, content[name], field.type)
    return f"{subject} is malformed: it has {', '.join(names)}"


def field_names(kind: type[msgspec.Struct]) -> list[str]:
    """The fields of a message, its own before inherited ones; ``rid`` is not listed."""
    own = [name for name in kind.__annotations__ if name in kind.__struct_fields__]
    names = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    ordered = [*own, *(name for name in names if name not in own)]
    return [names[name] for name in ordered if name != "rid"]


def _wrong_field(name: str, value: Any, type_: inspect.Type) -> str:
    inner = _struct(type_)
    if inner is not None and isinstance(value, dict):
        fields = {field.encode_name: field for field in inner.fields}
        if not set(value) - set(fields):
            for key, field in fields.items():
                absent = key not in value
                if (absent and field.required) or (
                    not absent and not _fits(value[key], inner.cls, field.name)
                ):
                    return _wrong_field(f"{name}.{key}", value.get(key), field.type)
    return f"{name} must be {describe_type(type_)}"


def describe_type(type_: inspect.Type) -> str:
    """The values of a type, in words."""
    match type_:
        case inspect.Metadata(type=inner, extra=extra):
            return str(extra["wants"]) if extra and "wants" in extra else describe_type(inner)
        case inspect.UnionType(types=types):
            empty = (inspect.NoneType, inspect.CustomType)
            texts = [describe_type(one) for one in types if not isinstance(one, empty)]
            return " or ".join(dict.fromkeys(texts))
        case inspect.IntType(ge=least, le=most):
            return "a whole number" + _range(least, most)
        case inspect.FloatType(ge=least, le=most):
            return "a number" + _range(least, most)
        case inspect.StrType(max_length=None):
            return "a text"
        case inspect.StrType(max_length=most):
            return f"a text of at most {most} characters"
        case inspect.BoolType():
            return "true or false"
        case inspect.LiteralType(values=values):
            return "one of " + ", ".join(map(str, values))
        case inspect.StructType(cls=cls):
            return "an object with " + ", ".join(field_names(cls))
        case inspect.ListType() | inspect.VarTupleType() | inspect.TupleType():
            return "a list"
    return "an object"


def _range(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return "" if least is None else f" of at least {_plain(least)}"
    return f" from {_plain(least)} to {_plain(most)}"


def _plain(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


def _struct(type_: inspect.Type) -> inspect.StructType | None:
    """The struct type in a type, alone or as part of a union."""
    match type_:
        case inspect.StructType():
            return type_
        case inspect.Metadata(type=inner):
            return _struct(inner)
        case inspect.UnionType(types=types):
            return next((struct for one in types if (struct := _struct(one)) is not None), None)
    return None


@functools.cache
def _info(kind: type[msgspec.Struct]) -> inspect.StructType:
    return cast(inspect.StructType, inspect.type_info(kind))


@functools.cache
def _hints(kind: type[msgspec.Struct]) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


@functools.cache
def _alone(kind: type[msgspec.Struct], name: str) -> type[msgspec.Struct]:
    """A struct with only that field."""
    return msgspec.defstruct("Alone", [("value", _hints(kind)[name])])


def _fits(value: Any, kind: type[msgspec.Struct], name: str) -> bool:
    try:
        msgspec.convert({"value": value}, _alone(kind, name))
    except ERRORS:
        return False
    return True
