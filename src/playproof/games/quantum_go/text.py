"""Positions of Quantum Go as one line of text.

The fields are ``board side passes ko prisoners prisoners groups turn``.  The board
is written from the top, with X and O for single stones, x and o for entangled ones;
the groups, oldest first, as ``C2+D3,C4+D5``.  Within a turn, the last field is
``step:new group:group:bound:collapsed:measured:touched``; between turns it is ``-``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.core.errors import DataError
from playproof.rules import quantum_go as law

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.games.quantum_go.game import QuantumGo

_EXAMPLE = "'3/x2/1x1 w 0 - 0 0 B1+A2 -'"
# (shift, bits) in the ledger of the parts of the last field that follow the new group.
_TURN = ((6, 8), (14, 7), (21, 1), (31, 9), (40, 7))


def unpack(group: int) -> tuple[int, ...]:
    """The points of a packed group, lowest first."""
    points = []
    while group:
        points.append((group & 0x1FF) - 1)
        group >>= law.MEMBER_BITS
    return tuple(points)


def pack(points: tuple[int, ...]) -> int:
    """The points of a group in one number."""
    return sum(p + 1 << law.MEMBER_BITS * i for i, p in enumerate(sorted(points)))


def write(game: QuantumGo, row: Words) -> str:
    """The position of a row as text."""
    names = game.points.names
    letters: dict[int, str] = {}
    for places, both in ((game.stones(row), "XO"), (game.entangled(row), "xo")):
        for points, letter in zip(places, both, strict=True):
            letters |= dict.fromkeys(points, letter)
    ledger = int(row[game.ledger])
    ko = ledger >> 22 & 0x1FF
    word = int(row[game.ledger + 2])
    groups = ",".join("+".join(names[p] for p in group) for _, group in game.groups(row))
    new = "+".join(names[p] for p in game.new_group(row))
    turn = "-"
    if new or game.step(row):
        rest = ":".join(str(ledger >> shift & (1 << bits) - 1) for shift, bits in _TURN)
        turn = f"{game.step(row)}:{new or '-'}:{rest}"
    parts = [
        game.points.write(letters), "bw"[ledger & 1], str(ledger >> 1 & 3),
        names[ko - 1] if ko else "-", str(word & 0xFFFFF), str(word >> 20 & 0xFFFFF),
        groups or "-", turn,
    ]  # fmt: skip
    return " ".join(parts)


def read(game: QuantumGo, text: str) -> Words:
    """The row of the position that a text describes; DataError if it is invalid."""
    parts = text.split()
    if len(parts) != 8 or parts[1] not in ("b", "w") or parts[2] not in ("0", "1", "2"):
        raise _error(game, text, "want 8 fields")
    letters = game.points.read(parts[0], "XOxo")
    try:
        ko = 0 if parts[3] == "-" else game.points.numbers[parts[3].upper()] + 1
        prisoners = int(parts[4]), int(parts[5])
        names = [] if parts[6] == "-" else parts[6].split(",")
        groups = [tuple(game.points.numbers[n.upper()] for n in g.split("+")) for g in names]
    except (KeyError, ValueError):
        raise _error(game, text, "no such point or number") from None
    if not all(0 <= n < 2**20 for n in prisoners):
        raise _error(game, text, "prisoners from 0 to 1048575")
    if ko and ko - 1 in letters:
        raise _error(game, text, "the ko point must be empty")
    if ko and game.options["ko"] == "superko":
        raise _error(game, text, "only ko=simple bars a point")
    _check_groups(game, text, letters, groups)
    row = np.zeros(game.words, np.uint64)
    for point, letter in letters.items():
        at = "XOxo".index(letter) * game.board_words + point // 64
        row[at] |= np.uint64(1 << point % 64)
    ledger = "bw".index(parts[1]) | int(parts[2]) << 1 | ko << 22
    row[game.ledger] = ledger
    balance = (prisoners[0] - prisoners[1]) & 0xFFF
    row[game.ledger + 2] = prisoners[0] | prisoners[1] << 20 | balance << 40
    for slot, group in enumerate(groups):
        at, shift = (slot // 2, 32 * (slot % 2)) if game.half_lanes else (slot, 0)
        row[game.ledger + 4 + at] |= np.uint64(pack(group) << shift)
    game.fill_derived(row)
    _read_turn(game, text, parts[7], row, letters, len(groups))
    return row


def _error(game: QuantumGo, text: str, why: str) -> DataError:
    return DataError(
        f"{text[:100]!r} is no position of {game.title} ({why}): want the board, side, passes, ko, "
        f"prisoners of both, groups and turn, such as {_EXAMPLE}"
    )


def _check_groups(
    game: QuantumGo, text: str, letters: dict[int, str], groups: list[tuple[int, ...]]
) -> None:
    grouped = [point for group in groups for point in group]
    entangled = [point for point, letter in letters.items() if letter in "xo"]
    if sorted(grouped) != sorted(entangled):
        raise _error(game, text, "each entangled stone belongs to one group")
    for group in groups:
        right = 2 <= len(group) <= game.members if game.w_type else len(group) == game.members
        if not right or len({letters[point] for point in group}) != 1:
            raise _error(game, text, f"a group is {game.members} stones of one colour")
    if len(groups) > game.slots:
        raise _error(game, text, f"at most {game.slots} groups fit")


def _read_turn(
    game: QuantumGo, text: str, turn: str, row: Words, letters: dict[int, str], groups: int
) -> None:
    """Fill in the state of the turn, and check that it can be finished."""
    if turn == "-":
        if int(row[game.ledger]) >> 1 & 3 == 2:
            raise _error(game, text, "after two passes the turn is 6 at least")
        return
    fields = turn.split(":")
    try:
        step, *rest = (int(f) for f in (fields[0], *fields[2:]))
        names = [] if fields[1] == "-" else fields[1].split("+")
        new = tuple(game.points.numbers[name.upper()] for name in names)
    except (KeyError, ValueError, IndexError):
        raise _error(game, text, "how far the turn is") from None
    fits = len(rest) == len(_TURN) and all(
        0 <= value < 1 << bits for value, (_, bits) in zip(rest, _TURN, strict=True)
    )
    if not fits or not 0 <= step <= law.OVER or set(new) & set(letters):
        raise _error(game, text, "how far the turn is")
    ending = step >= law.LEFT_OVER
    if len(set(new)) != len(new) or len(new) > game.members or bool(new) == ending:
        raise _error(game, text, "the new group")
    if ending != (int(row[game.ledger]) >> 1 & 3 == 2):
        raise _error(game, text, "groups are left over after two passes alone")
    older = step in (law.OWN_OLDER, law.OPPONENTS, law.LEFT_OVER, law.OTHERS_LEFT_OVER)
    if rest[0] >= (groups if older else 1) or (step == law.OVER and groups):
        raise _error(game, text, "the group that collapses")
    word = int(row[game.ledger]) | step << 3
    for value, (shift, _) in zip(rest, _TURN, strict=True):
        word |= value << shift
    row[game.ledger], row[game.ledger + 1] = word, pack(new)
    if older:
        theirs = step in (law.OPPONENTS, law.OTHERS_LEFT_OVER)
        if game.groups(row)[rest[0]][0] != (game.mover(row) ^ theirs):
            raise _error(game, text, "the group that collapses")
    if step != law.OVER and not _has_decisions(game, row):
        raise _error(game, text, "nothing can be decided")


def _has_decisions(game: QuantumGo, row: Words) -> bool:
    out = np.empty(game.max_actions, np.int32)
    none = np.zeros(0, np.uint64)
    return bool(game.kernels.actions(game.option_words, game.tables, row, none, out))
