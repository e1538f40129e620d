"""Statements of one's own: registered, certified, checked, and refused where they must be."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal

import pytest

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.proofs import Problem, Statement, register_statement, registry, word_field
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.fields import parse_field
from playproof.proofs.registry import find, names, read_statement
from playproof.proofs.sat.solvers import UNSAT
from playproof.proofs.statements import decide

# A majority of an odd number of votes that both sides have: there is none.
SOURCE = """
from dataclasses import dataclass
from typing import ClassVar
from playproof.proofs import Problem, Statement

@dataclass(frozen=True)
class TwoMajorities(Statement):
    family: ClassVar[str] = "two-majorities"

    voters: int = 5
    strict: bool = True

    def sentence(self) -> str:
        return f"{self.voters} votes with two majorities"

    def problem(self) -> Problem:
        problem = Problem()
        votes = problem.input("votes", -1, [f"of {i}" for i in range(self.voters)])
        enough = self.voters // 2 + self.strict
        problem.at_least(votes.literals, enough)
        problem.at_most(votes.literals, self.voters - enough)
        return problem
"""


@pytest.fixture(autouse=True)
def _forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("my_"):
            del sys.modules[name]


def imported(folder: Path, name: str, source: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_it_is_certified_and_checked_whether_types_are_text_or_not(
    future: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = imported(tmp_path, "my_votes", future + SOURCE, monkeypatch)
    register_statement(module.TwoMajorities)
    assert register_statement(module.TwoMajorities) is find("two-majorities")
    assert "two-majorities" in names()
    statement = module.TwoMajorities(7)
    assert read_statement(statement.json()) == statement
    folder = tmp_path / "bundle"
    assert write_bundle(folder, statement).answer.status == UNSAT
    report = check_bundle(folder)
    assert report.verified
    assert report.title == "7 votes with two majorities"
    (folder / "proof.drat").write_bytes(b"0\n")
    assert not check_bundle(folder).verified
    # Another statement under the same proof, and a flag where a number should be.
    for text, wrong in ((statement.json().replace("7", "8"), "differ"), ('"x"', "JSON object")):
        (folder / "statement.json").write_text(text)
        assert wrong in str(check_bundle(folder).parts[0].checks)
    with pytest.raises(
        DataError, match="voters of two-majorities cannot be True: want a whole number"
    ):
        read_statement(statement.json().replace("7", "true"))


def test_whoever_lacks_it_is_told_what_to_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = imported(tmp_path, "my_votes", SOURCE, monkeypatch)
    register_statement(module.TwoMajorities)
    write_bundle(tmp_path / "bundle", module.TwoMajorities())
    manifest = json.loads((tmp_path / "bundle" / "manifest.json").read_text())
    assert manifest["source"] == {"file": "my_votes.py"}
    del registry._registered["two-majorities"]

    def formula_check() -> Any:
        report = check_bundle(tmp_path / "bundle")
        assert not report.verified
        return report.parts[0].checks[1]

    assert formula_check().passed is None
    assert formula_check().detail.endswith("add --load my_votes.py")
    # The hint is the folder's word: nothing of it reaches the screen that is no name.
    for source in ({"file": "x.py\nverified"}, {"file": ["x"]}, "x", None, {"file": "\x1b[2J"}):
        text = json.dumps({**manifest, "source": source})
        (tmp_path / "bundle" / "manifest.json").write_text(text)
        assert "no statement is called 'two-majorities'" in formula_check().detail
        assert "--load FILE or the package that has it" in formula_check().detail


def test_a_package_brings_one_by_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = imported(tmp_path, "my_votes", SOURCE, monkeypatch)
    installed = tmp_path / "my_package-1.2.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.2\n")
    points = "two-majorities = my_votes:TwoMajorities\nbroken = my_votes:Nothing\n"
    points += "two-minorities = my_votes:TwoMajorities\n"
    (installed / "entry_points.txt").write_text(f"[playproof.statements]\n{points}")
    assert find("two-majorities") is module.TwoMajorities
    write_bundle(tmp_path / "bundle", module.TwoMajorities())
    assert check_bundle(tmp_path / "bundle").verified
    with pytest.raises(PlayproofError, match="'broken' of my_votes:Nothing cannot be loaded"):
        find("broken")
    with pytest.raises(PlayproofError, match="calls itself 'two-majorities'"):
        find("two-minorities")
    with pytest.raises(UsageError, match="already there"):
        register_statement(module.TwoMajorities)
    monkeypatch.setattr(registry, "_entry_points", dict)
    detail = check_bundle(tmp_path / "bundle").parts[0].checks[1].detail
    assert detail.endswith("install the package my-package 1.2")


# Fields


@dataclass(frozen=True)
class Fields(Statement):
    family: ClassVar[str] = "my-fields"

    number: int
    share: float = 0.5
    name: str = "any"
    side: Literal["black", "white", 3] = "black"
    limit: int | None = None
    counts: tuple[int, ...] = ()
    pair: tuple[str, bool] = ("a", True)
    squares: int = word_field(0)
    sets: tuple[int, ...] = word_field(())

    def sentence(self) -> str:
        return f"something called {self.name}"

    def problem(self) -> Problem:
        problem = Problem()
        problem.name("x", problem.graph.input_word(1), [self.name])
        return problem


GOOD = [
    Fields(1),
    Fields(-3, share=2, name='x "y"', side=3, limit=4, counts=(1, 2), pair=("b", False)),
    Fields(0, share=0.25, squares=0x1C, sets=(1, 1 << 63)),
]


@pytest.mark.parametrize("statement", GOOD)
def test_fields_of_every_type_come_back(statement: Fields) -> None:
    register_statement(Fields)
    assert read_statement(statement.json()) == statement
    assert read_statement(statement.json()).dimacs() == statement.dimacs()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("number", 1.0), ("number", True), ("number", None), ("share", "1"), ("share", False),
        ("name", 1), ("side", "red"), ("side", 3.0), ("limit", "4"), ("counts", [1, "2"]),
        ("counts", 1), ("pair", ["a"]), ("pair", ["a", 1]), ("squares", 28), ("sets", ["g"]),
        ("share", float("nan")), ("nothing", 1), ("name", "two\nlines"), ("name", "\ud800"),
    ],
)  # fmt: skip
def test_a_field_of_another_type_is_named(field: str, value: object) -> None:
    register_statement(Fields)
    text = json.dumps({**json.loads(Fields(1).json()), field: value})
    with pytest.raises(DataError) as wrong:
        read_statement(text)
    assert field in str(wrong.value) or "one printable line" in str(wrong.value)
    assert "\n" not in str(wrong.value)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("number", "-3", -3), ("share", "0.25", 0.25), ("name", "x", "x"), ("side", "3", 3),
        ("side", "white", "white"), ("limit", "4", 4), ("counts", "1, 2", (1, 2)),
        ("counts", "", ()), ("pair", "a,false", ("a", False)), ("squares", "0x1c", 28),
        ("sets", "0x1,1c", (1, 28)), ("sets", '["0x1"]', (1,)),
    ],
)  # fmt: skip
def test_fields_are_typed_as_words(field: str, text: str, value: object) -> None:
    found = parse_field(Fields, field, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("field", "text", "wanted"),
    [
        ("number", "three", "--number cannot be 'three': want a whole number"),
        ("share", "inf", "want a number"),
        ("side", "red", "want black, white or 3"),
        ("limit", "x", "want a whole number"),
        ("counts", "1,x", "want values, each a whole number, with commas between them"),
        ("pair", "a", "--pair cannot be"),
        ("pair", "a,perhaps", "--pair cannot be"),
        ("squares", "z", "want a word such as 0x1c"),
        ("sets", "[1]", "want words such as 0x1c, with commas"),
        ("sets", "[", "want words such as 0x1c, with commas"),
    ],
)
def test_words_that_are_no_field_are_one_line(field: str, text: str, wanted: str) -> None:
    with pytest.raises(UsageError) as wrong:
        parse_field(Fields, field, text)
    assert wanted in str(wrong.value)


# Classes that could not be certified


def lacking(lines: str, above: str = "@dataclass(frozen=True)") -> str:
    head = "from dataclasses import dataclass\nfrom playproof.proofs import Problem, Statement\n"
    body = "    def sentence(self): return 'x'\n    def problem(self): return Problem()\n"
    return f"{head}{above}\nclass Mine(Statement):\n    {lines}\n{body}"


BAD = {
    "no name": (lacking("x: int = 1"), "Mine needs a name"),
    "a bad name": (
        lacking("family = 'My Lemma'"),
        "cannot be called 'My Lemma': want small letters",
    ),
    "a name that is a field": (
        lacking("family: str = 'mine'"),
        'Mine.family must not be a field: write family: ClassVar[str] = "mine"',
    ),
    "a name of ours": (lacking("family = 'equivalence'"), "'equivalence' is already there"),
    "no dataclass": (lacking("family = 'mine'", above=""), "write @dataclass"),
    "a list": (lacking("family = 'mine'\n    x: list = None"), "Mine.x cannot be list"),
    "a set": (lacking("family = 'mine'\n    x: set[int] = None"), "Mine.x cannot be set"),
    "an unknown type": (
        "from __future__ import annotations\n" + lacking("family = 'mine'\n    x: Board = None"),
        "the types of Mine's fields cannot be read: name 'Board' is not defined",
    ),
    "an option's name": (lacking("family = 'mine'\n    seconds: int = 1"), "is an option of prove"),
    "no problem": (
        lacking("family = 'mine'").replace("def problem", "def circuit"),
        "Mine has no problem()",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_could_not_be_certified_is_refused_at_once(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, wanted = BAD[kind]
    module = imported(tmp_path, "my_bad", source, monkeypatch)
    with pytest.raises(UsageError) as wrong:
        register_statement(module.Mine)
    assert wanted in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_only_statements_are_registered() -> None:
    for thing in (int, "two-majorities", Statement):
        with pytest.raises(UsageError):
            register_statement(thing)  # type: ignore[arg-type]


def test_a_comment_cannot_bring_clauses() -> None:
    with pytest.raises(UsageError, match="one printable line"):
        Fields(1, name="a\n1 0").dimacs()


def test_a_witness_is_described_by_its_words() -> None:
    decision = decide(Fields(1))
    assert decision.witness is not None
    assert decision.statement.describe(decision.witness) in ("x  0x0", "x  0x1  any")
