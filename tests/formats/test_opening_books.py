"""Opening books of chess: PGN, EPD and Polyglot, packed or not."""

from __future__ import annotations

import gzip
import random
import struct
from pathlib import Path

import chess
import chess.polyglot
import pytest

import playproof
from playproof import DataError, UsageError
from playproof.arena.openings import OpeningSource
from playproof.formats.opening_books import Polyglot
from tests.support.formats.pgn_play import random_game, write

CHESS = playproof.make("chess")


def positions(entries: list) -> list[str]:  # type: ignore[type-arg]
    starts = [CHESS.start() if o.start is None else CHESS.position(o.start) for o in entries]
    return [s.play(o.moves).position for s, o in zip(starts, entries, strict=True)]


def test_a_book_of_games(tmp_path: Path) -> None:
    file = tmp_path / "book.pgn.gz"
    games = [random_game(seed, 30) for seed in range(40)]
    file.write_bytes(gzip.compress(write(games).encode()))
    book = OpeningSource(f"{file}:plies=8,balance=1")
    drawn = book.draw(CHESS, 30, seed=1)
    assert all(len(opening.moves) == 8 for opening in drawn)
    boards = []
    for game in games:
        board = game.board()
        for move in list(game.mainline_moves())[:8]:
            board.push(move)
        boards.append(board.board_fen())
    assert {p.split()[0] for p in positions(drawn)} <= set(boards)
    assert book.draw(CHESS, 10, seed=1) == drawn[:10]
    assert book.draw(CHESS, 30, seed=2) != drawn
    assert OpeningSource(book.spec).draw(CHESS, 30, seed=1) == drawn


def test_a_book_that_is_broken_within_the_opening_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "book.pgn"
    file.write_text('[Event "x"]\n\n1. e4 e5 2. Ke4 *\n')
    with pytest.raises(DataError, match=r"book.pgn, line 3: illegal move 'Ke4'"):
        OpeningSource(f"{file}:plies=3,balance=1").draw(CHESS, 1, seed=1)
    assert len(OpeningSource(f"{file}:plies=2,balance=1").draw(CHESS, 1, seed=1)) == 1


def test_tags_without_moves_are_no_opening(tmp_path: Path) -> None:
    file = tmp_path / "book.pgn"
    file.write_text('[Event "x"]\n\n1. e4 e5 *\n\n[Event "y"]\n')  # a file that was cut
    with pytest.raises(UsageError, match=r"book\.pgn has only 1"):
        OpeningSource(f"{file}:balance=1").draw(CHESS, 2, seed=1)
    file.write_text("")
    with pytest.raises(UsageError, match=r"book\.pgn holds none: want games with moves"):
        OpeningSource(f"{file}:balance=1").draw(CHESS, 2, seed=1)


def test_a_book_of_positions(tmp_path: Path) -> None:
    file = tmp_path / "book.epd"
    fens = [CHESS.start().play(move).position for move in ("e4", "d4", "c4")]
    file.write_text("\n".join(f"{' '.join(fen.split()[:4])} bm e5;" for fen in fens))
    drawn = OpeningSource(f"{file}:balance=1").draw(CHESS, 3, seed=1)
    assert {p.split()[0] for p in positions(drawn)} == {fen.split()[0] for fen in fens}
    with pytest.raises(UsageError, match="has only 3: ask for at most 6"):
        OpeningSource(f"{file}:balance=1").draw(CHESS, 4, seed=1)
    with pytest.raises(UsageError, match="plies"):
        OpeningSource(f"{file}:plies=3")
    with pytest.raises(DataError, match="a book of chess, not of othello"):
        OpeningSource(f"{file}:balance=1").draw(playproof.make("othello"), 1, seed=1)


def polyglot(moves: list[str]) -> bytes:
    """A book of lines from the start, each move with weight 1 for every time it is in one."""
    counted: dict[tuple[int, int], int] = {}
    for line in moves:
        board = chess.Board()
        for name in line.split():
            move = board.parse_san(name)
            goal = move.to_square
            if board.is_castling(move):
                goal = chess.H1 if chess.square_file(goal) == 6 else chess.A1
                goal += 56 * (board.turn == chess.BLACK)
            raw = goal | move.from_square << 6 | (move.promotion - 1 if move.promotion else 0) << 12
            key = chess.polyglot.zobrist_hash(board), raw
            counted[key] = counted.get(key, 0) + 1
            board.push(move)
    entries = sorted((key, -weight, raw) for (key, raw), weight in counted.items())
    return b"".join(struct.pack(">QHHI", key, raw, -weight, 0) for key, weight, raw in entries)


def test_a_polyglot_book_is_walked(tmp_path: Path) -> None:
    file = tmp_path / "book.bin"
    lines = ["e4 e5 Nf3 Nc6 Bb5 a6 O-O", "e4 c5 Nf3 d6", "d4 d5 c4 e6"]
    file.write_bytes(polyglot(lines))
    book = Polyglot(file)
    weights = {CHESS.start().name(a): w for a, w in book.moves(CHESS.start()).items()}
    assert weights == {"e2e4": 2, "d2d4": 1}
    ends = {book.walk(CHESS.start(), 9, random.Random(i)).position for i in range(40)}
    assert ends == {CHESS.start().play(line).position for line in lines}
    drawn = OpeningSource(f"{file}:plies=2,balance=1").draw(CHESS, 3, seed=1)
    assert sorted(o.moves for o in drawn) == [("d2d4", "d7d5"), ("e2e4", "c7c5"), ("e2e4", "e7e5")]
    file.write_bytes(b"x" * 33)
    with pytest.raises(DataError, match="no Polyglot book"):
        Polyglot(file)
