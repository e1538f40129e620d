"""Choko, solved: what a full solve says, kept small enough to come with the package.

The tables themselves take tens of gigabytes.  Here is what is left of them once
they have been asked: counts by slice, the value of every opening, the best line,
the longest wins, exceptions, and what players throw away.  Values are whole
numbers of actions, from the side of who moves: 59 is won in 59, -4 lost in 4, 0
drawn.  The cap of 100 actions is not counted in.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from typing import Any, NamedTuple

from playproof.core.errors import DataError
from playproof.rules.choko import PIECES
from playproof.tables.choko.slices import parse

TITLE = "ChokoZero"
FORMAT = "playproof choko truth 1"
CLASSES = ("A1", "A2", "A3", "B2", "B3", "C3")  # first placements up to symmetry
KINDS = ("corner", "edge", "inner", "step", "jump")  # of moves; the first three are placements
EVEN = range(2, PIECES + 1, 2)
_CORNERS = ("A1", "E1", "A5", "E5")

# A first solve, by other code with another layout: won/drawn/lost in percent, longest win/loss.
EARLIER = {
    "off": {
        "0": ("54.79/22.50/22.71", "201/200"), "1": ("56.30/23.69/20.01", "203/200"),
        "2": ("58.03/25.27/16.70", ""), "3": ("61.94/25.81/12.25", ""),
        "4": ("67.94/24.20/7.86", "205/204"), "6": ("82.15/15.43/2.42", ""),
        "8": ("93.66/5.81/0.53", "203/202"), "10": ("99.51/0.48/0.01", ""),
        "11": ("100.00/0.00/0.00", "67/0"), "12": ("100.00/0.00/0.00", "59/0"),
        "all": ("59.00/23.87/17.13", ""),
    },
    "on": {"12": ("100.0/0.0/0.0", "59/0"), "all": ("56.1/27.7/16.2", "245/242")},
}  # fmt: skip
EARLIER_ENDINGS = {
    "2v2": ("33.2/66.1/0.7", "5/4"), "4v2": ("92.2/7.8/0.0", "47/4"),
    "2v4": ("0.9/57.3/41.8", "5/48"), "6v2": ("99.8/0.2/0.0", "51/0"),
    "2v6": ("0.0/17.0/83.0", "5/52"), "4v4": ("63.1/32.4/4.5", "65/64"),
    "6v4": ("91.1/8.7/0.2", "111/66"), "4v6": ("14.3/58.2/27.5", "67/110"),
}  # fmt: skip


class Counts(NamedTuple):
    """Positions (symmetric ones told apart) by outcome for who moves, and the longest, in
    actions; 0 where there is none."""

    wins: int
    draws: int
    losses: int
    longest_win: int
    longest_loss: int

    @property
    def positions(self) -> int:
        return self.wins + self.draws + self.losses

    def percent(self, digits: int = 2) -> str:
        """``won/drawn/lost``."""
        shares = (100 * n / self.positions for n in self[:3])
        return "/".join(f"{share:.{digits}f}" for share in shares)

    @property
    def longest(self) -> str:
        return f"{self.longest_win}/{self.longest_loss}"

    @property
    def drawn(self) -> float:
        return self.draws / self.positions

    def to_json(self) -> dict[str, int]:
        return {"positions": self.positions, **self._asdict()}


def total(parts: Iterable[Counts]) -> Counts:
    wins, draws, losses, win, loss = zip(*parts, strict=True)
    return Counts(sum(wins), sum(draws), sum(losses), max(win), max(loss))


@dataclass(frozen=True)
class Solved:
    """The whole game under one reading of the lone jump."""

    slices: dict[str, Counts]  # by name, such as h0-4v2: hands, the mover's pieces, the other's
    value: int  # of the start
    first: dict[str, int]  # of each first placement, for Blue
    stored: int  # positions in the tables
    seconds: float  # of solving, with distances
    checking: float  # of deriving every position again, 0 if that was not done
    wrong: int | None

    @property
    def all(self) -> Counts:
        return total(self.slices.values())

    @functools.cached_property
    def hands(self) -> dict[int, Counts]:
        """By the number of pieces in each hand."""
        found: dict[int, list[Counts]] = {}
        for name, counts in self.slices.items():
            found.setdefault(_slice(name)[0], []).append(counts)
        return {hands: total(parts) for hands, parts in sorted(found.items())}

    @functools.cached_property
    def lead(self) -> dict[int, Counts]:
        """By how many pieces the mover has more than the other side."""
        found: dict[int, list[Counts]] = {}
        for name, counts in self.slices.items():
            _, own, other = _slice(name)
            found.setdefault(own - other, []).append(counts)
        return {lead: total(parts) for lead, parts in sorted(found.items())}

    def ending(self, own: int, other: int) -> Counts:
        """Both hands empty."""
        return self.slices[f"h0-{own}v{other}"]


def _slice(name: str) -> tuple[int, int, int]:
    one = parse(name)
    if one is None:
        raise DataError(f"{name!r} is no slice of Choko: want a name such as h0-4v2")
    return one.hands, one.own, one.other


class Judged(NamedTuple):
    """A game in numbers: ``first`` is the first action that threw the value away (0 for none) and
    ``how`` its kind; ``could``: decisions in positions that were not lost."""

    outcome: int
    actions: int
    first: int
    how: str
    blue_threw: int
    red_threw: int
    blue_could: int
    red_could: int


@dataclass(frozen=True)
class Upset:
    """A slice in which few positions go against the odds, and one of them, Blue to move."""

    slice: str
    positions: int
    example: str


@dataclass(frozen=True)
class Truth:
    off: Solved
    on: Solved
    line: tuple[str, ...]  # best play from the start, lone_jump off
    replies: dict[str, dict[str, int]]  # of Red, to a first placement of each class
    third: dict[str, tuple[int, int, int]]  # moves after two placements: won, drawn, lost
    third_best: dict[str, int]  # positions then, by the kinds of their quickest wins
    longest: dict[int, tuple[int, str]]  # by hands: actions, a position
    upsets: tuple[Upset, ...]
    early_capture: tuple[str, dict[str, int]]  # a position, its moves
    games: dict[str, tuple[Judged, ...]]  # by player
    sample: dict[str, dict[str, Any]]  # by phase
    moves: tuple[tuple[str, bool, bool, str, int, int], ...]

    def thrown(self, phase: str, *, won: bool, free: bool) -> dict[str, tuple[int, int]]:
        """For each kind of move in sampled positions: how many there are, how many throw away."""
        return {
            kind: (count, bad)
            for name, is_won, is_free, kind, count, bad in self.moves
            if (name, is_won, is_free) == (phase, won, free)
        }

    def upset(self, name: str) -> Upset:
        return next(upset for upset in self.upsets if upset.slice == name)


def kind_of_move(name: str) -> str:
    """One of ``KINDS``."""
    if "x" in name:
        return "jump"
    if "-" in name:
        return "step"
    if name in _CORNERS:
        return "corner"
    return "edge" if name[0] in "AE" or name[1] in "15" else "inner"


@functools.cache
def shipped() -> Truth:
    """The data that comes with Playproof."""
    file = resources.files("playproof.papers") / "data" / "choko_truth.json"
    return read(json.loads(file.read_text(encoding="utf-8")))


def read(data: dict[str, Any]) -> Truth:
    """What ``make`` made."""
    if data.get("format") != FORMAT:
        raise DataError("this is no truth of Choko: want what --make-truth wrote")
    openings, early = data["openings"], data["early_capture"]
    third = {kind: [0, 0, 0] for kind in KINDS}
    for kind, sign, count in openings["third"]:
        third[kind][1 - sign] += count
    return Truth(
        off=_solved(data["off"]),
        on=_solved(data["on"]),
        line=tuple(data["line"]),
        replies=openings["replies"],
        third={kind: (won, drawn, lost) for kind, (won, drawn, lost) in third.items()},
        third_best=openings["third_best"],
        longest={int(h): (one["actions"], one["position"]) for h, one in data["longest"].items()},
        upsets=tuple(Upset(*upset) for upset in data["upsets"]),
        early_capture=(early["position"], early["moves"]),
        games={
            player: tuple(Judged(*game) for game in all_) for player, all_ in data["games"].items()
        },
        sample=data["sample"],
        moves=tuple(tuple(row) for row in data["moves"]),
    )


def _solved(data: dict[str, Any]) -> Solved:
    return Solved(
        slices={name: Counts(*counts) for name, counts in data["slices"].items()},
        value=data["value"],
        first=data["first"],
        stored=data["stored"],
        seconds=data["solving_seconds"],
        checking=data["checking_seconds"],
        wrong=data["wrong"],
    )
