"""The positions that the ChokoZero paper tells of (section 4.3), put together from its text.

The figures themselves are pictures, and the text names some of the pieces only.
So a position here has the named pieces, and the fewest more that make the text
true with both hands empty.  Captures come in twos, so each side has an even
number.  Of all ways to add them that is taken in which the paper's move, being
right, has the fewest equals; then, most of the added pieces stand in corners,
where the paper's agents put theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from playproof.arena.tactics.families import answered, squares, threatened
from playproof.arena.yardstick.critical import CriticalPosition, sign
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.games.choko.game import square_name
from playproof.rules.choko import BOARD, PIECES

Exact = Callable[[Words], list[dict[int, int]]]  # of each row: the value of every action
_RED = 1  # the paper's agents play Red in all of these


def word(names: str) -> int:
    """The set of squares that are named, such as ``A1 B2``."""
    return sum(1 << "ABCDE".index(name[0]) + 5 * (int(name[1]) - 1) for name in names.split())


def names(squares_: int) -> str:
    """The squares of a set by name, from A1 on."""
    return " ".join(square_name(square.bit_length() - 1) for square in squares(squares_))


_CORNERS = word("A1 E1 A5 E5")


@dataclass(frozen=True)
class Figure:
    """What the text says of one position, Red to move."""

    name: str
    title: str
    says: str
    tells: str  # what the paper's agents made of it
    move: str  # that the text calls right
    red: str  # the pieces that it names
    blue: str
    empty: str  # squares that must be empty for the moves that it tells of
    more: tuple[int, int]  # pieces to add: Red, Blue
    true: Callable[[int, int], bool] = lambda red, blue: True  # what else it says, of the board


def _evades(red: int, blue: int) -> bool:
    """B3 is threatened, on B4 nothing is, and there is nothing that Red could capture instead."""
    after = red ^ word("B3 B4")
    attacked = threatened(blue, red) & word("B3")
    return bool(attacked) and not threatened(blue, after) and not threatened(red, blue)


def _forks(red: int, blue: int) -> bool:
    """A3 to C3 is the only capture with what it jumps; afterwards E2 is attacked, and whatever
    Blue takes, Red can capture."""
    others = threatened(red, blue) & ~word("B3") or threatened(red & ~word("A3"), blue)
    after, left = red ^ word("A3 C3"), blue ^ word("B3 E3")
    return not others and bool(threatened(after, left) & word("E2")) and answered(after, left)


FIGURES = (
    Figure(
        name="figure-4",
        title="Figure 4, a secure capture",
        says="B1 jumps C1 to D1, where E1 could retake: so the extra capture takes E1",
        tells="PPO V2 played it",
        move="B1xD1,E1",
        red="B1",
        blue="C1 E1",
        empty="D1",
        more=(1, 2),
    ),
    Figure(
        name="skirmish-1",
        title="Skirmish 1, an evasion",
        says="B3 is threatened and evades to B4",
        tells="PPO V2 played it, and all PPO agents do so consistently",
        move="B3-B4",
        red="B3",
        blue="",
        empty="B4",
        more=(1, 2),
        true=_evades,
    ),
    Figure(
        name="skirmish-2",
        title="Skirmish 2, to capture and defend",
        says="A1 threatens A2, and D4 can jump C4 to B4: the extra capture should take A1, not C2",
        tells="PPO V3 gave it 1 %, as its fourth move, PPO V2 nothing; both gave D4xB4,C2 most, "
        "79 %; PGTS found it",
        move="D4xB4,A1",
        red="A2 D4",
        blue="A1 C4 C2",
        empty="A3 B4",
        more=(0, 1),
    ),
    Figure(
        name="figure-7",
        title="Figure 7, a sacrifice and a fork",
        says="A3 jumps B3 to C3 and removes E3: B4, threatened by A4 and B5, is given up, and E2 "
        "is attacked",
        tells="PGTS played it",
        move="A3xC3,E3",
        red="A3 B4",
        blue="B3 E3 E2 A4 B5",
        empty="C3 C4",
        more=(2, 1),
        true=_forks,
    ),
)


@dataclass(frozen=True)
class Reconstruction:
    """A position for a figure, and how it came about."""

    figure: Figure
    critical: CriticalPosition
    red: str  # the added pieces
    blue: str
    ways: int  # to add the fewest pieces that make the text true
    lost: int  # of these: lost whatever Red does
    right: int  # of these: the paper's move keeps a win or a draw
    only: int  # of these: no other move does


def positions(figure: Figure) -> Iterator[tuple[int, int]]:
    """Red's and Blue's pieces in each of the ways to make the text true."""
    red, blue = word(figure.red), word(figure.blue)
    free = list(squares(BOARD & ~(red | blue | word(figure.empty))))
    for reds in combinations(free, figure.more[0]):
        rest = [square for square in free if square not in reds]
        for blues in combinations(rest, figure.more[1]):
            whole_red, whole_blue = red | sum(reds), blue | sum(blues)
            if figure.true(whole_red, whole_blue):
                yield whole_red, whole_blue


def reconstruct(game: Game, figure: Figure, exact: Exact) -> Reconstruction:
    """The position for a figure, by exact values."""
    boards = list(positions(figure))
    rows = np.stack([_row(game, red, blue) for red, blue in boards])
    action = game.parse_action(figure.move)
    found, lost, right, only = [], 0, 0, 0
    for (red, blue), values in zip(boards, exact(rows), strict=True):
        best = max(map(sign, values.values()))
        equals = sum(sign(value) == best for value in values.values())
        lost += best < 0
        if best >= 0 and sign(values[action]) == best:
            right += 1
            only += equals == 1
            added = red & ~word(figure.red) | blue & ~word(figure.blue)
            corners = (added & _CORNERS).bit_count()
            if equals < len(values):
                found.append(((equals, -corners, red, blue), values))
    if not found:
        raise DataError(f"{figure.name}: no position in which the paper's move is right")
    (*_, red, blue), values = min(found, key=lambda one: one[0])
    position = game.write_position(_row(game, red, blue))
    return Reconstruction(
        figure,
        CriticalPosition(position, tuple(values.values())),
        names(red & ~word(figure.red)),
        names(blue & ~word(figure.blue)),
        len(boards), lost, right, only,
    )  # fmt: skip


def _row(game: Game, red: int, blue: int) -> Words:
    """Both hands empty, Red to move as early as can be."""
    made: Words = game.row_of(blue, red, _RED, 0, (0, 0), 2 * PIECES + _RED)  # type: ignore[attr-defined]
    return made
