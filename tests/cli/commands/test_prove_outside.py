"""``playproof prove`` with another solver's answer, with options of solvers, and in parts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.proofs import registry
from tests.support.cli.proving import DATA, FAILED, FOUR, USAGE, failed, finite, moves_of
from tests.support.cli.running import Answer
from tests.support.paths import EXAMPLES
from tests.support.proofs.other_solvers import cadical, minisat

Playproof = Callable[..., Answer]
EIGHT = ("prove", "othello-mobility", "--size", "4", "--at-least", "8")
NINE = (*EIGHT[:-1], "9")
GAME = ("prove", "othello-reachable", "--size", "4", "--method", "unroll", "--plies", "7")

pytestmark = pytest.mark.usefixtures("proof_files")


def export(playproof: Playproof, words: tuple[str, ...], folder: Path) -> Path:
    file = folder / "formula.cnf"
    assert playproof(*words, "--dimacs", str(file)).code == 0
    return file


def test_a_model_is_drawn_and_counted(playproof: Playproof, tmp_path: Path) -> None:
    file = minisat(export(playproof, EIGHT, tmp_path))
    answer = playproof(*EIGHT, "--solution", str(file))
    assert answer.code == 0
    assert answer.out.startswith("SAT  there is an Othello position on 4x4 with at least 8 moves\n")
    assert moves_of(answer.out.split("position  ")[1].splitlines()[0]) == 8
    assert "by outside formula.minisat" in answer.err
    told = finite(playproof(*EIGHT, "--solution", str(file), "--json"))
    assert (told["status"], told["solver"]) == ("sat", "outside formula.minisat")
    assert moves_of(told["position"]) == 8
    # Through a pipe, for a bound that this position does not have, and of a larger formula.
    told = finite(playproof(*EIGHT, "--solution", "-", "--json", stdin=file.read_text()))
    assert (told["solver"], moves_of(told["position"])) == ("outside standard input", 8)
    failed(playproof(*NINE, "--solution", str(file)), DATA, "the formula has 178 variables and no")
    verdict, literals = file.read_text().splitlines()
    fitting = [word for word in literals.split() if abs(int(word)) <= 178]
    file.write_text(f"{verdict}\n{' '.join(fitting)}\n")
    failed(playproof(*NINE, "--solution", str(file)), DATA, "is no model of this statement: clause")


def test_a_model_is_a_game(playproof: Playproof, tmp_path: Path) -> None:
    words = (*GAME, "--at-least", "6")
    file = cadical(export(playproof, words, tmp_path))
    answer = playproof(*words, "--solution", str(file))
    state = FOUR.start().play(answer.out.splitlines()[-1].removeprefix("record   "))
    assert len(state.legal_actions()) >= 6
    assert finite(playproof(*words, "--solution", str(file), "--json"))["record"]


def test_a_proof_becomes_a_certificate(playproof: Playproof, tmp_path: Path) -> None:
    file = tmp_path / "their.drat"
    answer = cadical(export(playproof, NINE, tmp_path), "--no-binary", proof=file)
    checked = playproof(*NINE, "--proof", str(file))
    assert checked.code == 0
    assert checked.out == (
        "UNSAT  there is no such thing: an Othello position on 4x4 with at least 9 moves\n"
    )
    assert "their.drat: DRAT, " in checked.err
    assert checked.err.endswith(" lemmas, proof verified\n")
    folder = tmp_path / "no-9"
    proved = playproof(*NINE, "--proof", str(file), "--certificate", str(folder), "--check")
    assert proved.code == 0
    assert proved.out.endswith("verified\n")
    assert f"certificate in {folder}: playproof check {folder}" in proved.err
    assert playproof("check", str(folder)).code == 0
    # What is no proof leaves nothing.
    none = tmp_path / "none"
    wrong = playproof(*EIGHT, "--proof", str(file), "--certificate", str(none))
    failed(wrong, DATA, "their.drat is no proof of this statement: line")
    late = playproof(*NINE, "--proof", str(file), "--certificate", str(none), "--seconds", "0")
    failed(late, FAILED, "not decided", "give it more time")
    assert not none.exists()
    failed(playproof(*NINE, "--solution", str(answer)), DATA, "that needs a proof, --proof FILE")


def test_parts_of_a_theorem(playproof: Playproof, tmp_path: Path) -> None:
    for words in (
        (*NINE, "--cubes", "--part", "231"),
        ("prove", "equivalence", "--part", "1"),
    ):
        file, folder = tmp_path / "part.drat", tmp_path / f"{words[1]}.certificate"
        cadical(export(playproof, words, tmp_path), proof=file)
        proved = finite(
            playproof(
                *words, "--proof", str(file), "--certificate", str(folder), "--check", "--json"
            )
        )
        assert (proved["status"], proved["verified"]) == ("unsat", True)


def test_options_of_the_solver_are_recorded(playproof: Playproof, tmp_path: Path) -> None:
    folder = tmp_path / "no-9"
    options = ("--solver-option", "target=2", "--solver-option", "seed=7")
    told = finite(playproof(*NINE, *options, "--certificate", str(folder), "--json"))
    assert told["solver_options"] == {"target": 2, "seed": 7}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["options"] == {"target": 2, "seed": 7}
    assert playproof("check", str(folder)).code == 0
    assert "by kissat 4.0.4 target=2 seed=7\n" in playproof(*NINE, *options).err


@pytest.mark.parametrize("value", [[], ["kissat,cadical:seed=3"]])
def test_a_portfolio(value: list[str], playproof: Playproof, tmp_path: Path) -> None:
    folder = tmp_path / "no-9"
    answer = playproof(*NINE, "--portfolio", *value, "--certificate", str(folder), "--check")
    assert answer.code == 0, answer.err
    assert answer.out.endswith("verified\n")
    told = finite(playproof(*EIGHT, "--json", "--portfolio", *value))
    assert moves_of(told["position"]) == 8


def test_statements_of_your_own(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import othello_flips

    registry.register_statement(othello_flips.OthelloFlips)
    words = ("prove", "othello-flips", "--size", "4", "--at-least")
    model = minisat(export(playproof, (*words, "6"), tmp_path))
    answer = playproof(*words, "6", "--solution", str(model))
    assert answer.out.endswith("turned    6 discs\n")
    proof, folder = tmp_path / "their.drat", tmp_path / "no-7"
    cadical(export(playproof, (*words, "7"), tmp_path), proof=proof)
    certified = playproof(*words, "7", "--proof", str(proof), "--certificate", str(folder))
    assert certified.code == 0, certified.err
    assert playproof("check", str(folder)).code == 0
    assert playproof(*words, "7", "--portfolio", "--solver-option", "seed=1").code == USAGE
    assert playproof(*words, "7", "--portfolio").code == 0


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("othello-mobility --solution x --proof y", USAGE, "--solution and --proof"),
        ("othello-mobility --solution x --certificate y", USAGE, "--solution and --certificate"),
        ("othello-mobility --solution x --solver kissat", USAGE, "--solution and --solver"),
        ("othello-mobility --portfolio --solver kissat", USAGE, "--portfolio and --solver"),
        ("othello-mobility --portfolio --solver-option seed=1", USAGE, "and --solver-option"),
        ("othello-mobility --dimacs x --solution y", USAGE, "--dimacs and --solution"),
        ("othello-mobility --z3 --portfolio", USAGE, "--z3 and --portfolio"),
        ("othello-mobility --solution nowhere", DATA, "nowhere cannot be read"),
        ("othello-mobility --proof nowhere", DATA, "nowhere cannot be read"),
        ("othello-mobility --cubes --dimacs x", USAGE, "want --part N, from 1 to 231"),
        ("othello-mobility --cubes --proof x", USAGE, "want --part N, from 1 to 231"),
        ("othello-mobility --cubes --part 232", USAGE, "--part 232: want 1 to 231"),
        ("othello-mobility --part 2", USAGE, "this is one formula, so leave it out"),
        ("othello-mobility --solver-option tagret=1", USAGE, "'tagret': want target"),
        ("othello-mobility --solver-option seed", USAGE, "want NAME=VALUE"),
        ("othello-mobility --portfolio kissat,minisat", USAGE, "no solver 'minisat'"),
        ("othello-mobility --portfolio kissat,cadical --workers 1", USAGE, "as many workers"),
        ("othello-reachable --solution x", USAGE, "want --method unroll"),
        ("othello-reachable --proof x", USAGE, "want --method unroll"),
        ("equivalence --proof x", USAGE, "--proof is for one formula, and this is 3"),
        ("choko-mobility --solution x", USAGE, "--solution is for a bound: want --at-least N"),
        ("choko-mobility --part 1", USAGE, "--part is for a bound"),
        ("choko-mobility --at-least 177 --proof x --certificate y", USAGE, "want --part N"),
    ],
)
def test_wrong_words(words: str, code: int, says: str, playproof: Playproof) -> None:
    failed(playproof("prove", *words.split()), code, says)
