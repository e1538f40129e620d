"""Statements in certificates: none contradicts itself, hides what it assumes or draws on the
terminal."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.proofs import registry
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import write_bundle
from playproof.proofs.choko.mobility import ChokoMobility, ChokoRemovals
from playproof.proofs.fields import word_field
from playproof.proofs.othello.equivalence import Equivalence
from playproof.proofs.othello.last_placements import OthelloChain
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled_game import OthelloUnroll
from playproof.proofs.registry import read_statement, register_statement
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.statements import Statement, assumptions_of
from playproof.proofs.theorems import ByCubes, ChokoAtMost, UnreachableBound
from tests.support.proofs.certificates import objection
from tests.support.proofs.hostile import sign

CENTRE = 0x60600
SETS = (0x6070A, 0x1060E05)  # on 4x4, as the search for 8 moves finds them


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: OthelloMobility(0, 4), "want 1 to 12"),
        (lambda: OthelloMobility(13, 4), "want 1 to 12"),
        (lambda: OthelloMobility(9, 4, 13), "want 0 to 12"),
        (lambda: OthelloMobility(9, 4, fixed=(1, 1, 0)), "overlap on a1"),
        (lambda: OthelloMobility(9, 4, fixed=(1, 2, 2)), "overlap on b1"),
        (lambda: OthelloMobility(9, 4, fixed=(0, 0, CENTRE)), "the centre is occupied"),
        (lambda: OthelloMobility(9, 4, fixed=(0, 0, 0)), "leave them out"),
        (lambda: OthelloMobility(9, 4, blocked=(0x6070A, 0x6070A)), "blocked twice"),
        (lambda: OthelloMobility(9, 4, blocked=(CENTRE | 1, CENTRE | 8)), "blocked twice"),
        (lambda: OthelloMobility(12, 4, blocked=(CENTRE,)), "every set of squares is blocked"),
        (lambda: OthelloMobility(9, 4, blocked_positions=((1, 1),)), "a stone of each side"),
        (lambda: OthelloMobility(9, 4, cardinality="magic"), "no cardinality encoding"),
        (lambda: OthelloChain(SETS[0], 0, 1, 4), "want 1 to 9"),
        (lambda: OthelloChain(SETS[0], 10, 1, 4), "want 1 to 9"),
        (lambda: OthelloChain(SETS[0], 8, 0, 4), "0 placements"),
        (lambda: OthelloUnroll(13, 4, 4), "want 1 to 12"),
        (lambda: OthelloUnroll(4, 0, 4, "white"), "White does not move"),
        (lambda: ChokoMobility(0), "want 1 to 1200"),
        (lambda: ChokoMobility(1201), "want 1 to 1200"),
        (lambda: ByCubes(0, 4), "want 1 to 12"),
        (lambda: ChokoAtMost(0), "want 1 to 1200"),
        (lambda: UnreachableBound(8, SETS, 0, 4), "say nothing"),
    ],
)  # fmt: skip
def test_a_statement_that_contradicts_itself_cannot_be_made(
    make: Callable[[], object], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        make()


def statements() -> dict[str, list[Statement]]:
    """Of each family statements that differ in one field each."""
    mobility = OthelloMobility(6, 4)
    placements = OthelloChain(SETS[0], 8, 1, 4)
    return {
        "mobility": [
            mobility, OthelloMobility(7, 4), OthelloMobility(6, 6), OthelloMobility(6, 4, 2),
            replace(mobility, constructible=True), replace(mobility, blocked=SETS[:1]),
            replace(mobility, blocked=SETS), replace(mobility, blocked=SETS[1:]),
            replace(mobility, blocked_positions=((0x200, 0x60400),)),
            replace(mobility, blocked_positions=((0x60400, 0x200),)),
            replace(mobility, fixed=(1, 0, 0)), replace(mobility, fixed=(0, 1, 0)),
            replace(mobility, fixed=(0, 0, 1)), replace(mobility, fixed=(2, 0, 0)),
            replace(mobility, cardinality="totalizer"),
        ],
        "chain": [
            placements, OthelloChain(0x6070A | 0x1, 8, 1, 4), OthelloChain(SETS[1], 8, 1, 4),
            OthelloChain(SETS[0], 7, 1, 4), OthelloChain(SETS[0], 8, 2, 4),
            replace(placements, cardinality="mtotalizer"), replace(placements, at_least=6),
        ],
        "unroll": [
            OthelloUnroll(6, 4, 4), OthelloUnroll(5, 4, 4), OthelloUnroll(6, 5, 4),
            OthelloUnroll(6, 4, 6), OthelloUnroll(6, 4, 4, "white"),
        ],
        "choko": [
            ChokoMobility(9), ChokoMobility(8), ChokoMobility(9, "placed"),
            ChokoMobility(9, lone_jump=True),
        ],
        "removals": [ChokoRemovals(), ChokoRemovals(True)],
        "equivalence": [Equivalence(figure) for figure in (2, 3, 4)],
    }  # fmt: skip


@pytest.mark.parametrize("family", statements())
def test_every_field_shows(family: str) -> None:
    """No two statements are printed alike, so no field can hide what is assumed."""
    kinds = statements()[family]
    printed = {(one.sentence(), assumptions_of(one)) for one in kinds}
    assert len(printed) == len(kinds)


def test_the_assumptions_are_no_part_of_the_formula() -> None:
    statement = OthelloMobility(9, 4, fixed=(1, 0, 0))
    assert b"opponent has" not in statement.dimacs()
    assert b"centre" not in statement.dimacs()


# Statements of others


@dataclass(frozen=True)
class Spoof(Statement):
    """A statement whose sentence is its field."""

    family: ClassVar[str] = "spoof"

    text: str = "a spoof"
    squares: int = word_field(1)

    def sentence(self) -> str:
        return self.text

    def problem(self) -> Problem:
        problem = Problem()
        literal = problem.input("x", 1, ["a"])[0]
        problem.require(literal)
        problem.require(literal ^ 1)
        return problem


@pytest.fixture
def spoof() -> object:
    register_statement(Spoof)
    yield Spoof
    registry._registered.pop("spoof")


@pytest.mark.parametrize(
    "text",
    ["a\nverified", "a\rb", "a\x1b[2K", "\u202eb", "a\u2066b", "a\u2028b", "a\x00", "a\u200bb"],
)
def test_a_sentence_cannot_draw_on_the_terminal(spoof: object, text: str, tmp_path: Path) -> None:
    with pytest.raises(PlayproofError, match="printable"):
        write_bundle(tmp_path / "x", Spoof(text))
    write_bundle(tmp_path / "y", Spoof())
    data = {**json.loads((tmp_path / "y" / "statement.json").read_text()), "text": text}
    (tmp_path / "y" / "statement.json").write_text(json.dumps(data))
    sign(tmp_path / "y")
    assert objection(tmp_path / "y") == (
        "formula: the sentence of the statement spoof must be one printable line"
    )


def test_the_fields_of_anothers_statement_are_all_printed(spoof: object, tmp_path: Path) -> None:
    write_bundle(tmp_path / "x", Spoof(squares=0x1C))
    report = check_bundle(tmp_path / "x")
    assert report.verified
    assert report.assumptions == ('text = "a spoof"', 'squares = "0x1c"')


@pytest.mark.parametrize("lines", [["a\nb"], [7], ["\u202e"]])
def test_assumptions_cannot_draw_on_the_terminal(
    spoof: object, lines: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bundle(tmp_path / "x", Spoof())
    monkeypatch.setattr(Spoof, "assumptions", lambda self: lines)
    assert "must return printable lines" in objection(tmp_path / "x")


def test_a_name_of_ours_cannot_be_taken(tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Mine(OthelloMobility):
        family: ClassVar[str] = "othello-mobility"

        def problem(self) -> Problem:
            return Spoof().problem()

    with pytest.raises(UsageError, match="already there"):
        register_statement(Mine)
    with pytest.raises(UsageError, match="as a built-in statement: want a new name"):
        write_bundle(tmp_path / "x", Mine(8, 4))
    assert type(read_statement(Mine(8, 4).json())) is OthelloMobility
    registry._registered["othello-mobility"] = Mine
    try:
        assert type(read_statement(Mine(8, 4).json())) is OthelloMobility
    finally:
        del registry._registered["othello-mobility"]


def test_random_fields_never_break_the_reader() -> None:
    """Fields of a statement at random: it is read as itself, or refused in one line."""
    rng = random.Random(7)
    lines, read = [], 0
    for _ in range(300):
        fixed = [f"{rng.getrandbits(rng.choice([1, 30, 70])):#x}" for _ in range(rng.randrange(5))]
        fields = {
            "at_least": rng.randrange(-1, 20), "size": rng.choice([4, 4, 5, 6]), "fixed": fixed,
            "empties_at_least": rng.randrange(-1, 14),
            "blocked": [f"{rng.getrandbits(28):#x}" for _ in range(rng.randrange(3))],
        }  # fmt: skip
        try:
            statement = read_statement(
                json.dumps({"format": 1, "statement": "othello-mobility", **fields})
            )
        except DataError as error:
            lines.append(str(error))
            continue
        read += 1
        assert read_statement(statement.json()) == statement
    assert read > 0
    assert lines
    assert all(line.isprintable() for line in lines)
