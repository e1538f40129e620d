"""What the lab offers for third-party games, which a package installs, a file loads or a
process registers.

All of it follows from the game itself: its options, its rules as text, and levels played by
the general agents.
"""

from __future__ import annotations

import functools
import inspect
import random
from dataclasses import dataclass
from typing import Any

from playproof.core import registry
from playproof.core.errors import PlayproofError, one_line
from playproof.core.game import Game
from playproof.core.spec import Option
from playproof.formats import svg
from playproof.web.catalog.house_games import (
    GREEDY,
    RANDOM,
    SEARCH,
    TREES,
    Analyst,
    Opponent,
    Variant,
)

_MCTS = (
    Opponent("Medium", "mcts:simulations=100,time=4", "tries 100 games in its head"),
    Opponent("Hard", "mcts:simulations=2000,time=4", "tries 2,000 games in its head"),
    Opponent("Expert", "mcts:simulations=50000,time=4", "thinks for four seconds"),
)
# In a game with many moves four seconds may not be enough for the full depth.
_ALPHABETA = (
    Opponent("Search 3", "alphabeta:depth=3,time=4", "looks three moves ahead"),
    Opponent("Search 6", "alphabeta:depth=6,time=4", "looks six moves ahead"),
)
_SAMPLE, _LONGEST = 20, 400  # random games that the scale is estimated from; plies of each


@dataclass(frozen=True)
class Offer:
    """What can be chosen for a game, and the agent that gives hints."""

    variants: tuple[Variant, ...]
    opponents: tuple[Opponent, ...]
    analysts: tuple[Analyst, ...]
    hinter: str


@functools.cache
def offer(cls: type[Game]) -> Offer:
    """The offer for a game; if the game is broken, a PlayproofError says why in one line."""
    try:
        game = registry.make(cls.name)
        if not isinstance(cls.rules, str):
            raise PlayproofError(f"rules is {type(cls.rules).__name__}, not a text")
        svg.render(game.start().view())
        evaluates = game.kernels.evaluate is not None
    except Exception as error:  # a broken game must not take the lab down
        kind = "" if isinstance(error, PlayproofError) else f"{type(error).__name__}: "
        raise PlayproofError(f"{cls.name} cannot be played: {kind}{one_line(error)}") from error
    return Offer(
        variants=(Variant("standard", "Standard", _usual(cls.option_fields), {}),),
        opponents=(RANDOM, GREEDY, *_MCTS, *(_ALPHABETA if evaluates else ())),
        analysts=(*TREES, *SEARCH),
        hinter="alphabeta:time=1" if evaluates else "mcts:simulations=20000,time=1.5",
    )


def _usual(options: tuple[Option, ...]) -> str:
    """The default options in words."""
    return ", ".join(f"{option.name} {_text(option.default)}" for option in options)


def _text(value: bool | int | float | str) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "empty"


def option_fields(cls: type[Game]) -> list[dict[str, Any]]:
    """The options of a game, for a form."""
    return [
        {
            "name": option.name,
            "about": option.help,
            "type": type(option.default).__name__,  # bool, int, float or str
            "default": option.default,
            "choices": list(option.choices),
            "minimum": option.minimum,
            "maximum": option.maximum,
        }
        for option in cls.option_fields
    ]


def rules(cls: type[Game]) -> dict[str, Any]:
    """The text of a game's rules page: a lead, and sections of heading, paragraphs and list."""
    parts = _parts(cls.rules)
    lead = cls.summary[:1].upper() + cls.summary[1:]
    first, second = cls.players
    own = [{"head": "The two sides", "text": [f"{first} begins; the other side is {second}."]}]
    if cls.option_fields:
        lines = [
            f"{option.name}: {option.help}. "
            f"Usually {_text(option.default)}; want {option.expected}."
            for option in cls.option_fields
        ]
        own.append({"head": "Options", "list": lines})
    if not parts:
        own.insert(0, {"head": "Rules", "text": ["This game comes without a text of its rules."]})
    return {"title": cls.title, "lead": f"{lead.rstrip('.')}.", "parts": [*parts, *own]}


def _parts(text: str) -> list[dict[str, Any]]:
    """Sections from text with ``## headings`` and ``- lists``; empty lines separate blocks."""
    parts: list[dict[str, Any]] = []
    for block in inspect.cleandoc(text).split("\n\n"):
        lines = [line.strip() for line in block.strip().splitlines()]
        if lines and lines[0].startswith("#"):
            parts.append({"head": lines.pop(0).lstrip("#").strip(), "text": [], "list": []})
        if not lines:
            continue
        if not parts:
            parts.append({"head": "In short", "text": [], "list": []})
        if lines[0].startswith(("- ", "* ")):
            parts[-1]["list"] += _items(lines)
        else:
            parts[-1]["text"].append(" ".join(lines))
    return parts


def _items(lines: list[str]) -> list[str]:
    """The items of a list; a line without a dash continues the item before it."""
    items: list[str] = []
    for line in lines:
        if line.startswith(("- ", "* ")):
            items.append(line[2:].strip())
        else:
            items[-1] += f" {line}"
    return items


@functools.cache
def scale(name: str) -> float:
    """The mean lead, in points, at the end of random games: about a 73 % share of the point."""
    random_generator, game = random.Random(1), registry.make(name)
    leads = []
    for _ in range(_SAMPLE):
        state = game.start()
        for _ in range(_LONGEST):
            if state.is_terminal:
                break
            state = state.apply(random_generator.choice(state.legal_actions()))
        leads.append(abs(state.score))
    return max(0.5, sum(leads) / len(leads))


def source_file(game: Game) -> str | None:
    """The file of a game that this process has registered, for engine processes to load as well.

    None for a script being run: importing it might run it a second time.
    """
    cls = type(game)
    if cls not in registry.registered() or cls.__module__ == "__main__":
        return None
    return inspect.getsourcefile(cls)
