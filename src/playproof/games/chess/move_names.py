"""Names of chess moves: UCI (e2e4, e7e8q) and algebraic notation, SAN (Nf3, exd8=Q+).

Actions are numbered from the mover's side, in planes of 64 with the same step, so
a name depends on the position: action 12 is e2e3 for White and e7e6 for Black.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from playproof.core.errors import DataError
from playproof.games.chess import rows as chess_rows
from playproof.games.chess.fen import read_square, square_name
from playproof.rules.chess.lookup_tables import (
    DIRECTIONS,
    LEAPS,
    PLANES,
    UNDER_PLANES,
)

if TYPE_CHECKING:
    from playproof.core.kernels import Words
    from playproof.core.state import State

CLAIM = 64 * PLANES
DRAW = "draw"
SYNTAX = "from and to such as e2e4 or e7e8q, or Nf3, exd5, O-O, e8=Q"
_UNDER = "nbr"
_UCI = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])=?([qrbn]?)", re.IGNORECASE)
_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[-x]?([a-h][1-8])(?:=?([NBRQ]))?")
_CASTLING = {"O-O": 2, "O-O-O": -2}
# The step of every plane, in (ranks, files) from the mover's side.
_STEPS = [
    *((ranks * k, files * k) for ranks, files in DIRECTIONS for k in range(1, 8)),
    *LEAPS,
    *((1, files) for _ in _UNDER for files in (-1, 0, 1)),
]
_PLANES = {step: plane for plane, step in enumerate(_STEPS[:UNDER_PLANES])}


def squares(action: int) -> tuple[int, int] | None:
    """(from, to) of a move, from the mover's side; None if it leaves the board."""
    plane, origin = divmod(action, 64)
    rank, file = origin // 8 + _STEPS[plane][0], origin % 8 + _STEPS[plane][1]
    return (origin, 8 * rank + file) if 0 <= rank < 8 and 0 <= file < 8 else None


def action_of(origin: int, goal: int, promoted: str = "") -> int | None:
    """The action of a move, from the mover's side; None if no piece moves like that."""
    step = goal // 8 - origin // 8, goal % 8 - origin % 8
    if promoted and (origin // 8 != 6 or goal // 8 != 7 or abs(step[1]) > 1):
        return None
    if promoted in _UNDER and promoted:
        return 64 * (UNDER_PLANES + 3 * _UNDER.index(promoted) + 1 + step[1]) + origin
    return 64 * _PLANES[step] + origin if step in _PLANES else None


def promotion(action: int, kind: str) -> str:
    """What a piece of this kind is promoted to by the move, or ""."""
    plane, origin = divmod(action, 64)
    if plane >= UNDER_PLANES:
        return _UNDER[(plane - UNDER_PLANES) // 3]
    step = _STEPS[plane]
    return "q" if kind == "p" and origin // 8 == 6 and step[0] == 1 and plane < 56 else ""


def uci(row: Words | list[int], action: int) -> str:
    """The UCI name of a move in the position of ``row``."""
    if action == CLAIM:
        return DRAW
    ends = squares(action)
    if ends is None:
        return f"action {action} (off the board)"
    words = [int(word) for word in row]
    flip = chess_rows.flip_of(words)
    origin, goal = (square_name(square ^ flip) for square in ends)
    return f"{origin}{goal}{promotion(action, chess_rows.kind_at(words, ends[0]))}"


def read_uci(row: Words, text: str) -> int | None:
    """The action with this UCI name; None if the text is no such name."""
    match = _UCI.fullmatch(text)
    if not match:
        return None
    words = [int(word) for word in row]
    flip = chess_rows.flip_of(words)
    origin, goal = (read_square(name.lower()) ^ flip for name in match.groups()[:2])
    promoted = match[3].lower()
    pawn = chess_rows.kind_at(words, origin) == "p"
    if pawn and goal >= 56 and not promoted:
        raise DataError(f"{text}: a pawn on the last rank becomes a piece, so write {text}q")
    return action_of(origin, goal, promoted)


class _Move(NamedTuple):
    """A legal move, with squares from the mover's side."""

    kind: str
    origin: int
    goal: int
    promoted: str  # the kind of piece that a pawn becomes, or ""


class LegalMoveNames:
    """The names of a position's legal moves in algebraic notation (SAN)."""

    def __init__(self, state: State) -> None:
        self.state = state
        words = [int(word) for word in state.row]
        self.flip = chess_rows.flip_of(words)
        self.occupied = words[0] | words[1] | words[2] | words[3] | words[4]
        self.moves: dict[int, _Move] = {}  # by action
        for action in state.legal_actions():
            ends = None if action == CLAIM else squares(action)
            if ends:
                kind = chess_rows.kind_at(words, ends[0])
                self.moves[action] = _Move(kind, *ends, promotion(action, kind))

    def san(self, action: int) -> str:
        """Standard algebraic notation of a legal move."""
        if action == CLAIM:
            return DRAW
        kind, origin, goal, promoted = self.moves[action]
        after = self.state.apply(action)
        check = chess_rows.is_check(after.row, after.game.tables)
        sign = "#" if after.outcome in (1, -1) else "+" if check else ""
        if kind == "k" and abs(goal - origin) == 2:
            return ("O-O" if goal > origin else "O-O-O") + sign
        takes = self.occupied >> goal & 1 or (kind == "p" and (goal - origin) % 8)
        name = square_name(goal ^ self.flip)
        if kind == "p":
            name = f"{square_name(origin)[0]}x{name}" if takes else name
            return name + (f"={promoted.upper()}" if promoted else "") + sign
        return kind.upper() + self._disambiguation(action) + "x" * bool(takes) + name + sign

    def _disambiguation(self, action: int) -> str:
        """The file, rank or square that distinguishes the piece from others of its kind that can
        move to the same square; "" if there are none."""
        kind, origin, goal, _ = self.moves[action]
        others = [o for k, o, g, _ in self.moves.values() if (k, g) == (kind, goal) and o != origin]
        name = square_name(origin ^ self.flip)
        if not others:
            return ""
        if all(other % 8 != origin % 8 for other in others):
            return name[0]
        if all(other // 8 != origin // 8 for other in others):
            return name[1]
        return name

    def find(self, text: str) -> int | None:
        """The legal move that ``text`` names; None if there is none.

        DataError if it could be several moves, or is not the name of a move."""
        bare = text.rstrip("+#!?").replace("0-0-0", "O-O-O").replace("0-0", "O-O")
        if bare in _CASTLING:
            step = _CASTLING[bare]
            moves = self.moves.items()
            return next((a for a, m in moves if m.kind == "k" and m.goal - m.origin == step), None)
        match = _SAN.fullmatch(bare)
        if not match:
            raise DataError(f"{text[:40]!r} is not a move of Chess: write {SYNTAX}")
        letter, file, rank, name, promoted = match.groups()
        goal = read_square(name) ^ self.flip
        pattern = ((letter or "p").lower(), goal, (promoted or "").lower())
        actions = []
        for action, move in self.moves.items():
            origin = square_name(move.origin ^ self.flip)
            if (
                (move.kind, move.goal, move.promoted) == pattern
                and file in ("", origin[0])
                and rank in ("", origin[1])
                and not (move.kind == "k" and abs(move.goal - move.origin) == 2)
            ):
                actions.append(action)
        if len(actions) > 1:
            names = " or ".join(uci(self.state.row, action) for action in actions)
            raise DataError(f"{text[:40]} could be {names}: write one of them")
        return actions[0] if actions else None
