"""``playproof prove NAME`` and ``check`` for a statement that is not ours."""

from __future__ import annotations

import importlib
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.proofs import registry
from tests.support.cli.running import Answer
from tests.support.paths import EXAMPLES

Playproof = Callable[..., Answer]
EXAMPLE = EXAMPLES / "othello_flips.py"
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
    claim = f"there is no such thing: {sentence}"
    assert proved.out.startswith(f"UNSAT  {claim}\ncertificate  {claim}\n")
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
        ("--at-least 0", "at least 0 discs: want 1 or more"),
        ("", "Missing option '--at-least' (see playproof prove othello-flips --help)"),
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
    assert answer.err.endswith(
        "the statement othello-flips is not known here: ask its author for othello_flips.py, "
        "then add --load othello_flips.py\n"
    )
    assert answer.out.startswith("certificate  othello-flips, a statement that is not known here\n")


@pytest.mark.usefixtures("_flips")
def test_what_prove_says_of_the_certificate_can_be_copied(
    playproof: Playproof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("prove", NAME, "--size", "4", "--certificate", "no 7", "--at-least")
    refuted = playproof(*words, "7")
    assert f"playproof check 'no 7' --load {EXAMPLE}\n" in refuted.err
    monkeypatch.chdir(EXAMPLE.parent.parent)
    refuted = playproof(*words[:5], str(tmp_path / "again"), "--at-least", "7")
    assert refuted.err.splitlines()[0].endswith(" --load examples/othello_flips.py")
    # Where there is a witness there is no certificate, and no silence about it.
    witness = playproof(*words[:5], str(tmp_path / "no-6"), "--at-least", "6")
    assert witness.code == 0
    assert "no certificate in" in witness.err
    assert not (tmp_path / "no-6").exists()
    answer = playproof("check", str(tmp_path))
    assert answer.code == 3
    assert "is not a certificate: want a folder with statement.json" in answer.err


@pytest.mark.parametrize(
    ("method", "body", "wanted"),
    [
        ("problem", "pass", "Mine.problem() must return a Problem, not NoneType"),
        ("problem", "Problem().at_leest()", "my_claim.py, line 9: AttributeError: "),
        ("problem", "p = Problem(); p.require(not p.input('x', 1, 'a').any())", "line 9: a lit"),
        ("problem", "p = Problem(); p.require(p.input('x', 1, 'a') == 1)", "line 9: == does not"),
        ("sentence", "pass", "Mine.sentence() must return text, not NoneType"),
        ("sentence", "return 'a\\nb'", "the sentence of my-claim must be one printable line"),
        ("describe", "pass", "Mine.describe() must return text, not NoneType"),
        ("describe", "return witness['nix']", "my_claim.py, line 9: KeyError: 'nix'"),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_says_where(
    method: str,
    body: str,
    wanted: str,
    playproof: Playproof,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    methods = {
        "problem": "(self): return Problem()",
        "sentence": "(self): return 'a thing'",
        "describe": "(self, witness): return 'this'",
    }
    head, _, _ = methods[method].partition(": ")
    wrong = f"    def {method}{head}:\n        {body}\n"
    rest = "".join(f"    def {m}{text}\n" for m, text in methods.items() if m != method)
    (tmp_path / "my_claim.py").write_text(
        "from dataclasses import dataclass\n"
        "from typing import ClassVar\n"
        "from playproof.proofs import Problem, Statement\n"
        "\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Statement):\n"
        "    family: ClassVar[str] = 'my-claim'\n" + wrong + rest
    )
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    monkeypatch.delitem(sys.modules, "my_claim", raising=False)
    registry.register_statement(importlib.import_module("my_claim").Mine)
    answer = playproof("prove", "my-claim")
    monkeypatch.delitem(sys.modules, "my_claim")
    assert answer.code == 2
    assert wanted in answer.err
    assert answer.err.splitlines()[-1].startswith("error: ")


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
