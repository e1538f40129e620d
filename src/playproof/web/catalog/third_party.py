"""The catalog's choices for third-party games.

These games come from installed packages, or are registered by a file given with ``--load`` or by
the program that started the lab. Everything here is derived from the game itself: its variants,
opponents and analysts (all of them agents for any game), its options, and the text of its rules.
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
_SCALE_GAMES, _SCALE_PLIES = 20, 400  # random games to estimate the scale; most plies of each


@dataclass(frozen=True)
class GameChoices:
    """What can be chosen for a game, and the agent that gives hints."""

    variants: tuple[Variant, ...]
    opponents: tuple[Opponent, ...]
    analysts: tuple[Analyst, ...]
    hinter: str  # an agent's spec


@functools.cache
def game_choices(cls: type[Game]) -> GameChoices:
    """The choices for a game; if the game is broken, a PlayproofError says why in one line."""
    try:
        game = registry.make(cls.name)
        if not isinstance(cls.rules, str):
            raise PlayproofError(f"rules is {type(cls.rules).__name__}: want a string")
        svg.render(game.start().view())
        evaluates = game.kernels.evaluate is not None
    except Exception as error:  # a broken game must not take the lab down
        kind = "" if isinstance(error, PlayproofError) else f"{type(error).__name__}: "
        raise PlayproofError(f"{cls.name} cannot be played: {kind}{one_line(error)}") from error
    return GameChoices(
        variants=(Variant("standard", "Standard", _describe_defaults(cls.option_fields), {}),),
        opponents=(RANDOM, GREEDY, *_MCTS, *(_ALPHABETA if evaluates else ())),
        analysts=(*TREES, *SEARCH),
        hinter="alphabeta:time=1" if evaluates else "mcts:simulations=20000,time=1.5",
    )


def _describe_defaults(options: tuple[Option, ...]) -> str:
    """The default options as text, such as ``heap 21, most 3``."""
    return ", ".join(f"{option.name} {_value_text(option.default)}" for option in options)


def _value_text(value: bool | int | float | str) -> str:
    """An option's value for people: ``on`` and ``off`` for bools, ``empty`` for no text."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) or "empty"


def option_fields(cls: type[Game]) -> list[dict[str, Any]]:
    """The options of a game as fields of a form, in JSON (see the reply OptionForm)."""
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
    """The text of a game's rules page, in JSON: ``title``, ``lead`` and the sections ``parts``.

    A section has a heading ``head``, paragraphs ``text`` and the items of a list, ``list``.
    """
    sections = _sections(cls.rules)
    lead = cls.summary[:1].upper() + cls.summary[1:]
    if not sections:
        missing = "This game comes without a description of its rules."
        sections.append({"head": "Rules", "text": [missing]})
    first, second = cls.players
    sides = f"{first} moves first; the other side is {second}."
    sections.append({"head": "The two sides", "text": [sides]})
    if cls.option_fields:
        lines = [
            f"{option.name}: {option.help}. "
            f"Default: {_value_text(option.default)}. Allowed: {option.expected}."
            for option in cls.option_fields
        ]
        sections.append({"head": "Options", "list": lines})
    return {"title": cls.title, "lead": f"{lead.rstrip('.')}.", "parts": sections}


def _sections(text: str) -> list[dict[str, Any]]:
    """The sections of a text with ``## headings`` and ``- lists``; blank lines separate blocks."""
    sections: list[dict[str, Any]] = []
    for block in inspect.cleandoc(text).split("\n\n"):
        lines = [line.strip() for line in block.strip().splitlines()]
        if lines and lines[0].startswith("#"):
            sections.append({"head": lines.pop(0).lstrip("#").strip(), "text": [], "list": []})
        if not lines:
            continue
        if not sections:
            sections.append({"head": "In short", "text": [], "list": []})
        if lines[0].startswith(("- ", "* ")):
            sections[-1]["list"] += _list_items(lines)
        else:
            sections[-1]["text"].append(" ".join(lines))
    return sections


def _list_items(lines: list[str]) -> list[str]:
    """The items of a list; a line without a dash or star continues the item before it."""
    items: list[str] = []
    for line in lines:
        if line.startswith(("- ", "* ")):
            items.append(line[2:].strip())
        else:
            items[-1] += f" {line}"
    return items


@functools.cache
def scale(name: str) -> float:
    """The mean lead at the end of random games, in points, at least 0.5.

    ``listing.share`` shows a lead of this size as 73 %.
    """
    rng, game = random.Random(1), registry.make(name)
    leads = []
    for _ in range(_SCALE_GAMES):
        state = game.start()
        for _ in range(_SCALE_PLIES):
            if state.is_terminal:
                break
            state = state.apply(rng.choice(state.legal_actions()))
        leads.append(abs(state.score))
    return max(0.5, sum(leads) / len(leads))


def source_file(game: Game) -> str | None:
    """The file of a game that this process has registered, so that engine processes can load it.

    None for other games, and for the script that is running, since importing might run it again.
    """
    cls = type(game)
    if cls not in registry.registered() or cls.__module__ == "__main__":
        return None
    return inspect.getsourcefile(cls)
