"""A set of tactics: positions of Choko with exact answers, by family, and the paper's own.

The exact values know of no cap on actions.  Every win and loss here comes within
75 actions of a position that is as early as empty hands allow, so what is right
is right under the usual cap of 100 too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from playproof.arena.tactics.families import FAMILIES
from playproof.arena.tactics.paper_positions import FIGURES, Figure, Reconstruction
from playproof.arena.yardstick.critical import (
    CriticalPosition,
    check_values,
    pairs_of,
    read_pairs,
    read_set,
    whole,
    write_set,
)
from playproof.core.errors import DataError, PlayproofError, UsageError, one_line, one_of
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.formats.record import read_bytes
from playproof.rules.choko import PIECES

PAPER = "paper"
_FORMAT = "playproof tactics 1"
_CAP = 100  # actions
LATEST = _CAP - 2 * PIECES - 1  # actions that are left when Red is the first to move


def standard() -> Game:
    """The game that the positions are of."""
    return make("choko", lone_jump=False, cap=_CAP)


def playable(game: Game) -> Game:
    """A game in which agents can be asked about the positions."""
    if game.name != "choko":
        raise UsageError(f"there are tactics for choko, none for {game.name}")
    if game.options["lone_jump"]:
        raise UsageError("the answers are those without lone jumps: want choko:lone_jump=off")
    if 0 < game.options["cap"] < _CAP:
        raise UsageError(
            f"a cap of {game.options['cap']} actions cuts wins short: want {_CAP} or more, or none"
        )
    return game


def checked_families(wanted: Sequence[str]) -> tuple[str, ...]:
    """The families that are named, the paper's positions among them; all if none is."""
    known = (*FAMILIES, PAPER)
    for name in wanted:
        if name not in known:
            raise UsageError(f"no family is called {name!r}: want {one_of(known)}")
    return tuple(name for name in known if name in wanted or not wanted)


@dataclass(frozen=True)
class Tactics:
    game: Game
    families: dict[str, tuple[CriticalPosition, ...]]
    paper: tuple[Reconstruction, ...]
    made: dict[str, Any] = field(default_factory=dict)  # how it was made

    def write(self, path: Path) -> None:
        data = {
            "format": _FORMAT,
            "game": self.game.spec,
            "made": self.made,
            "families": {name: pairs_of(found) for name, found in self.families.items()},
            "paper": [_written(one) for one in self.paper],
        }
        write_set(path, data)


def _written(one: Reconstruction) -> dict[str, Any]:
    return {
        "name": one.figure.name,
        "position": one.critical.position,
        "values": one.critical.values,
        "named": {"red": one.figure.red, "blue": one.figure.blue},
        "added": {"red": one.red, "blue": one.blue},
        "ways": one.ways,
        "lost": one.lost,
        "right": one.right,
        "only": one.only,
    }


# Reading


def shipped() -> Tactics:
    """The set that comes with the package."""
    file = resources.files("playproof.arena").joinpath("data", "choko_tactics.json.gz")
    return parse(file.read_bytes(), "the shipped set")


def read(path: Path) -> Tactics:
    return parse(read_bytes(path), str(path))


def parse(content: bytes, source: str) -> Tactics:
    """The set that ``write`` wrote; errors call it ``source``."""
    data = read_set(content, _FORMAT)
    if data is None:
        raise DataError(
            f"{source} is no set of tactics: want one written by 'playproof tactics choko "
            "--make FILE --tables DIR'"
        )
    try:
        found = Tactics(
            make(str(data["game"])),
            {str(name): read_pairs(pairs) for name, pairs in data["families"].items()},
            tuple(_read_figure(one) for one in data["paper"]),
            dict(data["made"]),
        )
        _check(found)
    except (KeyError, TypeError, ValueError, AttributeError, PlayproofError) as error:
        raise DataError(f"{source} is broken ({one_line(error)}): make it anew") from None
    return found


def _read_figure(data: dict[str, Any]) -> Reconstruction:
    (critical,) = read_pairs([[data["position"], data["values"]]])
    counts = (whole(data[key]) for key in ("ways", "lost", "right", "only"))
    added = data["added"]
    return Reconstruction(
        _figure(str(data["name"])), critical, str(added["red"]), str(added["blue"]), *counts
    )


def _figure(name: str) -> Figure:
    for figure in FIGURES:
        if figure.name == name:
            return figure
    raise DataError(f"the paper has no {name!r}")


def _check(found: Tactics) -> None:
    if found.game != standard():
        raise DataError(f"{found.game.spec} is not {standard().spec}")
    if set(found.families) != set(FAMILIES):
        raise DataError(f"the families are not {one_of(FAMILIES)}")
    for positions in found.families.values():
        check_values(found.game, positions)
    for one in found.paper:
        check_values(found.game, [one.critical])
        legal = found.game.position(one.critical.position).legal_names()
        if one.figure.move not in legal or not one.critical.keeps(legal.index(one.figure.move)):
            raise DataError(f"{one.figure.move} is not right in {one.critical.position}")
