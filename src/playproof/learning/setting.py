"""What a setting of a run is: its meaning, its default, and what it may be.

Each is stated once, where the settings are declared; the checks, ``playproof train --settings``
and the page on settings come from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from playproof.core.errors import UsageError, one_of

_KEY = "setting"


@dataclass(frozen=True)
class Rule:
    """What a setting means and may be.  Numbers lie from ``least`` to ``most``, ``above`` and
    ``below``; ``form`` says what a text looks like."""

    meaning: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[str, ...] = ()
    form: str = ""

    @property
    def allowed(self) -> str:
        """``1 or more``, ``from 0 to 1``: what would be right."""
        if self.form:
            return self.form
        if self.choices:
            return one_of(self.choices)
        if self.least is not None and self.most is not None:
            return f"from {self.least:g} to {self.most:g}"
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


class Described(NamedTuple):
    """A setting of a run, for people: ``value`` is the default, as text."""

    name: str
    kind: str
    value: str
    allowed: str
    meaning: str


def setting(default: Any, meaning: str, **limits: Any) -> Any:
    """The field of a settings class; ``limits`` are those of :class:`Rule`."""
    return field(default=default, metadata={_KEY: Rule(meaning, **limits)})


def rules_of(kind: type) -> dict[str, Rule]:
    """The rule of every setting; a class that only gives another default keeps its base's."""
    rules: dict[str, Rule] = {}
    for one in fields(kind):
        for owner in kind.__mro__:
            known = getattr(owner, "__dataclass_fields__", {}).get(one.name)
            if known is not None and _KEY in known.metadata:
                rules[one.name] = known.metadata[_KEY]
                break
    return rules


def check_ranges(settings: Any) -> None:
    """A UsageError for the first setting that is out of its range."""
    for name, rule in rules_of(type(settings)).items():
        value = getattr(settings, name)
        if not rule.allows(value):
            raise UsageError(f"{name}={value}: want {rule.allowed}")


def described(settings: Any) -> Iterator[Described]:
    """Every setting with the value it has in ``settings``."""
    rules = rules_of(type(settings))
    for one in fields(settings):
        value, rule = getattr(settings, one.name), rules[one.name]
        yield Described(one.name, _kind(value), text_of(value), rule.allowed, rule.meaning)


def _kind(value: object) -> str:
    if isinstance(value, tuple | list):
        return "widths"
    return {int: "whole number", float: "number", str: "text"}[type(value)]


def text_of(value: object) -> str:
    """A value as ``--set`` reads it."""
    return "/".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
