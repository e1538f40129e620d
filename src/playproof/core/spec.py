"""Spec strings: ``name`` or ``name:key=value,key=value``, for games and agents.

A key alone is a flag: ``choko:lone_jump`` means ``choko:lone_jump=true``.  The game or agent that
is named declares its keys, each as an :class:`Option`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from playproof.core.errors import UsageError, one_of

_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}


@dataclass(frozen=True)
class Option:
    """One option of a game or an agent.  Its type is that of its default."""

    name: str
    default: bool | int | float | str
    help: str
    choices: tuple[bool | int | float | str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    def read(self, value: object, owner: str) -> bool | int | float | str:
        """``value``, which may be text, converted to this option's type and checked."""
        try:
            result = self._convert(value)
        except (TypeError, ValueError, OverflowError):
            raise self._refusal(value, owner) from None
        if self.choices and result not in self.choices:
            raise self._refusal(value, owner)
        if isinstance(result, int | float):
            # A NaN is within no limits and outside none: it needs a check of its own.
            too_low = self.minimum is not None and result < self.minimum
            too_high = self.maximum is not None and result > self.maximum
            if too_low or too_high or result != result:
                raise self._refusal(value, owner)
        return result

    def _refusal(self, value: object, owner: str) -> UsageError:
        text = str(value)
        text = text if len(text) <= 40 else text[:40] + "..."
        return UsageError(f"{owner}: {self.name}={text} is not {self.expected}")

    @property
    def expected(self) -> str:
        """What a valid value looks like, for error lines and listings."""
        if self.choices:
            return one_of([str(c) for c in self.choices])
        if isinstance(self.default, bool):
            return "true or false"
        kind = {int: "a whole number", float: "a number", str: "a text"}[type(self.default)]
        if self.minimum is not None and self.maximum is not None:
            return f"{kind} from {self.minimum} to {self.maximum}"
        if self.minimum is not None:
            return f"{kind} of at least {self.minimum}"
        if self.maximum is not None:
            return f"{kind} of at most {self.maximum}"
        return kind

    def _convert(self, value: object) -> bool | int | float | str:
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            text = str(value).strip().lower()
            if text in _TRUE | _FALSE:
                return text in _TRUE
            raise ValueError
        if isinstance(self.default, str):
            return str(value)
        if isinstance(value, bool):
            raise ValueError
        if isinstance(self.default, int):
            if isinstance(value, float) and not value.is_integer():
                raise ValueError
            return int(value)  # type: ignore[call-overload, no-any-return]
        return float(value)  # type: ignore[arg-type]


def parse(text: str) -> tuple[str, dict[str, str]]:
    """Split ``name:key=value,flag`` into the name and its settings."""
    name, colon, rest = text.strip().partition(":")
    name = name.strip()
    if not name:
        raise UsageError(f"'{text}' names nothing: write name or name:key=value,key=value")
    settings: dict[str, str] = {}
    if not colon:
        return name, settings
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        key = key.strip()
        if not key:
            raise UsageError(f"'{text}': write {name}:key=value,key=value")
        if key in settings:
            raise UsageError(f"'{text}' sets {key} twice: once is enough")
        settings[key] = value.strip() if equals else "true"
    return name, settings


def resolve_options(
    owner: str, declared: Sequence[Option], values: Mapping[str, object]
) -> dict[str, bool | int | float | str]:
    """Every declared option with its value from ``values``, checked, or its default."""
    by_name = {option.name: option for option in declared}
    for key in values:
        if key not in by_name:
            names = one_of(list(by_name)) if by_name else "none"
            raise UsageError(f"{owner} has no option '{key}'; it has: {names}")
    return {
        name: option.read(values[name], owner) if name in values else option.default
        for name, option in by_name.items()
    }


def write(name: str, settings: Mapping[str, Any]) -> str:
    """The spec string that :func:`parse` reads back."""
    if not settings:
        return name

    def text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return name + ":" + ",".join(f"{key}={text(value)}" for key, value in settings.items())


def write_brief(name: str, declared: Sequence[Option], settings: Mapping[str, Any]) -> str:
    """The spec string with only the options that are not at their default."""
    defaults = {option.name: option.default for option in declared}
    return write(name, {k: v for k, v in settings.items() if v != defaults[k]})


def unknown_name(kind: str, name: str, names: Sequence[str]) -> UsageError:
    """The error for a name that does not exist; it suggests the most similar one."""
    near = get_close_matches(name, names, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return UsageError(f"there is no {kind} {name!r}{hint} (known: {one_of(sorted(names))})")
