"""Counting is right: by exhaustion for few literals, by certificates for as many as a board has."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from pysat.solvers import Cadical195

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import write_bundle, write_chain
from playproof.proofs.choko.mobility import ChokoMobility
from playproof.proofs.othello.last_placements import OthelloChain
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.registry import read_statement
from playproof.proofs.sat.cardinality import OWN, Clause, at_least, half_totalizer
from playproof.proofs.theorems import ByCubes, ChokoAtMost, UnreachableBound, read_theorem
from tests.support.proofs.counting import Change, enough_refused, is_refuted, too_few

OLD = '{"at_least": 9, "format": 1, "size": 4, "statement": "othello-mobility"}'


def test_every_count_of_up_to_ten_literals() -> None:
    for count in range(11):
        literals = [i if i % 3 else -i for i in range(1, count + 1)]  # signs do not matter
        for bound in range(count + 2):
            counter = at_least(literals, bound, count)
            assert all(counter.clauses)
            assert counter.top == max([count, *(abs(x) for c in counter.clauses for x in c)])
            with Cadical195(bootstrap_with=[list(clause) for clause in counter.clauses]) as solver:
                for value in range(1 << count):
                    chosen = [x if value >> i & 1 else -x for i, x in enumerate(literals)]
                    assert solver.solve(assumptions=chosen) == (value.bit_count() >= bound)


def test_the_bound_is_exact_on_a_board() -> None:
    rng = random.Random(1)
    for bound in range(1, 65):
        counter = at_least(range(1, 65), bound, 64)
        with Cadical195(bootstrap_with=[list(clause) for clause in counter.clauses]) as solver:
            for true in (bound - 1, bound):
                chosen = set(rng.sample(range(1, 65), true))
                signed = [x if x in chosen else -x for x in range(1, 65)]
                assert solver.solve(assumptions=signed) == (true == bound)


@pytest.mark.parametrize("bound", [1, 3, 61, 64])
def test_64_literals_by_certificates(bound: int) -> None:
    assert is_refuted(too_few(64, bound))
    assert is_refuted(enough_refused(64, bound))


@pytest.mark.slow
def test_half_of_64_literals_by_certificates() -> None:
    assert is_refuted(too_few(64, 32))
    assert is_refuted(enough_refused(64, 32))


def _without(clauses: list[Clause]) -> list[Clause]:
    return clauses[: len(clauses) // 2] + clauses[len(clauses) // 2 + 1 :]


def _shorter(clauses: list[Clause]) -> list[Clause]:
    return [*clauses[:-1], clauses[-1][:-1]]


def test_certificates_fail_if_the_circuit_is_wrong() -> None:
    planted: list[tuple[Change, bool, bool]] = [
        (list, True, True),
        (_without, False, True),  # something too small passes
        (_shorter, True, False),  # something large enough is excluded
    ]
    for change, small_refused, large_accepted in planted:
        assert is_refuted(too_few(12, 7, change)) == small_refused
        assert is_refuted(enough_refused(12, 7, change)) == large_accepted


def test_only_what_the_bound_needs_gets_a_variable() -> None:
    assert half_totalizer(range(1, 61), 35, 60).top < 60 + 60 * 6
    for bound in (2, 30, 58):
        counter = half_totalizer(range(1, 61), bound, 60)
        assert {abs(x) for c in counter.clauses for x in c} == set(range(1, counter.top + 1))


# Statements name their counting.


NEW = [
    OthelloMobility(9, 4),
    OthelloChain(0x1818000000 | 1 << 19, 3, 1),
    ChokoMobility(177),
    ByCubes(9, 4),
    UnreachableBound(8, (0x6070A,), 2, 4),
    ChokoAtMost(177),
]


@pytest.mark.parametrize("new", NEW, ids=lambda new: type(new).__name__)
def test_what_is_new_names_our_counting_and_what_is_old_is_as_it_was(new: object) -> None:
    read = read_theorem if hasattr(new, "statements") else read_statement
    data = json.loads(new.json())  # type: ignore[attr-defined]
    assert data.pop("cardinality") == OWN
    assert read(new.json()) == new  # type: ignore[attr-defined]
    old = read(json.dumps(data, sort_keys=True))
    assert old != new
    assert json.loads(old.json()) == data
    parts = old.statements() if hasattr(old, "statements") else [old]
    names = {"othello-mobility": "mtotalizer", "othello-chain": "totalizer"}
    for part in parts:
        if hasattr(part, "cardinality"):
            assert part.cardinality == names.get(part.family, "totalizer")
            assert "cardinality" not in part.json()
    for part in new.statements() if hasattr(new, "statements") else [new]:
        assert getattr(part, "cardinality", OWN) == OWN


def test_an_old_statement_is_certified_as_before(tmp_path: Path) -> None:
    write_bundle(tmp_path / "old", read_statement(OLD))
    assert (tmp_path / "old" / "statement.json").read_text() == OLD + "\n"
    assert check_bundle(tmp_path / "old").verified


def test_an_unknown_counting_is_refused_in_one_line() -> None:
    wrong = "no cardinality encoding 'abacus': want half-totalizer, mtotalizer"
    for make in (
        lambda: OthelloMobility(9, 4, cardinality="abacus"),
        lambda: ByCubes(9, 4, cardinality="abacus").statements(),
        lambda: UnreachableBound(7, (), 1, 4, cardinality="abacus"),
        lambda: ChokoMobility(9, cardinality="abacus"),
        lambda: read_statement(OLD.replace("{", '{"cardinality": "abacus", ', 1)),
    ):
        with pytest.raises((UsageError, DataError), match=wrong):
            make()
    with pytest.raises(DataError, match="cardinality of othello-mobility cannot be 7: want text"):
        read_statement(OLD.replace("{", '{"cardinality": 7, ', 1))
    assert issubclass(UsageError, PlayproofError)


def test_a_certificate_is_checked_without_python_sat(tmp_path: Path) -> None:
    write_bundle(tmp_path / "one", OthelloMobility(9, 4))
    write_chain(tmp_path / "many", UnreachableBound(8, (0x6070A, 0x1060E05), 1, 4, 8))
    write_bundle(tmp_path / "old", read_statement(OLD))
    code = (
        "import os, sys\n"
        "sys.modules.update(dict.fromkeys(('pysat', 'pysat.card', 'pysolvers', 'pycard')))\n"
        "os.environ['PATH'] = ''\n"
        "import playproof\n"
        "for folder in sys.argv[1:]:\n"
        "    report = playproof.check(folder)\n"
        "    print(report.verified, report.objection)\n"
    )
    folders = [str(tmp_path / name) for name in ("one", "many", "old")]
    done = subprocess.run([sys.executable, "-c", code, *folders], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    one, many, old = done.stdout.splitlines()
    assert one == many == "True None"
    assert old == (
        "False formula: mtotalizer counts by python-sat, which is not installed: "
        "pip install 'playproof[prove]'"
    )
