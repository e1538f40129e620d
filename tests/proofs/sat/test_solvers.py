"""Solvers as processes: they agree, keep to their time, and end when we do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from playproof.core.errors import PlayproofError, UsageError
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat import solvers
from playproof.proofs.sat.cnf import Cnf
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, IncrementalSolver, solve
from tests.support.core.processes import environment

HARD = OthelloMobility(33, empties_at_least=39)  # not decided in a minute


def clauses(*given: tuple[int, ...]) -> Cnf:
    variables = max(abs(literal) for clause in given for literal in clause)
    return Cnf(variables, list(given), {}, {}, {})


@pytest.mark.parametrize("solver", solvers.available())
def test_an_answer_comes_with_its_model_or_its_proof(solver: str, tmp_path: Path) -> None:
    proof = tmp_path / "proof.drat"
    there = solve(clauses((1, 2), (-1, 2), (3,)), solver=solver, proof=proof)
    assert (there.status, there.solver, there.proof) == (SAT, solver, None)
    assert there.model is not None
    assert {2, 3} <= set(there.model)
    assert not proof.exists()
    parity = [(a, b, c) for a in (1, -1) for b in (2, -2) for c in (3, -3)]
    refuted = solve(clauses(*parity), solver=solver, proof=proof)
    assert (refuted.status, refuted.model, refuted.proof) == (UNSAT, None, proof)
    assert proof.stat().st_size > 0
    assert refuted.version[0].isdigit()


def test_both_solvers_are_here() -> None:
    assert solvers.available() == ["cadical", "kissat"]
    assert solvers.choose_solver(None) == "kissat"


def test_a_solver_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="want cadical or kissat"):
        solvers.choose_solver("minisat")
    monkeypatch.setattr(solvers, "kissat_binary", lambda: None)
    assert solvers.choose_solver(None) == "cadical"
    with pytest.raises(PlayproofError, match="kissat is not installed"):
        solvers.choose_solver("kissat")


@pytest.mark.parametrize("solver", solvers.available())
def test_time_ends_a_solver(solver: str, tmp_path: Path) -> None:
    told: list[float] = []
    start = time.perf_counter()
    answer = solve(
        HARD.cnf,
        solver=solver,
        seconds=1.0,
        proof=tmp_path / "proof",
        on_progress=lambda now: told.append(now.seconds),
    )
    assert (answer.status, answer.model, answer.proof) == (UNKNOWN, None, None)
    assert time.perf_counter() - start < 5
    assert len(told) >= 2
    assert told == sorted(told)
    assert not list(tmp_path.iterdir())


def test_a_solver_that_dies_is_an_error(tmp_path: Path) -> None:
    broken = tmp_path / "broken.cnf"
    broken.write_text("p cnf what\n")
    with pytest.raises(PlayproofError, match="gave no answer"):
        solve(broken, solver="kissat")


def test_a_false_model_is_no_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "_run", lambda *given: "s SATISFIABLE\nv 1 -2 0\n")
    assert solve(clauses((1, 2)), solver="kissat").model == (1, -2)
    with pytest.raises(PlayproofError, match="breaks a clause"):
        solve(clauses((-1, 2)), solver="kissat")


def test_incremental_questions_differ_by_assumptions_and_clauses() -> None:
    with IncrementalSolver(clauses((1, 2), (-1, -2))) as solver:
        answer = solver.solve([1])
        assert answer.model is not None
        assert 1 in answer.model
        assert -2 in answer.model
        assert solver.solve([1, 2]).status == UNSAT
        assert solver.solve().status == SAT
        solver.add((1,))
        solver.add((2, 3))
        model = solver.solve().model
        assert model is not None
        assert 3 in model
        assert solver.solve([-3]).status == UNSAT


def test_time_ends_an_incremental_question() -> None:
    told: list[float] = []
    with IncrementalSolver(HARD.cnf) as solver:
        start = time.perf_counter()
        assert (
            solver.solve(seconds=0.3, on_progress=lambda now: told.append(now.seconds)).status
            == UNKNOWN
        )
        assert time.perf_counter() - start < 5
    assert told


def test_an_incremental_question_can_be_stopped() -> None:
    asked: list[bool] = []

    def should_stop() -> bool:
        asked.append(len(asked) > 2)
        return asked[-1]

    with IncrementalSolver(HARD.cnf) as solver:
        assert solver.solve(should_stop=should_stop, seconds=30).status == UNKNOWN
    assert asked == [False, False, False, True]


def running(formula: Path) -> list[int]:
    """Processes that have this file on their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if str(formula).encode() in command and f"{os.getpid()}" != folder.name:
            found.append(int(folder.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
@pytest.mark.parametrize("solver", solvers.available())
def test_ctrl_c_ends_the_solver_too(solver: str, tmp_path: Path) -> None:
    formula = tmp_path / "hard.cnf"
    formula.write_bytes(HARD.dimacs())
    script = (
        "import os\nfrom pathlib import Path\nfrom playproof.proofs.sat.solvers import solve\n"
        f"path = Path(os.environ['FORMULA'])\nsolve(path, solver={solver!r}, "
        "on_progress=lambda s: print('running', flush=True))"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "FORMULA": str(formula)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert ours.stdout is not None
    assert ours.stdout.readline() == b"running\n"
    assert len(running(formula)) == 1
    ours.send_signal(signal.SIGINT)
    _, errors = ours.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert running(formula) == []


@pytest.mark.slow
def test_a_solver_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    script = tmp_path / "hard.py"
    script.write_text(
        "from playproof.proofs.othello.mobility import OthelloMobility\n"
        "from playproof.proofs.sat.solvers import solve\n"
        "solve(OthelloMobility(33, 8, 39).cnf, solver='kissat', "
        "on_progress=lambda spent: print('solving', flush=True))\n"
    )
    parent = subprocess.Popen(
        [sys.executable, str(script)], env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "solving\n"
    (child,) = children(parent.pid)
    parent.kill()
    parent.communicate()
    end = time.monotonic() + 10.0
    while os.path.exists(f"/proc/{child}") and time.monotonic() < end:
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{child}")


def children(parent: int) -> list[int]:
    listing = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listing.stdout.splitlines()]
    return [int(pid) for pid, above in rows if int(above) == parent]
