"""The fast checker of LRAT proofs, for proofs that are too long for ``plain``.

It accepts what ``plain`` accepts, in text of one step per line, and shares no code with it.  The
formula is read like that of a DRAT proof, by ``parse``.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UsageError
from playproof.core.stopping import StopFlag, stop_flag
from playproof.core.time_limit import TimeLimit, limited
from playproof.proofs.checker import lrat_kernels as kernels
from playproof.proofs.checker.parse import Steps, contents, read_cnf

T = TypeVar("T")

_SLICE = 20_000_000  # literals and hints visited between two reports of progress: some 50 ms
_MAX_CLAUSES = (1 << 31) - 1  # kernels number them with an int32
_FORMS = "want 'ID LITERAL… 0 HINT… 0' or 'ID d ID… 0'"
_FAULTS = {
    kernels.NO_NUMBER: "{token} is no whole number of at most 18 digits",
    kernels.TOO_LARGE: "{token} is no whole number of at most 18 digits",
    kernels.NO_ID: "{token} is no number of a clause: want 1 or more",
    kernels.NO_ZERO: f"a 0 is missing: {_FORMS}",
    kernels.AFTER_ZERO: f"{{token}} comes after the last 0: {_FORMS}",
    kernels.NOT_GROWING: "clause {id} needs a number larger than {culprit}",
    kernels.UNKNOWN_CLAUSE: "clause {culprit} is to be deleted, but is not there",
    kernels.UNKNOWN_HINT: "hint {culprit} is not a clause",
    kernels.OPEN_HINT: "hint {culprit} has several literals left: want one or none",
    kernels.STRAY_HINT: "hint {culprit} is not a clause with the opposite of the pivot",
    kernels.NO_CONFLICT: "the hints of the empty clause lead to no conflict",
    kernels.NO_RESOLVENT: "the hints lead to no conflict with clause {culprit}",
}


@dataclass(frozen=True)
class LratVerdict:
    """The result of checking an LRAT proof."""

    verified: bool
    reason: str  # one line
    clauses: int  # of the formula
    lemmas: int  # accepted, the empty clause included
    deletions: int  # lines obeyed that delete clauses
    hints: int  # of all lemmas in the proof
    rats: int  # lemmas among those accepted that are RAT and not RUP
    seconds: float
    finished: bool = True  # False if the time ran out first


@dataclass(frozen=True)
class _LratSteps:
    """k steps of a proof; what is wrong with the line after them is a fault."""

    ids: npt.NDArray[np.int64]  # (k,)
    deletes: npt.NDArray[np.uint8]  # (k,)
    numbers: npt.NDArray[np.int64]  # literals and hints of each step
    starts: npt.NDArray[np.int64]  # (k + 1,) where the literals of a step start
    middles: npt.NDArray[np.int64]  # (k,) where its hints start
    fault: str  # empty if there is none


def check(
    cnf: bytes | Path,
    proof: bytes | Path,
    *,
    on_progress: Callable[[int, int], None] | None = None,
    on_wait: Callable[[], object] = lambda: None,
    seconds: float | None = None,
) -> LratVerdict:
    """Check an LRAT proof of a formula; each is given as bytes or as a file.

    ``on_progress(done, steps)`` is called now and then, and so is ``on_wait()``, also within a
    step; what they raise ends the check.  A check that is not finished after ``seconds`` is
    abandoned and verifies nothing.  What follows the empty clause is not checked.
    """
    if seconds is not None and not seconds > 0:
        raise UsageError(f"{seconds} seconds are too few: want more than 0")
    start = time.perf_counter()

    def run(work: Callable[[StopFlag], T]) -> T:
        left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - start))
        return limited(work, left, on_wait=on_wait)

    text = contents(proof)

    def read(stop: StopFlag) -> tuple[int, _LratSteps, kernels.LratState]:
        formula, steps = read_cnf(contents(cnf), stop), _read(text, stop)
        return len(formula.lines), steps, _prepare(formula, steps)

    try:
        clauses, steps, state = run(read)
    except TimeLimit:
        elapsed = time.perf_counter() - start
        lines = text.count(b"\n")
        reason = f"not done after {elapsed:.1f} s: 0 of {lines} steps are checked"
        return LratVerdict(False, reason, 0, 0, 0, 0, 0, elapsed, finished=False)
    while True:
        try:
            outcome = run(partial(kernels.advance, state, clauses, _SLICE))
        except TimeLimit:
            outcome = kernels.STOPPED
        elapsed = time.perf_counter() - start
        if on_progress is not None:
            on_progress(int(state.counters[kernels.NEXT]), len(steps.ids))
        if outcome != kernels.MORE:
            break
    return _verdict(outcome, clauses, steps, state, elapsed)


def _verdict(
    outcome: int, clauses: int, steps: _LratSteps, state: kernels.LratState, elapsed: float
) -> LratVerdict:
    """The verdict on a formula of so many ``clauses``, where the kernel ended with ``outcome``."""
    done, total = int(state.counters[kernels.NEXT]), len(steps.ids)
    if outcome == kernels.REFUTED:
        reason = "verified"
    elif outcome == kernels.STOPPED:
        reason = f"not done after {elapsed:.1f} s: {done} of {total} steps are checked"
    elif outcome == kernels.AT_THE_END:
        reason = steps.fault or "the proof ends without the empty clause"
    else:
        culprit = int(state.counters[kernels.CULPRIT])
        fault = _FAULTS[outcome].format(culprit=culprit, id=int(steps.ids[done]))
        reason = f"line {done + 1}: {fault}"
    deletions = int(np.count_nonzero(steps.deletes[:done]))
    hints = (steps.starts[1:] - steps.middles)[steps.deletes == 0]
    return LratVerdict(
        verified=outcome == kernels.REFUTED,
        reason=reason,
        clauses=clauses,
        lemmas=done - deletions,
        deletions=deletions,
        hints=int(hints.sum()),
        rats=int(state.counters[kernels.RATS]),
        seconds=elapsed,
        finished=outcome != kernels.STOPPED,
    )


def without_hints(cnf: bytes | Path, proof: bytes | Path) -> bytes:
    """An LRAT proof that ``check`` accepts as DRAT in text: the same lemmas and deletions."""
    flag = stop_flag()
    formula, steps = read_cnf(contents(cnf), flag), _read(contents(proof), flag)
    literals, starts = formula.literals.tolist(), formula.starts.tolist()
    clauses = {number: literals[a:b] for number, (a, b) in enumerate(itertools.pairwise(starts), 1)}
    numbers, ends = steps.numbers.tolist(), steps.starts[1:].tolist()
    columns = (steps.ids, steps.deletes, steps.starts[:-1], steps.middles)
    lines = []
    for number, deletes, start, middle, end in zip(
        *(c.tolist() for c in columns), ends, strict=True
    ):
        if deletes:
            lines += [_line("d", clauses.pop(gone)) for gone in numbers[start:end]]
            continue
        clauses[number] = numbers[start:middle]
        lines.append(_line("", clauses[number]))
        if start == middle:
            break
    return b"".join(lines)


def _line(letter: str, literals: list[int]) -> bytes:
    return (" ".join([letter, *map(str, literals), "0"]).lstrip() + "\n").encode()


def _read(data: bytes, stop: StopFlag) -> _LratSteps:
    """The steps of a proof up to the first line that is not one."""
    room = data.count(b"\n") + 1
    ids, deletes = np.empty(room, np.int64), np.empty(room, np.uint8)
    numbers = np.empty(len(data) // 2 + 1, np.int64)
    starts, middles = np.zeros(room + 1, np.int64), np.empty(room + 1, np.int64)
    n, fault, at = kernels.scan(
        np.frombuffer(data, np.uint8), ids, deletes, numbers, starts, middles, stop
    )
    text = ""
    if fault != kernels.OK:
        token = ascii((data[at : at + 40].split() or [b""])[0].decode("latin-1"))
        text = f"line {n + 1}: {_FAULTS[fault].format(token=token)}"
    return _LratSteps(
        ids[:n], deletes[:n], numbers[: starts[n]], starts[: n + 1], middles[:n], text
    )


def _prepare(formula: Steps, steps: _LratSteps) -> kernels.LratState:
    """The checker's initial state, in arrays."""
    added = steps.deletes == 0
    sizes = steps.middles - steps.starts[:-1]
    parts = np.column_stack([sizes, steps.starts[1:] - steps.middles]).ravel()
    is_literal = np.repeat(np.tile([True, False], len(sizes)), parts)
    literals = np.concatenate([formula.literals, steps.numbers[is_literal]])
    variables = np.abs(literals) - 1
    if variables.max(initial=0) > 2 * len(variables):
        # Few variables with large numbers: number them without gaps to save memory.
        variables = np.unique(variables, return_inverse=True)[1]
    sides = 2 * (int(variables.max(initial=-1)) + 1)
    ends = formula.starts[-1] + np.cumsum(sizes[added])
    starts = np.concatenate([formula.starts, ends])
    n = len(starts) - 1
    if n > _MAX_CLAUSES:
        raise DataError(f"{n} clauses are too many: want <= {_MAX_CLAUSES}")
    return kernels.LratState(
        literals=(2 * variables + (literals < 0)).astype(np.int32),
        starts=starts,
        ids=np.concatenate([np.arange(1, len(formula.lines) + 1), steps.ids[added]]),
        live=np.zeros(n, np.uint8),
        heads=np.full(sides, -1, np.int64),
        chains=np.full(len(literals), -1, np.int64),
        owners=np.zeros(len(literals), np.int32),
        stamps=np.zeros(sides, np.int64),
        groups=np.zeros(n, np.int64),
        group_stamps=np.zeros(n, np.int64),
        deletes=steps.deletes,
        hints=steps.numbers,
        hint_starts=steps.middles,
        hint_ends=steps.starts[1:].copy(),
        counters=np.zeros(kernels.COUNTERS, np.int64),
    )
