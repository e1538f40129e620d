"""Clauses say what the circuit does: neither more nor less, and always in the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pysat.solvers import Cadical195, Minisat22

from playproof.core.errors import DataError, UsageError
from playproof.proofs import registry
from playproof.proofs.othello.boards import PLACES
from playproof.proofs.sat.cardinality import CARDINALITIES
from playproof.proofs.sat.cnf import Cnf, Problem
from playproof.proofs.sat.words import Graph, Word
from playproof.rules import choko, othello
from tests.support.proofs.circuits import (
    CHOKO_SHIFTS,
    choko_positions,
    evaluate,
    naive_moves,
    othello_positions,
)


def othello_cnf(moves: bool, flips: bool) -> Cnf:
    problem = Problem()
    own = problem.input("own", othello.board(8), PLACES)
    opponent = problem.input("opponent", othello.board(8), PLACES)
    for a, b in zip(own.literals, opponent.literals, strict=True):
        problem.require_any((a ^ 1, b ^ 1))
    if moves:
        problem.name("moves", othello.moves(own, opponent, othello.board(8)), PLACES)
    if flips:
        move = problem.input("move", othello.board(8), PLACES)
        problem.name("flips", othello.flips(own, opponent, move), PLACES)
    return problem.encode()


@pytest.mark.parametrize(
    ("moves", "flips", "variables", "clauses"),
    [(True, False, 852, 2508), (False, True, 1628, 4732), (True, True, 1832, 5548)],
)
def test_the_rules_of_othello_are_small(
    moves: bool, flips: bool, variables: int, clauses: int
) -> None:
    cnf = othello_cnf(moves, flips)
    assert (cnf.variables, len(cnf.clauses)) == (variables, clauses)


def propagated(solver: Any, cnf: Cnf, **inputs: int) -> dict[str, int]:
    """All words, found by unit propagation alone from the inputs; every bit must be settled."""
    consistent, literals = solver.propagate(assumptions=cnf.fix(**inputs))
    assert consistent
    settled = {abs(literal) for literal in literals}
    for word in cnf.words.values():
        assert all(abs(literal) in settled for literal in word if literal)
    return cnf.decode(literals)


def test_models_of_moves_and_flips_are_play() -> None:
    cnf = othello_cnf(moves=True, flips=True)
    random = Random(4)
    with Minisat22(bootstrap_with=cnf.clauses) as solver:
        for own, opponent in othello_positions(800, seed=5):
            move = 1 << random.randrange(64)
            values = propagated(solver, cnf, own=own, opponent=opponent, move=move)
            assert values["moves"] == othello.moves(own, opponent, othello.board(8))
            assert values["flips"] == othello.flips(own, opponent, move)


def _wraps(x: Any) -> Any:
    return (x << 1) & 0xFFFFFFFFFFFFFFFF


def _short_run(shift: Any, stones: Any, opponent: Any) -> Any:
    r = opponent & shift(stones)
    for _ in range(4):
        r = opponent & shift(stones | r)
    return r


@pytest.mark.parametrize(("name", "wrong"), [("east", _wraps), ("run", _short_run)])
def test_an_error_in_the_rules_is_seen(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any
) -> None:
    long_run = (1 << 7, 0b1111110)  # a1 is legal only over a run of six
    positions = [*othello_positions(300, seed=6), long_run]

    def agrees() -> bool:
        cnf = othello_cnf(moves=True, flips=False)
        with Minisat22(bootstrap_with=cnf.clauses) as solver:
            found = [propagated(solver, cnf, own=a, opponent=b)["moves"] for a, b in positions]
        return found == [naive_moves(a, b) for a, b in positions]

    assert agrees()
    monkeypatch.setattr(othello, name, wrong)
    assert not agrees()


def test_models_of_choko_are_play() -> None:
    problem = Problem()
    own = problem.input("own", choko.BOARD, PLACES[:25])
    enemy = problem.input("enemy", choko.BOARD, PLACES[:25])
    for direction, (shift, _) in enumerate(CHOKO_SHIFTS):
        steps = choko.steps(shift, own, enemy, choko.BOARD)
        jumps = choko.jumps(shift, own, enemy, choko.BOARD, 0)
        problem.name(f"steps {direction}", steps, PLACES[:25])
        problem.name(f"jumps {direction}", jumps, PLACES[:25])
    problem.name("removals", choko.removals(enemy, 1 << 7, choko.BOARD), PLACES[:25])
    cnf = problem.encode()
    with Minisat22(bootstrap_with=cnf.clauses) as solver:
        for a, b in choko_positions(1000, seed=7):
            values = propagated(solver, cnf, own=a, enemy=b)
            for direction, (shift, _) in enumerate(CHOKO_SHIFTS):
                assert values[f"steps {direction}"] == choko.steps(shift, a, b, choko.BOARD)
                assert values[f"jumps {direction}"] == choko.jumps(shift, a, b, choko.BOARD, 0)
            assert values["removals"] == choko.removals(b, 1 << 7, choko.BOARD)


def random_problem(random: Random, inputs: int) -> tuple[Problem, list[Any]]:
    """A circuit of random gates with random demands, and the demands as tests of a value."""
    problem = Problem()
    graph = problem.graph
    word = problem.input("in", -1, [str(i) for i in range(inputs)])
    literals: list[int] = list(word.literals)
    for _ in range(14):
        a, b = (random.choice(literals) ^ random.randrange(2) for _ in range(2))
        make = random.choice((graph.conjunction, graph.disjunction, graph.exclusive))
        literals.append(make(a, b))
    demands: list[Any] = []
    for _ in range(random.randrange(1, 4)):
        some = [random.choice(literals) ^ random.randrange(2) for _ in range(4)]
        bound = random.randrange(6)
        for kind in random.sample(("one", "any", "least", "most"), 2):
            if kind == "one":
                problem.require(some[0])
                demands.append((some[:1], lambda n: n == 1))
            elif kind == "any":
                problem.require_any(some)
                demands.append((some, lambda n: n >= 1))
            elif kind == "least":
                problem.at_least(some, bound)
                demands.append((some, lambda n, bound=bound: n >= bound))
            else:
                problem.at_most(some, bound)
                demands.append((some, lambda n, bound=bound: n <= bound))
    return problem, demands


def test_clauses_have_a_model_where_the_circuit_meets_every_demand_and_nowhere_else() -> None:
    random = Random(8)
    outcomes = set()
    for _ in range(150):
        problem, demands = random_problem(random, inputs=4)
        cnf = problem.encode()
        assert all(0 < abs(x) <= cnf.variables for clause in cnf.clauses for x in clause)
        assert all(cnf.clauses)
        graph = problem.graph
        with Cadical195(bootstrap_with=[list(c) for c in cnf.clauses]) as solver:
            for value in range(16):
                bits = [value >> i & 1 for i in range(4)]
                met = all(
                    test(evaluate(graph, bits, Word(graph, some)).bit_count())
                    for some, test in demands
                )
                assert solver.solve(assumptions=cnf.fix(**{"in": value})) == met
                outcomes.add(met)
                if met:
                    assert cnf.decode(solver.get_model())["in"] == value
    assert outcomes == {True, False}


@pytest.mark.parametrize("cardinality", CARDINALITIES)
def test_every_counter_counts(cardinality: str) -> None:
    for bound in range(8):
        for least in (True, False):
            problem = Problem(cardinality=cardinality)
            word = problem.input("in", -1, list("abcdef"))
            (problem.at_least if least else problem.at_most)(word.literals, bound)
            cnf = problem.encode()
            with Cadical195(bootstrap_with=[list(c) for c in cnf.clauses]) as solver:
                for value in range(64):
                    count = value.bit_count()
                    wanted = count >= bound if least else count <= bound
                    assert solver.solve(assumptions=cnf.fix(**{"in": value})) == wanted


def test_words_with_constant_bits_are_decoded_and_fixed() -> None:
    problem = Problem(Graph())
    word = problem.input("in", 0b0110, list("abcd"))
    problem.name("out", ~word | 1, list("abcd"))
    cnf = problem.encode()
    assert cnf.variables == 2
    assert cnf.decode([1, -2]) == {"in": 0b0010, "out": 0b1101}
    assert cnf.fix(out=0b1011) == [-1, 2]
    assert cnf.decode(cnf.fix(out=0b1011))["out"] == 0b1011
    with pytest.raises(DataError, match="does not fit in"):
        cnf.fix(**{"in": 0b1000})
    assert cnf.differs(**{"in": 0b1000}) is None
    assert cnf.differs(**{"in": 0b0100}) == (1, -2)


def test_dimacs_names_its_variables() -> None:
    text = othello_cnf(moves=True, flips=False).dimacs(["a title"]).decode()
    lines = text.splitlines()
    assert lines[:2] == ["c a title", "c variable 1 is own a1"]
    assert "c variable 128 is opponent h8" in lines
    assert sum(line.startswith("c variable") and "moves" in line for line in lines) == 64
    header = lines.index("p cnf 852 2508")
    assert len(lines) - header - 1 == 2508
    assert all(line.endswith(" 0") for line in lines[header + 1 :])


def test_an_unknown_counter_is_refused() -> None:
    with pytest.raises(UsageError, match="want half-totalizer, mtotalizer, totalizer"):
        Problem(cardinality="abacus")


@pytest.mark.parametrize("wrong", [True, False, "word", None, 1.0, -2, 10**6])
def test_what_is_no_literal_is_not_asked_for(wrong: Any) -> None:
    """``word == 3`` is False in Python: to require that would refute anything."""
    problem = Problem()
    word = problem.input("own", -1, ["a", "b", "c"])
    wrong = word if wrong == "word" else wrong
    for ask in (
        lambda: problem.require(wrong),
        lambda: problem.require_any((word[0], wrong)),
        lambda: problem.at_least((word[0], wrong), 1),
        lambda: problem.at_most((word[0], wrong), 1),
    ):
        with pytest.raises(UsageError, match="is no literal"):
            ask()


STATEMENTS = (
    '{"at_least": 34, "blocked": ["0x3c7e7e3c1800"], "constructible": true,'
    ' "format": 1, "statement": "othello-mobility"}',
    '{"figure": 4, "format": 1, "statement": "equivalence"}',
    '{"at_least": 150, "condition": "material", "format": 1, "statement": "choko-mobility"}',
    '{"format": 1, "lone_jump": true, "statement": "choko-removals"}',
)


@pytest.mark.slow
def test_a_statement_gives_the_same_bytes_in_every_process() -> None:
    script = (
        "import hashlib, sys\nfrom playproof.proofs.registry import read_statement\n"
        "for text in sys.argv[1:]: print(hashlib.sha256(read_statement(text).dimacs()).hexdigest())"
    )
    digests = [
        hashlib.sha256(registry.read_statement(text).dimacs()).hexdigest() for text in STATEMENTS
    ]
    # This process has a hash seed of its own.
    done = subprocess.run(
        [sys.executable, "-c", script, *STATEMENTS],
        env={**os.environ, "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        cwd=Path(__file__).parent,
    )
    assert done.stdout.split() == digests, done.stderr
    assert len(set(digests)) == len(STATEMENTS)
