"""The state of the DRAT checker: arrays that its kernels share."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int8, int32, int64, types, uint8

TRUE, FALSE = 1, -1  # in ``values``; 0 is neither

# The states of a clause, in ``fates``; a deletion step stays NOT_YET.
NOT_YET, LIVE, GONE, TAUTOLOGY = range(4)

# Indices into ``counters``.
NEXT, TRAIL, CHECKED, RATS, UNMATCHED, VISITS, STAMP, REFUTED = range(8)
# Of these only the writer of hints makes use: why propagation ended, marks, LRAT's next number, how
# much of the trail has a unit clause of its own, how much of ``record`` is full.
CAUSE, MARK, GROUP, NEXT_ID, UNITS, LISTED, WRITTEN = range(8, 15)
COUNTERS = 15

# The results of ``advance``.
MORE, CONFLICT, BAD_LEMMA, AT_THE_END, FULL, STOPPED = range(6)


class Checker(NamedTuple):
    """n steps (the formula's clauses, then the proof's) over v variables, l literals in all."""

    literals: npt.NDArray[np.int32]  # (l,) of all steps; a clause watches its first two
    starts: npt.NDArray[np.int64]  # (n,)
    ends: npt.NDArray[np.int64]  # (n,) repeated literals lie behind the end
    deletes: npt.NDArray[np.uint8]  # (n,)
    fates: npt.NDArray[np.uint8]  # (n,)
    values: npt.NDArray[np.int8]  # (2v,) TRUE, FALSE or 0
    trail: npt.NDArray[np.int32]  # (v,) true literals, oldest first
    occurrences: npt.NDArray[np.int64]  # (2v,) in live clauses
    stamps: npt.NDArray[np.int64]  # (2v,) mark the literals of the current clause
    # The clauses that watch a literal: ``watch_counts`` entries from ``watch_starts`` on.  A
    # clause is there at most once, so a literal needs no more room than it has occurrences.
    watch_starts: npt.NDArray[np.int64]  # (2v,)
    watch_counts: npt.NDArray[np.int64]  # (2v,)
    watchers: npt.NDArray[np.int32]  # (l,) clauses
    blockers: npt.NDArray[np.int32]  # (l,) another literal of each
    # Clauses by content, for deletions: a hash table with chaining.
    keys: npt.NDArray[np.int64]  # (2v,) random
    buckets: npt.NDArray[np.int32]  # (power of two,) first clause, or -1
    chains: npt.NDArray[np.int32]  # (n,) next clause, or -1
    counters: npt.NDArray[np.int64]  # (COUNTERS,) the progress of the check
    # For LRAT hints alone.
    reasons: npt.NDArray[np.int32]  # (v,) the clause that made a variable's literal true, or -1
    heights: npt.NDArray[np.int32]  # (v,) where it is on the trail
    marks: npt.NDArray[np.int64]  # (2v,) variables that a lemma needs; that a resolvent needs
    units: npt.NDArray[np.int64]  # (v,) LRAT numbers of permanent literals as unit clauses
    ids: npt.NDArray[np.int64]  # (n,) LRAT numbers of clauses
    work: npt.NDArray[np.int64]  # (2v,) reasons, and units, found so far
    record: npt.NDArray[np.int64]  # (r,) what is to be written; empty if no hints are wanted


_FLAGS = types.Array(uint8, 1, "C")
_INTS = types.Array(int32, 1, "C")
_LONGS = types.Array(int64, 1, "C")
CHECKER = types.NamedTuple(
    (
        _INTS, _LONGS, _LONGS, _FLAGS, _FLAGS, types.Array(int8, 1, "C"), _INTS, _LONGS, _LONGS,
        _LONGS, _LONGS, _INTS, _INTS, _LONGS, _INTS, _INTS, _LONGS,
        _INTS, _INTS, _LONGS, _LONGS, _LONGS, _LONGS, _LONGS,
    ),
    Checker,
)  # fmt: skip
