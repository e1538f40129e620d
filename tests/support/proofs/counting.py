"""Certificates that a counting circuit is right, against ripple-carry adders.

A circuit for "at least k of n" is right if it meets two conditions.  Each is shown by a formula
that has no model.

1. ``too_few``: no assignment with fewer than k true literals satisfies the clauses.
2. ``enough_refused``: if k or more literals are true, all clauses hold once each new variable has
   the value that it stands for.  So nothing that is large enough is excluded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from playproof.proofs.checker.check import check
from playproof.proofs.sat.cardinality import Clause, at_least, half_totalizer
from playproof.proofs.sat.cnf import Cnf, Problem
from playproof.proofs.sat.solvers import UNSAT, solve
from playproof.proofs.sat.words import Word, population, unary_count

Change = Callable[[list[Clause]], list[Clause]]


def _input(problem: Problem, count: int) -> Word:
    return problem.input("x", -1, [f"of {i}" for i in range(1, count + 1)])


def _require_population(problem: Problem, word: Word, counts: range) -> None:
    total = population(word)
    problem.require_any(total.equals(value) for value in counts)


def too_few(count: int, bound: int, change: Change = list) -> Cnf:
    """The circuit's clauses hold, and the adders count fewer than ``bound``."""
    problem = Problem()
    _require_population(problem, _input(problem, count), range(bound))
    adders = problem.encode()  # its inputs are the variables 1 ... count
    counter = at_least(range(1, count + 1), bound, adders.variables)
    clauses = [*adders.clauses, *change(counter.clauses)]
    return replace(adders, variables=counter.top, clauses=clauses)


def enough_refused(count: int, bound: int, change: Change = list) -> Cnf:
    """The adders count ``bound`` or more, and some clause of the circuit is broken."""
    problem = Problem()
    graph, word = problem.graph, _input(problem, count)
    meaning = {i: int(literal) for i, literal in enumerate(word.literals, 1)}

    def define(variable: int, leaves: Sequence[int], least: int) -> None:
        meaning[variable] = unary_count(graph, [meaning[leaf] for leaf in leaves])[least - 1]

    half_totalizer(range(1, count + 1), bound, count, define)
    counter = at_least(range(1, count + 1), bound, count)  # the same, or without new variables
    broken = [
        graph.all_of(meaning[abs(x)] ^ (1 if x > 0 else 0) for x in clause)
        for clause in change(counter.clauses)
    ]
    problem.require_any(broken)
    _require_population(problem, word, range(bound, count + 1))
    return problem.encode()


def is_refuted(formula: Cnf) -> bool:
    """Whether a solver refutes the formula with a proof that our checker verifies."""
    with tempfile.TemporaryDirectory() as folder:
        file, proof = Path(folder) / "formula.cnf", Path(folder) / "proof.drat"
        file.write_bytes(formula.dimacs())
        answer = solve(file, proof=proof)
        return answer.status == UNSAT and check(file.read_bytes(), proof).verified
