"""The positions that the ChokoZero paper discusses (section 4.3), reconstructed from its text.

The figures are pictures, and the text names only some of the pieces.  So a position here has the
named pieces, and the fewest others that make the text true with both hands empty.  Captures come
in twos, so each side has an even number of pieces.  Of all ways to add pieces in which the paper's
move is right, the one is taken in which the fewest moves are right; among these, the one with the
most added pieces in corners, where the paper's agents put theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from playproof.arena.tactics.effects import threatened
from playproof.arena.tactics.families import can_recapture, squares
from playproof.arena.yardstick.critical import CriticalPosition, sign
from playproof.core.errors import DataError
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.games.choko.game import square_name
from playproof.rules.choko import BOARD, PIECES

Exact = Callable[[Words], list[dict[int, int]]]  # for each row: the value of every action
_RED = 1  # the paper's agents play Red in all of these


def word(names: str) -> int:
    """The set of the named squares, such as ``A1 B2``."""
    return sum(1 << "ABCDE".index(name[0]) + 5 * (int(name[1]) - 1) for name in names.split())


def names(squares_: int) -> str:
    """The names of the squares in a set, from A1 on."""
    return " ".join(square_name(square.bit_length() - 1) for square in squares(squares_))


_CORNERS = word("A1 E1 A5 E5")


@dataclass(frozen=True)
class Figure:
    """The paper's text about one position, with Red to move."""

    name: str
    title: str
    description: str
    paper_result: str  # what the paper's agents played
    move: str  # the move that the text calls right
    red: str  # the pieces that the text names
    blue: str
    empty: str  # squares that must be empty for the moves in the text
    added: tuple[int, int]  # number of pieces to add: (Red, Blue)
    is_true: Callable[[int, int], bool] = lambda red, blue: True  # what else the text says


def _is_evasion(red: int, blue: int) -> bool:
    """B3 is threatened, nothing is threatened after the move to B4, and Red cannot capture."""
    after = red ^ word("B3 B4")
    attacked = threatened(blue, red) & word("B3")
    return bool(attacked) and not threatened(blue, after) and not threatened(red, blue)


def _is_fork(red: int, blue: int) -> bool:
    """A3xC3 is the only capture.  After it E2 is attacked, and Red can answer every capture."""
    others = threatened(red, blue) & ~word("B3") or threatened(red & ~word("A3"), blue)
    after, rest = red ^ word("A3 C3"), blue ^ word("B3 E3")
    return not others and bool(threatened(after, rest) & word("E2")) and can_recapture(after, rest)


FIGURES = (
    Figure(
        name="figure-4",
        title="Figure 4, a secure capture",
        description="B1 jumps C1 to D1, where E1 could retake: so the extra capture takes E1",
        paper_result="PPO V2 played it",
        move="B1xD1,E1",
        red="B1",
        blue="C1 E1",
        empty="D1",
        added=(1, 2),
    ),
    Figure(
        name="skirmish-1",
        title="Skirmish 1, an evasion",
        description="B3 is threatened and evades to B4",
        paper_result="PPO V2 played it, and all PPO agents do so consistently",
        move="B3-B4",
        red="B3",
        blue="",
        empty="B4",
        added=(1, 2),
        is_true=_is_evasion,
    ),
    Figure(
        name="skirmish-2",
        title="Skirmish 2, to capture and defend",
        description="A1 threatens A2, and D4 can jump C4 to B4: the extra capture should take A1, "
        "not C2",
        paper_result="PPO V3 gave it 1 %, as its fourth move, PPO V2 nothing; both gave D4xB4,C2 "
        "most, 79 %; PGTS found it",
        move="D4xB4,A1",
        red="A2 D4",
        blue="A1 C4 C2",
        empty="A3 B4",
        added=(0, 1),
    ),
    Figure(
        name="figure-7",
        title="Figure 7, a sacrifice and a fork",
        description="A3 jumps B3 to C3 and removes E3: B4, threatened by A4 and B5, is given up, "
        "and E2 is attacked",
        paper_result="PGTS played it",
        move="A3xC3,E3",
        red="A3 B4",
        blue="B3 E3 E2 A4 B5",
        empty="C3 C4",
        added=(2, 1),
        is_true=_is_fork,
    ),
)


@dataclass(frozen=True)
class Reconstruction:
    """The position for a figure, and counts of all the positions that it was chosen from."""

    figure: Figure
    critical: CriticalPosition
    added_red: str
    added_blue: str
    ways: int  # to add the fewest pieces that make the text true
    lost: int  # of these: Red loses whatever it plays
    right: int  # of these: the paper's move keeps a win or a draw
    only: int  # of these: no other move does


def positions(figure: Figure, added: tuple[int, int] | None = None) -> Iterator[tuple[int, int]]:
    """(Red's pieces, Blue's pieces) for each way to make the text true.

    ``added`` is the number of pieces to add, (Red, Blue): the fewest if it is None.
    """
    red, blue = word(figure.red), word(figure.blue)
    free = list(squares(BOARD & ~(red | blue | word(figure.empty))))
    more_red, more_blue = added or figure.added
    for reds in combinations(free, more_red):
        rest = [square for square in free if square not in reds]
        for blues in combinations(rest, more_blue):
            all_red, all_blue = red | sum(reds), blue | sum(blues)
            if figure.is_true(all_red, all_blue):
                yield all_red, all_blue


def reconstruct(game: Game, figure: Figure, exact: Exact) -> Reconstruction:
    """The position for a figure, chosen by exact values."""
    boards = list(positions(figure))
    rows = np.stack([row_of(game, red, blue) for red, blue in boards])
    action = game.parse_action(figure.move)
    candidates, lost, right, only = [], 0, 0, 0
    for (red, blue), values in zip(boards, exact(rows), strict=True):
        best = max(map(sign, values.values()))
        right_moves = sum(sign(value) == best for value in values.values())
        lost += best < 0
        if best >= 0 and sign(values[action]) == best:
            right += 1
            only += right_moves == 1
            added = red & ~word(figure.red) | blue & ~word(figure.blue)
            corners = (added & _CORNERS).bit_count()
            if right_moves < len(values):
                candidates.append(((right_moves, -corners, red, blue), values))
    if not candidates:
        raise DataError(f"{figure.name}: no position in which the paper's move is right")
    (*_, red, blue), values = min(candidates, key=lambda candidate: candidate[0])
    position = game.write_position(row_of(game, red, blue))
    return Reconstruction(
        figure,
        CriticalPosition(position, tuple(values.values())),
        names(red & ~word(figure.red)),
        names(blue & ~word(figure.blue)),
        len(boards), lost, right, only,
    )  # fmt: skip


def row_of(game: Game, red: int, blue: int, *, hand: int = 0) -> Words:
    """The row with ``hand`` pieces in each hand, and Red to move, free and as early as possible."""
    ply = 2 * (PIECES - hand) + _RED
    row: Words = game.row_of(blue, red, _RED, 0, (hand, hand), ply)  # type: ignore[attr-defined]
    return row
