"""Chess positions in Forsyth-Edwards notation (FEN), read strictly.

A FEN has the board from rank 8, the side to move, the castling rights, the square
behind a pawn that can be captured en passant, the halfmove clock and the move
number.  The last two may be left out.  An en passant square is dropped later
(by ``rows``) where no such capture is legal.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from playproof.core.errors import DataError

KINDS = "pnbrqk"
FILES = "abcdefgh"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SYNTAX = f"want board, side, castling, en passant, clock and move number, such as '{START}'"
_CORNERS = {"K": 7, "Q": 0, "k": 63, "q": 56}
_INITIAL_COUNTS = {"p": 8, "n": 2, "b": 2, "r": 2, "q": 1}
_MAX_PLY = 2**31


class Fen(NamedTuple):
    """The parts of a FEN; squares are White's: a1 is 0, b1 is 1, h8 is 63."""

    pieces: dict[int, str]  # square -> letter, capitals for White
    black_to_move: bool
    corners: frozenset[int]  # squares of rooks that may castle
    passant: int | None  # the en passant square
    clock: int  # plies since a capture or a pawn move
    ply: int  # plies since the start of the game


def square_name(square: int) -> str:
    return f"{FILES[square % 8]}{square // 8 + 1}"


def read_square(name: str) -> int:
    return 8 * (int(name[1]) - 1) + FILES.index(name[0])


def write(fen: Fen) -> str:
    ranks = []
    for rank in range(7, -1, -1):
        letters = "".join(fen.pieces.get(8 * rank + file, ".") for file in range(8))
        ranks.append(re.sub(r"\.+", lambda gap: str(len(gap[0])), letters))
    castling = "".join(letter for letter, at in _CORNERS.items() if at in fen.corners)
    passant = "-" if fen.passant is None else square_name(fen.passant)
    side = "b" if fen.black_to_move else "w"
    number = fen.ply // 2 + 1
    return f"{'/'.join(ranks)} {side} {castling or '-'} {passant} {fen.clock} {number}"


def read(text: str) -> Fen:
    """The position that ``text`` describes; DataError if it is invalid."""
    parts = text.split()
    if len(parts) not in (4, 6):
        raise DataError(f"{text[:90]!r} is no position of Chess: {SYNTAX}")
    if parts[1] not in ("w", "b"):
        raise DataError(f"side to move {parts[1][:9]!r}: want w or b")
    clock, number = _read_counters(parts[4:])
    black = parts[1] == "b"
    pieces = _read_board(parts[0])
    _check_material(pieces)
    return Fen(
        pieces,
        black,
        _read_castling(parts[2], pieces),
        _read_passant(parts[3], pieces, black),
        clock,
        2 * (number - 1) + black,
    )


def _read_counters(parts: list[str]) -> tuple[int, int]:
    if not parts:
        return 0, 1
    if not all(re.fullmatch(r"\d{1,9}", part) for part in parts):
        raise DataError(f"clock and move number {' '.join(parts)[:30]!r}: want two whole numbers")
    clock, number = int(parts[0]), max(1, int(parts[1]))
    if clock >= 2**16 or 2 * number >= _MAX_PLY:
        raise DataError(f"clock {clock} and move number {number} are beyond any game of Chess")
    return clock, number


def _read_board(text: str) -> dict[int, str]:
    ranks = text.split("/")
    if len(ranks) != 8:
        raise DataError(f"a board of {len(ranks)} ranks: a board of Chess has 8, separated by /")
    pieces: dict[int, str] = {}
    for rank, letters in zip(range(7, -1, -1), ranks, strict=True):
        row = re.sub(r"[1-8]", lambda gap: "." * int(gap[0]), letters[:9])
        if len(row) != 8 or not set(row.lower()) <= {*KINDS, "."}:
            raise DataError(
                f"rank {rank + 1}, {letters[:20]!r}: want eight squares, pieces as letters of "
                "PNBRQKpnbrqk and gaps as digits"
            )
        pieces |= {8 * rank + file: letter for file, letter in enumerate(row) if letter != "."}
    return pieces


def _check_material(pieces: dict[int, str]) -> None:
    """Raise an error for material that no game can have; move lists rely on these limits."""
    for name, own in (("White", str.isupper), ("Black", str.islower)):
        men = "".join(letter for letter in pieces.values() if own(letter)).lower()
        if men.count("k") != 1:
            raise DataError(f"{name} has {men.count('k')} kings: want one")
        promoted = sum(max(0, men.count(kind) - _INITIAL_COUNTS[kind]) for kind in "nbrq")
        if men.count("p") + promoted > 8:
            raise DataError(f"{name} has more pieces than sixteen, some promoted, could give")
    for square, letter in pieces.items():
        if letter in "pP" and square // 8 in (0, 7):
            raise DataError(f"a pawn on {square_name(square)}: pawns stand on ranks 2 to 7")


def _read_castling(text: str, pieces: dict[int, str]) -> frozenset[int]:
    if text == "-":
        return frozenset()
    if not re.fullmatch(r"(?=.)K?Q?k?q?", text):
        raise DataError(f"castling {text[:9]!r}: want letters of KQkq in this order, or -")
    for letter in text:
        king, rook = ("K", "R") if letter.isupper() else ("k", "r")
        corner = _CORNERS[letter]
        if pieces.get(corner // 8 * 8 + 4) != king or pieces.get(corner) != rook:
            raise DataError(
                f"castling {letter} without king and rook on their first squares, "
                f"{square_name(corner // 8 * 8 + 4)} and {square_name(corner)}"
            )
    return frozenset(_CORNERS[letter] for letter in text)


def _read_passant(text: str, pieces: dict[int, str], black: bool) -> int | None:
    if text == "-":
        return None
    rank, enemy = (3, "P") if black else (6, "p")
    if not re.fullmatch(f"[a-h]{rank}", text):
        raise DataError(f"en passant {text[:9]!r}: want a square of rank {rank}, or -")
    square, ahead = read_square(text), -8 if black else 8
    behind = (square in pieces) or (square + ahead in pieces)
    if behind or pieces.get(square - ahead) != enemy:
        raise DataError(f"en passant {text}: no pawn has just passed that square")
    return square
