"""What a law is, how it says that it is broken, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.conformance.walks import Dice
    from playproof.core.game import Game

Check = Callable[["Game", "Dice"], None]


class Broken(Exception):
    """A law is broken: the message says what was found and what was expected."""


@dataclass(frozen=True)
class Law:
    """One law of every game.  ``check`` raises :class:`Broken`, or whatever the game raises."""

    name: str
    sentence: str
    games: int  # random games that show it well
    check: Check


def law(games: int) -> Callable[[Check], Law]:
    """The function below as a law: its docstring begins with the sentence."""

    def made(check: Check) -> Law:
        sentence = " ".join((check.__doc__ or "").partition("\n\n")[0].split())
        return Law(check.__name__.strip("_").replace("_", "-"), sentence, games, check)

    return made


def broken(what: str) -> NoReturn:
    raise Broken(what)


def holds(condition: object, what: str) -> None:
    """``what`` describes what is wrong otherwise."""
    if not condition:
        raise Broken(what)


def same(found: Any, expected: Any, what: str) -> None:
    """``found`` is ``expected``; arrays entry by entry."""
    if isinstance(found, np.ndarray) or isinstance(expected, np.ndarray):
        equal = np.array_equal(found, expected)
    else:
        equal = bool(found == expected)
    if not equal:
        raise Broken(f"{what} is {shown(found)}, expected {shown(expected)}")


def shown(value: Any) -> str:
    """A value for an error line."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    text = " ".join(repr(value).split())
    return text if len(text) <= 160 else f"{text[:160]}..."


def refusal(kind: type[PlayproofError], call: Callable[[], object], what: str) -> str:
    """The one line with which ``call`` is refused."""
    try:
        call()
    except kind as error:
        line = str(error)
        holds(
            line.strip() and "\n" not in line, f"{what} is refused in other than one line: {line!r}"
        )
        return line
    except Exception as error:
        broken(
            f"{what} raises {type(error).__name__} ({shown(str(error))}), expected {kind.__name__}"
        )
    broken(f"{what} is accepted, expected {kind.__name__}")
