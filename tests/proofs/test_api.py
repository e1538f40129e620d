"""``playproof.prove`` and ``playproof.check``: results, events in their order, and wrong calls."""

from __future__ import annotations

import doctest
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

import pytest

import playproof
from playproof.proofs import api, events, registry, theorems
from playproof.proofs.api import export_dimacs, find_positions
from playproof.proofs.events import ProofEvent
from playproof.proofs.othello.equivalence import Equivalence
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.sat.cnf import Problem
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import ByCubes

CHECKS = ["CheckStarted", *["CheckFinished"] * 5, "CertificateChecked"]
PART = [*["CheckFinished"] * 5, "PartChecked"]


class Heard(list[ProofEvent]):
    """Remembers the events of a call."""

    def __call__(self, event: ProofEvent) -> None:
        self.append(event)

    def steps(self) -> list[str]:
        return [type(one).__name__ for one in self if isinstance(one, events.ProofStep)]

    def progress(self) -> set[type]:
        return {type(one) for one in self if isinstance(one, events.ProofProgress)}


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def _few_cubes(monkeypatch: pytest.MonkeyPatch) -> None:
    some = list(islice(theorems.cubes(4), 0, None, 40))
    monkeypatch.setattr(theorems, "cubes", lambda size: some)


# What comes back, and what is told meanwhile


def test_a_refutation_is_certified_and_checked(
    heard: Heard, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "no-9"
    proof = playproof.prove(
        "othello-mobility", size=4, at_least=9, certificate=str(folder), check=True, on_event=heard
    )
    assert (proof.verdict, proof.holds, proof.status) == ("refuted", False, "unsat")
    assert proof.sentence == "an Othello position on 4x4 with at least 9 moves"
    assert proof.certificate == folder
    assert proof.verified is True
    assert (proof.position, proof.record, proof.witness, proof.largest) == (None,) * 4
    (decision,) = proof.decisions
    assert decision.answer.proof == folder / "proof.drat"
    assert heard.steps() == [
        "ProofStarted", "FormulaBuilt", "SolverAnswered", "ProofWritten", *CHECKS,
    ]  # fmt: skip
    started, formula, answered, written = [
        one for one in heard if isinstance(one, events.ProofStep)
    ][:4]
    assert started == events.ProofStarted(proof.sentence, 1, "no-9")
    assert formula == events.FormulaBuilt(178, 484)
    assert isinstance(answered, events.SolverAnswered)
    assert answered.seconds == round(proof.seconds, 2)
    assert written == events.ProofWritten((folder / "proof.drat").stat().st_size)
    assert events.CheckProgress in heard.progress()
    assert capfd.readouterr() == ("", "")  # the library prints nothing


def test_a_witness_is_a_position_of_the_game(heard: Heard, tmp_path: Path) -> None:
    proof = playproof.prove(
        OthelloMobility(8, 4), certificate=tmp_path / "none", check=True, on_event=heard
    )
    assert (proof.verdict, proof.holds, proof.status) == ("holds", True, "sat")
    assert (proof.certificate, proof.report, proof.verified) == (None, None, None)
    assert list(tmp_path.iterdir()) == []
    assert proof.position is not None
    state = playproof.make("othello", size=4).position(proof.position)
    assert len(state.legal_actions()) == 8
    assert proof.witness is not None
    assert proof.witness["moves"].bit_count() == 8
    assert heard.steps() == ["ProofStarted", "FormulaBuilt", "SolverAnswered", "WitnessFound"]
    assert heard[-1] == events.WitnessFound("othello", 4, proof.position, 8)


def test_an_unreachable_bound_has_a_certificate_of_chains(heard: Heard, tmp_path: Path) -> None:
    proof = playproof.prove(
        "othello-reachable", size=4, at_least=8, certificate=tmp_path / "no-8", check=True,
        workers=1, on_event=heard,
    )  # fmt: skip
    assert (proof.verdict, proof.status, proof.verified) == ("refuted", "unsat", True)
    assert proof.search is not None
    assert (proof.search.exists, len(proof.search.sets.sets)) == (False, 2)
    assert len(proof.decisions) == 3
    assert heard.steps() == [
        "ProofStarted", *["SearchFinding"] * 3, "LevelsCounted", "SearchAnswered",
        "TheoremStarted", *["PartAnswered"] * 3, "TheoremAnswered", "ProofWritten",
        "CheckStarted", *PART * 3, "CheckFinished", "CertificateChecked",
    ]  # fmt: skip
    parts = [one for one in heard if isinstance(one, events.PartAnswered)]
    assert [(one.part, one.parts, one.status) for one in parts] == [
        (1, 3, "unsat"), (2, 3, "unsat"), (3, 3, "unsat"),
    ]  # fmt: skip
    assert [one for one in heard if isinstance(one, events.PartsProgress)][-1].done == 3
    report = playproof.check(tmp_path / "no-8")
    assert report.verified
    assert report.objection is None
    assert len(report.parts) == 3


def test_a_bound_below_some_stones_says_so() -> None:
    proof = playproof.prove("othello-reachable", size=4, at_least=6, max_stones=6)
    assert proof.verdict == "refuted"
    assert proof.sentence.endswith("with at least 6 legal moves and at most 6 stones")


def test_an_unrolled_game_has_a_record(heard: Heard) -> None:
    fields = {"size": 4, "method": "unroll", "plies": 9}
    proof = playproof.prove("othello-reachable", at_least=6, **fields, on_event=heard)
    assert proof.verdict == "holds"
    assert proof.record is not None
    state = playproof.make("othello", size=4).start().play(proof.record)
    assert len(state.legal_actions()) >= 6
    assert heard.steps()[-2:] == ["SolverAnswered", "RecordFound"]
    assert playproof.prove("othello-reachable", at_least=8, **fields).verdict == "refuted"


@pytest.mark.usefixtures("_few_cubes")
def test_a_theorem_holds_if_all_its_parts_are_refuted(heard: Heard) -> None:
    proof = playproof.prove(
        "othello-mobility", size=4, at_least=9, cubes=True, workers=2, on_event=heard
    )
    assert (proof.verdict, proof.status) == ("holds", "unsat")
    assert proof.sentence == "there is no Othello position on 4x4 with at least 9 moves"
    parts = len(proof.decisions)
    assert parts == 6
    assert heard.steps() == ["ProofStarted", *["PartAnswered"] * parts, "TheoremAnswered"]
    assert heard[0] == events.ProofStarted(proof.sentence, parts)


@pytest.mark.usefixtures("_few_cubes")
def test_a_theorem_is_refuted_by_a_part_with_a_witness(heard: Heard, tmp_path: Path) -> None:
    proof = playproof.prove(ByCubes(6, 4), workers=1, certificate=tmp_path / "x", on_event=heard)
    assert (proof.verdict, proof.status, proof.certificate) == ("refuted", "sat", None)
    assert proof.position is not None
    assert playproof.make("othello", size=4).position(proof.position).legal_actions()
    assert len(proof.decisions) < 6
    assert heard.steps()[-2:] == ["TheoremAnswered", "WitnessFound"]
    assert list(tmp_path.iterdir()) == []


def test_equivalence_is_a_theorem_or_one_figure_of_it() -> None:
    proof = playproof.prove("equivalence", figure=2)
    assert proof.verdict == "refuted"
    assert proof.sentence == Equivalence(2).sentence()
    none = playproof.prove("equivalence", seconds=0, workers=1)
    assert none.sentence == "our rules of Othello equal Figures 2, 3 and 4 of the paper"
    assert (none.verdict, none.status) == ("undecided", "unknown")
    # The worker may have begun the second figure before the first is known to be undecided.
    assert len(none.decisions) in (1, 2)


def test_choko_has_positions_with_many_actions(heard: Heard) -> None:
    proof = playproof.prove("choko-mobility", at_least=60, on_event=heard)
    assert proof.position is not None
    assert len(playproof.make("choko").position(proof.position).legal_actions()) >= 60
    assert heard.steps()[-1] == "WitnessFound"


@pytest.mark.slow
def test_the_largest_number_is_sought_and_certified(heard: Heard, tmp_path: Path) -> None:
    proof = playproof.prove(
        "choko-mobility", certificate=tmp_path / "no-177", workers=1, on_event=heard
    )
    assert (proof.largest, proof.verdict, len(proof.decisions)) == (176, "holds", 2)
    assert proof.position is not None
    assert len(playproof.make("choko").position(proof.position).legal_actions()) == 176
    assert heard.steps() == [
        "LargestFound", "ProofStarted", "PartAnswered", "PartAnswered", "TheoremAnswered",
        "ProofWritten",
    ]  # fmt: skip
    assert events.BoundsProgress in heard.progress()
    assert proof.certificate == tmp_path / "no-177"


def test_z3_is_a_solver_too(heard: Heard) -> None:
    proof = playproof.prove("othello-mobility", size=4, at_least=8, solver="z3", on_event=heard)
    assert proof.verdict == "holds"
    assert proof.decisions[0].answer.solver == "z3"
    assert heard.steps() == ["ProofStarted", "SolverAnswered", "WitnessFound"]
    assert playproof.prove(OthelloMobility(9, 4), solver="z3").verdict == "refuted"


def test_positions_are_found_one_after_the_other(heard: Heard) -> None:
    found = find_positions("othello-mobility", size=4, at_least=8, on_event=heard)
    assert (len(found.positions), found.complete) == (3, True)
    assert heard.progress() == {events.PositionsProgress}
    one = find_positions(OthelloMobility(8, 4), 1)
    assert (len(one.positions), one.complete) == (1, False)


def test_a_formula_is_written(tmp_path: Path) -> None:
    file = export_dimacs("othello-reachable", tmp_path / "x", size=4, at_least=7, method="unroll")
    assert file.path.read_text().startswith(f"c playproof: {file.sentence}\n")
    with pytest.raises(playproof.DataError, match="cannot be written"):
        export_dimacs(OthelloMobility(9, 4), tmp_path / "none" / "x")
    for name in ("othello-reachable", "equivalence", "choko-mobility"):
        with pytest.raises(playproof.UsageError, match="more than one formula: want"):
            export_dimacs(name, tmp_path / "y")


def test_a_certificate_that_was_spoiled_is_not_verified(heard: Heard, tmp_path: Path) -> None:
    playproof.prove(OthelloMobility(9, 4), certificate=tmp_path / "no-9")
    statement = tmp_path / "no-9" / "statement.json"
    statement.write_text(statement.read_text().replace("9", "8"))
    report = playproof.check(tmp_path / "no-9", on_event=heard, memory=4000)
    assert not report.verified
    assert report.objection == "manifest: statement.json is not the file that the manifest names"
    assert heard.steps() == CHECKS
    verdict = heard[-1]
    assert isinstance(verdict, events.CertificateChecked)
    assert (verdict.verified, verdict.good, verdict.parts) == (False, 0, 1)


# A statement of one's own


@dataclass(frozen=True)
class Sum(Statement):
    """Two numbers of four bits that add up to so much."""

    family: ClassVar[str] = "sum"

    total: int
    of: tuple[int, ...] = (4, 4)

    def sentence(self) -> str:
        return f"two numbers below 16 that add up to {self.total}"

    def problem(self) -> Problem:
        problem = Problem()
        one, two = (problem.input(name, 0xF, "0123456789") for name in ("one", "two"))
        problem.require((one + two).equals(self.total))
        return problem


@pytest.fixture
def _sum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    playproof.register_statement(Sum)


@pytest.mark.usefixtures("_sum")
def test_a_statement_of_ones_own_is_proved_by_its_name(tmp_path: Path) -> None:
    for of in ([4, 4], (4, 4)):
        proof = playproof.prove("sum", total=30, of=of)
        assert proof.verdict == "holds"
        assert proof.decisions[0].statement == Sum(30)
    assert proof.witness == {"one": 15, "two": 15}
    assert proof.position is None
    folder = tmp_path / "no-31"
    refuted = playproof.prove("sum", total=31, certificate=folder, check=True)
    assert (refuted.verdict, refuted.verified) == ("refuted", True)
    assert refuted.decisions[0].statement == Sum(31)


def test_a_statement_need_not_be_registered_to_be_proved() -> None:
    assert playproof.prove(Sum(31)).verdict == "refuted"


@pytest.mark.parametrize(
    ("sentence", "says"), [(None, "text, not NoneType"), ("a\nb", "one print")]
)
def test_a_sentence_must_be_a_line(
    sentence: object, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Sum, "sentence", lambda self: sentence)
    with pytest.raises(playproof.UsageError, match=says):
        playproof.prove(Sum(3))


# Wrong calls


@pytest.mark.usefixtures("_sum")
@pytest.mark.parametrize(
    ("name", "fields", "says"),
    [
        ("othello-mobilty", {}, "no statement 'othello-mobilty'; did you mean othello-mobility?"),
        ("summ", {}, "did you mean sum?"),
        ("othello-reachabel", {}, "did you mean othello-reachable?"),
        ("chess", {}, "(known: choko-mobility, choko-removals, equivalence,"),
        ("sum", {}, "sum needs total: want a whole number"),
        ("sum", {"totl": 3}, "sum has no field 'totl'; did you mean total? (want total or of)"),
        ("sum", {"total": "3"}, "total of sum cannot be '3': want a whole number"),
        ("sum", {"total": True}, "total of sum cannot be True"),
        ("sum", {"total": 3, "of": 4}, "of of sum cannot be 4: want values, each a whole number"),
        ("othello-mobility", {"blocked": ["0x1"]}, "blocked of othello-mobility cannot be ['0x1']"),
        ("othello-mobility", {"size": 5}, "no board of size 5: want 4, 6 or 8"),
        ("othello-reachable", {"plies": 3}, "'pipeline' has no field 'plies'"),
        ("othello-reachable", {"method": "unroll", "max_stones": 9}, "no field 'max_stones'"),
        ("othello-reachable", {"method": "guess"}, "no method 'guess': want pipeline or unroll"),
        ("choko-mobility", {"condition": "hot"}, "no condition 'hot'"),
        ("equivalence", {"figure": 7}, "figure 7 is no function of the paper: want 2, 3 or 4"),
        ("equivalence", {"cubes": True}, "cubes are for othello-mobility, not for equivalence"),
        ("othello-mobility", {"check": True}, "want certificate=DIR too"),
        ("othello-mobility", {"solver": "minisat"}, "no solver 'minisat': want cadical or kissat"),
        ("othello-mobility", {"solver": "z3", "certificate": "x"}, "z3 writes no certificate"),
        ("equivalence", {"solver": "z3"}, "z3 can only decide moves of Othello"),
        ("othello-mobility", {"seconds": -1}, "seconds=-1: want 0 or more"),
        ("othello-mobility", {"workers": 0, "cubes": True}, "workers=0: want 1 or more"),
    ],
)
def test_a_wrong_call_is_one_line_that_says_what_is_right(
    name: str, fields: dict[str, object], says: str
) -> None:
    with pytest.raises(playproof.UsageError) as error:
        playproof.prove(name, **fields)  # type: ignore[arg-type]
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_statement_is_refused() -> None:
    for wrong in (OthelloMobility, 35, None):
        with pytest.raises(playproof.UsageError, match="want a Statement, a Theorem or"):
            playproof.prove(wrong)  # type: ignore[arg-type]
    with pytest.raises(playproof.UsageError, match="size goes with a name"):
        playproof.prove(OthelloMobility(35), size=4)
    with pytest.raises(playproof.UsageError, match="cubes goes with a name"):
        playproof.prove(OthelloMobility(35), cubes=True)
    with pytest.raises(playproof.UsageError, match="not for equivalence"):
        find_positions("equivalence", figure=2)
    with pytest.raises(playproof.UsageError, match="0 seconds"):
        playproof.check(".", seconds=0)
    with pytest.raises(playproof.DataError, match="is not a folder"):
        playproof.check("nowhere")


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    for name in ("othello-mobility", "othello-reachable", "choko-mobility"):
        with pytest.raises(playproof.UsageError, match="new or empty folder"):
            playproof.prove(name, certificate=tmp_path)
    with pytest.raises(playproof.DataError, match="cannot be written"):
        playproof.prove(OthelloMobility(9, 4), certificate=tmp_path / "mine" / "deeper")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


# The door


def test_the_examples_of_the_docstrings_run() -> None:
    tried = doctest.testmod(api)
    assert tried.failed == 0
    assert tried.attempted > 10
    assert playproof.prove is api.prove
    assert playproof.check is api.check


@pytest.mark.slow
def test_proving_needs_no_command_line() -> None:
    script = (
        "import sys, playproof\n"
        "assert playproof.prove('othello-mobility', size=4, at_least=9).verdict == 'refuted'\n"
        "print([name for name in ('typer', 'rich', 'z3', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
