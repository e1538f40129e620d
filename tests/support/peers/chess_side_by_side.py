"""Chess beside python-chess: both play the same random games and must agree on all of it.

Moves are numbered here anew, from the documentation, so that the numbering is compared too.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numba import int64

import playproof
from playproof.core.compiling import kernel
from playproof.core.kernels import ONGOING, WORDS
from playproof.games.chess.move_names import CLAIM
from playproof.rules.bits import lowest
from playproof.rules.chess.attacks import threats
from playproof.rules.chess.board import load

# The start, and the positions that perft is counted from: crowded with what is rare.
STARTS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
)
_COMPASS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
_LEAPS = ((2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1))
_LONGEST = 400  # plies of a game
_SEEN_ONCE, _SEEN_TWICE = 18 * 64, 19 * 64  # entries of the observation "full"


def number(move: Any, black: bool) -> int:
    """The action that a move of python-chess is."""
    flip = 56 if black else 0
    origin, goal = move.from_square ^ flip, move.to_square ^ flip
    ranks, files = goal // 8 - origin // 8, goal % 8 - origin % 8
    if move.promotion and move.promotion != 5:  # 2 knight, 3 bishop, 4 rook, 5 queen
        plane = 64 + 3 * (move.promotion - 2) + files + 1
    elif (ranks, files) in _LEAPS:
        plane = 56 + _LEAPS.index((ranks, files))
    else:
        length = max(abs(ranks), abs(files))
        plane = 7 * _COMPASS.index((ranks // length, files // length)) + length - 1
    return 64 * plane + origin


@kernel(int64(WORDS, WORDS))
def in_check(tables, row):
    p = load(row)
    return int64(threats(tables, p, lowest(p.kings & p.own))[0] != 0)


class _Ours:
    """One game as the kernels play it, without the checks of a State."""

    def __init__(self, draws: str, fen: str) -> None:
        self.game = playproof.make("chess", draws=draws)
        self.row = self.game.read_position(fen)
        self.hashes = np.zeros(_LONGEST, np.uint64)
        self.ply = 0
        self.out = np.zeros(self.game.max_actions, np.int32)
        self.seen = np.zeros(21 * 64, np.float32)

    def ask(self, name: str, *rest: Any) -> Any:
        game, history = self.game, self.hashes[: self.ply]
        kernel = getattr(game.kernels, name)
        return kernel(game.option_words, game.tables, self.row, history, *rest)

    def actions(self) -> list[int]:
        return sorted(self.out[: self.ask("actions", self.out)].tolist())

    def times(self) -> int:
        """How often the position has been there, 3 for more."""
        self.ask("observe", 1, self.seen)
        return 1 + int(self.seen[_SEEN_ONCE] + self.seen[_SEEN_TWICE])

    def play(self, action: int) -> None:
        here = self.game.kernels.hash(self.game.option_words, self.row)
        self.ask("apply", action)
        self.hashes[self.ply] = here
        self.ply += 1


def _times(board: Any) -> int:
    return 3 if board.is_repetition(3) else 2 if board.is_repetition(2) else 1


def _compare(ours: _Ours, board: Any, legal: list[Any], draws: str, where: str) -> bool:
    """Hold one position against python-chess; whether the game is over."""
    claims = draws == "claimed"
    times, clock = _times(board), board.halfmove_clock
    drawn = board.is_insufficient_material()
    if claims:
        drawn |= clock >= 150 or (times == 3 and board.is_repetition(5))
    else:
        drawn |= clock >= 100 or times == 3
    check = board.is_check()
    result = 0 if drawn else ONGOING
    if not legal:
        result = 0 if not check else -1 if board.turn else 1
    expected = [] if drawn else sorted(number(move, not board.turn) for move in legal)
    if claims and expected and (times == 3 or clock >= 100):
        expected.append(CLAIM)
    assert ours.actions() == expected, where
    assert ours.ask("outcome") == result, where
    assert ours.ask("count") == len(expected), where
    assert in_check(ours.game.tables, ours.row) == check, where
    assert ours.times() == times, where
    return result != ONGOING


def with_python_chess(draws: str, positions: int, seed: int) -> int:
    """Compare on at least so many positions; how many it was."""
    import chess

    chooser, seen = random.Random(seed), 0
    while seen < positions:
        fen = chooser.choice(STARTS)
        board, ours = chess.Board(fen), _Ours(draws, fen)
        back = chooser.choice((0.0, 0.0, 0.6))  # how often a move is taken back: to repeat
        while True:
            legal = list(board.legal_moves)
            where = f"seed {seed}, {draws}, {board.fen()}"
            if seen % 8 == 0:
                assert ours.game.write_position(ours.row) == board.fen(), where
            seen += 1
            if _compare(ours, board, legal, draws, where) or ours.ply == _LONGEST:
                break
            move = chooser.choice(legal)
            if chooser.random() < back and len(board.move_stack) > 1:
                last = board.move_stack[-2]
                undone = chess.Move(last.to_square, last.from_square)
                move = undone if undone in legal else move
            ours.play(number(move, not board.turn))
            board.push(move)
    return seen
