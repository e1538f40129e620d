"""Choko solved by the book: every position a key of a dictionary, worked out from the end.

A position is written for its mover: own squares, the other side's, pieces in the mover's hand,
and whether the mover is forced to place.  A forced mover holds one piece more than the other
side, a free one as many.  No symmetry is used, of the board or of anything else.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from tests.support.oracles.choko_naive import SQUARES, NaiveChoko, board_of, neighbour

WON, DRAWN, LOST = 1, 0, -1
NEXT = [[neighbour(square, direction) for direction in range(4)] for square in range(SQUARES)]


class Position(NamedTuple):
    own: frozenset[int]
    other: frozenset[int]
    hand: int
    forced: bool

    @property
    def lost(self) -> bool:
        """Whether the mover has no piece left, on the board or in hand."""
        return not self.own and not self.hand


Value = tuple[int, int]  # WON, DRAWN or LOST for the mover; actions to the end, 0 if drawn


def placements(position: Position) -> Iterator[Position]:
    own, other, hand, forced = position
    # The one who answers holds a piece more if he must place, and as many if he is free.
    left = hand - 1 if forced else hand
    if hand:
        for square in range(SQUARES):
            if square not in own and square not in other:
                yield Position(other, own | {square}, left, not forced)


def steps_and_jumps(position: Position, lone_jump: bool) -> Iterator[Position]:
    own, other, hand, _ = position
    for square in own:
        for direction in range(4):
            near = NEXT[square][direction]
            if near is None or near in own:
                continue
            if near not in other:
                yield Position(other, own - {square} | {near}, hand, False)
                continue
            beyond = NEXT[near][direction]
            if beyond is None or beyond in own or beyond in other:
                continue
            moved = own - {square} | {beyond}
            if lone_jump and len(other) == 1:
                yield Position(frozenset(), moved, hand, False)
            for removed in other - {near}:
                yield Position(other - {near, removed}, moved, hand, False)


def followers(position: Position, lone_jump: bool) -> list[Position]:
    """The positions that one action leads to; none once the game is over."""
    if position.lost:
        return []
    moves = list(placements(position))
    return moves if position.forced else moves + list(steps_and_jumps(position, lone_jump))


def free_positions(hand: int, own: int, other: int) -> Iterator[Position]:
    """Every way to put so many pieces on the board, with the mover free."""
    for mine in combinations(range(SQUARES), own):
        left = [square for square in range(SQUARES) if square not in mine]
        for theirs in combinations(left, other):
            yield Position(frozenset(mine), frozenset(theirs), hand, False)


def solve(roots: Iterator[Position], lone_jump: bool) -> dict[Position, Value]:
    """The value of each position that games from ``roots`` can come to, without a cap.

    Values are found in the order of their distance: who can move to a position lost in d - 1 has
    won in d; who can only move to won ones, the last of them found being won in d - 1, has lost
    in d.  So a winner hurries and a loser delays.  What is never found is drawn."""
    waiting = list(roots)
    values: dict[Position, Value] = dict.fromkeys(waiting, (DRAWN, 0))
    before: dict[Position, list[Position]] = {}
    escapes: dict[Position, int] = {}
    while waiting:
        position = waiting.pop()
        moves = followers(position, lone_jump)
        escapes[position] = len(moves)
        for after in moves:
            before.setdefault(after, []).append(position)
            if after not in values:
                values[after] = (DRAWN, 0)
                waiting.append(after)
    newest = [position for position in values if position.lost]
    values.update(dict.fromkeys(newest, (LOST, 0)))
    distance = 0
    while newest:
        distance += 1
        moves = []
        for after in newest:
            for position in before.get(after, []):
                if values[position][0] != DRAWN:
                    continue
                escapes[position] -= values[after][0] == WON
                if values[after][0] == LOST or not escapes[position]:
                    values[position] = (WON if values[after][0] == LOST else LOST, distance)
                    moves.append(position)
        newest = moves
    return values


def value_under_cap(position: Position, lone_jump: bool, left: int) -> int:
    """WON, DRAWN or LOST with so many actions left: every line of play, to its end."""
    if position.lost:
        return LOST
    if left == 0:
        return DRAWN
    moves = followers(position, lone_jump)
    moves = [-value_under_cap(after, lone_jump, left - 1) for after in moves]
    return max(moves, default=DRAWN)


# Between these positions and those of the naive board


def on_the_board(position: Position, lone_jump: bool, side: int = 0) -> NaiveChoko:
    """The position on a naive board, with ``side`` to move."""
    own, other, hand, forced = position
    theirs = hand - 1 if forced else hand
    placed = 24 - hand - theirs
    sets, hands = (own, other), (hand, theirs)
    blue, red = sets[side], sets[1 - side]
    hands = (hands[side], hands[1 - side])
    return NaiveChoko(
        lone_jump=lone_jump,
        cap=10**6,
        board=board_of(blue, red),
        to_move=side,
        hands=hands,
        captured=(12 - hands[1] - len(red), 12 - hands[0] - len(blue)),
        initiative=1 - side if forced else "none",
        ply=placed + (placed + side) % 2,
    )


def off_the_board(naive: NaiveChoko) -> Position:
    side = naive.to_move
    cells = [cell for row in naive.board for cell in row]
    own, other = (
        frozenset(square for square, cell in enumerate(cells) if cell == who)
        for who in (side, 1 - side)
    )
    return Position(own, other, naive.hands[side], naive.forced)
