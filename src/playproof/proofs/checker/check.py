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
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.core.stopping import StopFlag
from playproof.core.time_limit import TimeLimit, limited
from playproof.proofs.checker import kernels
from playproof.proofs.checker import state as states
from playproof.proofs.checker.lrat_writer import LratWriter
from playproof.proofs.checker.parse import (
    Steps,
    contents,
    looks_binary,
    read_cnf,
    read_proof,
)

T = TypeVar("T")

_SLICE = 1_000_000  # watches visited between two reports of progress: some 10 ms
_RECORD = 1 << 20  # numbers of hints that are kept until they are written
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
    on_wait: Callable[[], object] = lambda: None,
    seconds: float | None = None,
    lrat: BinaryIO | None = None,
) -> DratVerdict:
    """Check a textual or binary proof of a formula; each is given as bytes or as a file.

    ``binary`` says which form the proof has; if None, it is detected from the bytes.
    ``on_progress(done, steps)`` is called now and then, and so is ``on_wait()``, also within a
    step; what they raise ends the check.  A check that is not finished after ``seconds`` is
    abandoned, be it within a step, and verifies nothing.  To ``lrat`` the same proof is written
    with hints, for checkers that search for nothing (``plain``, ``lrat``); it is whole if the
    proof is verified.
    """
    if seconds is not None and not seconds > 0:
        raise UsageError(f"{seconds} seconds are too few: want more than 0")
    run = _Run(on_progress, on_wait, seconds)
    text = contents(proof)
    binary = looks_binary(text) if binary is None else binary

    def read(stop: StopFlag) -> _Files:
        formula = read_cnf(contents(cnf), stop)
        steps = read_proof(text, binary, stop)
        return _Files(formula, steps, *_prepare(formula, steps, 0 if lrat is None else _RECORD))

    try:
        files = run.limited(read)
    except TimeLimit:
        steps = text.count(b"\0" if binary else b"\n")
        reason = f"not done after {run.elapsed():.1f} s: 0 of {steps} steps are checked"
        return DratVerdict(False, reason, 0, 0, 0, 0, 0, 0, run.elapsed(), finished=False)
    writer = None if lrat is None else LratWriter(lrat, len(files.formula.lines))
    if writer is not None:
        writer.tidy(files.formula, files.checker)
    return run.check(files, "step" if binary else "line", writer)


class _Files(NamedTuple):
    """What was read: the steps of the two files, and the checker's initial state."""

    formula: Steps
    proof: Steps
    checker: states.Checker
    variables: npt.NDArray[np.int64]  # the number of each variable in the files


@dataclass
class _Run:
    """One check, with its clock."""

    on_progress: Callable[[int, int], None] | None
    on_wait: Callable[[], object]
    seconds: float | None
    start: float = field(default_factory=time.perf_counter)

    def elapsed(self) -> float:
        return time.perf_counter() - self.start

    def limited(self, work: Callable[[StopFlag], T]) -> T:
        """The result of ``work``; raises TimeLimit when the time is up."""
        left = None if self.seconds is None else max(0.0, self.seconds - self.elapsed())
        return limited(work, left, on_wait=self.on_wait)

    def check(self, files: _Files, unit: str, writer: LratWriter | None) -> DratVerdict:
        formula, proof, checker, variables = files
        clauses, steps = len(formula.lines), len(proof.lines)
        while True:
            advance = partial(kernels.advance, checker, clauses, _SLICE)
            try:
                state = self.limited(advance)
            except TimeLimit:
                state = states.STOPPED
            if writer is not None and state != states.STOPPED:
                checker = writer.drain(checker, variables, is_full=state == states.FULL)
            done = max(int(checker.counters[states.NEXT]) - clauses, 0)
            if self.on_progress is not None:
                self.on_progress(done, steps)
            if state not in (states.MORE, states.FULL):
                break
        if state == states.CONFLICT:
            reason = "verified"
        elif state == states.BAD_LEMMA:
            reason = _objection(proof, done, unit)
        elif state == states.AT_THE_END:
            last = f"its last {unit} is {proof.lines[-1]}" if steps else "it has no steps"
            reason = f"the proof ends without the empty clause: {last}"
        else:
            reason = f"not done after {self.elapsed():.1f} s: {done} of {steps} steps are checked"
        return DratVerdict(
            verified=state == states.CONFLICT,
            reason=reason,
            clauses=clauses,
            lemmas=int(np.count_nonzero(proof.deletes == 0)),
            deletions=int(np.count_nonzero(proof.deletes)),
            checked=int(checker.counters[states.CHECKED]),
            rats=int(checker.counters[states.RATS]),
            unmatched=int(checker.counters[states.UNMATCHED]),
            seconds=self.elapsed(),
            finished=state != states.STOPPED,
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


def _prepare(
    formula: Steps, proof: Steps, room_for_hints: int
) -> tuple[states.Checker, npt.NDArray[np.int64]]:
    """The checker's initial state, in arrays; and the number of each variable in the files."""
    literals = np.concatenate([formula.literals, proof.literals])
    numbers = np.abs(literals) - 1
    if numbers.max(initial=0) > 2 * len(numbers):
        # Few variables with large numbers: number them without gaps to save memory.
        originals, numbers = np.unique(numbers, return_inverse=True)
        numbers = numbers.astype(np.int32)
    else:
        originals = np.arange(numbers.max(initial=-1) + 1)
    variables = len(originals)
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
    counters = np.zeros(states.COUNTERS, np.int64)
    counters[states.NEXT_ID] = len(formula.lines) + 1
    checker = states.Checker(
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
        counters=counters,
        reasons=np.full(variables, -1, np.int32),
        heights=np.zeros(variables, np.int32),
        marks=np.zeros(sides, np.int64),
        units=np.zeros(variables, np.int64),
        ids=np.arange(1, n + 1),
        work=np.zeros(sides, np.int64),
        record=np.zeros(room_for_hints, np.int64),
    )
    return checker, originals + 1
