"""Forged certificates, with sums that are right: each is rejected, and the line says why."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.proofs import registry
from playproof.proofs.certificates import write
from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.certificates.write import refute, write_bundle, write_chain
from playproof.proofs.checker import lrat
from playproof.proofs.choko.mobility import ChokoMobility, ChokoRemovals
from playproof.proofs.fields import word_field
from playproof.proofs.othello.equivalence import Equivalence
from playproof.proofs.othello.last_placements import OthelloChain
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled_game import OthelloUnroll
from playproof.proofs.registry import read_statement, register_statement
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.sat.solvers import SAT
from playproof.proofs.statements import Decision, Statement, assumptions_of, decide
from playproof.proofs.theorems import ByCubes, ChokoAtMost, UnreachableBound
from tests.support.proofs.hostile import sign

CENTRE = 0x60600
SETS = (0x6070A, 0x1060E05)  # on 4x4, as the search for 8 moves finds them
THEOREM = UnreachableBound(8, SETS, 1, 4)
TRUE, FALSE = OthelloMobility(9, 4), OthelloMobility(8, 4)


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("originals")
    write_bundle(folder / "bundle", TRUE)
    write_chain(folder / "chain", THEOREM, workers=1)
    return folder


@pytest.fixture
def bundle(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "bundle", tmp_path / "bundle"))


@pytest.fixture
def chain(originals: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals / "chain", tmp_path / "chain"))


def objection(folder: Path) -> str:
    report = check_bundle(folder)
    assert not report.verified
    assert report.objection is not None
    return report.objection


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


# Statements


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
