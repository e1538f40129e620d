"""LRAT: hints from the DRAT checker, and the fast and the plain checker that follow them."""

from __future__ import annotations

import io
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from playproof.core.errors import UsageError
from playproof.proofs.checker import check as drat_checker
from playproof.proofs.checker import lrat, plain
from playproof.proofs.checker.check import check
from tests.support.longer import longer
from tests.support.proofs.naive_drat import (
    TINY,
    Clause,
    Step,
    dimacs,
    drat,
    extended_resolution,
    parity,
    pigeonhole,
    random_3sat,
    random_proof,
    satisfiable,
    solver_proof,
)
from tests.support.proofs.naive_lrat import (
    CHANGES,
    Lines,
    fast_objection,
    lrat_of,
    naive_accepts,
    plain_objection,
)

KISSAT = next((Path(p) / "sage_wheels/bin/kissat" for p in sys.path
               if (Path(p) / "sage_wheels/bin/kissat").is_file()), None)  # fmt: skip


def assert_accepted(formula: list[Clause], lines: Lines | None) -> None:
    assert lines is not None
    assert plain_objection(formula, lines) == ""
    assert fast_objection(formula, lines) == ""
    assert naive_accepts(formula, lines)


def assert_published_form(formula: list[Clause], lines: Lines | None) -> None:
    """As ``assert_accepted``, and other people's checkers accept it too."""
    assert_accepted(formula, lines)
    assert naive_accepts(formula, lines or [], strict=True)


def has_groups(lines: Lines) -> bool:
    """Whether a lemma is RAT with resolvents that need hints."""
    hints = (line.split()[line.split().index("0") + 1 :] for line in lines)
    return any(hint.startswith("-") for words in hints for hint in words)


def renamed(formula: list[Clause], steps: list[Step]) -> tuple[list[Clause], list[Step]]:
    """The same with large gaps between the numbers of variables."""

    def rename(clause: Clause) -> Clause:
        return [x * 1_000_003 for x in clause]

    return [*map(rename, formula)], [(deletes, rename(clause)) for deletes, clause in steps]


# Hints for good proofs.

GOOD: dict[str, list[Clause]] = {
    "pigeonhole 4": pigeonhole(4),
    "pigeonhole 6": pigeonhole(6),
    "parity 8": parity(8, 8),
    **{f"random {seed}": random_3sat(60, 340, seed) for seed in range(3)},
}


@pytest.mark.parametrize("solver", ["cadical195", "glucose4"])
@pytest.mark.parametrize("name", GOOD)
def test_proofs_of_solvers_get_hints(name: str, solver: str) -> None:
    formula = GOOD[name]
    if satisfiable(formula):
        formula = [*formula, *random_3sat(60, 200, 99)]
    assert_published_form(formula, lrat_of(formula, solver_proof(formula, solver)))


@pytest.mark.skipif(KISSAT is None, reason="Kissat is not installed")
def test_proofs_of_kissat_get_hints(tmp_path: Path) -> None:
    cnf, proof, text = tmp_path / "it.cnf", tmp_path / "it.drat", io.BytesIO()
    cnf.write_bytes(dimacs(pigeonhole(7)))
    subprocess.run([str(KISSAT), "-q", str(cnf), str(proof)], capture_output=True, check=False)
    assert check(cnf, proof, lrat=text).rats > 0
    verdict = lrat.check(cnf, text.getvalue())
    assert verdict.reason == "verified"
    assert (verdict.clauses, verdict.rats > 0) == (len(pigeonhole(7)), True)
    lines = text.getvalue().decode().splitlines()
    assert verdict.lemmas + verdict.deletions == len(lines)
    assert plain.refute(cnf.read_text().splitlines(), lines) == len(lines)


@pytest.mark.parametrize("holes", [3, 5])
def test_new_variables_get_hints_by_rat(holes: int) -> None:
    formula, steps = pigeonhole(holes), extended_resolution(holes)
    lines = lrat_of(formula, steps)
    assert_published_form(formula, lines)
    verdict = lrat.check(dimacs(formula), "\n".join(lines or []).encode())
    assert verdict.rats == check(dimacs(formula), drat(steps)).rats
    assert_accepted(renamed(formula, steps)[0], lrat_of(*renamed(formula, steps)))


def test_random_proofs_get_hints() -> None:
    """With repeated literals, tautologies, duplicates, RAT, and deletions of units."""
    rng = random.Random(100)
    seen = {"accepted": 0, "groups": 0, "deletions": 0, "tautologies": 0}
    for _ in range(longer(900, 9000)):
        formula, steps = random_proof(rng)
        if rng.random() < 0.2:
            formula, steps = renamed(formula, steps)
        lines = lrat_of(formula, steps)
        if lines is None:
            continue
        assert plain_objection(formula, lines) == "", (formula, steps)
        assert fast_objection(formula, lines) == "", (formula, steps)
        assert naive_accepts(formula, lines, strict=True), (formula, steps)
        seen["accepted"] += 1
        seen["groups"] += has_groups(lines)
        seen["deletions"] += any(" d " in line for line in lines)
        seen["tautologies"] += any(-x in clause for clause in formula for x in clause)
    assert min(seen.values()) > 8, seen


@pytest.mark.parametrize(
    ("formula", "proof"),
    [
        pytest.param([[]], b"", id="the empty clause is given"),
        pytest.param([[1], [-1]], b"", id="refuted by unit propagation"),
        pytest.param([*TINY, [3]], b"d 3 0\n-3 1 0\n1 0\n", id="a unit outlives its deletion"),
        pytest.param([*TINY, [3], [-3, 4]], b"d 3 0\nd -3 4 0\n-4 1 0\n1 0\n", id="a reason goes"),
        pytest.param([*TINY, [3, -3]], b"3 1 0\n1 0\n", id="a tautology on the pivot"),
        pytest.param([*TINY, [4, -4]], b"3 -3 1 0\n1 0\n", id="a lemma that is a tautology"),
        pytest.param([*TINY, [3, 4]], b"d 3 4 0\n1 0\n", id="a deletion to begin with"),
        pytest.param(TINY, b"1 2 0\n2 1 0\nd 1 2 0\n1 0\n", id="a duplicate lemma"),
        pytest.param(TINY, b"1000000007 0\nd 1000000007 0\n1 0\n", id="a large variable"),
        pytest.param([[1, 1, 2], *TINY[1:]], b"1 1 1 0\n", id="repeated literals"),
        pytest.param([*TINY, [-3, 1, -1]], b"3 4 0\n1 0\n", id="a tautology against the pivot"),
        pytest.param([[1, 1, -3], [2, -3], *TINY], b"3 0\n1 0\n", id="resolvents out of order"),
    ],
)
def test_small_proofs_get_hints(formula: list[Clause], proof: bytes) -> None:
    text = io.BytesIO()
    assert check(dimacs(formula), proof, lrat=text).verified
    assert_published_form(formula, text.getvalue().decode().splitlines())


@pytest.mark.parametrize("room", [1, 16, 100])
def test_the_room_for_hints_changes_nothing(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [(pigeonhole(4), extended_resolution(4)), (TINY, [(False, [1])])]
    cases += [(GOOD["pigeonhole 6"], solver_proof(GOOD["pigeonhole 6"]))]
    texts = [lrat_of(*case) for case in cases]
    monkeypatch.setattr(drat_checker, "_RECORD", room)
    assert [lrat_of(*case) for case in cases] == texts


def test_hints_have_no_say_in_the_verdict() -> None:
    rng = random.Random(5)
    for _ in range(100):
        formula, steps = random_proof(rng)
        alone = check(dimacs(formula), drat(steps))
        hinted = check(dimacs(formula), drat(steps), lrat=io.BytesIO())
        assert (alone.reason, alone.checked, alone.rats, alone.unmatched) == (
            hinted.reason, hinted.checked, hinted.rats, hinted.unmatched,
        )  # fmt: skip


# Planted changes.


def sources() -> list[tuple[list[Clause], Lines]]:
    cases = [
        (pigeonhole(3), extended_resolution(3)),
        (pigeonhole(4), solver_proof(pigeonhole(4))),
        (parity(6, 6), solver_proof(parity(6, 6))),
        (random_3sat(12, 110, 1), solver_proof(random_3sat(12, 110, 1))),
    ]
    proofs = [(formula, lines) for formula, steps in cases if (lines := lrat_of(formula, steps))]
    rng = random.Random(8)
    while len(proofs) < 20:
        formula, steps = random_proof(rng)
        if (lines := lrat_of(formula, steps)) and has_groups(lines):
            proofs.append((formula, lines))
    return proofs


@pytest.mark.parametrize("name", CHANGES)
def test_planted_changes_are_judged_alike(name: str) -> None:
    """Most of 40 changes of a kind make the proof wrong; the definition says which."""
    rng = random.Random(name)
    refused = tried = 0
    proofs = sources()
    while tried < longer(40, 400):
        changed = CHANGES[name](rng, *rng.choice(proofs))
        if changed is None:
            continue
        tried += 1
        good = naive_accepts(*changed)
        objections = plain_objection(*changed), fast_objection(*changed)
        assert objections == ("", "") if good else all(objections), (changed, objections)
        refused += not good
        for objection in objections:
            assert good or re.match(r"line \d+: |the proof ends", objection)
        if not good and objections[0].startswith("line"):
            lines = [objection.partition(":")[0] for objection in objections]
            assert lines[0] == lines[1], (changed, objections)
    assert refused > 5, refused


def test_no_lrat_proof_refutes_a_formula_with_a_model() -> None:
    rng = random.Random(2)
    for formula, lines in sources():
        for at in range(min(len(formula), 12)):
            weaker = [*formula[:at], [1, -1], *formula[at + 1 :]]
            if satisfiable(weaker):
                assert plain_objection(weaker, lines)
                assert fast_objection(weaker, lines)
                name = rng.choice(list(CHANGES))
                if name != "drop_a_clause" and (changed := CHANGES[name](rng, weaker, lines)):
                    assert plain_objection(*changed)
                    assert fast_objection(*changed)


# Lines that are none.

LINE = "5 1 0 1 2 0"  # the first lemma of a proof of TINY
END = "6 0 5 3 4 0"


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        pytest.param([], "the proof ends without the empty clause", id="nothing"),
        pytest.param([LINE], "the proof ends without the empty clause", id="no empty clause"),
        pytest.param(["", LINE, END], "line 1: ", id="an empty line"),
        pytest.param(["c hello", LINE, END], "line 1: 'c' ", id="a comment"),
        pytest.param([LINE, "x"], "line 2: 'x' ", id="a word"),
        pytest.param([LINE, "6 0 5 3 4x 0"], "line 2: '4x' ", id="a number and more"),
        pytest.param([LINE, "6 0 5 +3 4 0"], "line 2: '+3' ", id="a plus"),
        pytest.param([LINE, "6 0 5 3 - 4 0"], "line 2: '-' ", id="a lone minus"),
        pytest.param([LINE, "6 -0 5 3 4 0"], "line 2: '-0' ", id="minus zero"),
        pytest.param([LINE, "06 0 5 3 4 0"], "line 2: '06' ", id="a leading zero"),
        pytest.param([LINE, "6 0 5 3 4 " + 19 * "9" + " 0"], "line 2: '9999", id="19 digits"),
        pytest.param([LINE, "6 " + 5000 * "9" + " 0 5 0"], "line 2: '9999", id="5000 digits"),
        pytest.param([LINE, "6 0 5 3 4"], "line 2: ", id="no zero at the end"),
        pytest.param([LINE, "6 0"], "line 2: ", id="no hints"),
        pytest.param([LINE, "6"], "line 2: ", id="a number alone"),
        pytest.param([LINE, "6 0 5 3 4 0 0"], "line 2: ", id="three zeros"),
        pytest.param([LINE, "6 0 5 3 4 0 7"], "line 2: ", id="more after the zeros"),
        pytest.param([LINE, "0 0 5 3 4 0"], "line 2: ", id="clause 0"),
        pytest.param([LINE, "-6 0 5 3 4 0"], "line 2: ", id="a negative clause"),
        pytest.param([LINE, "6 d d 1 0"], "line 2: 'd' ", id="d twice"),
        pytest.param([LINE, "6 1 d 0 5 0"], "line 2: 'd' ", id="d elsewhere"),
        pytest.param([LINE, "6 dd 1 0"], "line 2: 'dd' ", id="dd"),
        pytest.param([LINE, "d 1 0"], "line 2: 'd' ", id="d without a number"),
        pytest.param([LINE, "6 d 1 0 0"], "line 2: ", id="a deletion with two zeros"),
        pytest.param([LINE, "6 d 1"], "line 2: ", id="a deletion without zero"),
        pytest.param([LINE, "6 d 7 0"], "line 2: clause 7 ", id="a deletion of nothing"),
        pytest.param([LINE, "6 d -1 0"], "line 2: clause -1 ", id="a deletion of minus one"),
        pytest.param([LINE, "6 d 1 1 0"], "line 2: clause 1 ", id="a clause deleted twice"),
        pytest.param([LINE, "6 d 1 0", "7 1 0 1 2 0"], "line 3: hint 1 ", id="a deleted hint"),
        pytest.param([LINE, "6 0 7 3 4 0"], "line 2: hint 7 ", id="a hint from nowhere"),
        pytest.param([LINE, "6 0 6 3 4 0"], "line 2: hint 6 ", id="a hint to itself"),
        pytest.param([LINE, "6 0 3 4 0"], "line 2: hint 3 has ", id="an open hint"),
        pytest.param([LINE, "6 0 5 3 0"], "line 2: the hints of the empty", id="no conflict"),
        pytest.param([LINE, "6 2 0 -1 5 0"], "line 2: hint -1 ", id="a stray group"),
        pytest.param([LINE, "6 2 0 0"], "line 2: the hints lead to no conflict", id="no group"),
        pytest.param([LINE, "5 0 5 3 4 0"], "line 2: clause 5 ", id="a number again"),
        pytest.param(["4 1 0 1 2 0"], "line 1: clause 4 ", id="a number of the formula"),
        pytest.param([LINE, "5 d 5 0", LINE], "line 3: clause 5 ", id="a deleted number again"),
    ],
)
def test_bad_lines_are_refused(lines: Lines, says: str) -> None:
    for objection in (plain_objection(TINY, lines), fast_objection(TINY, lines)):
        assert objection.startswith(says)
        assert "\n" not in objection
        assert objection.isprintable()


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([LINE, END], id="the proof"),
        pytest.param([LINE, END, "", "rubbish"], id="lines after the empty clause"),
        pytest.param([f" 5\t1  0 1 2 0 {7 * ' '}", END], id="blanks"),
        pytest.param(["1 d 0", LINE, "3 d 1 2 0", END], id="deletions"),
        pytest.param(["50 1 0 1 2 0", "99999999999999999 0 50 3 4 0"], id="gaps in the numbers"),
        pytest.param(["5 1 1 0 1 2 0", END], id="a repeated literal"),
        pytest.param(["5 99999999999999999 0 0", "6 1 0 1 2 0", "7 0 6 3 4 0"], id="a variable"),
        pytest.param(["5 1 0 1 2 77 0", END], id="hints after the conflict"),
        pytest.param(["5 1 0 1 2 -3 0", END], id="a group after the conflict"),
        pytest.param(["5 1 -1 0 1 2 0", *[LINE.replace("5", "6"), "7 0 6 3 4 0"]], id="tautology"),
    ],
)
def test_unusual_lines_are_accepted(lines: Lines) -> None:
    assert plain_objection(TINY, lines) == ""
    assert fast_objection(TINY, lines) == ""
    text = "\r\n".join(lines).encode()  # other line ends, and none at the end
    assert lrat.check(dimacs(TINY), text).reason == "verified"


def test_every_clause_against_the_pivot_is_named() -> None:
    """Even one that another of its literals makes true, which needs no hints."""
    formula = [*TINY, [-3, -1]]
    end = ["7 1 0 1 2 0", "8 0 7 3 4 0"]
    assert_published_form(formula, ["6 3 1 0 -5 0", *end])
    for objection in (
        plain_objection(formula, ["6 3 1 0 0", *end]),
        fast_objection(formula, ["6 3 1 0 0", *end]),
    ):
        assert objection == "line 1: the hints lead to no conflict with clause 5"
    assert not naive_accepts(formula, ["6 3 1 0 0", *end])


def test_hints_that_say_nothing_new_change_nothing() -> None:
    """Within the resolvents of one lemma, whichever of them comes first."""
    formula = [*TINY, [-3, 2], [-3, -2]]
    assert_accepted(formula, ["7 3 1 0 -5 3 1 -6 4 2 0", "8 1 0 1 2 0", "9 0 8 3 4 0"])


# How a check goes.


def test_a_check_reports_progress_and_gives_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lrat, "_SLICE", 100)
    formula = GOOD["pigeonhole 6"]
    text = "\n".join(lrat_of(formula, solver_proof(formula)) or []).encode()
    progress: list[tuple[int, int]] = []
    verdict = lrat.check(dimacs(formula), text, on_progress=lambda *at: progress.append(at))
    assert verdict.reason == "verified"
    assert len(progress) > 10
    assert progress == sorted(progress)
    assert progress[-1] == (text.count(b"\n") + 1, text.count(b"\n") + 1)
    late = lrat.check(dimacs(formula), text, seconds=1e-6)
    assert (late.verified, late.finished) == (False, False)
    assert re.fullmatch(r"not done after 0\.\d s: \d+ of \d+ steps are checked", late.reason)
    with pytest.raises(UsageError, match="0 seconds are too few"):
        lrat.check(dimacs(formula), text, seconds=0)


# The plain checker as a program.


def run_plain(*arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-I", plain.__file__, *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_the_plain_checker_runs_alone(tmp_path: Path) -> None:
    formula, proof = tmp_path / "F.cnf", tmp_path / "P.lrat"
    formula.write_bytes(dimacs(TINY))
    proof.write_text(f"{LINE}\n{END}\n")
    assert run_plain(str(formula), str(proof)) == (0, "verified: line 2 adds the empty clause\n")
    proof.write_text(f"{LINE}\n")
    says = "not verified: the proof ends without the empty clause\n"
    assert run_plain(str(formula), str(proof)) == (1, says)
    formula.write_text("p cnf 2 3\n1 0\n")
    code, text = run_plain(str(formula), str(proof))
    assert (code, text.startswith("not verified: formula: 1 ")) == (1, True)
    assert run_plain(str(formula), str(tmp_path / "none"))[0] == 1


def test_the_plain_checker_is_short_and_imports_nothing_of_ours() -> None:
    text = Path(plain.__file__).read_text()
    assert len(text.splitlines()) <= 150
    imported = re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    assert set(imported) <= {"collections", "pathlib", "re", "sys"}
