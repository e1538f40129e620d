"""The compiled DRAT checker: forward, step by step, by unit propagation.

A lemma is accepted if assuming its negation leads unit propagation to a
conflict (RUP: Goldberg and Novikov, 2003), or if that holds for each of its
resolvents on its first literal (RAT: Järvisalo, Heule and Biere, 2012).
Either way the clauses remain satisfiable if they were, so a proof that arrives
at a conflict shows that they never were.

Propagation uses two watched literals (Moskewicz et al., 2001).  Each watch has
a blocker, a literal that makes it unnecessary to visit the clause if it is true.

Literals are numbered from 0: variable v is 2v, its negation 2v + 1.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int8, int32, int64, types, uint8
from numba.extending import register_jitable

from playproof.core.compiling import kernel

TRUE, FALSE = 1, -1  # in ``values``; 0 is neither

# The states of a clause, in ``fates``; a deletion step stays NOT_YET.
NOT_YET, LIVE, GONE, TAUTOLOGY = range(4)

# Indices into ``counters``.
NEXT, TRAIL, CHECKED, RATS, UNMATCHED, VISITS, STAMP = range(7)

# The results of ``advance``.
MORE, CONFLICT, BAD_LEMMA, AT_THE_END = range(4)


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
    counters: npt.NDArray[np.int64]  # (7,) the progress of the check


_FLAGS = types.Array(uint8, 1, "C")
_INTS = types.Array(int32, 1, "C")
_LONGS = types.Array(int64, 1, "C")
CHECKER = types.NamedTuple(
    (
        _INTS, _LONGS, _LONGS, _FLAGS, _FLAGS, types.Array(int8, 1, "C"), _INTS, _LONGS, _LONGS,
        _LONGS, _LONGS, _INTS, _INTS, _LONGS, _INTS, _INTS, _LONGS,
    ),
    Checker,
)  # fmt: skip


@register_jitable
def _assign(c, literal, top):
    """Make a literal true; returns the new height of the trail."""
    c.values[literal] = TRUE
    c.values[literal ^ 1] = FALSE
    c.trail[top] = literal
    return top + 1


@register_jitable
def _undo(c, top, bottom):
    for i in range(bottom, top):
        literal = c.trail[i]
        c.values[literal] = 0
        c.values[literal ^ 1] = 0


@register_jitable
def _watch(c, literal, clause, blocker):
    place = c.watch_starts[literal] + c.watch_counts[literal]
    c.watchers[place] = clause
    c.blockers[place] = blocker
    c.watch_counts[literal] += 1


@register_jitable
def _propagate(c, head, top):
    """Propagate the trail from ``head`` on; returns whether there is a conflict, and the new
    height of the trail."""
    literals, values = c.literals, c.values
    watchers, blockers = c.watchers, c.blockers
    while head < top:
        false = c.trail[head] ^ 1
        head += 1
        at = kept = c.watch_starts[false]
        end = at + c.watch_counts[false]
        c.counters[VISITS] += end - at
        conflict = False
        while at < end:
            clause, blocker = watchers[at], blockers[at]
            at += 1
            if values[blocker] != TRUE:
                if c.fates[clause] == GONE:
                    continue  # no longer watches
                first = c.starts[clause]
                if literals[first] == false:
                    literals[first], literals[first + 1] = literals[first + 1], false
                blocker = literals[first]
                if values[blocker] != TRUE:
                    moved = False
                    for place in range(first + 2, c.ends[clause]):
                        literal = literals[place]
                        if values[literal] != FALSE:
                            literals[place], literals[first + 1] = false, literal
                            _watch(c, literal, clause, blocker)
                            moved = True
                            break
                    if moved:
                        continue
                    if values[blocker] == FALSE:
                        conflict = True
                    else:
                        top = _assign(c, blocker, top)
            watchers[kept], blockers[kept] = clause, blocker
            kept += 1
            if conflict:
                break
        while at < end:
            watchers[kept], blockers[kept] = watchers[at], blockers[at]
            at += 1
            kept += 1
        c.watch_counts[false] = kept - c.watch_starts[false]
        if conflict:
            return True, top
    return False, top


@register_jitable
def _deny(c, clause, spared, top):
    """Assume that the literals of a clause except ``spared`` are false, and propagate; returns
    the same as ``_propagate``."""
    bottom = top
    for place in range(c.starts[clause], c.ends[clause]):
        literal = c.literals[place]
        if literal != spared:
            if c.values[literal] == TRUE:
                return True, top
            if c.values[literal] == 0:
                top = _assign(c, literal ^ 1, top)
    return _propagate(c, bottom, top)


@register_jitable
def _has(c, clause, literal):
    place, end = c.starts[clause], c.ends[clause]
    while place < end and c.literals[place] != literal:
        place += 1
    return place < end


@register_jitable
def _resolvents_follow(c, against, bottom):
    """Whether denying the other literals of each live clause with ``against`` gives a conflict."""
    missing = c.occurrences[against]
    for clause in range(c.counters[NEXT]):
        if missing == 0:
            break
        c.counters[VISITS] += 1
        if c.fates[clause] == LIVE and _has(c, clause, against):
            missing -= 1
            conflict, top = _deny(c, clause, against, bottom)
            _undo(c, top, bottom)
            if not conflict:
                return False
    return True


@register_jitable
def _follows(c, lemma):
    """Whether a lemma is RUP or RAT with respect to the live clauses."""
    if c.ends[lemma] == c.starts[lemma]:
        return False  # the empty clause: a conflict would have ended the check before
    bottom = c.counters[TRAIL]
    pivot = c.literals[c.starts[lemma]]
    refuted = c.values[pivot] == FALSE
    accepted, middle = _deny(c, lemma, -1, bottom)
    # Literals on the trail count as unit clauses.  If the pivot's negation is one, its
    # resolvent with the lemma is RUP only if the lemma is RUP, and that has failed.
    if not accepted and not refuted:
        accepted = _resolvents_follow(c, pivot ^ 1, middle)
        c.counters[RATS] += accepted
    _undo(c, middle, bottom)
    return accepted


@register_jitable
def _tidy(c, step):
    """Drop repeated literals and stamp the others; returns whether it is a tautology."""
    c.counters[STAMP] += 1
    stamp = c.counters[STAMP]
    kept = c.starts[step]
    tautology = False
    for place in range(c.starts[step], c.ends[step]):
        literal = c.literals[place]
        if c.stamps[literal] != stamp:
            c.stamps[literal] = stamp
            tautology |= c.stamps[literal ^ 1] == stamp
            c.literals[kept] = literal
            kept += 1
    c.ends[step] = kept
    return tautology


@register_jitable
def _bucket(c, step):
    """The hash bucket of clauses with these literals, in any order."""
    key = 0
    for place in range(c.starts[step], c.ends[step]):
        key ^= c.keys[c.literals[place]]
    return key & (len(c.buckets) - 1)


@register_jitable
def _add(c, clause):
    """Make a clause live; returns whether it leads to a conflict."""
    bucket = _bucket(c, clause)
    c.chains[clause] = c.buckets[bucket]
    c.buckets[bucket] = clause
    if c.fates[clause] == TAUTOLOGY:
        return False  # always true; it is stored only because it may be deleted
    c.fates[clause] = LIVE
    first = c.starts[clause]
    free, satisfied = 0, False
    for place in range(first, c.ends[clause]):
        literal = c.literals[place]
        c.occurrences[literal] += 1
        satisfied |= c.values[literal] == TRUE
        if c.values[literal] != FALSE and free < 2:
            c.literals[place] = c.literals[first + free]
            c.literals[first + free] = literal
            free += 1
    if satisfied:
        return False  # permanently, so it need not be watched
    if free == 0:
        return True
    if free == 1:
        bottom = c.counters[TRAIL]
        top = _assign(c, c.literals[first], bottom)
        conflict, c.counters[TRAIL] = _propagate(c, bottom, top)
        return conflict
    _watch(c, c.literals[first], clause, c.literals[first + 1])
    _watch(c, c.literals[first + 1], clause, c.literals[first])
    return False


@register_jitable
def _delete(c, step):
    """Delete one clause that has just the stamped literals, if there is one."""
    stamp = c.counters[STAMP]
    bucket = _bucket(c, step)
    before, clause = -1, c.buckets[bucket]
    while clause >= 0:
        same = c.ends[clause] - c.starts[clause] == c.ends[step] - c.starts[step]
        for place in range(c.starts[clause], c.ends[clause]):
            same &= c.stamps[c.literals[place]] == stamp
        if same:
            break
        before, clause = clause, c.chains[clause]
    if clause < 0:
        c.counters[UNMATCHED] += 1
        return
    if before < 0:
        c.buckets[bucket] = c.chains[clause]
    else:
        c.chains[before] = c.chains[clause]
    if c.fates[clause] == LIVE:
        for place in range(c.starts[clause], c.ends[clause]):
            c.occurrences[c.literals[place]] -= 1
    c.fates[clause] = GONE


@kernel(int64(CHECKER, int64, int64))
def advance(c, formula, budget):
    """Check steps until ``budget`` watches have been visited, or to the end.

    The first ``formula`` steps are the formula's clauses; the others must follow from them.
    """
    counters = c.counters
    until = counters[VISITS] + budget
    while counters[NEXT] < len(c.starts):
        if counters[VISITS] > until:
            return MORE
        step = counters[NEXT]
        counters[VISITS] += 1 + c.ends[step] - c.starts[step]
        tautology = _tidy(c, step)
        if c.deletes[step]:
            _delete(c, step)
        else:
            if tautology:
                c.fates[step] = TAUTOLOGY
            if step >= formula:
                counters[CHECKED] += 1
                if not tautology and not _follows(c, step):
                    return BAD_LEMMA
            if _add(c, step):
                return CONFLICT
        counters[NEXT] += 1
    return AT_THE_END
