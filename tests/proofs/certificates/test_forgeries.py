"""Forged certificates, with sums that are right: each is rejected, and the line says why."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.core.errors import DataError
from playproof.proofs.certificates import write
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import refute, write_bundle, write_chain
from playproof.proofs.checker import lrat
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat.solvers import SAT
from playproof.proofs.statements import Decision, Statement, decide
from playproof.proofs.theorems import UnreachableBound
from tests.support.proofs.certificates import objection
from tests.support.proofs.hostile import sign

SETS = (0x6070A, 0x1060E05)  # on 4x4, as the search for 8 moves finds them
THEOREM = UnreachableBound(8, SETS, 1, 4)
TRUE, FALSE = OthelloMobility(9, 4), OthelloMobility(8, 4)


def lines_changed(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: b"\n".join(change(data.split(b"\n")))


CHANGES: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "a clause removed": ("formula.cnf", lines_changed(lambda a: [*a[:-2], a[-1]]), "differ in"),
    "a clause added": ("formula.cnf", lambda data: data + b"1 0\n", "differ in"),
    "a clause and the count": (
        "formula.cnf",
        lambda data: data.replace(b"cnf 178 484", b"cnf 178 485") + b"1 0\n",
        "differ in line",
    ),
    "the count of clauses": (
        "formula.cnf", lambda data: data.replace(b"cnf 178 484", b"cnf 178 483"), "differ in line",
    ),
    "a comment": ("formula.cnf", lambda data: data.replace(b"own a1", b"own b1"), "differ in line"),
    "the sentence": (
        "formula.cnf", lambda data: data.replace(b"9 moves", b"8 moves", 1), "differ in line 1",
    ),
    "a carriage return": ("formula.cnf", lambda data: data.replace(b" 0\n", b" 0\r\n"), "differ"),
    "no proof": ("proof.drat", lambda data: b"", "proof: the proof ends without the empty clause"),
    "half a proof": ("proof.drat", lambda data: data[: len(data) // 2], "proof: "),
    "a bold proof": ("proof.drat", lambda data: b"0\n", "the empty clause does not follow"),
    "a weaker bound": ("statement.json", lambda data: data.replace(b"9", b"8"), "differ in line 1"),
    "another board": (
        "statement.json", lambda data: data.replace(b'"size": 4', b'"size": 6'), "differ in line 1",
    ),
    "a fixed square": (
        "statement.json",
        lambda data: data.replace(b'"format"', b'"fixed": ["0x1", "0x0", "0x0"], "format"'),
        "differ in line 1",
    ),
    "squares fixed twice": (
        "statement.json",
        lambda data: data.replace(b'"format"', b'"fixed": ["0x1", "0x1", "0x0"], "format"'),
        "fixed squares overlap on a1",
    ),
    "an empty centre": (
        "statement.json",
        lambda data: data.replace(b'"format"', b'"fixed": ["0x0", "0x0", "0x200"], "format"'),
        "b2 cannot be fixed as empty: the centre is occupied",
    ),
    "a vacuous bound": ("statement.json", lambda data: data.replace(b"9", b"13"), "want 1 to 12"),
    "no bound": ("statement.json", lambda data: data.replace(b"9", b"0"), "want 1 to 12"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_found_though_the_sums_are_right(bundle: Path, what: str) -> None:
    name, change, says = CHANGES[what]
    before = (bundle / name).read_bytes()
    (bundle / name).write_bytes(change(before))
    assert (bundle / name).read_bytes() != before
    sign(bundle)
    assert says in objection(bundle)


def test_a_true_statement_does_not_prove_another(originals: Path, bundle: Path) -> None:
    """The files of a true statement under the name of a false one, in every mixture."""
    (bundle / "statement.json").write_text(FALSE.json() + "\n")
    sign(bundle)
    assert objection(bundle).startswith("formula: formula.cnf is not the statement's formula")
    (bundle / "formula.cnf").write_bytes(FALSE.dimacs())
    sign(bundle)
    assert objection(bundle).startswith("proof: ")


def test_the_proof_of_another_part_is_refused(chain: Path) -> None:
    shutil.copy(chain / "002" / "proof.drat", chain / "001" / "proof.drat")
    sign(chain)
    assert objection(chain).startswith("part 001, proof: ")


def test_hints_that_were_changed_are_refused(originals: Path, tmp_path: Path) -> None:
    check_bundle(originals / "bundle", lrat=tmp_path)
    formula = (originals / "bundle" / "formula.cnf").read_bytes()
    lines = (tmp_path / "proof.lrat").read_text().splitlines()
    assert lrat.check(formula, "\n".join(lines).encode()).verified
    adds = [i for i, line in enumerate(lines) if line.split()[1] != "d" and line.count(" 0 ")]
    for i in adds[-3:]:
        head, hints = lines[i].split(" 0 ", 1)
        for forged in ("0", "9999999 0", " ".join(hints.split()[:-2]) + " 0"):
            text = "\n".join([*lines[:i], f"{head} 0 {forged}", *lines[i + 1 :]])
            assert not lrat.check(formula, text.encode()).verified


# Chains


def index_of(chain: Path) -> dict[str, object]:
    return dict(json.loads((chain / "index.json").read_text()))


def retell(chain: Path, **changes: object) -> None:
    (chain / "index.json").write_text(json.dumps({**index_of(chain), **changes}))


def test_a_theorem_without_one_of_its_parts_is_refused(chain: Path) -> None:
    shutil.rmtree(chain / "003")
    retell(chain, parts=[{"part": "001"}, {"part": "002"}])
    assert objection(chain) == "theorem: 2 parts, but the theorem needs 3"


def test_a_part_in_the_place_of_another_is_refused(chain: Path) -> None:
    shutil.rmtree(chain / "003")
    shutil.copytree(chain / "002", chain / "003")
    retell(chain, parts=[{"part": name} for name in ("001", "002", "003")])
    assert objection(chain) == (
        "theorem: part 003 is not the statement that the theorem needs there"
    )


def test_an_index_that_says_something_else_of_its_parts_is_refused(chain: Path) -> None:
    parts = index_of(chain)["parts"]
    assert isinstance(parts, list)
    parts[1]["says"] = "there is no such thing: a reachable position with 7 moves"
    retell(chain, parts=parts)
    assert objection(chain) == (
        "theorem: index.json says of part 002 what its statement does not say"
    )


def test_a_part_whose_fixed_squares_overlap_is_refused(chain: Path) -> None:
    """Such a part is refuted at once, whatever it is about."""
    text = (chain / "001" / "statement.json").read_text()
    text = text.replace('"format"', '"fixed": ["0x1", "0x1", "0x0"], "format"')
    (chain / "001" / "statement.json").write_text(text)
    sign(chain)
    assert objection(chain) == (
        "part 001, formula: fixed squares overlap on a1: want each square once"
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"at_least": 0}, "want 1 to 12"),
        ({"at_least": 13}, "want 1 to 12"),
        ({"steps": 0}, "0 last placements say nothing"),
        ({"sets": ["0x6070a", "0x6070a"]}, "twice"),
        ({"max_stones": 3}, "want 4 to 64"),
        ({"size": 5}, "no board of size 5"),
    ],
)  # fmt: skip
def test_a_theorem_that_says_nothing_is_refused(
    chain: Path, change: dict[str, object], says: str
) -> None:
    theorem = index_of(chain)["theorem"]
    assert isinstance(theorem, dict)
    retell(chain, theorem={**theorem, **change})
    with pytest.raises(DataError, match=says):
        check_bundle(chain)


def test_a_part_that_is_a_link_is_refused(chain: Path, tmp_path: Path) -> None:
    (chain / "002").rename(tmp_path / "aside")
    (chain / "002").symlink_to(tmp_path / "aside")
    with pytest.raises(DataError, match="002 is a link: want the folder itself"):
        check_bundle(chain)


def test_a_theorem_and_a_statement_in_one_folder_are_refused(chain: Path) -> None:
    (chain / "statement.json").write_text(FALSE.json())
    with pytest.raises(DataError, match="want a theorem or one statement"):
        check_bundle(chain)


# What workers send


def worker(
    change: Callable[[Decision, Path | None], object], victim: Statement
) -> Callable[..., object]:
    """A worker that lies about one statement."""

    def lie(statement: Statement, *, proof: Path | None = None, **options: object) -> object:
        decision = decide(statement, proof=proof, solver="cadical")
        return change(decision, proof) if statement == victim else decision

    return lie


def answering(**changes: object) -> Callable[[Decision, Path | None], object]:
    return lambda decision, _: replace(decision, answer=replace(decision.answer, **changes))


def writing(change: Callable[[Path], object]) -> Callable[[Decision, Path | None], object]:
    def lie(decision: Decision, proof: Path | None) -> object:
        assert proof is not None
        change(proof)
        return decision

    return lie


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


LIES: dict[str, tuple[Callable[[Decision, Path | None], object], str]] = {
    "nothing": (lambda decision, _: None, "want a decision, not NoneType"),
    "another part": (
        lambda decision, _: replace(decision, statement=THEOREM.statements()[0]),
        "it decided another statement",
    ),
    "a new status": (answering(status="UNSAT\n"), "want sat, unsat or unknown"),
    "sat without a model": (answering(status=SAT), "sat comes without a model"),
    "a wrong model": (answering(status=SAT, model=(1, 2)), "its model breaks a clause"),
    "both ways": (answering(status=SAT, model=(1, -1)), "a variable both true and false"),
    "a proof elsewhere": (answering(proof=Path("/etc/passwd")), "not where it was wanted"),
    "no proof": (writing(Path.unlink), "proof.drat is missing"),
    "a pipe": (writing(_fifo), "it is no regular file"),
    "garbage": (writing(lambda path: path.write_bytes(b"garbage")), "'garbage' is no literal"),
    "half a proof": (
        writing(lambda path: path.write_bytes(b"")), "proof.drat is no proof of it",
    ),
    "another formula": (
        writing(lambda path: (path.parent / "formula.cnf").write_bytes(b"p cnf 1 2\n1 0\n-1 0\n")),
        "formula.cnf is not the statement's formula",
    ),
    "another statement": (
        writing(lambda path: (path.parent / "statement.json").write_text("{}")),
        "statement.json is of another statement",
    ),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_part_from_a_worker_that_lies_is_not_taken(
    lie: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, says = LIES[lie]
    monkeypatch.setattr(write, "decide", worker(change, THEOREM.statements()[1]))
    with pytest.raises(DataError) as refused:
        write_chain(tmp_path / "chain", THEOREM, workers=2)
    assert str(refused.value).startswith("part 002, sent by ")
    assert says in str(refused.value)
    assert str(refused.value).isprintable()
    assert list(tmp_path.iterdir()) == []


def test_a_lie_without_a_certificate_is_not_taken_either(monkeypatch: pytest.MonkeyPatch) -> None:
    change = answering(status=SAT, model=tuple(range(1, 400)))
    monkeypatch.setattr(write, "decide", worker(change, THEOREM.statements()[2]))
    with pytest.raises(DataError, match=r"part 003, sent by 'cadical': its model breaks"):
        refute(THEOREM)


def test_a_long_proof_is_at_least_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change = writing(lambda path: path.write_bytes(b"1 0\n" * 300_000 + b"x"))
    monkeypatch.setattr(write, "decide", worker(change, TRUE))
    with pytest.raises(DataError, match="sent by 'cadical': proof, line 300001"):
        write_bundle(tmp_path / "x", TRUE)
