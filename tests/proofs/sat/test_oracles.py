"""Several solvers side by side: the first answer counts, and nothing of the others is left."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import playproof
from playproof.core.errors import PlayproofError, UsageError
from playproof.proofs import events
from playproof.proofs.events import ProofEvent
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat import oracles, solvers
from playproof.proofs.sat.oracles import Portfolio, configured, portfolio
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, SolverAnswer
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import Theorem
from tests.support.core.processes import environment
from tests.support.proofs.naive_drat import pigeonhole

NO_9, EIGHT = OthelloMobility(9, 4), OthelloMobility(8, 4)
NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc")
HARD = OthelloMobility(33, empties_at_least=39)  # not decided in a minute


def answers(monkeypatch: pytest.MonkeyPatch, by_label: dict[str, SolverAnswer | str]) -> None:
    """Solvers that answer this at once; "wait" stands for one that runs until it is stopped."""

    def solve(formula, *, solver, options, should_stop, proof=None, **others):  # type: ignore[no-untyped-def]
        answer = by_label[oracles.ConfiguredSolver(solver, options).label]
        if answer == "fail":
            raise PlayproofError("it failed")
        if answer == "wait":
            while not should_stop():
                time.sleep(0.01)
            return SolverAnswer(UNKNOWN, None, None, 9.0, solver, "1")
        if proof is not None and answer.status == UNSAT:
            proof.write_text(answer.version)
            return SolverAnswer(UNSAT, None, proof, answer.seconds, solver, answer.version)
        return answer

    monkeypatch.setattr(solvers, "solve", solve)


def test_the_first_definite_answer_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers(
        monkeypatch,
        {
            "kissat": "wait", "cadical": SolverAnswer(UNSAT, None, None, 1.0, "cadical", "one"),
            "kissat:seed=1": "fail",
        },
    )  # fmt: skip
    file = tmp_path / "proof"
    answer = portfolio("kissat,kissat:seed=1,cadical").solve(NO_9.cnf, proof=file)
    assert (answer.status, answer.solver, answer.proof) == (UNSAT, "cadical", file)
    assert file.read_text() == "one"
    assert list(tmp_path.iterdir()) == [file]


def test_without_an_answer_a_failure_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = SolverAnswer(UNKNOWN, None, None, 1.0, "cadical", "1")
    answers(monkeypatch, {"kissat": "fail", "cadical": unknown})
    with pytest.raises(PlayproofError, match="it failed"):
        portfolio("kissat,cadical").solve(NO_9.cnf)
    answers(monkeypatch, {"kissat": unknown, "cadical": unknown})
    assert portfolio("kissat,cadical").solve(NO_9.cnf).status == UNKNOWN


def test_solvers_that_contradict_each_other_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    race = oracles._Race(portfolio("kissat,cadical").solvers, None, None)
    yes = SolverAnswer(SAT, (1,), None, 1.0, "kissat", "1")
    no = SolverAnswer(UNSAT, None, None, 2.0, "cadical", "1")
    futures = [oracles.Future[SolverAnswer]() for _ in range(2)]
    for future, answer in zip(futures, (yes, no), strict=True):
        future.set_result(answer)
    with pytest.raises(PlayproofError, match="kissat says sat, cadical says unsat"):
        race._winner(futures)


def test_the_winner_certifies(tmp_path: Path) -> None:
    folder = tmp_path / "no-9"
    heard: list[ProofEvent] = []
    settings = ["kissat:seed=3", "cadical"]
    proof = playproof.prove(
        NO_9, certificate=folder, check=True, portfolio=settings, on_event=heard.append
    )
    assert proof.verified
    assert sorted(file.name for file in folder.iterdir()) == [
        "formula.cnf", "manifest.json", "proof.drat", "statement.json",
    ]  # fmt: skip
    answer = proof.decisions[0].answer
    assert (answer.solver, dict(answer.options)) in [("kissat", {"seed": 3}), ("cadical", {})]
    progress = [one for one in heard if isinstance(one, events.PortfolioProgress)]
    assert progress
    assert list(progress[-1].conflicts) == settings
    assert playproof.prove(EIGHT, portfolio=True).position is not None


@dataclass(frozen=True)
class NoNine(Theorem):
    """Two small refutations."""

    family: ClassVar[str] = "no-nine"

    def sentence(self) -> str:
        return "nobody has nine moves"

    def statements(self) -> list[Statement]:
        return [NO_9, OthelloMobility(10, 4)]


def test_a_theorem_is_proved_by_a_portfolio_too() -> None:
    proof = playproof.prove(NoNine(), portfolio="cadical,kissat")
    assert (proof.verdict, len(proof.decisions)) == ("holds", 2)


def running(folder: Path) -> list[str]:
    """The command lines with a file in this folder."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return [line for line in lines if f"{folder}/" in line]


@NEEDS_PROC
def test_time_ends_all_solvers(tmp_path: Path) -> None:
    start = time.perf_counter()
    numbers: list[int] = []
    answer = portfolio("kissat,cadical,kissat:target=2").solve(
        HARD.cnf, seconds=1.0, proof=tmp_path / "proof",
        on_progress=lambda event: numbers.append(len(running(tmp_path))),
    )  # fmt: skip
    assert answer.status == UNKNOWN
    assert time.perf_counter() - start < 10
    assert max(numbers) == 3
    assert running(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@NEEDS_PROC
def test_ctrl_c_ends_all_solvers(tmp_path: Path) -> None:
    home = tmp_path / "temporary"
    home.mkdir()
    script = (
        "from pathlib import Path\n"
        "from playproof.proofs.sat.cnf import Cnf\n"
        "from playproof.proofs.sat.oracles import portfolio\n"
        f"clauses = {[tuple(clause) for clause in pigeonhole(13)]}\n"  # not decided in a minute
        "formula = Cnf(182, clauses, {}, {}, {})\n"
        "portfolio('kissat,cadical').solve(formula, proof=Path('proof'))\n"
    )
    ours = subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment(TMPDIR=str(home)), cwd=tmp_path, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        end = time.monotonic() + 60
        while len(running(home)) < 2 and time.monotonic() < end:
            time.sleep(0.1)
        assert len(running(home)) == 2
        ours.send_signal(signal.SIGINT)
        _, errors = ours.communicate(timeout=20)
    finally:
        ours.kill()
    assert "KeyboardInterrupt" in errors
    assert running(home) == []
    assert [file.name for file in tmp_path.iterdir()] == ["temporary"]
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "workers", "says"),
    [
        ("kissat,minisat", None, "no solver 'minisat': want cadical or kissat"),
        ("kissat:targt=1", None, "kissat has no option 'targt'"),
        ("kissat,kissat", None, "the portfolio has kissat twice"),
        ("kissat,,cadical", None, "names nothing"),
        ([], None, "a portfolio needs settings"),
        ("kissat,cadical,kissat:seed=1", 2, "a portfolio of 3 solvers needs as many workers"),
    ],
)
def test_wrong_portfolios(settings: str | list[str], workers: int | None, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        portfolio(settings, workers)


def test_the_default_has_a_solver_for_each_worker() -> None:
    assert len(portfolio(True, 3).solvers) == 3
    assert len(portfolio("default", 1).solvers) == 1
    assert len(portfolio(True).solvers) >= 2
    assert portfolio("kissat,cadical") == Portfolio((configured("kissat"), configured("cadical")))
