"""Laws of games, and the checks that they are written with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.conformance.random_games import Sampler
    from playproof.core.game import Game

Check = Callable[["Game", "Sampler"], None]


class LawBroken(Exception):
    """A law is broken; the message says what was seen and what was expected."""


@dataclass(frozen=True)
class Law:
    """One law of every game.  ``check`` raises :class:`LawBroken`, or whatever the game raises."""

    name: str
    sentence: str
    games: int  # random games that test it well
    check: Check


def law(games: int) -> Callable[[Check], Law]:
    """Decorate a check as a law; the first paragraph of its docstring states the law."""

    def decorate(check: Check) -> Law:
        sentence = " ".join((check.__doc__ or "").partition("\n\n")[0].split())
        return Law(check.__name__.strip("_").replace("_", "-"), sentence, games, check)

    return decorate


def fail(what: str) -> NoReturn:
    raise LawBroken(what)


def holds(condition: object, what: str) -> None:
    """Fail unless ``condition``; ``what`` says what is wrong."""
    if not condition:
        raise LawBroken(what)


def same(actual: Any, expected: Any, what: str) -> None:
    """Fail unless ``actual``, which ``what`` describes, equals ``expected``."""
    if isinstance(actual, np.ndarray) or isinstance(expected, np.ndarray):
        equal = np.array_equal(actual, expected)
    else:
        equal = bool(actual == expected)
    if not equal:
        raise LawBroken(f"{what} is {format_value(actual)}, expected {format_value(expected)}")


def format_value(value: Any) -> str:
    """A value for an error line, shortened if need be."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    text = " ".join(repr(value).split())
    return text if len(text) <= 160 else f"{text[:160]}..."


def refusal(kind: type[PlayproofError], call: Callable[[], object], what: str) -> str:
    """The message of the error that ``call`` must raise: of type ``kind``, and one line."""
    try:
        call()
    except kind as error:
        line = str(error)
        holds(
            line.strip() and "\n" not in line, f"{what} is refused in other than one line: {line!r}"
        )
        return line
    except Exception as error:
        raised = f"{type(error).__name__} ({format_value(str(error))})"
        fail(f"{what} raises {raised}, expected {kind.__name__}")
    fail(f"{what} is accepted, expected {kind.__name__}")
