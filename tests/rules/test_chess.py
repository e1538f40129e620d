"""The law of chess in its parts: lookups against walking, fills against lookups, and
the same moves from plain Python as from machine code."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from random import Random

import numpy as np
import pytest

import playproof
from playproof.rules.bits import (
    byte_swap,
    first,
    folded_multiply,
    lowest,
    minus,
    popcount,
    without_lowest,
)
from playproof.rules.chess import lookup_tables as places
from playproof.rules.chess.attacks import (
    all_attacked,
    attackers,
    between,
    diagonal_attacks,
    line,
    straight_attacks,
)
from playproof.rules.chess.board import load, occupied_of, turn
from tests.support.core.processes import python

T = places.tables()
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (-1, 1), (1, -1), (-1, -1))
LEAPS = [(a, b) for a in (-2, -1, 1, 2) for b in (-2, -1, 1, 2) if abs(a) != abs(b)]


def walked(square: int, steps: object, occupied: int, most: int = 7) -> int:
    """What a piece attacks, square by square."""
    attacked = 0
    for ranks, files in steps:  # type: ignore[attr-defined]
        rank, file = square // 8, square % 8
        for _ in range(most):
            rank, file = rank + ranks, file + files
            if not (0 <= rank < 8 and 0 <= file < 8):
                break
            attacked |= 1 << (8 * rank + file)
            if occupied >> (8 * rank + file) & 1:
                break
    return attacked


def boards(count: int, seed: int) -> list[int]:
    """Occupations from sparse to crowded."""
    rng = Random(seed)
    sparse = [rng.getrandbits(64) & rng.getrandbits(64) for _ in range(count)]
    return sparse + [rng.getrandbits(64) | rng.getrandbits(64) for _ in range(count)]


@pytest.mark.parametrize("square", range(64))
def test_lookups_are_what_a_walk_finds(square: int) -> None:
    for occupied in [0, 2**64 - 1, *boards(20, square)]:
        board = np.uint64(occupied)
        assert straight_attacks(T, square, board) == walked(square, STRAIGHT, occupied)
        assert diagonal_attacks(T, square, board) == walked(square, DIAGONAL, occupied)
    assert T[places.KNIGHT + square] == walked(square, LEAPS, 0, most=1)
    assert T[places.KING + square] == walked(square, STRAIGHT + DIAGONAL, 0, most=1)


def test_lines_are_what_lies_on_them() -> None:
    for a in range(64):
        for b in range(64):
            both = 1 << a | 1 << b
            on_line = [
                walked(a, [step, (-step[0], -step[1])], 0) | 1 << a
                for step in STRAIGHT + DIAGONAL
                if walked(a, [step], 0) >> b & 1
            ]
            inside = [
                walked(a, [step], 1 << b) & ~both
                for step in STRAIGHT + DIAGONAL
                if walked(a, [step], 1 << b) >> b & 1
            ]
            assert line(T, a, b) == (on_line[0] if on_line else 0)
            assert between(T, a, b) == (inside[0] if inside else 0)


def test_every_plane_has_its_step_and_every_step_its_plane() -> None:
    """Two tables of 128 numbers tell 64 planes apart, for each kind of piece."""
    seen = set()
    for square in range(64):
        for steps, table in ((STRAIGHT, "SLIDE"), (DIAGONAL, "STEP"), (LEAPS, "STEP")):
            goals = walked(square, steps, 0, most=1 if steps is LEAPS else 7)
            for goal in range(64):
                if goals >> goal & 1:
                    plane = int(T[getattr(places, f"{table}_PLANE") + 64 + goal - square])
                    assert plane % 64 == 0
                    assert (square + int(T[places.DELTA + plane // 64])) % 64 == goal
                    seen.add((plane // 64, square))
    assert len(seen) == sum(popcount(walked(s, STRAIGHT + DIAGONAL, 0)) for s in range(64)) + 336


def played(seed: int, plies: int) -> np.ndarray:
    state, rng = playproof.make("chess:draws=none").start(), Random(seed)
    for _ in range(plies):
        legal = state.legal_actions()
        if not legal:
            break
        state = state.apply(rng.choice(legal))
    return state.row.copy()


@pytest.mark.parametrize("seed", range(40))
def test_fills_find_the_attacks_that_lookups_find(seed: int) -> None:
    p = load(played(seed, 5 * seed))
    occupied = occupied_of(p)
    attacked = int(all_attacked(T, p, occupied))
    for square in range(64):
        pieces = attackers(T, p, square, occupied, occupied ^ p.own)
        assert bool(pieces) == bool(attacked >> square & 1)


@pytest.mark.parametrize("seed", range(20))
def test_a_board_turned_twice_is_the_board(seed: int) -> None:
    p = load(played(seed, 7 * seed))
    assert turn(turn(p)) == p
    assert turn(p).own == byte_swap(occupied_of(p) ^ p.own)


@pytest.mark.parametrize("word", [0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF])
def test_bits_of_plain_numbers(word: int) -> None:
    bits = [i for i in range(64) if word >> i & 1]
    assert popcount(word) == len(bits)
    assert first(word) == (bits[0] if bits else 64)
    assert without_lowest(word) == sum(1 << i for i in bits[1:])
    wide = word * 0x9E3779B97F4A7C15
    assert folded_multiply(word, 0x9E3779B97F4A7C15) == wide % 2**64 ^ wide >> 64
    assert minus(word, 5) == (word - 5) % 2**64
    assert byte_swap(word) == int.from_bytes(word.to_bytes(8, "big"), "little")
    assert not bits or lowest(word) == bits[0]


_GAME = """
import json, playproof
from random import Random
rng, results = Random(5), []
state = playproof.make("chess").position(
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"
)
while not state.is_terminal and len(results) < 40:
    legal = state.legal_actions()
    results.append([state.position, legal, state.score, float(state.observation("full").sum())])
    state = state.apply(rng.choice(legal))
other = playproof.make("chess").position("7k/1P6/8/2pP4/8/8/8/R3K3 w Q c6")
results.append(playproof.perft(other, 2))
print(json.dumps(results))
"""


def test_plain_python_plays_the_same_game() -> None:
    plain = python("-c", _GAME, NUMBA_DISABLE_JIT="1")
    compiled = io.StringIO()
    with redirect_stdout(compiled):
        exec(_GAME, {})
    assert len(json.loads(plain)) > 20
    assert plain == compiled.getvalue()
