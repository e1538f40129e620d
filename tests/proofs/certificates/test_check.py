"""Certificates: a good one is verified, and none whose files were changed or swapped."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.core.errors import DataError, UsageError
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.checker import check as checker
from playproof.proofs.checker import plain
from playproof.proofs.checker.external import CheckOutcome
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.registry import read_statement
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, available
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import UnreachableBound
from tests.support.proofs.certificates import IMPOSSIBLE, POSSIBLE, edit, failed
from tests.support.proofs.hostile import sign


@pytest.mark.parametrize("solver", available())
def test_a_refuted_statement_leaves_a_certificate(solver: str, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "bundle"
    decision = write_bundle(folder, IMPOSSIBLE, solver=solver)
    assert decision.answer.status == UNSAT
    names = {path.name for path in folder.iterdir()}
    assert names == {"statement.json", "formula.cnf", "proof.drat", "manifest.json"}
    assert read_statement((folder / "statement.json").read_text()) == IMPOSSIBLE
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["solver"] == solver
    report = check_bundle(folder)
    assert report.verified
    assert [check.name for check in report.parts[0].checks] == [
        "manifest", "formula", "proof", "drat-trim", "cake_lpr",
    ]  # fmt: skip
    assert json.loads(json.dumps(report.to_json()))["verified"] is True


def test_nothing_is_left_of_what_is_not_refuted(tmp_path: Path) -> None:
    folder = tmp_path / "bundle"
    decision = write_bundle(folder, POSSIBLE)
    assert decision.answer.status == SAT
    assert decision.witness is not None
    assert not folder.exists()
    hard = OthelloMobility(33, empties_at_least=39)
    assert write_bundle(folder, hard, seconds=0.3).answer.status == UNKNOWN
    assert not folder.exists()


def test_a_folder_in_use_is_left_alone(bundle: Path) -> None:
    with pytest.raises(UsageError, match="new or empty"):
        write_bundle(bundle, IMPOSSIBLE)
    assert failed(bundle) == {}


def test_a_formula_that_is_not_the_statements_is_rejected(bundle: Path) -> None:
    # A contradiction of its own: the proof would be happy with it.
    edit(bundle / "formula.cnf", lambda data: data.replace(b"\n-1 -13 0\n", b"\n-1 0\n", 1)
         if b"\n-1 -13 0\n" in data else data + b"1 0\n")  # fmt: skip
    assert set(failed(bundle)) >= {"manifest", "formula"}
    sign(bundle)
    found = failed(bundle)
    assert "differ in line" in found["formula"]
    assert "manifest" not in found


def test_a_changed_comment_is_a_changed_formula(bundle: Path) -> None:
    edit(bundle / "formula.cnf", lambda data: data.replace(b"own a1", b"own b1", 1))
    sign(bundle)
    assert set(failed(bundle)) == {"formula"}


def test_another_statement_is_rejected(bundle: Path) -> None:
    (bundle / "statement.json").write_text(POSSIBLE.json())
    sign(bundle)
    assert set(failed(bundle)) == {"formula"}


def test_a_possible_statement_with_its_own_formula_is_rejected(bundle: Path) -> None:
    (bundle / "statement.json").write_text(POSSIBLE.json())
    (bundle / "formula.cnf").write_bytes(POSSIBLE.dimacs())
    sign(bundle)
    assert set(failed(bundle)) == {"proof"}


def test_the_proof_of_another_statement_is_rejected(bundle: Path, originals: Path) -> None:
    shutil.copy(originals / "other" / "proof.drat", bundle / "proof.drat")
    sign(bundle)
    assert set(failed(bundle)) == {"proof"}


def test_half_a_proof_is_rejected(bundle: Path) -> None:
    edit(bundle / "proof.drat", lambda data: data[: len(data) // 2])
    assert set(failed(bundle)) == {"manifest", "proof"}


def test_an_unreadable_statement_is_rejected(bundle: Path) -> None:
    (bundle / "statement.json").write_text('{"format": 1, "statement": "no such"}')
    report = check_bundle(bundle)
    found = {check.name: (check.passed, check.detail) for check in report.parts[0].checks}
    assert found["formula"][0] is None  # nobody can tell whether it is good
    assert "no statement is called 'no such'" in found["formula"][1]
    assert not report.verified
    (bundle / "statement.json").write_text('{"format": 1, "statement": "equivalence"}')
    assert "incomplete" in failed(bundle)["formula"]


@pytest.mark.parametrize("name", ["statement.json", "formula.cnf", "proof.drat", "manifest.json"])
def test_a_missing_file_is_no_certificate(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    assert failed(bundle)


def test_the_rules_of_today_are_what_counts(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from playproof.rules import othello

    monkeypatch.setattr(othello, "east", lambda x: x << 2 & 0xFCFCFCFCFCFCFCFC)
    assert set(failed(bundle)) == {"formula"}


# Files that are swapped between two looks at them


def sum_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def swap(victim: Path, other: Path, when: str) -> Callable[[str, CheckOutcome], None]:
    """Puts the formula and the proof of ``other`` into ``victim`` when a check is done."""

    def on_check(_: str, check: CheckOutcome) -> None:
        if check.name == when:
            for name in ("formula.cnf", "proof.drat"):
                shutil.copy(other / name, victim / "aside")
                (victim / "aside").replace(victim / name)

    return on_check


def forge(bundle: Path, statement: Statement) -> None:
    """Make the certificate say something false, with sums that are right."""
    (bundle / "statement.json").write_text(statement.json())
    (bundle / "formula.cnf").write_bytes(statement.dimacs())
    sign(bundle)


@pytest.mark.parametrize("when", ["manifest", "formula"])
def test_a_swapped_formula_does_not_make_a_false_statement_true(
    bundle: Path, originals: Path, when: str
) -> None:
    forge(bundle, POSSIBLE)
    sums = {path.name: sum_of(path) for path in bundle.iterdir()}
    report = check_bundle(bundle, on_check=swap(bundle, originals / "bundle", when))
    assert report.title == POSSIBLE.sentence()
    assert report.to_json()["parts"][0]["sha256"] == sums  # what the verdict is about
    found = {check.name: check.passed for check in report.parts[0].checks}
    assert (found["manifest"], found["formula"], found["proof"]) == (True, True, False)
    assert not report.verified


def test_a_part_of_a_chain_is_not_swapped_either(tmp_path: Path, originals: Path) -> None:
    theorem = UnreachableBound(7, (), 1, 4)  # false: its one part has a witness
    chain = tmp_path / "chain"
    shutil.copytree(originals / "bundle", chain / "001")
    forge(chain / "001", theorem.statements()[0])
    index = {"format": 1, "theorem": json.loads(theorem.json()), "parts": [{"part": "001"}]}
    (chain / "index.json").write_text(json.dumps(index))
    report = check_bundle(chain, on_check=swap(chain / "001", originals / "bundle", "formula"))
    assert report.whole is not None
    assert report.whole.passed is True
    assert not report.verified


@pytest.mark.parametrize("kind", ["bundle", "chain"])
def test_nothing_of_a_certificate_is_read_twice(kind: str, request: pytest.FixtureRequest) -> None:
    """A part is thrown away after its first check, and the index with the first part."""
    folder: Path = request.getfixturevalue(kind)

    def remove(part: str, check: CheckOutcome) -> None:
        if check.name == "manifest":
            shutil.rmtree(folder / part)
            (folder / "index.json").unlink(missing_ok=True)

    assert check_bundle(folder, on_check=remove).verified


def test_other_checkers_get_the_bytes_that_were_hashed(
    bundle: Path, originals: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, seen = tmp_path / "drat-trim", tmp_path / "seen"
    tool.write_text(f'#!/bin/sh\nsha256sum "$1" "$2" >> {seen}\necho "s VERIFIED"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    wanted = [sum_of(bundle / name) for name in ("formula.cnf", "proof.drat")]
    report = check_bundle(bundle, on_check=swap(bundle, originals / "other", "proof"))
    assert report.verified
    lines = [line.split() for line in seen.read_text().splitlines()]
    assert [line[0] for line in lines] == wanted
    assert not any(line[1].startswith(str(bundle)) for line in lines)
    assert not any(Path(line[1]).exists() for line in lines)


@pytest.mark.parametrize("name", ["statement.json", "formula.cnf", "proof.drat", "manifest.json"])
def test_a_link_or_a_pipe_is_no_file_of_a_certificate(
    bundle: Path, originals: Path, name: str
) -> None:
    (bundle / name).unlink()
    (bundle / name).symlink_to(originals / "bundle" / name)
    assert any("it is a link" in detail for detail in failed(bundle).values())
    (bundle / name).unlink()
    os.mkfifo(bundle / name)
    assert any("no regular file" in detail for detail in failed(bundle).values())


# Other checkers, by stand-ins


def install(folder: Path, name: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = folder / name
    tool.write_text(f'#!/bin/sh\necho "c working"\necho "{says}"\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_other_checkers_are_asked_where_they_are(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "drat-trim", "s VERIFIED", monkeypatch)
    install(tmp_path, "cake_lpr", "s VERIFIED UNSAT", monkeypatch)
    report = check_bundle(bundle, seconds=60)
    assert [check.passed for check in report.parts[0].checks] == [True] * 5
    install(tmp_path, "cake_lpr", "s VERIFICATION FAILED", monkeypatch)
    found = failed(bundle)
    assert "VERIFICATION FAILED" in found["cake_lpr"]
    install(tmp_path, "drat-trim", "s NOT VERIFIED", monkeypatch)
    assert set(failed(bundle)) == {"drat-trim", "cake_lpr"}


def test_cake_lpr_gets_our_hints_and_needs_no_drat_trim(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "cake_lpr"
    follow = f'"{sys.executable}" -I "{plain.__file__}" "$1" "$2"'
    tool.write_text(f"#!/bin/sh\n{follow} && echo s VERIFIED UNSAT\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    outcomes = {check.name: check for check in check_bundle(bundle).parts[0].checks}
    assert outcomes["drat-trim"].passed is None
    assert outcomes["cake_lpr"].passed, outcomes["cake_lpr"].detail


def test_our_own_verdict_is_needed(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(*files: Path, **options: object) -> object:
        raise DataError("no")

    monkeypatch.setattr(checker, "check", gives_up)
    assert failed(bundle) == {"proof": "no"}


def test_no_folder_is_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not a folder"):
        check_bundle(tmp_path / "nothing")
