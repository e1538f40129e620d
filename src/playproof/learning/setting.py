"""Settings of a training run: how one is declared, checked, described and changed from text.

A setting's meaning, default and range are stated once, where its class declares it.  The checks,
``playproof train --settings`` and the docs page on settings all read them from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from playproof.core.errors import UsageError, one_of

if TYPE_CHECKING:
    from playproof.learning.settings import RunSettings

S = TypeVar("S", bound="RunSettings")

_KEY = "setting"


@dataclass(frozen=True)
class Rule:
    """The meaning and the range of a setting.

    Numbers are from ``least`` to ``most``, or strictly ``above`` and ``below`` a bound; ``form``
    describes what a text looks like."""

    meaning: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    form: str = ""

    @property
    def allowed(self) -> str:
        """The range in words, such as ``1 or more`` or ``a number from 0 to 1``."""
        if self.form:
            return self.form
        if self.choices:
            return one_of(self.choices)
        if self.least is not None and self.most is not None:
            return f"a number from {self.least:g} to {self.most:g}"
        if self.above is not None:
            more = f"more than {self.above:g}"
            return more if self.below is None else f"{more}, less than {self.below:g}"
        return "any number" if self.least is None else f"{self.least:g} or more"

    def allows(self, value: object) -> bool:
        if self.choices:
            return value in self.choices
        if not isinstance(value, int | float):
            return True
        return (
            math.isfinite(value)
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )


class SettingDescription(NamedTuple):
    """A setting for display; ``value`` is the default as text."""

    name: str
    kind: str
    value: str
    allowed: str
    meaning: str


def setting(default: Any, meaning: str, **limits: Any) -> Any:
    """Declare a field of a settings class; ``limits`` are the other fields of :class:`Rule`."""
    return field(default=default, metadata={_KEY: Rule(meaning, **limits)})


def setting_rules(kind: type) -> dict[str, Rule]:
    """The rules of a class's settings by name; an overridden default keeps the base's rule."""
    rules: dict[str, Rule] = {}
    for one in fields(kind):
        for owner in kind.__mro__:
            declared = getattr(owner, "__dataclass_fields__", {}).get(one.name)
            if declared is not None and _KEY in declared.metadata:
                rules[one.name] = declared.metadata[_KEY]
                break
    return rules


def check_ranges(settings: Any) -> None:
    """Raise a UsageError for the first setting that is out of range."""
    for name, rule in setting_rules(type(settings)).items():
        value = getattr(settings, name)
        if not rule.allows(value):
            raise UsageError(f"{name}={value}: want {rule.allowed}")


def describe_settings(settings: Any) -> Iterator[SettingDescription]:
    """Describe every setting, with its value in ``settings``."""
    rules = setting_rules(type(settings))
    for one in fields(settings):
        value, rule = getattr(settings, one.name), rules[one.name]
        yield SettingDescription(
            one.name, _kind(value), format_setting(value), rule.allowed, rule.meaning
        )


def _kind(value: object) -> str:
    if isinstance(value, tuple | list):
        return "widths"
    return {int: "whole number", float: "number", str: "text"}[type(value)]


def format_setting(value: object) -> str:
    """A value written as ``--set`` reads it."""
    return "/".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def apply_changes(settings: S, changes: Mapping[str, str]) -> S:
    """Settings with changes given as text, such as ``rate=3e-4`` or ``hidden=64/64``."""
    values = asdict(settings)
    for name, text in changes.items():
        if name not in values:
            near = get_close_matches(name, values, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(
                f"there is no setting '{name}'{hint} ('playproof train PRESET --settings' "
                "lists them all)"
            )
        try:
            values[name] = _parse(text, values[name])
        except ValueError:
            raise UsageError(
                f"{name}={text}: want {_example(values[name])}, as in "
                f"{name}={format_setting(values[name])}"
            ) from None
    return type(settings)(**from_json(values))


def from_json(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of settings read from JSON, in which tuples have become lists."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }


def _parse(text: str, present: Any) -> Any:
    """A value from text, of the same type as the present one."""
    if isinstance(present, (tuple, list)):
        return tuple(int(part) for part in text.split("/"))
    return type(present)(text)


def _example(present: Any) -> str:
    if isinstance(present, (tuple, list)):
        return "whole numbers with / between them"
    return {int: "a whole number", float: "a number", str: "a name"}[type(present)]
