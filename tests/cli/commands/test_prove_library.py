"""``playproof.prove`` says what ``playproof prove --json`` says, for every kind of statement."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import playproof as library
from playproof.proofs import registry, theorems
from playproof.proofs.api import export_dimacs, find_positions
from playproof.proofs.proof import Proof
from tests.support.cli.proving import finite, moves_of
from tests.support.cli.running import Answer
from tests.support.paths import EXAMPLES

Playproof = Callable[..., Answer]
Json = dict[str, Any]
EXAMPLE = EXAMPLES / "othello_flips.py"

pytestmark = pytest.mark.usefixtures("proof_files")


def steady(data: Json) -> Json:
    """Without times, which differ from run to run."""
    return {name: value for name, value in data.items() if name != "seconds"}


def as_json(proof: Proof, **more: object) -> Json:
    """One statement, as the commands put it."""
    (decision,) = proof.decisions
    answer, cnf = decision.answer, decision.statement.cnf
    return {
        "statement": proof.sentence, "status": proof.status, "variables": cnf.variables,
        "clauses": len(cnf.clauses), "solver": f"{answer.solver} {answer.version}", **more,
    }  # fmt: skip


@pytest.fixture
def ask(playproof: Playproof) -> Callable[[str], Json]:
    return lambda words: steady(finite(playproof(*shlex.split(words), "--json")))


Ask = Callable[[str], Json]


@pytest.mark.parametrize("at_least", [8, 9])
@pytest.mark.parametrize("solver", ["kissat", "cadical"])
def test_moves_of_othello(at_least: int, solver: str, ask: Ask) -> None:
    proof = library.prove("othello-mobility", size=4, at_least=at_least, solver=solver)
    words = f"prove othello-mobility --size 4 --at-least {at_least} --solver {solver}"
    assert ask(words) == as_json(proof, position=proof.position)


def test_a_certificate_is_the_same_to_the_byte(ask: Ask, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    proof = library.prove(
        "othello-mobility", size=4, at_least=9, empties_at_least=3, certificate=ours, check=True
    )
    words = "prove othello-mobility --size 4 --at-least 9 --empties-at-least 3 --check "
    told = ask(words + f"--certificate {theirs}")
    assert told == as_json(proof, position=None, verified=True)
    for name in ("statement.json", "formula.cnf", "proof.drat"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()
    manifests = [json.loads((folder / "manifest.json").read_text()) for folder in (ours, theirs)]
    assert steady(manifests[0]) == steady(manifests[1])


def without_times(report: Json) -> Json:
    for part in report["parts"]:
        del part["sha256"]["manifest.json"]  # which holds how long it took
        for check in part["checks"]:
            del check["seconds"]
    return {**report, "whole": report["whole"] and steady(report["whole"])}


def test_a_check(playproof: Playproof, tmp_path: Path) -> None:
    library.prove("othello-mobility", size=4, at_least=9, certificate=tmp_path / "one")
    chain = {"size": 4, "at_least": 8, "certificate": tmp_path / "chain", "workers": 1}
    library.prove("othello-reachable", **chain)
    for name in ("one", "chain"):
        told = finite(playproof("check", str(tmp_path / name), "--json"))
        assert without_times(told) == without_times(library.check(tmp_path / name).to_json())


@pytest.mark.parametrize("at_least", [8, 9])
def test_z3(at_least: int, ask: Ask) -> None:
    proof = library.prove("othello-mobility", size=4, at_least=at_least, solver="z3")
    told = ask(f"prove othello-mobility --size 4 --at-least {at_least} --z3")
    # Asked again in one process, z3 may find another one.
    for position in (proof.position, told["position"]):
        assert (position is None) == (at_least == 9)
        assert position is None or moves_of(position) == 8
    assert told == {
        "statement": proof.sentence, "status": proof.status, "position": told["position"],
        "solver": f"z3 {proof.decisions[0].answer.version}",
    }  # fmt: skip


def test_positions(ask: Ask) -> None:
    for count in (2, 9):
        found = find_positions("othello-mobility", count, size=4, at_least=8)
        told = ask(f"prove othello-mobility --size 4 --at-least 8 --enumerate {count}")
        assert told == {"positions": list(found.positions), "all": found.complete}


def test_a_formula(ask: Ask, tmp_path: Path) -> None:
    ours = export_dimacs("othello-mobility", tmp_path / "ours", size=4, at_least=9)
    theirs = tmp_path / "theirs"
    told = ask(f"prove othello-mobility --size 4 --at-least 9 --dimacs {theirs}")
    assert ours.path.read_bytes() == theirs.read_bytes()
    assert told == {
        "statement": ours.sentence, "file": str(theirs), "variables": ours.variables,
        "clauses": ours.clauses,
    }  # fmt: skip


def of_theorem(proof: Proof, **more: object) -> Json:
    parts = len(proof.decisions)
    told = {"theorem": proof.sentence, "holds": proof.holds, "parts": parts}
    return {**told, "witness": proof.witness, **more}


def test_cubes(ask: Ask, playproof: Playproof, monkeypatch: pytest.MonkeyPatch) -> None:
    some = list(theorems.cubes(4))[::40]
    monkeypatch.setattr(theorems, "cubes", lambda size: some)
    words = "prove othello-mobility --size 4 --cubes --workers 1 --at-least"
    proof = library.prove("othello-mobility", size=4, cubes=True, workers=1, at_least=9)
    assert ask(f"{words} 9") == of_theorem(proof)
    # There is a witness: the command fails, after it has said so.
    proof = library.prove("othello-mobility", size=4, cubes=True, workers=1, at_least=6)
    answer = playproof(*words.split(), "6", "--json")
    assert answer.code == 1
    assert steady(json.loads(answer.out)) == of_theorem(proof)


@pytest.mark.parametrize("at_least", [8, pytest.param(6, marks=pytest.mark.slow)])
def test_reachable_bounds(at_least: int, ask: Ask, tmp_path: Path) -> None:
    certificate = tmp_path / "ours" if at_least == 8 else None
    proof = library.prove(
        "othello-reachable", size=4, at_least=at_least, certificate=certificate,
        check=certificate is not None, workers=1,
    )  # fmt: skip
    search = proof.search
    assert search is not None
    words = f"prove othello-reachable --size 4 --at-least {at_least} --workers 1"
    told = ask(words + (f" --certificate {tmp_path / 'theirs'}" if certificate else ""))
    assert told == {
        "at_least": at_least, "size": 4, "max_stones": 16 - at_least,
        "reachable": proof.holds, "records": list(proof.records),
        "sets": {str(n): count for n, count in search.sets.by_stones().items()},
        "colourings": search.colourings.total if search.colourings else None,
        "retrograde": search.retreat.counts if search.retreat else None,
        "verified": proof.verified,
    }  # fmt: skip


@pytest.mark.parametrize("at_least", [6, 8])
def test_the_unrolled_game(at_least: int, ask: Ask) -> None:
    fields = {"size": 4, "at_least": at_least, "mover": "black"}
    proof = library.prove("othello-reachable", method="unroll", **fields)
    words = f"prove othello-reachable --method unroll --size 4 --at-least {at_least}"
    assert ask(f"{words} --mover black") == as_json(proof, record=proof.record)


@pytest.mark.slow
def test_equivalence(ask: Ask, tmp_path: Path) -> None:
    proof = library.prove("equivalence", workers=1, certificate=tmp_path / "ours", check=True)
    told = ask(f"prove equivalence --check --certificate {tmp_path / 'theirs'}")
    assert told == of_theorem(proof, verified=True)


def test_actions_of_choko(ask: Ask) -> None:
    proof = library.prove("choko-mobility", at_least=60, lone_jump=True)
    told = ask("prove choko-mobility --at-least 60 --lone-jump")
    assert told == as_json(proof, position=proof.position)


@pytest.mark.slow
def test_the_most_actions_of_choko(ask: Ask) -> None:
    proof = library.prove("choko-mobility")
    told = ask("prove choko-mobility")
    wanted = {"largest": proof.largest, "position": proof.position}
    assert told == {"condition": "none", "lone_jump": False, **wanted}


def test_a_statement_of_ones_own(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    import othello_flips

    registry.register_statement(othello_flips.OthelloFlips)
    found = library.prove("othello-flips", size=4, at_least=6)
    assert ask("prove othello-flips --size 4 --at-least 6") == as_json(found, witness=found.witness)
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    refuted = library.prove("othello-flips", size=4, at_least=7, certificate=ours, check=True)
    told = ask(f"prove othello-flips --size 4 --at-least 7 --check --certificate {theirs}")
    assert told == as_json(refuted, witness=None, verified=True)


def test_no_time_is_no_answer_for_either(playproof: Playproof) -> None:
    fields = {"at_least": 34, "empties_at_least": 38, "seconds": 0.1}
    assert library.prove("othello-mobility", **fields).verdict == "undecided"
    words = "prove othello-mobility --at-least 34 --empties-at-least 38 --seconds 0.1 --json"
    answer = playproof(*words.split())
    assert (answer.code, answer.out) == (1, "")
    assert "not decided in 0." in answer.err
