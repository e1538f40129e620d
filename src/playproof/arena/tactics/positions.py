"""A set of tactics: positions of Choko with exact answers, by family, and the paper's own.

The exact values disregard the cap on actions.  But every win and loss here comes within 75 actions
of a position that is as early as empty hands allow, so what is right is right under the usual cap
of 100 too.
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
LATEST = _CAP - 2 * PIECES - 1  # actions left under the cap when Red is the first to move


def standard() -> Game:
    """The game of the positions."""
    return make("choko", lone_jump=False, cap=_CAP)


def playable(game: Game) -> Game:
    """``game``, if agents can be asked about the positions in it; else an error."""
    if game.name != "choko":
        raise UsageError(f"there are no tactics for {game.name}: want choko")
    if game.options["lone_jump"]:
        raise UsageError("the answers are for play without lone jumps: want choko:lone_jump=off")
    if 0 < game.options["cap"] < _CAP:
        raise UsageError(
            f"a cap of {game.options['cap']} actions cuts wins short: want {_CAP} or more, or none"
        )
    return game


def checked_families(names: Sequence[str]) -> tuple[str, ...]:
    """The named families, in their usual order; ``paper`` is one of them.  All if none is named."""
    known = (*FAMILIES, PAPER)
    for name in names:
        if name not in known:
            raise UsageError(f"no family is called {name!r}: want {one_of(known)}")
    return tuple(name for name in known if name in names or not names)


@dataclass(frozen=True)
class Tactics:
    """A set of positions by family, and the paper's own.  ``provenance`` says how it was made."""

    game: Game
    families: dict[str, tuple[CriticalPosition, ...]]
    paper: tuple[Reconstruction, ...]
    provenance: dict[str, Any] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        data = {
            "format": _FORMAT,
            "game": self.game.spec,
            "made": self.provenance,
            "families": {name: pairs_of(positions) for name, positions in self.families.items()},
            "paper": [_reconstruction_json(one) for one in self.paper],
        }
        write_set(path, data)


def _reconstruction_json(one: Reconstruction) -> dict[str, Any]:
    return {
        "name": one.figure.name,
        "position": one.critical.position,
        "values": one.critical.values,
        "named": {"red": one.figure.red, "blue": one.figure.blue},
        "added": {"red": one.added_red, "blue": one.added_blue},
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
    """The set in a file that ``Tactics.write`` wrote."""
    return parse(read_bytes(path), str(path))


def parse(content: bytes, source: str) -> Tactics:
    """The set that ``Tactics.write`` wrote; error messages name ``source``."""
    data = read_set(content, _FORMAT)
    if data is None:
        raise DataError(
            f"{source} is no set of tactics: want one written by 'playproof tactics choko "
            "--make FILE --tables DIR'"
        )
    try:
        tactics = Tactics(
            make(str(data["game"])),
            {str(name): read_pairs(pairs) for name, pairs in data["families"].items()},
            tuple(_read_figure(one) for one in data["paper"]),
            dict(data["made"]),
        )
        _check(tactics)
    except (KeyError, TypeError, ValueError, AttributeError, PlayproofError) as error:
        raise DataError(f"{source} is broken ({one_line(error)}): make it again") from None
    return tactics


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


def _check(tactics: Tactics) -> None:
    if tactics.game != standard():
        raise DataError(f"{tactics.game.spec} is not {standard().spec}")
    if set(tactics.families) != set(FAMILIES):
        raise DataError(f"the families are not {one_of(FAMILIES)}")
    for positions in tactics.families.values():
        check_values(tactics.game, positions)
    for one in tactics.paper:
        check_values(tactics.game, [one.critical])
        legal = tactics.game.position(one.critical.position).legal_names()
        if one.figure.move not in legal or not one.critical.keeps(legal.index(one.figure.move)):
            raise DataError(f"{one.figure.move} is not right in {one.critical.position}")
