"""The results of a full solve of Choko, small enough to come with the package.

The tables themselves take tens of gigabytes.  The shipped data has counts by slice,
the value of every opening, the best line, the longest wins, exceptions, and how often
players throw the value away.  Values are numbers of actions from the mover's side: 59
is a win in 59, -4 a loss in 4, 0 a draw.  The cap of 100 actions is ignored.
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

# An earlier solve by other code with another layout: won/drawn/lost in percent, longest win/loss.
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
    """Positions by outcome for the mover, symmetric ones counted separately, and the longest win
    and loss in actions; 0 if there is none."""

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
class SolvedReading:
    """The whole game under one reading of the rules: lone jumps off or on."""

    slices: dict[str, Counts]  # by name, such as h0-4v2: hands, the mover's pieces, the other's
    value: int  # of the start
    first: dict[str, int]  # of each first placement, for Blue
    stored: int  # positions in the tables
    seconds: float  # of solving with distances
    checking: float  # seconds of deriving every position again, 0 if that was not done
    wrong: int | None

    @property
    def all(self) -> Counts:
        return total(self.slices.values())

    @functools.cached_property
    def hands(self) -> dict[int, Counts]:
        """Counts by the number of pieces in each hand."""
        slices: dict[int, list[Counts]] = {}
        for name, counts in self.slices.items():
            slices.setdefault(_pieces(name)[0], []).append(counts)
        return {hands: total(parts) for hands, parts in sorted(slices.items())}

    @functools.cached_property
    def lead(self) -> dict[int, Counts]:
        """Counts by how many pieces the mover is ahead."""
        slices: dict[int, list[Counts]] = {}
        for name, counts in self.slices.items():
            _, own, other = _pieces(name)
            slices.setdefault(own - other, []).append(counts)
        return {lead: total(parts) for lead, parts in sorted(slices.items())}

    def ending(self, own: int, other: int) -> Counts:
        """The counts of an ending, both hands empty."""
        return self.slices[f"h0-{own}v{other}"]


def _pieces(name: str) -> tuple[int, int, int]:
    one = parse(name)
    if one is None:
        raise DataError(f"{name!r} is not a slice of Choko: want a name such as h0-4v2")
    return one.hands, one.own, one.other


class GameReview(NamedTuple):
    """A game compared with the exact values.

    ``first`` is the number of the first action that threw the value away (0 for none) and
    ``first_kind`` its kind.  ``errors`` are such actions; ``chances`` are the decisions in
    positions that were not lost, where an error was possible.
    """

    outcome: int
    actions: int
    first: int
    first_kind: str
    blue_errors: int
    red_errors: int
    blue_chances: int
    red_chances: int


@dataclass(frozen=True)
class Upset:
    """A slice with few positions that go against the odds, and one of them, Blue to move."""

    slice: str
    positions: int
    example: str


@dataclass(frozen=True)
class Truth:
    """The shipped data on the solved game."""

    off: SolvedReading
    on: SolvedReading
    line: tuple[str, ...]  # best play from the start, lone_jump off
    replies: dict[str, dict[str, int]]  # of Red, to a first placement of each class
    third: dict[str, tuple[int, int, int]]  # moves after two placements by kind: won, drawn, lost
    third_best: dict[
        str, int
    ]  # positions after two placements, by the kinds of their quickest wins
    longest: dict[int, tuple[int, str]]  # by hands: actions, a position
    upsets: tuple[Upset, ...]
    early_capture: tuple[str, dict[str, int]]  # a position, its moves
    games: dict[str, tuple[GameReview, ...]]  # by player
    sample: dict[str, dict[str, Any]]  # by phase
    moves: tuple[tuple[str, bool, bool, str, int, int], ...]

    def thrown(self, phase: str, *, won: bool, free: bool) -> dict[str, tuple[int, int]]:
        """By kind of move in sampled positions: the number of moves, and of those that throw the
        value away."""
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
    """The data that ``make`` wrote."""
    if data.get("format") != FORMAT:
        raise DataError("not the data of a solved Choko: want a file that --make-truth wrote")
    openings, early = data["openings"], data["early_capture"]
    third = {kind: [0, 0, 0] for kind in KINDS}
    for kind, sign, count in openings["third"]:
        third[kind][1 - sign] += count
    return Truth(
        off=_read_reading(data["off"]),
        on=_read_reading(data["on"]),
        line=tuple(data["line"]),
        replies=openings["replies"],
        third={kind: (won, drawn, lost) for kind, (won, drawn, lost) in third.items()},
        third_best=openings["third_best"],
        longest={int(h): (one["actions"], one["position"]) for h, one in data["longest"].items()},
        upsets=tuple(Upset(*upset) for upset in data["upsets"]),
        early_capture=(early["position"], early["moves"]),
        games={
            player: tuple(GameReview(*game) for game in all_)
            for player, all_ in data["games"].items()
        },
        sample=data["sample"],
        moves=tuple(tuple(row) for row in data["moves"]),
    )


def _read_reading(data: dict[str, Any]) -> SolvedReading:
    return SolvedReading(
        slices={name: Counts(*counts) for name, counts in data["slices"].items()},
        value=data["value"],
        first=data["first"],
        stored=data["stored"],
        seconds=data["solving_seconds"],
        checking=data["checking_seconds"],
        wrong=data["wrong"],
    )
