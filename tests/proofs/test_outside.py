"""Answers of other people's solvers: they come back as witness and certificate, or not at all."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest

import playproof
from playproof.core.errors import DataError, UsageError
from playproof.proofs import events, export_dimacs
from playproof.proofs.checker.check import check
from playproof.proofs.checker.lrat import check as check_lrat
from playproof.proofs.checker.lrat import without_hints
from playproof.proofs.events import ProofEvent
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.outside import looks_lrat, read_model
from playproof.proofs.theorems import SameRules
from tests.support.longer import longer
from tests.support.proofs.naive_drat import (
    dimacs,
    drat,
    extended_resolution,
    pigeonhole,
    random_3sat,
    satisfiable,
    solver_proof,
)
from tests.support.proofs.other_solvers import cadical, minisat

NO_9 = OthelloMobility(9, 4)  # refuted
EIGHT = OthelloMobility(8, 4)
SOLVERS = pytest.mark.parametrize("solve", [cadical, minisat])


def write(statement: OthelloMobility, folder: Path) -> Path:
    return export_dimacs(statement, folder / "formula.cnf").path


# Models


@SOLVERS
def test_a_model_of_another_solver_is_a_position(solve: object, tmp_path: Path) -> None:
    assert callable(solve)
    proof = playproof.prove(EIGHT, solution=solve(write(EIGHT, tmp_path)))
    assert (proof.verdict, proof.status) == ("holds", "sat")
    assert proof.position is not None
    state = playproof.make("othello", size=4).position(proof.position)
    assert len(state.legal_actions()) == 8
    assert proof.decisions[0].answer.solver == "outside"


@SOLVERS
def test_a_model_of_another_solver_is_a_game(solve: object, tmp_path: Path) -> None:
    assert callable(solve)
    file = tmp_path / "game.cnf"
    game = {"size": 4, "at_least": 6, "method": "unroll", "plies": 7}
    export_dimacs("othello-reachable", file, **game)
    proof = playproof.prove("othello-reachable", solution=solve(file), **game)
    assert proof.record is not None
    state = playproof.make("othello", size=4).start().play(proof.record)
    assert len(state.legal_actions()) >= 6


@SOLVERS
def test_a_model_of_another_solver_is_a_position_of_choko(solve: object, tmp_path: Path) -> None:
    assert callable(solve)
    file = tmp_path / "choko.cnf"
    export_dimacs("choko-mobility", file, at_least=60)
    proof = playproof.prove("choko-mobility", at_least=60, solution=solve(file))
    assert proof.position is not None
    assert len(playproof.make("choko").position(proof.position).legal_actions()) >= 60


def test_a_wrong_model_is_refused_by_its_first_false_clause(tmp_path: Path) -> None:
    clauses = EIGHT.cnf.clauses
    model = playproof.proofs.decide(EIGHT).answer.model
    assert model is not None
    for flipped in random.Random(3).sample(range(len(model)), longer(5, 100)):
        wrong = [-x if i == flipped else x for i, x in enumerate(model)]
        false = [n for n, c in enumerate(clauses, 1) if not set(c) & set(wrong)]
        file = tmp_path / "model"
        file.write_text(f"s SATISFIABLE\nv {' '.join(map(str, wrong))} 0\n")
        if not false:
            assert playproof.prove(EIGHT, solution=file).position is not None
            continue
        text = " ".join(map(str, clauses[false[0] - 1][:12]))
        with pytest.raises(DataError, match=rf"no model .*clause {false[0]}, {text}.* is false"):
            playproof.prove(EIGHT, solution=file)


def test_variables_may_be_left_out_if_nothing_depends_on_them(tmp_path: Path) -> None:
    formula = EIGHT.cnf
    model = playproof.proofs.decide(EIGHT).answer.model
    assert model is not None
    kept = list(model)
    for literal in model:  # a model from which nothing more can be left out
        rest = set(kept) - {literal}
        if all(rest & set(clause) for clause in formula.clauses):
            kept.remove(literal)
    assert len(kept) < len(model)
    file = tmp_path / "partial"
    file.write_text(f"v {' '.join(map(str, kept))}\n")
    assert playproof.prove(EIGHT, solution=file).position is not None
    file.write_text(f"v {' '.join(map(str, kept[1:]))} 0\n")
    with pytest.raises(DataError, match="is left open"):
        playproof.prove(EIGHT, solution=file)


@pytest.mark.parametrize(
    "text",
    [
        "c hello\ncadical 1.5\n\ns SATISFIABLE\nv 1 -2\nv 3 0\nc the end\n",
        "SAT\n1 -2 3 0\n",
        "v 1 -2 3 0",
        "s SATISFIABLE\r\nv 1 -2 3 0\r\n",
    ],
)
def test_formats_of_a_model(text: str) -> None:
    assert read_model(text.encode(), "file", 3) == (1, -2, 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("s UNSATISFIABLE\n", "needs a proof, --proof FILE"),
        ("UNSAT\n", "needs a proof, --proof FILE"),
        ("s UNKNOWN\n", "has no model"),
        ("INDET\n", "has no model"),
        ("s SATISFIABLE\n", "has no model: want a solver's lines"),
        ("", "has no model"),
        ("s SATISFIABLE\nUNSAT\n", "line 2: it says UNSAT after"),
        ("v 1 2 0\nv 3 0\n", "line 2: 3 comes after the 0"),
        ("v 1 -4 0\n", "line 1: the formula has 3 variables and no -4"),
        ("v 1 -1 0\n", "line 1: variable 1 is both"),
        ("v 1 x 0\n", r"line 1: 'v 1 x 0' is no answer"),
        ("v 1 " + 5000 * "9", "is no answer"),
        ("====[ Statistics ]====\n", "is no answer"),
        ("\x1f\x8b\x00", "is no answer"),
    ],
)
def test_what_is_no_model_is_named_in_one_line(text: str, says: str) -> None:
    with pytest.raises(DataError, match=says) as error:
        read_model(text.encode("latin-1"), "file", 3)
    assert str(error.value).startswith("file")
    assert str(error.value).isprintable()


def test_standard_input_is_a_file_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = cadical(write(EIGHT, tmp_path))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answer.read_bytes())))
    assert playproof.prove(EIGHT, solution="-").position is not None


# Proofs


@pytest.mark.parametrize("options", [(), ("--no-binary",)], ids=["binary", "text"])
def test_a_proof_of_another_solver_is_a_certificate(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "their.drat"
    cadical(write(NO_9, tmp_path), *options, proof=file)
    heard: list[ProofEvent] = []
    folder = tmp_path / "no-9"
    proof = playproof.prove(NO_9, proof=file, certificate=folder, on_event=heard.append)
    assert (proof.verdict, proof.status, proof.certificate) == ("refuted", "unsat", folder)
    assert (folder / "proof.drat").read_bytes() == file.read_bytes()
    (event,) = [one for one in heard if isinstance(one, events.OutsideProofVerified)]
    assert (event.file, event.form, event.proof_bytes) == (file.name, "DRAT", file.stat().st_size)
    report = playproof.check(folder)
    assert report.verified
    assert report.title == NO_9.sentence()


def test_a_proof_without_a_certificate_is_only_checked(tmp_path: Path) -> None:
    file = tmp_path / "their.drat"
    cadical(write(NO_9, tmp_path), proof=file)
    before = sorted(tmp_path.iterdir())
    proof = playproof.prove(NO_9, proof=file)
    assert (proof.verdict, proof.certificate) == ("refuted", None)
    assert sorted(tmp_path.iterdir()) == before


def test_an_lrat_proof_becomes_a_certificate(tmp_path: Path) -> None:
    playproof.prove(NO_9, certificate=tmp_path / "ours")
    playproof.check(tmp_path / "ours", lrat=tmp_path / "hints")
    file = tmp_path / "hints" / "proof.lrat"
    heard: list[ProofEvent] = []
    folder = tmp_path / "no-9"
    playproof.prove(NO_9, proof=file, certificate=folder, on_event=heard.append)
    (event,) = [one for one in heard if isinstance(one, events.OutsideProofVerified)]
    assert event.form == "LRAT"
    assert playproof.check(folder).verified
    # Hints are obeyed, not only dropped.
    lines = file.read_text().splitlines()
    spoiled = [line if " d " in line else line.rsplit(" ", 2)[0] + " 0" for line in lines]
    file.write_text("\n".join(spoiled) + "\n")
    with pytest.raises(DataError, match="is no proof of this statement: line "):
        playproof.prove(NO_9, proof=file, certificate=tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_wrong_proof_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "their.drat"
    cadical(write(NO_9, tmp_path), "--no-binary", proof=file)
    before = sorted(tmp_path.iterdir())
    for statement in (EIGHT, OthelloMobility(9, 6)):  # of another statement
        with pytest.raises(DataError, match=r"their.drat is no proof of this statement: line"):
            playproof.prove(statement, proof=file, certificate=tmp_path / "none")
    file.write_bytes(file.read_bytes()[:400].rsplit(b"\n", 1)[0] + b"\n")  # only its start
    with pytest.raises(DataError, match="ends without the empty clause"):
        playproof.prove(NO_9, proof=file, certificate=tmp_path / "none")
    file.write_bytes(b"a\x02\x04\x00\x06\x08\x00")  # LRAT in binary
    with pytest.raises(DataError, match="LRAT must be text"):
        playproof.prove(NO_9, proof=file, certificate=tmp_path / "none")
    assert sorted(tmp_path.iterdir()) == before


def test_a_check_without_time_decides_nothing(tmp_path: Path) -> None:
    file = tmp_path / "their.drat"
    cadical(write(NO_9, tmp_path), proof=file)
    proof = playproof.prove(NO_9, proof=file, seconds=0, certificate=tmp_path / "none")
    assert (proof.verdict, proof.certificate) == ("undecided", None)
    assert not (tmp_path / "none").exists()


def test_hints_are_dropped_and_nothing_else() -> None:
    cnf = b"p cnf 2 4\n1 2 0\n1 -2 0\n-1 2 0\n-1 -2 0\n"
    proof = b"5 1 0 1 2 0\n5 d 1 2 0\n6 2 0 5 3 0\n7 0 6 5 4 0\n8 1 0 5 0\n"
    assert without_hints(cnf, proof) == b"1 0\nd 1 2 0\nd 1 -2 0\n2 0\n0\n"


def test_a_proof_without_hints_is_still_one() -> None:
    proofs = [(pigeonhole(3), extended_resolution(3))]  # with RAT lemmas
    for seed in range(longer(4, 200)):
        formula = random_3sat(12, 80, seed)
        if not satisfiable(formula):
            proofs.append((formula, solver_proof(formula)))
    assert len(proofs) > 2
    for formula, steps in proofs:
        cnf, hinted = dimacs(formula), io.BytesIO()
        assert check(cnf, drat(steps), lrat=hinted).verified
        assert check_lrat(cnf, hinted.getvalue()).verified
        assert looks_lrat(hinted.getvalue())
        plain = without_hints(cnf, hinted.getvalue())
        assert not looks_lrat(plain)
        assert check(cnf, plain).verified


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        (b"5 1 0 1 2 0\n", True), (b"5 d 1 2 0\n", True), (b"c note\n7 0 6 5 0\n", True),
        (b"5 0 0\n", True), (b"1 2 0\n", False), (b"d 1 2 0\n", False), (b"0\n", False),
        (b"a\x02\x00", False), (b"", False),
    ],
)  # fmt: skip
def test_which_form_a_proof_has(proof: bytes, expected: bool) -> None:
    assert looks_lrat(proof) is expected


# Wrong calls


def test_only_one_may_answer_and_only_one_formula(tmp_path: Path) -> None:
    file = tmp_path / "answer"
    with pytest.raises(UsageError, match="solution and proof do not go together"):
        playproof.prove(NO_9, solution=file, proof=file)
    with pytest.raises(UsageError, match="proof and solver do not go together"):
        playproof.prove(NO_9, proof=file, solver="kissat")
    with pytest.raises(UsageError, match="want no certificate"):
        playproof.prove(NO_9, solution=file, certificate=tmp_path / "none")
    with pytest.raises(UsageError, match="equivalence is 3 formulas"):
        playproof.prove(SameRules(), proof=file)
    with pytest.raises(UsageError, match='method="unroll"'):
        playproof.prove("othello-reachable", proof=file)
    with pytest.raises(UsageError, match="at_least=177"):
        playproof.prove("choko-mobility", solution=file)
    for answer in ({"solution": file}, {"proof": file}):
        with pytest.raises(DataError, match="answer cannot be read: No such file"):
            playproof.prove(NO_9, **answer)  # type: ignore[arg-type]
