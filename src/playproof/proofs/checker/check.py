"""Is this a refutation of that formula?  DRUP and DRAT proofs, checked.

The answer rests on this file, ``parse`` and ``kernels``, and
on no solver or encoder: ``verified`` means that the formula, as the bytes of
the DIMACS file say it, has no model.

Every lemma is checked, first to last, until there is a conflict by unit
propagation; what a proof says after that is read and not judged.  A lemma may
bring new variables.

Deletions are obeyed, but a literal that unit propagation has derived stays
derived when its reason is deleted, as in drat-trim (Wetzler, Heule and Hunt,
2014), since solvers drop such clauses and go on using what they gave.  That is
sound: the literal could have been stated as a lemma, being RUP when derived.
Hence it also counts as a unit clause when RAT looks for resolvents.  Deleting
what is not there changes nothing and is counted.  Tautologies say nothing,
and so neither need nor spoil a check.
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

_SLICE = 1_000_000  # watches looked at between two looks at the clock: some 10 ms
_MOST = (1 << 31) - 1  # clauses and steps: kernels number them by an int32
_SHOWN = 12  # literals of a clause in a message


@dataclass(frozen=True)
class Verdict:
    """What came of a check; ``reason`` is one line."""

    verified: bool
    reason: str
    clauses: int  # of the formula
    lemmas: int  # in the proof
    deletions: int  # in the proof
    checked: int  # lemmas looked at, to the conflict or to the one that fails
    rats: int  # lemmas among them that are RAT and not RUP
    unmatched: int  # deletions of clauses that were not there
    seconds: float
    finished: bool = True  # False if the time ran out first


def check(
    cnf: bytes | Path,
    proof: bytes | Path,
    *,
    binary: bool | None = None,
    progress: Callable[[int, int], None] | None = None,
    seconds: float | None = None,
) -> Verdict:
    """Check a textual or binary proof, each given as its bytes or its file.

    ``binary`` says which it is; if None, its bytes do.  ``progress(done, steps)``
    is called now and then.  A check that is not done after ``seconds`` gives up,
    and has then verified nothing.
    """
    if seconds is not None and not seconds > 0:
        raise UsageError(f"{seconds} seconds are no time: want more than 0")
    began = time.perf_counter()
    formula = read_cnf(contents(cnf))
    text = contents(proof)
    binary = looks_binary(text) if binary is None else binary
    steps = read_proof(text, binary)
    return _run(formula, steps, "step" if binary else "line", progress, began, seconds)


def _run(
    formula: Steps,
    proof: Steps,
    unit: str,
    progress: Callable[[int, int], None] | None,
    began: float,
    seconds: float | None,
) -> Verdict:
    clauses, steps = len(formula.lines), len(proof.lines)
    checker = _prepare(formula, proof)
    while True:
        state = kernels.advance(checker, clauses, _SLICE)
        done = max(int(checker.figures[kernels.NEXT]) - clauses, 0)
        passed = time.perf_counter() - began
        if progress is not None:
            progress(done, steps)
        if state != kernels.MORE or (seconds is not None and passed > seconds):
            break
    if state == kernels.CONFLICT:
        reason = "verified"
    elif state == kernels.BAD_LEMMA:
        reason = _objection(proof, done, unit)
    elif state == kernels.AT_THE_END:
        last = f"its last {unit} is {proof.lines[-1]}" if steps else "it has no steps"
        reason = f"the proof ends without the empty clause: {last}"
    else:
        reason = f"not done after {passed:.1f} s: {done} of {steps} steps are checked"
    return Verdict(
        verified=state == kernels.CONFLICT,
        reason=reason,
        clauses=clauses,
        lemmas=int(np.count_nonzero(proof.deletes == 0)),
        deletions=int(np.count_nonzero(proof.deletes)),
        checked=int(checker.figures[kernels.CHECKED]),
        rats=int(checker.figures[kernels.RATS]),
        unmatched=int(checker.figures[kernels.UNMATCHED]),
        seconds=passed,
        finished=state != kernels.MORE,
    )


def _objection(proof: Steps, step: int, unit: str) -> str:
    """Why the proof fails, at a lemma that does not follow."""
    literals = proof.literals[proof.starts[step] : proof.starts[step + 1]].tolist()
    where = f"{unit} {proof.lines[step]}"
    if not literals:
        return f"{where}: the empty clause does not follow by unit propagation"
    more = f"... ({len(literals)} literals) " if len(literals) > _SHOWN else ""
    shown = " ".join(map(str, literals[:_SHOWN]))
    return f"{where}: clause {shown} {more}0 is neither RUP nor RAT on its first literal"


def _prepare(formula: Steps, proof: Steps) -> kernels.Checker:
    """Everything a check needs, in arrays."""
    literals = np.concatenate([formula.literals, proof.literals])
    numbers = np.abs(literals) - 1
    if numbers.max(initial=0) > 2 * len(numbers):
        # Large names of few variables: number them without gaps, to spare memory.
        numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int32)
    variables = int(numbers.max(initial=-1)) + 1
    codes = 2 * numbers + (literals < 0)
    sides = 2 * variables
    starts = np.concatenate([formula.starts, proof.starts[1:] + formula.starts[-1]])
    deletes = np.concatenate([formula.deletes, proof.deletes])
    n = len(deletes)
    if n > _MOST:
        raise DataError(f"{n} clauses and steps are too many: want <= {_MOST}")
    # A literal is watched at most once by each clause that is ever added with it.
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
        figures=np.zeros(7, np.int64),
    )
