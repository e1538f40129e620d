"""DRAT by hand: files from lists, formulas without a model, and a naive checker."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable

import pytest

from playproof.proofs.checker.check import DratVerdict, check

pysat = pytest.importorskip("pysat.solvers")

Clause = list[int]
Step = tuple[bool, Clause]  # (deletes, literals as written)
TINY = [[1, 2], [1, -2], [-1, 2], [-1, -2]]  # needs one lemma


# Files from lists, and back.


def dimacs(clauses: Iterable[Clause], variables: int | None = None) -> bytes:
    clauses = list(clauses)
    most = max((abs(literal) for clause in clauses for literal in clause), default=0)
    lines = [f"p cnf {most if variables is None else variables} {len(clauses)}"]
    lines += [" ".join(map(str, [*clause, 0])) for clause in clauses]
    return ("\n".join(lines) + "\n").encode()


def drat(steps: Iterable[Step]) -> bytes:
    lines = ("d " * deletes + " ".join(map(str, [*clause, 0])) + "\n" for deletes, clause in steps)
    return "".join(lines).encode()


def binary_drat(steps: Iterable[Step]) -> bytes:
    out = bytearray()
    for deletes, clause in steps:
        out += b"d" if deletes else b"a"
        for number in [*(2 * abs(literal) + (literal < 0) for literal in clause), 0]:
            while number > 127:
                out.append(128 | number & 127)
                number >>= 7
            out.append(number)
    return bytes(out)


def steps_of(lines: Iterable[str]) -> list[Step]:
    words = [line.split() for line in lines]
    return [(w[0] == "d", [int(x) for x in w[w[0] == "d" : -1]]) for w in words]


def judge(clauses: list[Clause], steps: list[Step]) -> DratVerdict:
    return check(dimacs(clauses), drat(steps))


# Formulas without a model, and proofs of it.


def pigeonhole(holes: int) -> list[Clause]:
    """One pigeon more than holes; variable i * holes + j + 1: pigeon i is in hole j."""
    rows = [[i * holes + j + 1 for j in range(holes)] for i in range(holes + 1)]
    pairs = itertools.combinations(rows, 2)
    return rows + [[-a, -b] for one, other in pairs for a, b in zip(one, other, strict=True)]


def random_3sat(variables: int, clauses: int, seed: int) -> list[Clause]:
    rng = random.Random(seed)
    triples = (rng.sample(range(1, variables + 1), 3) for _ in range(clauses))
    return [[v if rng.random() < 0.5 else -v for v in triple] for triple in triples]


def parity(bits: int, seed: int) -> list[Clause]:
    """The sum of some bits is even and, added in another order, odd."""
    clauses: list[Clause] = []
    names = itertools.count(bits + 1)

    def add(a: int, b: int) -> int:
        total = next(names)
        signs = [s for s in itertools.product((1, -1), repeat=3) if s[0] * s[1] * s[2] < 0]
        clauses.extend([x * a, y * b, z * total] for x, y, z in signs)
        return total

    other = random.Random(seed).sample(range(1, bits + 1), bits)
    for order, sign in ((range(1, bits + 1), -1), (other, 1)):
        total = order[0]
        for bit in order[1:]:
            total = add(total, bit)
        clauses.append([sign * total])
    return clauses


def solver_proof(clauses: list[Clause], name: str = "cadical195") -> list[Step]:
    with pysat.Solver(name=name, bootstrap_with=clauses, with_proof=True) as solver:
        assert solver.solve() is False
        return steps_of(solver.get_proof())


def extended_resolution(holes: int) -> list[Step]:
    """Cook's short proof (1976) of the pigeonhole principle, by new variables.

    Pigeon i is in hole j of the smaller problem, q, if it is there in the larger one,
    or if it is in the last hole and the last pigeon is in j.
    """
    steps: list[Step] = []
    p = [[i * holes + j + 1 for j in range(holes)] for i in range(holes + 1)]
    names = itertools.count((holes + 1) * holes + 1)
    for n in range(holes, 1, -1):
        last = p[n]
        q = [[next(names) for _ in range(n - 1)] for _ in range(n)]
        cells = list(itertools.product(range(n), range(n - 1)))
        lemmas = []
        for i, j in cells:
            lemmas += [[q[i][j], -p[i][j]], [q[i][j], -p[i][n - 1], -last[j]]]
            lemmas += [[-q[i][j], p[i][j], p[i][n - 1]], [-q[i][j], p[i][j], last[j]]]
        lemmas += q
        for j, (i, k) in itertools.product(range(n - 1), itertools.combinations(range(n), 2)):
            lemmas += [[-q[i][j], -q[k][j], p[i][j]], [-q[i][j], -q[k][j]]]
        steps += [(False, lemma) for lemma in lemmas]
        p = q
    return [*steps, (False, [])]


# Random proofs, and small changes.


def shuffled(rng: random.Random, clause: Clause) -> Clause:
    return rng.sample(clause, len(clause))


def random_clause(rng: random.Random, variables: int, width: int) -> Clause:
    chosen = rng.choices(range(1, variables + 1), k=width)
    if rng.random() < 0.9 and width <= variables:
        chosen = rng.sample(range(1, variables + 1), width)
    return [rng.choice((1, -1)) * variable for variable in chosen]


def random_proof(rng: random.Random) -> tuple[list[Clause], list[Step]]:
    """A small formula and steps that mostly follow: what does not, mostly is not kept.

    There are repeated literals, tautologies and duplicates among them.
    """
    variables = rng.randint(2, 6)
    widths = rng.choice(([2, 3, 3], [3, 3, 4], [1, 3, 3, 3, 3, 4]))
    formula = [
        random_clause(rng, variables, rng.choice(widths))
        for _ in range(rng.randint(2 * variables, 7 * variables))
    ]
    present, steps = list(formula), []
    for _ in range(rng.randint(0, 14)):
        if present and rng.random() < 0.2:
            at = rng.randrange(len(present))
            gone = present.pop(at) if rng.random() < 0.9 else random_clause(rng, variables, 3)
            steps.append((True, shuffled(rng, gone)))
            continue
        for _ in range(30):
            lemma = random_clause(rng, variables + 2, rng.randint(1, 3))
            if rng.random() < 0.03 or follows([frozenset(c) for c in present], lemma):
                break
        present.append(lemma)
        steps.append((False, lemma))
    return formula, [*steps, (False, [])] if rng.random() < 0.8 else steps


def mutated(rng: random.Random, steps: list[Step]) -> list[Step]:
    """One or a few small changes."""
    steps = [(deletes, list(clause)) for deletes, clause in steps]
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        if not steps:
            break
        i, j = rng.randrange(len(steps)), rng.randrange(len(steps))
        deletes, clause = steps[i]
        change = rng.randrange(8)
        if change == 0:
            del steps[i]
        elif change == 1:
            steps[i], steps[j] = steps[j], steps[i]
        elif change == 2:
            steps[i] = (not deletes, clause)
        elif change == 3:
            steps[i] = (deletes, shuffled(rng, clause))
        elif change == 4:
            steps.insert(j, (True, shuffled(rng, clause)))
        elif change == 5 and clause:
            k = rng.randrange(len(clause))
            clause[k] = -clause[k]
        elif change == 6 and clause:
            del clause[rng.randrange(len(clause))]
        else:
            del steps[max(i, 1) :]
    return steps


# The naive checker: sets, no watches, the definitions word by word.


def closure(clauses: Iterable[frozenset[int]], literals: Iterable[int]) -> set[int] | None:
    """All that unit propagation makes true, or None if there is a conflict."""
    true, clauses = set(literals), list(clauses)
    if any(-literal in true for literal in true):
        return None
    grown = True
    while grown:
        grown = False
        for clause in clauses:
            if not clause & true:
                free = [literal for literal in clause if -literal not in true]
                if not free:
                    return None
                if len(free) == 1:
                    true.add(free[0])
                    grown = True
    return true


def follows(clauses: list[frozenset[int]], lemma: Clause) -> str:
    """RUP, RAT or nothing."""
    denied = {-literal for literal in lemma}
    if closure(clauses, denied) is None:
        return "RUP"
    others = [clause - {-lemma[0]} for clause in clauses if lemma and -lemma[0] in clause]
    rat = all(closure(clauses, denied | {-x for x in other}) is None for other in others)
    return "RAT" if lemma and rat else ""


def naive(formula: list[Clause], steps: list[Step]) -> tuple[bool, int, int, int]:
    """(verified, lemmas looked at, RATs among them, deletions of nothing)."""
    present: list[frozenset[int]] = []
    units: set[int] = set()  # derived, and never lost
    checked = rats = unmatched = 0
    for given, deletes, literals in [
        *((True, False, clause) for clause in formula),
        *((False, *step) for step in steps),
    ]:
        clause = frozenset(literals)
        if deletes:
            if clause in present:
                present.remove(clause)
            else:
                unmatched += 1
            continue
        telling = [c for c in present if not any(-x in c for x in c)]
        telling += [frozenset([unit]) for unit in units]
        if not given:
            checked += 1
            kind = follows(telling, list(literals))
            if not kind:
                return False, checked, rats, unmatched
            rats += kind == "RAT"
        present.append(clause)
        if not any(-x in clause for x in clause):
            derived = closure([*telling, clause], ())
            if derived is None:
                return True, checked, rats, unmatched
            units = derived
    return False, checked, rats, unmatched


def satisfiable(clauses: list[Clause]) -> bool:
    with pysat.Solver(name="minisat22", bootstrap_with=clauses) as solver:
        return bool(solver.solve())


def figures(verdict: DratVerdict) -> tuple[bool, int, int, int]:
    return verdict.verified, verdict.checked, verdict.rats, verdict.unmatched
