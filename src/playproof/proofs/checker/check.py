"""The checker of DRUP and DRAT proofs: does a proof refute a formula?

The answer rests on this file, ``parse`` and ``kernels``, and on no solver or
encoder.  ``verified`` means that the formula in the bytes of the DIMACS file
has no model.

Every lemma is checked, from the first to the last, until unit propagation finds
a conflict; the rest of the proof is parsed but not checked.  A lemma may
introduce new variables.

Deletions are obeyed, but a literal that unit propagation has derived stays
derived when its reason is deleted, as in drat-trim (Wetzler, Heule and Hunt,
2014), because solvers delete such clauses and keep the literals.  That is
sound: the literal could have been stated as a lemma, being RUP when derived.
Hence it also counts as a unit clause when RAT looks for resolvents.  Deleting
a clause that is not there changes nothing and is counted.  Tautologies are
always true, so they neither need a check nor affect one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.proofs.checker import kernels
from playproof.proofs.checker.parse import (
    Steps,
    contents,
    looks_binary,
    read_cnf,
    read_proof,
)

_SLICE = 1_000_000  # watches visited between two looks at the clock: some 10 ms
_MAX_STEPS = (1 << 31) - 1  # clauses and steps: kernels number them with an int32
_MAX_LITERALS_SHOWN = 12  # of a clause in a message


@dataclass(frozen=True)
class DratVerdict:
    """The result of checking a proof."""

    verified: bool
    reason: str  # one line
    clauses: int  # of the formula
    lemmas: int  # in the proof
    deletions: int  # in the proof
    checked: int  # lemmas checked, up to the conflict or to the lemma that fails
    rats: int  # lemmas among them that are RAT and not RUP
    unmatched: int  # deletions of clauses that were not there
    seconds: float
    finished: bool = True  # False if the time ran out first


def check(
    cnf: bytes | Path,
    proof: bytes | Path,
    *,
    binary: bool | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    seconds: float | None = None,
) -> DratVerdict:
    """Check a textual or binary proof of a formula; each is given as bytes or as a file.

    ``binary`` says which form the proof has; if None, it is detected from the bytes.
    ``on_progress(done, steps)`` is called now and then.  A check that is not finished
    after ``seconds`` is abandoned and verifies nothing.
    """
    if seconds is not None and not seconds > 0:
        raise UsageError(f"{seconds} seconds are too few: want more than 0")
    start = time.perf_counter()
    formula = read_cnf(contents(cnf))
    text = contents(proof)
    binary = looks_binary(text) if binary is None else binary
    steps = read_proof(text, binary)
    return _run(formula, steps, "step" if binary else "line", on_progress, start, seconds)


def _run(
    formula: Steps,
    proof: Steps,
    unit: str,
    on_progress: Callable[[int, int], None] | None,
    start: float,
    seconds: float | None,
) -> DratVerdict:
    clauses, steps = len(formula.lines), len(proof.lines)
    checker = _prepare(formula, proof)
    while True:
        state = kernels.advance(checker, clauses, _SLICE)
        done = max(int(checker.counters[kernels.NEXT]) - clauses, 0)
        elapsed = time.perf_counter() - start
        if on_progress is not None:
            on_progress(done, steps)
        if state != kernels.MORE or (seconds is not None and elapsed > seconds):
            break
    if state == kernels.CONFLICT:
        reason = "verified"
    elif state == kernels.BAD_LEMMA:
        reason = _objection(proof, done, unit)
    elif state == kernels.AT_THE_END:
        last = f"its last {unit} is {proof.lines[-1]}" if steps else "it has no steps"
        reason = f"the proof ends without the empty clause: {last}"
    else:
        reason = f"not done after {elapsed:.1f} s: {done} of {steps} steps are checked"
    return DratVerdict(
        verified=state == kernels.CONFLICT,
        reason=reason,
        clauses=clauses,
        lemmas=int(np.count_nonzero(proof.deletes == 0)),
        deletions=int(np.count_nonzero(proof.deletes)),
        checked=int(checker.counters[kernels.CHECKED]),
        rats=int(checker.counters[kernels.RATS]),
        unmatched=int(checker.counters[kernels.UNMATCHED]),
        seconds=elapsed,
        finished=state != kernels.MORE,
    )


def _objection(proof: Steps, step: int, unit: str) -> str:
    """Why the proof fails at a lemma that does not follow."""
    literals = proof.literals[proof.starts[step] : proof.starts[step + 1]].tolist()
    where = f"{unit} {proof.lines[step]}"
    if not literals:
        return f"{where}: the empty clause does not follow by unit propagation"
    more = f"... ({len(literals)} literals) " if len(literals) > _MAX_LITERALS_SHOWN else ""
    clause = " ".join(map(str, literals[:_MAX_LITERALS_SHOWN]))
    return f"{where}: clause {clause} {more}0 is neither RUP nor RAT on its first literal"


def _prepare(formula: Steps, proof: Steps) -> kernels.Checker:
    """The checker's initial state, in arrays."""
    literals = np.concatenate([formula.literals, proof.literals])
    numbers = np.abs(literals) - 1
    if numbers.max(initial=0) > 2 * len(numbers):
        # Few variables with large numbers: number them without gaps to save memory.
        numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int32)
    variables = int(numbers.max(initial=-1)) + 1
    codes = 2 * numbers + (literals < 0)
    sides = 2 * variables
    starts = np.concatenate([formula.starts, proof.starts[1:] + formula.starts[-1]])
    deletes = np.concatenate([formula.deletes, proof.deletes])
    n = len(deletes)
    if n > _MAX_STEPS:
        raise DataError(f"{n} clauses and steps are too many: want <= {_MAX_STEPS}")
    # Each clause that contains a literal watches it at most once.
    added = codes[np.repeat(deletes == 0, np.diff(starts))]
    room = np.bincount(added, minlength=sides).astype(np.int64)
    return kernels.Checker(
        literals=codes,
        starts=starts[:-1].copy(),
        ends=starts[1:].copy(),
        deletes=deletes,
        fates=np.zeros(n, np.uint8),
        values=np.zeros(sides, np.int8),
        trail=np.zeros(variables, np.int32),
        occurrences=np.zeros(sides, np.int64),
        stamps=np.zeros(sides, np.int64),
        watch_starts=np.cumsum(room) - room,
        watch_counts=np.zeros(sides, np.int64),
        watchers=np.zeros(len(added), np.int32),
        blockers=np.zeros(len(added), np.int32),
        keys=np.random.default_rng(0).integers(1 << 62, size=sides),
        buckets=np.full(1 << n.bit_length(), -1, np.int32),
        chains=np.full(n, -1, np.int32),
        counters=np.zeros(7, np.int64),
    )
