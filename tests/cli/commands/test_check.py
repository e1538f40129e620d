"""``playproof check``: certificates that hold, and every way not to."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.cli.main import main
from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.checker import lrat, plain
from playproof.proofs.othello.mobility import OthelloMobility
from tests.support.cli.proving import CENSUS, DATA, USAGE, failed, finite
from tests.support.cli.running import Answer

Playproof = Callable[..., Answer]

pytestmark = pytest.mark.usefixtures("proof_files")


# Certificates


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good certificate; tests break copies of it."""
    folder = tmp_path_factory.mktemp("certificate") / "good"
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "9"]
    assert main([*words, "--certificate", str(folder)]) == 0
    return folder


def swear(folder: Path) -> None:
    """Write the manifest that a liar would write."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in manifest["sha256"]:
        manifest["sha256"][name] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_certificate_is_verified(certificate: Path, playproof: Playproof) -> None:
    answer = playproof("check", str(certificate))
    assert answer.code == 0
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert (
        lines[0]
        == "certificate  there is no such thing: an Othello position on 4x4 with at least 9 moves"
    )
    for line, name in zip(lines[1:4], ("manifest", "formula", "proof"), strict=True):
        assert line.split()[:2] == [name, "ok"]
    assert lines[-1] == "verified"
    told = finite(playproof("check", str(certificate), "--json"))
    assert told["verified"] is True
    assert [check["name"] for check in told["parts"][0]["checks"]][:3] == [
        "manifest",
        "formula",
        "proof",
    ]


# The plain checker, and proofs with hints


def test_the_plain_checker_is_a_row_of_the_report(certificate: Path, playproof: Playproof) -> None:
    answer = playproof("check", str(certificate), "--plain")
    assert (answer.code, answer.err) == (0, "")
    rows = [line.split() for line in answer.out.splitlines()]
    assert rows[4][:3] == ["plain", "ok", "verified"]
    assert rows[-1] == ["verified"]
    data = finite(playproof("check", str(certificate), "--plain", "--json"))
    (part,) = data["parts"]
    assert [(check["name"], check["passed"]) for check in part["checks"][3:4]] == [("plain", True)]
    assert part["lrat"] is None


def test_proofs_are_written_with_hints(
    certificate: Path, playproof: Playproof, tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "hints"
    answer = playproof("check", str(certificate), "--lrat", str(folder))
    assert (answer.code, answer.err) == (0, f"1 LRAT proof in {folder}\n")
    assert "  lrat       ok        verified by its hints" in answer.out
    assert [file.name for file in folder.iterdir()] == ["proof.lrat"]
    text = (folder / "proof.lrat").read_bytes()
    assert lrat.check(certificate / "formula.cnf", text).verified
    lines = text.decode().splitlines()
    assert plain.refute((certificate / "formula.cnf").read_text().splitlines(), lines)
    again = playproof("check", str(certificate), "--lrat", str(folder))
    failed(again, USAGE, "proof.lrat is there already: want another folder")
    assert (folder / "proof.lrat").read_bytes() == text
    data = finite(playproof("check", str(certificate), "--lrat", str(tmp_path), "--json"))
    assert data["parts"][0]["lrat"] == str(tmp_path / "proof.lrat")
    file = tmp_path / "file"
    file.write_text("mine")
    failed(playproof("check", str(certificate), "--lrat", str(file)), DATA, "cannot be written")
    assert file.read_text() == "mine"


def test_every_part_of_a_chain_is_written(playproof: Playproof, tmp_path: Path) -> None:
    words = ["prove", "othello-reachable", "--size", "4", "--at-least", "8", "--certificate"]
    assert playproof(*words, str(tmp_path / "no-8")).code == 0
    (tmp_path / "no-8" / "002" / "proof.drat").write_bytes(b"0\n")
    folder = tmp_path / "hints"
    answer = playproof("check", str(tmp_path / "no-8"), "--plain", "--lrat", str(folder))
    failed(answer, DATA, "part 002, manifest: proof.drat is not the file")
    assert sorted(file.name for file in folder.iterdir()) == ["001.lrat", "003.lrat"]
    assert "  plain      2 ok, 0 rejected, 1 not run" in answer.out
    assert "  lrat       2 ok, 0 rejected, 1 not run" in answer.out


def test_the_plain_checker_counts(
    certificate: Path, playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reject(formula: object, proof: object) -> int:
        raise plain.Rejected("line 7: no")

    monkeypatch.setattr(plain, "refute", reject)
    words = ["check", str(certificate), "--plain", "--lrat", str(tmp_path / "hints")]
    answer = playproof(*words)
    failed(answer, DATA, "is not verified: plain: line 7: no")
    assert "  proof      ok " in answer.out
    assert "  plain      REJECTED  line 7: no" in answer.out
    assert list((tmp_path / "hints").iterdir()) == []
    assert playproof("check", str(certificate)).code == 0


BROKEN = {
    "no proof": ("proof.drat", lambda data: b"", "proof: the proof ends without the empty clause"),
    "a cut proof": ("proof.drat", lambda data: data[:-1], "proof: binary proof, step"),
    "a bold proof": ("proof.drat", lambda data: b"0\n", "proof: line 1: the empty clause does"),
    "another formula": (
        "formula.cnf",
        lambda data: data.replace(b"\n-", b"\n", 1),
        "formula: formula.cnf is not the statement's formula: they differ in line",
    ),
    "another statement": (
        "statement.json",
        lambda data: data.replace(b"9", b"8"),
        "formula: formula.cnf is not the statement's formula",
    ),
    "no statement": ("statement.json", lambda data: b"{}", 'formula: a statement must be a JSON'),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_certificate_is_rejected(
    what: str, certificate: Path, playproof: Playproof, tmp_path: Path
) -> None:
    name, spoil, says = BROKEN[what]
    folder = tmp_path / "broken"
    shutil.copytree(certificate, folder)
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(spoil(data))
    assert (folder / name).read_bytes() != data
    failed(playproof("check", str(folder)), DATA, f"manifest: {name} is not the file")
    swear(folder)
    answer = playproof("check", str(folder))
    failed(answer, DATA, f"{folder} is not verified: {says}")
    assert "REJECTED" in answer.out
    assert answer.out.endswith("NOT VERIFIED\n")
    quiet = playproof("check", str(folder), "--json")
    failed(quiet, DATA, says)
    assert json.loads(quiet.out)["verified"] is False


def test_names_and_text_that_are_not_utf_8(
    certificate: Path, playproof: Playproof, tmp_path: Path
) -> None:
    strange = tmp_path / os.fsdecode(b"no\xff-9")
    shutil.copytree(certificate, strange)
    os.mkdir(os.fsencode(strange) + b"/\xfe")
    assert playproof("check", str(strange)).code == 0
    data = (strange / "statement.json").read_bytes()
    (strange / "statement.json").write_bytes(data.replace(b"othello", b"othell\xff"))
    failed(playproof("check", str(strange)), DATA, "manifest: statement.json is not the file")
    swear(strange)
    wrong = "formula: a statement must be JSON, one JSON object: it is not UTF-8"
    failed(playproof("check", str(strange)), DATA, wrong)
    (strange / "statement.json").unlink()
    os.mkfifo(strange / "statement.json")
    failed(playproof("check", str(strange)), DATA, "cannot be read: it is no regular file")


def test_what_is_assumed_is_printed(playproof: Playproof, tmp_path: Path) -> None:
    given = OthelloMobility(8, 4, fixed=(0x400, 0x1, 0x8), blocked=(0x6070A,))
    write_bundle(tmp_path / "given", given)
    answer = playproof("check", str(tmp_path / "given"))
    assert answer.code == 0
    assert [line.split(None, 1)[1] for line in answer.out.splitlines() if "assumes" in line] == [
        "the four centre squares are occupied",
        "the side to move has c2",
        "the opponent has a1",
        "empty are d1",
        "the occupied squares are not b1 d1 a2 b2 c2 b3 c3, nor an image of these",
    ]
    data = finite(playproof("check", str(tmp_path / "given"), "--json"))
    assert data["assumes"] == data["parts"][0]["assumes"] == given.assumptions()


def test_nothing_is_certified_where_there_is_a_witness(
    playproof: Playproof, tmp_path: Path
) -> None:
    folder = tmp_path / "none"
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "8", "--json"]
    assert finite(playproof(*words, "--certificate", str(folder)))["status"] == "sat"
    assert not folder.exists()


def test_a_folder_that_holds_something_is_left_alone(
    certificate: Path, playproof: Playproof, tmp_path: Path
) -> None:
    before = {file.name: file.read_bytes() for file in certificate.iterdir()}
    words = ["prove", "othello-mobility", "--size", "4", "--at-least", "9", "--certificate"]
    failed(playproof(*words, str(certificate)), USAGE, "is there already", "new or empty folder")
    assert {file.name: file.read_bytes() for file in certificate.iterdir()} == before
    file = tmp_path / "file"
    file.write_text("mine\n")
    failed(playproof(*words, str(file / "deeper")), DATA, "cannot be written")
    census = [*CENSUS, "--stones", "6", "--file"]
    failed(playproof(*census, str(file)), DATA, "not a file of a census")
    failed(playproof(*census, str(tmp_path)), DATA, "cannot be written")
    assert file.read_text() == "mine\n"
