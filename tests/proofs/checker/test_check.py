"""The DRAT checker: against real solvers and a naive checker."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from playproof.core.errors import UsageError
from playproof.proofs.checker import check as checker
from playproof.proofs.checker.check import check
from tests.support.longer import longer
from tests.support.proofs.naive_drat import (
    TINY,
    binary_drat,
    dimacs,
    drat,
    extended_resolution,
    figures,
    judge,
    mutated,
    naive,
    parity,
    pigeonhole,
    random_3sat,
    random_proof,
    satisfiable,
    solver_proof,
)

KISSAT = next((Path(p) / "sage_wheels/bin/kissat" for p in sys.path
               if (Path(p) / "sage_wheels/bin/kissat").is_file()), None)  # fmt: skip


# Good proofs.

GOOD = {
    **{f"pigeonhole {n}": pigeonhole(n) for n in range(4, 8)},
    **{f"random {seed}": random_3sat(80, 420, seed) for seed in range(4)},
    **{f"parity {n}": parity(n, n) for n in (6, 8, 10)},
}


@pytest.mark.parametrize("solver", ["cadical195", "glucose4"])
@pytest.mark.parametrize("name", GOOD)
def test_what_solvers_prove_is_verified(name: str, solver: str) -> None:
    steps = solver_proof(GOOD[name], solver)
    verdict = judge(GOOD[name], steps)
    assert (verdict.verified, verdict.reason) == (True, "verified")
    assert verdict.clauses == len(GOOD[name])
    assert verdict.lemmas + verdict.deletions == len(steps)
    assert 0 < verdict.checked <= verdict.lemmas


@pytest.mark.skipif(KISSAT is None, reason="Kissat is not installed")
@pytest.mark.parametrize("form", ["--no-binary", "--force"])
@pytest.mark.parametrize("name", GOOD)
def test_what_kissat_proves_is_verified(name: str, form: str, tmp_path: Path) -> None:
    cnf, proof = tmp_path / "it.cnf", tmp_path / "it.drat"
    cnf.write_bytes(dimacs(GOOD[name]))
    done = subprocess.run([str(KISSAT), "-q", form, str(cnf), str(proof)], capture_output=True)
    assert done.returncode == 20  # no model
    verdict = check(cnf, proof)
    assert verdict.reason == "verified"
    if name == "pigeonhole 7":
        assert verdict.rats > 0  # Kissat adds variables here


@pytest.mark.parametrize("name", ["pigeonhole 6", "random 1", "parity 8"])
def test_a_binary_proof_is_the_same_proof(name: str) -> None:
    steps = solver_proof(GOOD[name])
    text = judge(GOOD[name], steps)
    packed = check(dimacs(GOOD[name]), binary_drat(steps))
    assert figures(packed) == figures(text)
    assert packed.lemmas == text.lemmas


@pytest.mark.parametrize("holes", [3, 4, 10])
def test_new_variables_are_verified_by_rat(holes: int) -> None:
    steps = extended_resolution(holes)
    verdict = judge(pigeonhole(holes), steps)
    assert verdict.verified
    assert verdict.rats > verdict.lemmas // 5  # the definitions
    if holes < 5:
        assert figures(verdict) == naive(pigeonhole(holes), steps)


@pytest.mark.parametrize(
    ("cnf", "proof"),
    [
        pytest.param(b"p cnf 0 1\n0\n", b"", id="the empty clause is given"),
        pytest.param(b"p cnf 1 2\n1 0\n-1 0\n", b"", id="refuted by unit propagation"),
        pytest.param(b"p cnf 1 2\n1 0\n-1 0", b"0", id="no line feed at the end"),
        pytest.param(dimacs(TINY), b"1 0\n0\n", id="a lemma and the empty clause"),
        pytest.param(dimacs(TINY), b"1 0\n", id="a conflict needs no empty clause"),
        pytest.param(dimacs(TINY), b"1 0\n2 3 0\n0\n", id="not judged after the conflict"),
        pytest.param(dimacs(TINY), b"1 1 1 0\n0\n", id="a repeated literal"),
        pytest.param(dimacs(TINY), b"2 -2 0\n3 -3 1 0\n1 0\n0\n", id="tautologies"),
        pytest.param(dimacs(TINY), b"1 2 0\n2 1 0\nd 1 2 0\n1 0\n", id="a duplicate lemma"),
        pytest.param(dimacs(TINY), b"d 1 0\nd 7 0\n1 0\n0\n", id="deletions of nothing"),
        pytest.param(dimacs([*TINY, [3]]), b"d 3 0\n-3 1 0\n1 0\n", id="a unit outlives deletion"),
        pytest.param(dimacs(TINY), b"1000000007 0\nd 1000000007 0\n1 0\n0\n", id="a large name"),
        pytest.param(b"c hello\n\n" + dimacs(TINY), b"c x\n1 0\n0\n", id="comments"),
        pytest.param(dimacs(TINY).replace(b"\n", b"\r\n"), b"\t1 0 \r\n0\r\n", id="other spaces"),
        pytest.param(dimacs(TINY, 9), b"1 0\n", id="variables that do not appear"),
    ],
)
def test_small_good_proofs(cnf: bytes, proof: bytes) -> None:
    assert check(cnf, proof).reason == "verified"


def test_deletion_finds_its_clause_in_any_order() -> None:
    formula = [[1, 2, 3], [-1, 4], *[[s * 5, t * 6] for s in (1, -1) for t in (1, -1)]]
    verdict = check(dimacs(formula), b"d 3 1 2 0\nd 4 4 -1 0\nd 2 1 3 0\n5 0\n")
    assert (verdict.verified, verdict.deletions, verdict.unmatched) == (True, 3, 1)


# Against the naive checker.


@pytest.mark.parametrize("chunk", range(4))
def test_the_naive_checker_agrees_on_random_proofs(chunk: int) -> None:
    rng = random.Random(chunk)
    seen = {"proved": 0, "refused": 0, "rats": 0, "unmatched": 0}
    for _ in range(longer(300, 3000)):
        formula, steps = random_proof(rng)
        verdict = judge(formula, steps)
        assert figures(verdict) == naive(formula, steps), (formula, steps)
        assert not (verdict.verified and satisfiable(formula))
        seen["proved"] += verdict.verified and verdict.checked > 0
        seen["refused"] += not verdict.verified
        seen["rats"] += verdict.rats
        seen["unmatched"] += verdict.unmatched
    assert min(seen.values()) > 8, seen  # the test is about something


@pytest.mark.parametrize("solver", ["cadical195", "glucose4"])
def test_the_naive_checker_agrees_on_changed_proofs(solver: str) -> None:
    rng = random.Random(7)
    seen = {True: 0, False: 0}
    for seed in range(longer(14, 90)):
        formula = random_3sat(10, 90, seed)
        steps = solver_proof(formula, solver)
        for _ in range(10):
            changed = mutated(rng, steps)
            verdict = judge(formula, changed)
            assert figures(verdict) == naive(formula, changed), (formula, changed)
            seen[verdict.verified] += 1
    assert min(seen.values()) > 10, seen


def test_the_naive_checker_agrees_on_changed_definitions() -> None:
    rng = random.Random(11)
    formula, steps = pigeonhole(3), extended_resolution(3)
    seen = {True: 0, False: 0}
    for _ in range(longer(200, 2000)):
        changed = mutated(rng, steps)
        verdict = judge(formula, changed)
        assert figures(verdict) == naive(formula, changed), changed
        seen[verdict.verified] += 1
    assert min(seen.values()) > 10, seen


def test_no_proof_refutes_what_has_a_model() -> None:
    """Proofs of a formula that lost just enough clauses to have a model."""
    rng = random.Random(3)
    for seed in range(longer(12, 100)):
        whole = random_3sat(20, 130, seed)
        if satisfiable(whole):
            continue
        steps = solver_proof(whole, rng.choice(["cadical195", "glucose4"]))
        formula = list(whole)
        while not satisfiable(formula):
            del formula[rng.randrange(len(formula))]
        for _ in range(40):
            assert not judge(formula, mutated(rng, steps)).verified
    holes = pigeonhole(4)
    for missing in range(len(holes)):
        formula = holes[:missing] + holes[missing + 1 :]
        for _ in range(10):
            assert not judge(formula, mutated(rng, extended_resolution(4))).verified


# How a check goes.


def test_progress_is_told_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_SLICE", 100)
    formula = GOOD["pigeonhole 5"]
    steps = solver_proof(formula)
    told: list[tuple[int, int]] = []
    sliced = check(dimacs(formula), drat(steps), on_progress=lambda *at: told.append(at))
    assert len(told) > 10
    assert told == sorted(told)
    assert {total for _, total in told} == {len(steps)}
    assert told[-1][0] > len(steps) // 2
    monkeypatch.undo()
    assert figures(sliced) == figures(judge(formula, steps))


def test_a_check_out_of_time_verifies_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_SLICE", 100)
    formula = GOOD["pigeonhole 5"]
    verdict = check(dimacs(formula), drat(solver_proof(formula)), seconds=1e-6)
    assert not verdict.verified
    assert re.fullmatch(r"not done after 0\.\d s: \d+ of \d+ steps are checked", verdict.reason)
    with pytest.raises(UsageError, match="0 seconds are too few"):
        check(dimacs(formula), b"", seconds=0)


def test_a_long_clause_is_not_shown_whole() -> None:
    verdict = check(b"p cnf 20 1\n1 0\n", " ".join(map(str, [*range(-1, -21, -1), 0])).encode())
    assert verdict.reason == (
        "line 1: clause -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 ... (20 literals) 0"
        " is neither RUP nor RAT on its first literal"
    )


def test_it_runs_uncompiled() -> None:
    """For a debugger, and for who would trust Python rather than a compiler."""
    code = (
        "import json, sys\n"
        "from playproof.proofs.checker.check import check\n"
        "for cnf, proof in json.load(sys.stdin):\n"
        "    v = check(bytes.fromhex(cnf), bytes.fromhex(proof))\n"
        "    print(json.dumps([v.verified, v.checked, v.rats, v.unmatched]))\n"
    )
    rng = random.Random(1)
    cases = [random_proof(rng) for _ in range(60)]
    cases += [(pigeonhole(3), extended_resolution(3)), (pigeonhole(4), solver_proof(pigeonhole(4)))]
    files = [(dimacs(formula), drat(steps)) for formula, steps in cases]
    files += [(dimacs(formula), binary_drat(steps)) for formula, steps in cases[-2:]]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        input=json.dumps([(cnf.hex(), proof.hex()) for cnf, proof in files]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    told = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    assert told == [figures(check(cnf, proof)) for cnf, proof in files]
