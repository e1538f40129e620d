"""Words of literals behave as machine words, and the rules run on them as they are."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.core.errors import UsageError
from playproof.games.choko import kernels as choko_kernels
from playproof.games.othello import kernels as othello_kernels
from playproof.proofs.choko import mobility as choko_mobility
from playproof.proofs.othello import boards as othello_boards
from playproof.proofs.othello import constructible as othello_constructible
from playproof.proofs.othello import equivalence
from playproof.proofs.othello import mobility as othello_mobility
from playproof.proofs.othello import reachability as othello_reachability
from playproof.proofs.sat import smt
from playproof.proofs.sat.words import (
    FALSE,
    TRUE,
    Graph,
    Word,
    choose,
    population,
    unary_count,
    word_of,
)
from playproof.rules import choko, othello
from tests.support.proofs.circuits import (
    CHOKO_SHIFTS,
    choko_positions,
    evaluate,
    evaluate_many,
    othello_positions,
)

WIDTH = 7
MASK = (1 << WIDTH) - 1
words = st.integers(0, MASK)
OPERATORS = (operator.and_, operator.or_, operator.xor, operator.add, operator.sub)


def bits(*values: int) -> list[int]:
    return [value >> i & 1 for value in values for i in range(WIDTH)]


@settings(max_examples=60, deadline=None)
@given(words, words, st.integers(-200, 200), st.integers(0, WIDTH + 2))
def test_operators_are_those_of_a_machine_word(a: int, b: int, number: int, by: int) -> None:
    graph = Graph()
    x, y = graph.input_word(WIDTH), graph.input_word(WIDTH)
    inputs = bits(a, b)

    def value(word: Word) -> int:
        return evaluate(graph, inputs, word)

    for operate in OPERATORS:
        assert value(operate(x, y)) == operate(a, b) & MASK
        assert value(operate(x, number)) == operate(a, number) & MASK
    for operate in (operator.and_, operator.or_, operator.xor, operator.add):
        assert value(operate(number, y)) == operate(number, b) & MASK
    assert value(~x) == ~a & MASK
    assert value(-x) == -a & MASK
    assert value(x << by) == a << by & MASK
    assert value(x >> by) == a >> by
    assert value(x * abs(number)) == a * abs(number) & MASK
    assert value(population(x)) == a.bit_count()
    assert value(choose(y[0], x, y)) == (a if b & 1 else b)
    assert value(Word(graph, [x.any(), x.equals(y), x.equals(5)])) == (
        (a != 0) | (a == b) << 1 | (a == 5) << 2
    )
    counts = Word(graph, unary_count(graph, [*x.literals, *y.literals]))
    assert value(counts) == (1 << (a.bit_count() + b.bit_count())) - 1


def test_constants_and_equals_need_no_gate() -> None:
    graph = Graph()
    a, b = graph.input(), graph.input()
    before = len(graph.kinds)
    assert graph.conjunction(a, FALSE) == graph.conjunction(a, a ^ 1) == FALSE
    assert graph.conjunction(TRUE, a) == graph.conjunction(a, a) == a
    assert graph.disjunction(a, TRUE) == graph.disjunction(a, a ^ 1) == TRUE
    assert graph.exclusive(a, a) == FALSE
    assert graph.exclusive(a, a ^ 1) == TRUE
    assert graph.exclusive(a, TRUE) == a ^ 1
    assert len(graph.kinds) == before
    assert graph.conjunction(a, b) == graph.conjunction(b, a)
    assert graph.exclusive(a, b) == graph.exclusive(b ^ 1, a) ^ 1
    assert len(graph.kinds) == before + 2
    assert graph.all_of(()) == TRUE
    assert graph.any_of(()) == FALSE


def test_a_number_becomes_a_word_where_one_is_needed() -> None:
    graph = Graph()
    word = graph.input_word(4)
    assert word_of(5, word).literals == (TRUE, FALSE, TRUE, FALSE)
    assert word_of(word, word) is word


def test_a_word_that_a_rule_could_branch_on_is_an_error() -> None:
    graph = Graph()
    with pytest.raises(UsageError, match="must not branch"):
        assert graph.input_word(3)
    with pytest.raises(UsageError, match="do not mix"):
        graph.input_word(3) & graph.input_word(4)
    with pytest.raises(UsageError, match="do not mix"):
        graph.input_word(3) & Graph().input_word(3)


def test_play_and_proof_use_the_very_same_functions() -> None:
    provers = (othello_boards, othello_mobility, othello_reachability, equivalence, smt)
    for module in provers:
        assert module.rules is othello_kernels.rules is othello  # type: ignore[attr-defined]
        assert module.rules.moves is othello.moves  # type: ignore[attr-defined]
        assert module.rules.flips is othello.flips  # type: ignore[attr-defined]
    assert choko_mobility.rules is choko_kernels.rules is choko
    assert othello_constructible.rules is othello
    assert choko_mobility.DIRECTIONS == CHOKO_SHIFTS


def test_othello_on_words_is_othello() -> None:
    positions = list(othello_positions(1200, seed=1))
    random = Random(2)
    squares = [1 << random.randrange(64) for _ in positions]
    own, opponent = zip(*positions, strict=True)
    graph = Graph()
    mine, theirs, move = (graph.input_word(64) for _ in range(3))
    for size in othello.SIZES:
        board = othello.board(size)
        found = evaluate_many(graph, [own, opponent, squares], othello.moves(mine, theirs, board))
        assert found == [othello.moves(a, b, board) for a, b in positions]
    found = evaluate_many(graph, [own, opponent, squares], othello.flips(mine, theirs, move))
    wanted = [othello.flips(a, b, m) for (a, b), m in zip(positions, squares, strict=True)]
    assert found == wanted
    assert len(set(wanted)) > 300


@pytest.mark.parametrize("lone", [0, choko.BOARD])
@pytest.mark.parametrize("free", [0, choko.BOARD])
def test_choko_on_words_is_choko(lone: int, free: int) -> None:
    positions = list(choko_positions(1500, seed=3))
    columns = list(zip(*positions, strict=True))
    graph = Graph()
    own, enemy = graph.input_word(25), graph.input_word(25)

    def check(word: Word, wanted: list[int]) -> None:
        assert evaluate_many(graph, columns, word) == wanted
        assert free == 0 or len(set(wanted)) > 1

    for holds in (0, choko.BOARD):
        placed = [choko.placements(a, b, holds) for a, b in positions]
        assert evaluate_many(graph, columns, choko.placements(own, enemy, holds)) == placed
    for shift, offset in CHOKO_SHIFTS:
        check(
            choko.steps(shift, own, enemy, free), [choko.steps(shift, *p, free) for p in positions]
        )
        jumps = choko.jumps(shift, own, enemy, free, lone)
        check(jumps, [choko.jumps(shift, *p, free, lone) for p in positions])
        jumped = 1 << (12 + offset)
        check(
            choko.removals(enemy, jumped, lone),
            [choko.removals(b, jumped, lone) for _, b in positions],
        )


@pytest.mark.parametrize(
    ("ask", "wanted"),
    [
        (lambda a, b: a[0] & a[1], "problem.graph.conjunction"),
        (lambda a, b: a[0] | a[1], "problem.graph.disjunction"),
        (lambda a, b: a[0] ^ a[1], "problem.graph.exclusive"),
        (lambda a, b: a.any() & int(b.any()), "problem.graph.conjunction"),
        (lambda a, b: int(a.any()) | b.any(), "problem.graph.disjunction"),
        (lambda a, b: ~a[0], "want literal ^ 1"),
        (lambda a, b: -a[0], "want literal ^ 1"),
        (lambda a, b: not a.any(), "neither true nor false"),
        (lambda a, b: a == b, "want word.equals"),
        (lambda a, b: a != 3, "want word.equals"),
    ],
)
def test_a_literal_is_no_number_to_reckon_with(
    ask: Callable[[Word, Word], object], wanted: str
) -> None:
    """Each of these is a number in Python, and so a question that nobody asked."""
    graph = Graph()
    with pytest.raises(UsageError, match=re.escape(wanted)):
        ask(graph.input_word(WIDTH), graph.input_word(WIDTH))


def test_a_literal_is_negated_and_goes_into_gates() -> None:
    graph = Graph()
    word = graph.input_word(WIDTH)
    a, b = word[0], word[1]
    assert (a ^ 1 ^ 1, word.literals[0], a & 1, (a ^ 1) & 1) == (a, a, 0, 1)
    gates = Word(graph, [graph.conjunction(a, b), graph.disjunction(a, b), graph.exclusive(a, b)])
    for value in range(4):
        x, y = value & 1, value >> 1
        assert evaluate(graph, bits(value), gates) == (x & y) | (x | y) << 1 | (x ^ y) << 2
