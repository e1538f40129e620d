"""Families of games, for networks that cover more than one game.

A member of a family is written as a spec string whose options may have several values::

    quantum-go:board=5x5,komi=*,variant=standard|weak
    go:board=5x5|7x7,komi=-7.5..7.5

``*`` is any value, ``|`` separates values, and ``..`` separates the ends of a range of numbers. An
option that is not named has its default, as in any spec, unless it only limits the length of a
game: then it may have any value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core import registry, spec
from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.game import Game
from playproof.core.spec import Option

OptionValue = bool | int | float | str

_ANY, _OR, _TO = "*", "|", ".."


@dataclass(frozen=True)
class OptionValues:
    """The values that an option may have: some ``choices``, a ``span`` of numbers, or any."""

    choices: tuple[OptionValue, ...] = ()
    span: tuple[int | float, int | float] | None = None

    @classmethod
    def read(cls, option: Option, text: str, owner: str) -> OptionValues:
        """The values in a text such as ``standard|weak``, ``-7.5..7.5`` or ``*``."""
        if text == _ANY:
            return cls()
        is_number = isinstance(option.default, int | float) and not isinstance(option.default, bool)
        least, to, most = text.partition(_TO)
        if not (is_number and to):
            return cls(tuple(option.read(part, owner) for part in text.split(_OR)))
        low, high = option.read(least, owner), option.read(most, owner)
        if isinstance(low, str) or isinstance(high, str) or low > high:
            raise UsageError(f"{owner}: {option.name}={text}: want the smaller end first")
        return cls(span=(low, high))

    def allow(self, value: OptionValue) -> bool:
        """Whether an option may have this value."""
        if self.span is not None:
            return isinstance(value, int | float) and self.span[0] <= value <= self.span[1]
        return not self.choices or value in self.choices

    def __str__(self) -> str:
        if self.span is not None:
            return _TO.join(map(str, self.span))
        return _OR.join(map(_text, self.choices)) or _ANY


@dataclass(frozen=True)
class FamilyMember:
    """Games of one name, by the values that their options may have."""

    game: str
    options: tuple[tuple[str, OptionValues], ...] = ()  # the others must have their defaults

    @classmethod
    def parse(cls, text: str) -> FamilyMember:
        """The member that a text such as ``go:board=5x5,komi=*`` describes."""
        name, settings = spec.parse(text)
        fields = registry.find(name).option_fields
        unknown = settings.keys() - {option.name for option in fields}
        if unknown:  # raises the same error as for a spec
            spec.resolve_options(name, fields, {min(unknown): ""})
        options = [
            (option.name, OptionValues.read(option, settings[option.name], name))
            for option in fields
            if option.name in settings
        ]
        return cls(name, tuple(options))

    def differences(self, game: Game) -> list[str]:
        """The options that keep a game of this name out, as they would have to be in a spec."""
        allowed = dict(self.options)
        differences = []
        for option in game.option_fields:
            values = allowed.get(option.name)
            if values is None and option.name in game.length_options:
                continue
            values = values or OptionValues((option.default,))
            if not values.allow(game.options[option.name]):
                differences.append(f"{option.name}={values}")
        return differences

    def __str__(self) -> str:
        return spec.write(self.game, dict(self.options))


@dataclass(frozen=True)
class GameFamily:
    """The games that one network covers."""

    members: tuple[FamilyMember, ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> GameFamily:
        """The family with members as texts; a UsageError says what is wrong with one of them."""
        if not texts:
            raise UsageError("a family has no member: want one such as go:board=5x5,komi=*")
        return cls(tuple(FamilyMember.parse(text) for text in texts))

    def covers(self, game: Game) -> bool:
        return any(
            member.game == game.name and not member.differences(game) for member in self.members
        )

    def required_options(self, game: Game) -> str:
        """The options that a game would need to be covered by the nearest member.

        It is empty if no member has the game's name.
        """
        differences = [
            member.differences(game) for member in self.members if member.game == game.name
        ]
        fewest: list[str] = min(differences, key=len) if differences else []
        return ",".join(fewest)

    def texts(self) -> list[str]:
        return [str(member) for member in self.members]

    def __str__(self) -> str:
        return " or ".join(self.texts())


@dataclass(frozen=True)
class Coverage:
    """The games in which a network can be used.

    They are those of its ``family``, or only ``game``, if its ``observation`` and sizes fit.
    """

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
        """Why the network cannot be used in ``game``, in one line; empty if it can."""
        if not self._includes(game):
            required = self.family.required_options(game) if self.family else ""
            hint = f": want {required}" if required else ""
            return f"the net is of {self}, not of {game.spec}{hint}"
        if self.observation not in game.observations:
            names = one_of(list(game.observations))
            return f"{game.name} has no observation {self.observation!r}: want {names}"
        inputs = math.prod(game.observations[self.observation])
        if (self.inputs, self.actions) != (inputs, game.num_actions):
            return (
                f"the net has {self.inputs} inputs and {self.actions} actions, but "
                f"{self.observation} of {game.spec} has {inputs} and {game.num_actions}"
            )
        return ""

    def _includes(self, game: Game) -> bool:
        if self.family is not None:
            return self.family.covers(game)
        own = self.make_game()
        lengths = {name: game.options[name] for name in own.length_options if name in game.options}
        return (game.name, game.options) == (own.name, {**own.options, **lengths})

    def __str__(self) -> str:
        return self.game if self.family is None else str(self.family)


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
