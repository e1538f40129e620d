"""Positions and a second way to run a circuit, for the tests of words and clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from playproof.proofs.sat.words import AND, Graph, Word
from playproof.rules import choko, othello
from tests.support.oracles.othello_naive import BLACK, WHITE, board_of, naive_flips


def evaluate(graph: Graph, inputs: Sequence[int], word: Word) -> int:
    """The value of a word when the graph's inputs, in their order, are 0 or 1."""
    values = [0] * len(graph.kinds)
    for node, value in zip(graph.inputs, inputs, strict=True):
        values[node] = value
    for node, (kind, (a, b)) in enumerate(zip(graph.kinds, graph.fanins, strict=True)):
        if kind:
            x, y = values[a >> 1] ^ (a & 1), values[b >> 1] ^ (b & 1)
            values[node] = x & y if kind == AND else x ^ y
    return sum((values[x >> 1] ^ (x & 1)) << i for i, x in enumerate(word.literals))


def evaluate_many(graph: Graph, columns: Sequence[Sequence[int]], word: Word) -> list[int]:
    """The same for many cases at once, ``columns`` of words by input word, all 64 wide or so.

    Each node holds one bit a case, in one long number.
    """
    cases = len(columns[0])
    width = len(graph.inputs) // len(columns)
    everything = (1 << cases) - 1
    values = [0] * len(graph.kinds)
    for at, node in enumerate(graph.inputs):
        column, bit = columns[at // width], at % width
        values[node] = sum((value >> bit & 1) << case for case, value in enumerate(column))
    for node, (kind, (a, b)) in enumerate(zip(graph.kinds, graph.fanins, strict=True)):
        if kind:
            x = values[a >> 1] ^ (everything if a & 1 else 0)
            y = values[b >> 1] ^ (everything if b & 1 else 0)
            values[node] = x & y if kind == AND else x ^ y
    results = [0] * cases
    for bit, literal in enumerate(word.literals):
        value = values[literal >> 1] ^ (everything if literal & 1 else 0)
        for case in range(cases):
            results[case] |= (value >> case & 1) << bit
    return results


def othello_positions(count: int, seed: int, size: int = 8) -> Iterator[tuple[int, int]]:
    """Random stones, from nearly empty boards to full ones; the centre may be empty."""
    random = Random(seed)
    board = othello.board(size)
    for _ in range(count):
        occupied = board
        for _ in range(random.randrange(3)):
            occupied &= random.getrandbits(64)
        colours = random.getrandbits(64)
        yield occupied & colours, occupied & ~colours


def choko_positions(count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Random pieces, at most 12 a side."""
    random = Random(seed)
    for _ in range(count):
        squares = list(range(25))
        random.shuffle(squares)
        own, enemy = random.randrange(13), random.randrange(13)
        yield sum(1 << s for s in squares[:own]), sum(1 << s for s in squares[own : own + enemy])


def naive_moves(own: int, opponent: int, size: int = 8) -> int:
    """The legal moves by the oracle's walk along each direction."""
    squares = [(r, c) for r in range(size) for c in range(size)]
    board = board_of(
        size,
        [(r, c) for r, c in squares if own >> (8 * r + c) & 1],
        [(r, c) for r, c in squares if opponent >> (8 * r + c) & 1],
    )
    assert {BLACK, WHITE} == {0, 1}
    return sum(1 << (8 * r + c) for r, c in squares if naive_flips(board, BLACK, r, c))


CHOKO_SHIFTS = ((choko.down, 5), (choko.left, 1), (choko.up, -5), (choko.right, -1))
