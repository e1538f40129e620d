"""Families of games: what a network covers, where that is more than one game.

A member is written as a spec string whose options may have several values::

    quantum-go:board=5x5,komi=*,variant=standard|weak
    go:board=5x5|7x7,komi=-7.5..7.5

``*`` is any value, ``|`` stands between values, ``..`` between the ends of a range of numbers.
An option that is not named is at its default, as in any spec; one that only says when a game is
called off may be anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core import registry, spec
from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.game import Game
from playproof.core.spec import Option

Value = bool | int | float | str

_ANY, _OR, _TO = "*", "|", ".."


@dataclass(frozen=True)
class Values:
    """What an option may be: one of ``choices``, a number ``between`` two ends, or anything."""

    choices: tuple[Value, ...] = ()
    between: tuple[int | float, int | float] | None = None

    @classmethod
    def read(cls, option: Option, text: str, owner: str) -> Values:
        if text == _ANY:
            return cls()
        is_number = isinstance(option.default, int | float) and not isinstance(option.default, bool)
        least, to, most = text.partition(_TO)
        if not (is_number and to):
            return cls(tuple(option.read(part, owner) for part in text.split(_OR)))
        low, high = option.read(least, owner), option.read(most, owner)
        if isinstance(low, str) or isinstance(high, str) or low > high:
            raise UsageError(f"{owner}: {option.name}={text}: want the smaller end first")
        return cls(between=(low, high))

    def allow(self, value: Value) -> bool:
        if self.between is not None:
            return isinstance(value, int | float) and self.between[0] <= value <= self.between[1]
        return not self.choices or value in self.choices

    def __str__(self) -> str:
        if self.between is not None:
            return _TO.join(map(str, self.between))
        return _OR.join(map(_text, self.choices)) or _ANY


@dataclass(frozen=True)
class Member:
    """Games of one name, by what their options may be."""

    game: str
    options: tuple[tuple[str, Values], ...] = ()  # those that need not be at their default

    @classmethod
    def parse(cls, text: str) -> Member:
        """The member that a text such as ``go:board=5x5,komi=*`` describes."""
        name, settings = spec.parse(text)
        fields = registry.find(name).option_fields
        unknown = settings.keys() - {option.name for option in fields}
        if unknown:  # refused by the very line that a spec is refused by
            spec.resolve_options(name, fields, {min(unknown): ""})
        options = [
            (option.name, Values.read(option, settings[option.name], name))
            for option in fields
            if option.name in settings
        ]
        return cls(name, tuple(options))

    def differences(self, game: Game) -> list[str]:
        """What the options of a game of this name would have to be, as in a spec."""
        wanted = dict(self.options)
        found = []
        for option in game.option_fields:
            values = wanted.get(option.name)
            if values is None and option.name in game.length_options:
                continue
            values = values or Values((option.default,))
            if not values.allow(game.options[option.name]):
                found.append(f"{option.name}={values}")
        return found

    def __str__(self) -> str:
        return spec.write(self.game, dict(self.options))


@dataclass(frozen=True)
class GameFamily:
    """Games that one network covers."""

    members: tuple[Member, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> GameFamily:
        """The family of these members, each a text; a UsageError says what is wrong with one."""
        if not texts:
            raise UsageError("a family has no member: want one such as go:board=5x5,komi=*")
        return cls(tuple(Member.parse(text) for text in texts))

    def covers(self, game: Game) -> bool:
        return any(
            member.game == game.name and not member.differences(game) for member in self.members
        )

    def wanted(self, game: Game) -> str:
        """What its options would have to be, of the member that is nearest; empty for a game of
        another name."""
        apart = [member.differences(game) for member in self.members if member.game == game.name]
        nearest: list[str] = min(apart, key=len) if apart else []
        return ",".join(nearest)

    def texts(self) -> list[str]:
        return [str(member) for member in self.members]

    def __str__(self) -> str:
        return " or ".join(self.texts())


@dataclass(frozen=True)
class Coverage:
    """Which games a network can be used in: those of its ``family``, or ``game`` alone, where its
    ``observation`` and sizes fit."""

    game: str  # a spec
    family: GameFamily | None
    observation: str
    inputs: int
    actions: int

    def make_game(self) -> Game:
        try:
            return registry.make(self.game)
        except UsageError as error:
            raise DataError(f"the net's game cannot be made: {error}") from None

    def refusal(self, game: Game) -> str:
        """Why the network cannot be used in ``game``, in a line; empty if it can."""
        if not self._is_of(game):
            wanted = self.family.wanted(game) if self.family else ""
            hint = f": want {wanted}" if wanted else ""
            return f"the net is of {self}, not of {game.spec}{hint}"
        if self.observation not in game.observations:
            known = one_of(list(game.observations))
            return f"{game.name} has no observation {self.observation!r}: want {known}"
        inputs = math.prod(game.observations[self.observation])
        if (self.inputs, self.actions) != (inputs, game.num_actions):
            return (
                f"the net has {self.inputs} inputs and {self.actions} actions, but "
                f"{self.observation} of {game.spec} has {inputs} and {game.num_actions}"
            )
        return ""

    def _is_of(self, game: Game) -> bool:
        if self.family is not None:
            return self.family.covers(game)
        own = self.make_game()
        lengths = {name: game.options[name] for name in own.length_options if name in game.options}
        return (game.name, game.options) == (own.name, {**own.options, **lengths})

    def __str__(self) -> str:
        return self.game if self.family is None else str(self.family)


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
