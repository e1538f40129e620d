"""``playproof prove NAME`` and ``check`` for a statement that is not ours."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.running import Answer
from playproof.proofs import registry

Playproof = Callable[..., Answer]
EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "othello_flips.py"
NAME = "othello-flips"


@pytest.fixture
def _flips(monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of the documentation, registered for one test."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    import othello_flips

    registry.register_statement(othello_flips.OthelloFlips)


@pytest.mark.usefixtures("_flips")
def test_it_is_proved_certified_and_checked(playproof: Playproof, tmp_path: Path) -> None:
    folder = tmp_path / "no-7"
    words = ("prove", NAME, "--size", "4", "--at-least")
    proved = playproof(*words, "7", "--certificate", str(folder), "--check")
    assert proved.code == 0, proved.err
    sentence = "an Othello move on 4x4 that turns over at least 7 discs"
    assert proved.out.startswith(f"UNSAT  there is no such thing: {sentence}\ncertificate  ")
    assert proved.out.endswith("verified\n")
    checked = playproof("check", str(folder), "--json").json()
    assert (checked["verified"], checked["title"]) == (True, sentence)
    # Spoiled: another bound under the same proof.
    statement = folder / "statement.json"
    statement.write_text(statement.read_text().replace("7", "6"))
    spoiled = playproof("check", str(folder))
    assert spoiled.code == 3
    assert spoiled.out.endswith("NOT VERIFIED\n")
    assert "statement.json is not the file that the manifest names" in spoiled.err


@pytest.mark.usefixtures("_flips")
def test_a_witness_is_shown_by_the_statement(playproof: Playproof, tmp_path: Path) -> None:
    words = ("prove", NAME, "--size=4", "--at-least", "6")
    found = playproof(*words)
    assert found.code == 0, found.err
    assert found.out.endswith("turned    6 discs\n")
    witness = playproof(*words, "--json").json()["witness"]
    assert witness["flips"].bit_count() == 6
    written = playproof(*words, "--dimacs", str(tmp_path / "six.cnf"), "--json").json()
    assert written["clauses"] > 100
    assert (tmp_path / "six.cnf").read_text().startswith("c playproof: an Othello move on 4x4")


@pytest.mark.usefixtures("_flips")
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("--at-least 5 --size 5", "--size cannot be '5': want 4, 6 or 8"),
        ("--at-least many", "--at-least cannot be 'many': want a whole number"),
        ("--at-least 0", "0 discs are not asked for: want 1 or more"),
        ("", "Missing option '--at-least'"),
        ("--at-least 5 --check", "--check needs something to check"),
        ("--at-least 5 --colour red", "No such option"),
        ("--at-least 5 --dimacs x --certificate y", "--dimacs and --certificate do not go"),
    ],
)
def test_wrong_words_are_one_line(playproof: Playproof, words: str, wanted: str) -> None:
    answer = playproof("prove", NAME, *words.split())
    assert (answer.code, answer.out) == (2, "")
    assert wanted in answer.err
    assert answer.err.count("\n") == 1


def test_a_name_that_nobody_has(playproof: Playproof) -> None:
    answer = playproof("prove", NAME, "--at-least", "7")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"error: no statement is called '{NAME}': want othello-mobility,")
    assert answer.err.endswith("--load FILE or the package that has it\n")


def test_whoever_lacks_it_is_told_what_to_load(
    playproof: Playproof, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("_flips")
    words = ("prove", NAME, "--size", "4", "--at-least", "7", "--certificate", str(tmp_path / "x"))
    assert playproof(*words).code == 0
    del registry._registered[NAME]
    answer = playproof("check", str(tmp_path / "x"))
    assert answer.code == 3
    assert answer.err.endswith("none that is known here: want --load othello_flips.py\n")


@pytest.mark.usefixtures("_flips")
def test_help_lists_it_and_its_fields(playproof: Playproof) -> None:
    assert NAME in playproof("prove", "--help").out
    told = playproof("prove", NAME, "--help").out
    assert "--at-least" in told
    assert "8 if not given" in told


def test_the_example_runs_by_itself(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert capsys.readouterr().out == "18: sat\n19: unsat\n"
