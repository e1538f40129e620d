"""What the DRAT checker must refuse: proofs that fail, and files that are none."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playproof.core.errors import DataError
from playproof.proofs.checker import check as checker
from playproof.proofs.checker.check import check
from tests.support.proofs.naive_drat import (
    TINY,
    Clause,
    Step,
    binary_drat,
    dimacs,
    drat,
    extended_resolution,
    figures,
    naive,
    pigeonhole,
    random_3sat,
    solver_proof,
    steps_of,
)

# Forgeries.  Each is a formula and a proof, and a piece of what must be said of it.

Forgery = tuple[bytes, bytes, str]
FORMULA = pigeonhole(4)
FORGERIES: dict[str, Callable[[], Forgery]] = {}


def forgery(make: Callable[[], Forgery]) -> Callable[[], Forgery]:
    FORGERIES[make.__name__] = make
    return make


def honest() -> list[Step]:
    return solver_proof(FORMULA)


def first_that_fails(formula: list[Clause], candidates: Iterator[list[Step]]) -> list[Step]:
    """Of random changes some leave a proof; take one that the naive checker refuses."""
    return next(steps for steps in candidates if not naive(formula, steps)[0])


def changed_lemma(change: Callable[[Clause], Clause]) -> Forgery:
    steps = honest()
    lemmas = [i for i, (deletes, clause) in enumerate(steps) if not deletes and len(clause) > 1]
    candidates = ([*steps[:i], (False, change(steps[i][1])), *steps[i + 1 :]] for i in lemmas)
    return dimacs(FORMULA), drat(first_that_fails(FORMULA, candidates)), "neither RUP nor RAT"


@forgery
def truncated() -> Forgery:
    steps = honest()
    return dimacs(FORMULA), drat(steps[: len(steps) // 2]), "ends without the empty clause"


@forgery
def ends_just_before_the_conflict() -> Forgery:
    steps = honest()
    shorter = (steps[:n] for n in range(len(steps), 0, -1))
    return dimacs(FORMULA), drat(first_that_fails(FORMULA, shorter)), "without the empty clause"


@forgery
def flipped_literal() -> Forgery:
    return changed_lemma(lambda clause: [-clause[0], *clause[1:]])


@forgery
def strengthened_lemma() -> Forgery:
    return changed_lemma(lambda clause: clause[1:])


@forgery
def foreign_variable_for_a_literal() -> Forgery:
    return changed_lemma(lambda clause: [*clause[:-1], 99])


@forgery
def dropped_lemma() -> Forgery:
    steps = honest()
    candidates = (steps[:i] + steps[i + 1 :] for i in range(len(steps)) if not steps[i][0])
    return dimacs(FORMULA), drat(first_that_fails(FORMULA, candidates)), "neither RUP nor RAT"


@forgery
def swapped_lemmas() -> Forgery:
    steps = honest()
    candidates = (
        [*steps[:i], steps[i + 1], steps[i], *steps[i + 2 :]] for i in range(len(steps) - 2)
    )
    return dimacs(FORMULA), drat(first_that_fails(FORMULA, candidates)), "neither RUP nor RAT"


@forgery
def reversed_order() -> Forgery:
    return dimacs(FORMULA), drat(honest()[::-1]), "line 1: the empty clause does not follow"


@forgery
def needed_clause_deleted_before_its_use() -> Forgery:
    candidates = ([(True, clause[::-1]), *honest()] for clause in FORMULA)
    return dimacs(FORMULA), drat(first_that_fails(FORMULA, candidates)), "neither RUP nor RAT"


@forgery
def every_addition_a_deletion() -> Forgery:
    steps = [(True, clause) for _, clause in honest()]
    return dimacs(FORMULA), drat(steps), "ends without the empty clause"


@forgery
def proof_of_another_formula() -> Forgery:
    formula = random_3sat(20, 130, 5)
    return dimacs(formula), drat(honest()), "neither RUP nor RAT"


@forgery
def satisfiable_formula() -> Forgery:
    return dimacs(TINY[:3]), b"1 0\n2 0\n-1 -2 0\n0\n", "line 3: clause -1 -2 0 is neither"


@forgery
def empty_clause_claimed_at_once() -> Forgery:
    return dimacs(FORMULA), b"0\n", "line 1: the empty clause does not follow"


@forgery
def formula_lacks_a_clause() -> Forgery:
    return dimacs(FORMULA[1:]), drat(honest()), "neither RUP nor RAT"


@forgery
def formula_with_a_flipped_literal() -> Forgery:
    formula = [[-FORMULA[0][0], *FORMULA[0][1:]], *FORMULA[1:]]
    return dimacs(formula), drat(honest()), "neither RUP nor RAT"


@forgery
def rat_on_another_literal() -> Forgery:
    first, *rest = extended_resolution(4)
    steps = [(False, first[1][::-1]), *rest]
    return dimacs(FORMULA), drat(steps), "line 1: clause -1 21 0 is neither"


@forgery
def rat_with_a_resolvent_that_does_not_follow() -> Forgery:
    # 5 is new at first; then its negation cannot be had as well.
    return dimacs([[1, 2], [3, 4]]), b"5 -1 0\n-5 3 0\n0\n", "line 2: clause -5 3 0 is neither"


@forgery
def a_name_defined_twice() -> Forgery:
    steps = extended_resolution(4)
    again = [(False, [21, -3]), (False, [-21, 3])]
    return (
        dimacs(FORMULA),
        drat([*steps[:4], *again, *steps[4:]]),
        "line 5: clause 21 -3 0 is neither",
    )


@forgery
def rat_against_a_unit_whose_clauses_are_deleted() -> Forgery:
    # No clause with -3 is left, but -3 is known.
    formula = [[-3, 1], [-3, -1], [1, 2, 4]]
    return dimacs(formula), b"-3 0\nd -3 0\nd -3 1 0\nd -3 -1 0\n3 1 0\n", "line 5: clause 3 1 0"


@forgery
def binary_proof_with_a_flipped_literal() -> Forgery:
    cnf, proof, _ = flipped_literal()
    return cnf, binary_drat(steps_of(proof.decode().splitlines())), "step "


@forgery
def empty_proof() -> Forgery:
    return dimacs(FORMULA), b"", "it has no steps"


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused(name: str) -> None:
    cnf, proof, said = FORGERIES[name]()
    verdict = check(cnf, proof)
    assert not verdict.verified
    assert said in verdict.reason
    assert "\n" not in verdict.reason
    if not checker.looks_binary(proof):
        formula = [clause for _, clause in steps_of(cnf.decode().splitlines()[1:])]
        assert figures(verdict) == naive(formula, steps_of(proof.decode().splitlines()))


# Files that are none.

GOOD_CNF, GOOD_PROOF = dimacs(TINY), b"1 0\n0\n"
BIG = b"\x80" * 6 + b"\x01"
MALFORMED = {
    "empty CNF": (b"", GOOD_PROOF, "CNF, line 1: nothing is no header"),
    "CNF of spaces": (b" \n\n", GOOD_PROOF, "CNF, line 3: nothing is no header"),
    "no header": (b"1 2 0\n", GOOD_PROOF, "CNF, line 1: '1 2 0' is no header: want p cnf"),
    "another header": (b"p dnf 2 4\n1 0\n", GOOD_PROOF, "'p dnf 2 4' is no header"),
    "half a header": (b"p cnf 2\n1 0\n", GOOD_PROOF, "'p cnf 2' is no header"),
    "a negative count": (b"p cnf 2 -1\n", GOOD_PROOF, "is no header"),
    "an absurd count": (b"p cnf 9999999999 0\n", GOOD_PROOF, "are too many"),
    "two headers": (b"p cnf 1 1\np cnf 1 1\n1 0\n", GOOD_PROOF, "line 2: 'p' is no literal"),
    "clauses missing": (GOOD_CNF[:-8], GOOD_PROOF, "the header says 4 clauses, the file has 3"),
    "clauses too many": (GOOD_CNF + b"1 0\n", GOOD_PROOF, "says 4 clauses, the file has 5"),
    "variable out of range": (b"c\np cnf 2 1\n-3 0\n", GOOD_PROOF, "CNF, line 3: '-3' is larger"),
    "CNF without a 0": (b"p cnf 2 2\n1 2\n1 0\n", GOOD_PROOF, "line 2: the clause does not end"),
    "CNF without the last 0": (GOOD_CNF[:-3], GOOD_PROOF, "line 5: the clause does not end"),
    "CNF with 0 in the middle": (b"p cnf 2 1\n1 0 2 0\n", GOOD_PROOF, "line 2: '2' comes after"),
    "CNF with a word": (b"p cnf 2 1\n1 x 0\n", GOOD_PROOF, "line 2: 'x' is no literal"),
    "CNF with a fraction": (b"p cnf 2 1\n1.5 0\n", GOOD_PROOF, "line 2: '1.5' is no literal"),
    "CNF with a deletion": (b"p cnf 2 1\nd 1 0\n", GOOD_PROOF, "line 2: 'd' is no literal"),
    "CNF with a plus": (b"p cnf 2 1\n+1 0\n", GOOD_PROOF, "line 2: '+1' is no literal"),
    "CNF with minus nothing": (b"p cnf 2 1\n1 - 2 0\n", GOOD_PROOF, "line 2: '-' is no literal"),
    "CNF with minus zero": (b"p cnf 2 1\n1 -0\n", GOOD_PROOF, "line 2: '-0' is no literal"),
    "CNF of numbers run together": (b"p cnf 2 1\n1-2 0\n", GOOD_PROOF, "'1-2' is no literal"),
    "CNF of random bytes": (bytes(range(128, 256)), GOOD_PROOF, "is no header"),
    "proof without a 0": (GOOD_CNF, b"1\n0\n", "proof, line 1: the step does not end with 0"),
    "proof cut in a line": (GOOD_CNF, b"1 2 0\n2 -", "proof, line 2: '-' is no literal"),
    "proof with 0 in the middle": (GOOD_CNF, b"1 0 2 0\n", "proof, line 1: '2' comes after"),
    "proof with a word": (GOOD_CNF, b"1 0\nfoo 0\n", "proof, line 2: 'foo' is no literal"),
    "proof with a header": (GOOD_CNF, GOOD_CNF, "proof, line 1: 'p' is no literal"),
    "proof with two ds": (GOOD_CNF, b"d d 1 0\n", "proof, line 1: 'd' is no literal"),
    "proof with a late d": (GOOD_CNF, b"1 d 0\n", "proof, line 1: 'd' is no literal"),
    "proof with a huge literal": (GOOD_CNF, b"1 0\n1073741824 0\n", "line 2: '1073741824' is"),
    "proof with a literal past 64 bits": (GOOD_CNF, b"9" * 40 + b" 0\n", "larger than"),
    "proof of random bytes": (GOOD_CNF, bytes(range(200, 256)), "proof, line 1"),
    "binary garbage": (GOOD_CNF, b"\0\xff\xfe", "step 1, byte 0: 0x00 begins no step"),
    "binary cut in a number": (GOOD_CNF, b"a\x02\0a\x82", "step 2, byte 4: the step does not"),
    "binary cut in a step": (GOOD_CNF, b"a\x02\0a\x04", "step 2, byte 4: the step does not"),
    "binary cut after a": (GOOD_CNF, b"a\x02\0a", "step 2, byte 3: the step does not end"),
    "binary with minus zero": (GOOD_CNF, b"a\x01\0", "byte 1: 0x01 is no literal"),
    "binary with a huge literal": (GOOD_CNF, b"a" + BIG + b"\0", "byte 1: 0x80 is larger"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_files_are_errors_of_one_line(name: str) -> None:
    cnf, proof, said = MALFORMED[name]
    with pytest.raises(DataError, match=re.escape(said)) as caught:
        check(cnf, proof)
    assert "\n" not in str(caught.value)
    assert str(caught.value).isascii()


def test_any_bytes_are_read_or_refused() -> None:
    """No crash, no acceptance: random bytes prove nothing."""
    rng = random.Random(5)
    alphabets = [bytes(range(256)), b"0123 -\nd", b"ad\0\x01\x02\x03\x04\x80"]
    told = []
    for i in range(1500):
        noise = bytes(rng.choices(alphabets[i % 3], k=rng.randint(0, 30)))
        for binary in (None, True, False):
            try:
                assert not check(dimacs(TINY[:3]), noise, binary=binary).verified
            except DataError as error:
                told.append(str(error))
        try:
            check(b"p cnf 3 1\n" + noise, b"")
        except DataError as error:
            told.append(str(error))
    assert len(told) > 1500
    assert not any("\n" in line for line in told)


def test_the_form_of_a_proof_can_be_said() -> None:
    packed = binary_drat([(False, [1]), (False, [])])
    assert check(GOOD_CNF, packed, binary=True).verified
    assert check(GOOD_CNF, GOOD_PROOF, binary=False).verified
    with pytest.raises(DataError, match="is no literal"):
        check(GOOD_CNF, packed, binary=False)
    with pytest.raises(DataError, match="0x31 begins no step"):
        check(GOOD_CNF, GOOD_PROOF, binary=True)


def test_a_proof_that_begins_with_deletions_is_recognised() -> None:
    # d, then 32 for the variable 16: as bytes, a d and a space.
    formula = [*TINY, [16, 10]]
    steps = [(True, [16, 10]), (False, [1]), (False, [])]
    assert binary_drat(steps).startswith(b"d ")
    for proof in (drat(steps), binary_drat(steps)):
        verdict = check(dimacs(formula), proof)
        assert (verdict.verified, verdict.deletions, verdict.unmatched) == (True, 1, 0)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.cnf cannot be read: No such file"):
        check(tmp_path / "none.cnf", b"")


def test_more_steps_than_can_be_numbered_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "_MAX_STEPS", 5)
    with pytest.raises(DataError, match="6 clauses and steps are too many: want <= 5"):
        check(GOOD_CNF, GOOD_PROOF)
    assert check(GOOD_CNF, b"1 0\n").verified
