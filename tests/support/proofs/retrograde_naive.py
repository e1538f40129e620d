"""Othello backwards by trying everything, on the naive board of ``oracles``."""

from __future__ import annotations

from itertools import combinations

import playproof
from playproof import State
from tests.support.oracles.othello_naive import BLACK, WHITE, Board, board_of, naive_flips

Squares = frozenset[tuple[int, int]]


def squares_of(word: int) -> Squares:
    return frozenset((i >> 3, i & 7) for i in range(64) if word >> i & 1)


def word_of(squares: Squares) -> int:
    return sum(1 << (8 * row + column) for row, column in squares)


def naive_closure(occupied: Squares, size: int) -> Squares:
    """The squares that can be built on the centre, one after the other."""
    low, high = size // 2 - 1, size // 2
    reached = {(low, low), (low, high), (high, low), (high, high)}
    steps = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]
    while True:
        new = {
            (r, c)
            for r, c in occupied - reached
            if any({(r + a, c + b), (r + 2 * a, c + 2 * b)} <= reached for a, b in steps)
        }
        if not new:
            return frozenset(reached)
        reached |= new


def _can_move(board: Board, colour: int) -> bool:
    size = range(len(board))
    return any(naive_flips(board, colour, r, c) for r in size for c in size)


def naive_predecessors(own: int, opponent: int, size: int) -> set[tuple[int, int]]:
    """(own, opponent) of every position from which one placement, and the passes
    that it brings, leads to the one given."""
    mine, yours = squares_of(own), squares_of(opponent)
    found = _before(yours, mine, size)
    board = board_of(size, mine, yours)
    if not _can_move(board, WHITE) and _can_move(board, BLACK):
        found |= _before(mine, yours, size)
    return {(word_of(a), word_of(b)) for a, b in found}


def _before(mover: Squares, other: Squares, size: int) -> set[tuple[Squares, Squares]]:
    """Every stone of the mover taken back, and every set of its stones turned."""
    found = set()
    for stone in mover:
        rest = sorted(mover - {stone})
        occupied = frozenset(rest) | other
        if naive_closure(occupied, size) != occupied:
            continue
        for count in range(1, len(rest) + 1):
            for turned in combinations(rest, count):
                before = frozenset(rest) - set(turned), other | set(turned)
                if naive_flips(board_of(size, *before), BLACK, *stone) == set(turned):
                    found.add(before)
    return found


def all_reachable(size: int) -> set[State]:
    """Every position that a game can come to, passes and ends of games included."""
    start = playproof.make("othello", size=size).start()
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        for action in state.legal_actions():
            after = state.apply(action)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen
