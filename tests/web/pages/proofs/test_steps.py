"""What prove and check tell their job, and certificates that appear only when whole."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.main import main
from playproof.cli.proofs import events as proof_events
from playproof.proofs import events
from playproof.proofs.api import prove
from playproof.proofs.certificates import files as certificate_files
from playproof.proofs.certificates import write as certificates
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat.solvers import available
from playproof.proofs.statements import decide

SMALL = ["prove", "othello-mobility", "--size", "4"]


class Job:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []

    def add_step(self, text: str, **facts: Any) -> None:
        self.steps.append({"text": text, **facts})

    def report(
        self, label: str = "", done: float | None = None, total: float | None = None, **facts: Any
    ) -> None:
        self.told.append({"label": label, "done": done, "total": total, **facts})

    def the(self, what: str) -> dict[str, Any]:
        (found,) = [step for step in self.steps if step["what"] == what]
        return found

    def kinds(self) -> list[str]:
        return [step["what"] for step in self.steps]


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> Job:
    found = Job()
    monkeypatch.setattr(proof_events, "current", lambda: found)
    return found


def test_a_refutation_tells_every_step(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "no-9"
    assert main([*SMALL, "--at-least", "9", "--certificate", str(folder), "--check"]) == 0
    assert job.kinds() == [
        "begin", "formula", "answer", "proof", "checking", *["check"] * 5, "verdict",
    ]  # fmt: skip
    assert job.the("begin")["certificate"] == "no-9"
    assert (job.the("formula")["variables"], job.the("formula")["clauses"]) == (178, 484)
    assert job.the("answer")["status"] == "unsat"
    assert job.the("proof")["bytes"] == (folder / "proof.drat").stat().st_size
    checks = {step["check"]: step["passed"] for step in job.steps if step["what"] == "check"}
    assert checks["manifest"] is checks["formula"] is checks["proof"] is True
    assert job.the("verdict")["verified"] is True
    assert any(told["label"] == "checking: proof" for told in job.told)


@pytest.mark.skipif("kissat" not in available(), reason="Kissat is not installed")
def test_the_last_number_of_conflicts_is_the_answers(job: Job) -> None:
    proof_events.record(events.SolverProgress(seconds=0.1, conflicts=3, proof_bytes=None))
    prove(OthelloMobility(21, 6), solver="kissat", on_event=proof_events.record)
    counted = [told["conflicts"] for told in job.told if "conflicts" in told]
    assert counted[-1] == job.the("answer")["conflicts"] != 3


def test_a_witness_is_told_with_its_position(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    assert main([*SMALL, "--at-least", "8", "--certificate", str(folder), "--check"]) == 0
    assert job.kinds() == ["begin", "formula", "answer", "witness"]
    found = job.the("witness")
    assert (found["game"], found["size"], found["moves"]) == ("othello", 4, 8)
    assert len(found["position"]) == 18
    assert list(tmp_path.iterdir()) == []


def test_a_theorem_tells_its_parts_and_their_checks(job: Job, tmp_path: Path) -> None:
    words = ["prove", "othello-reachable", "--size", "4", "--at-least", "8", "--workers", "1"]
    assert main([*words, "--certificate", str(tmp_path / "chain")]) == 0
    assert job.the("levels")["counts"] == [3, 0]
    assert job.the("follow")["parts"] == 3
    parts = [step for step in job.steps if step["what"] == "part"]
    assert [part["part"] for part in parts] == [1, 2, 3]
    assert all(part["bytes"] and part["status"] == "unsat" for part in parts)
    checked = [step for step in job.steps if step["what"] == "checked"]
    assert [part["part"] for part in checked] == ["001", "002", "003"]
    assert job.the("check")["check"] == "theorem"
    assert job.the("verdict")["good"] == 3


def test_a_bad_certificate_is_told_with_the_reason(job: Job, tmp_path: Path) -> None:
    folder = tmp_path / "bad"
    write_bundle(folder, OthelloMobility(9, 4))
    statement = folder / "statement.json"
    statement.write_text(statement.read_text().replace("9", "8"))
    assert main(["check", str(folder)]) == 3
    assert job.the("verdict")["verified"] is False
    rejected = [step["detail"] for step in job.steps if step.get("passed") is False]
    assert "statement.json is not the file that the manifest names" in rejected
    assert any("formula.cnf is not the statement's formula" in detail for detail in rejected)


def test_check_wants_a_certificate(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--at-least", "9", "--check"]) == 2
    assert "want --certificate DIR too" in capsys.readouterr().err


@pytest.mark.skipif("kissat" not in available(), reason="Kissat is not installed")
def test_a_running_solver_is_watched(tmp_path: Path) -> None:
    seen: list[events.SolverProgress] = []
    hard = OthelloMobility(33, empties_at_least=39)
    decide(hard, solver="kissat", proof=tmp_path / "proof", seconds=0.8, on_progress=seen.append)
    conflicts = [one.conflicts for one in seen if one.conflicts is not None]
    assert conflicts
    assert conflicts == sorted(conflicts)
    assert seen[-1].proof_bytes is not None
    assert decide(OthelloMobility(9, 4), solver="kissat").answer.conflicts is not None


def test_a_certificate_appears_only_when_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kept"
    seen = []

    def look(*given: Any, **named: Any) -> Any:
        seen.append([path.name for path in tmp_path.iterdir()])
        return decide(*given, **named)

    monkeypatch.setattr(certificates, "decide", look)
    found = write_bundle(folder, OthelloMobility(9, 4))
    (names,) = seen
    assert len(names) == 1
    assert names[0].startswith(".kept.")
    assert names[0].endswith(certificate_files.DRAFT)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert found.answer.proof == folder / "proof.drat"
    assert found.answer.proof.is_file()


def test_what_a_killed_run_left_does_not_hinder_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "again"
    write_bundle(folder, OthelloMobility(9, 4))
    (folder / "manifest.json").unlink()
    shutil.move(folder, tmp_path / ".again.0badcafe.unfinished")
    write_bundle(folder, OthelloMobility(9, 4))
    assert check_bundle(folder).verified
