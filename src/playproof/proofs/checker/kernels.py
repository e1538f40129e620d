"""The compiled DRAT checker: forward, step by step, by unit propagation.

A lemma is accepted if assuming its negation leads unit propagation to a
conflict (RUP: Goldberg and Novikov, 2003), or if that holds for each of its
resolvents on its first literal (RAT: Järvisalo, Heule and Biere, 2012).
Either way the clauses remain satisfiable if they were, so a proof that arrives
at a conflict shows that they never were.

Propagation uses two watched literals (Moskewicz et al., 2001).  Each watch has
a blocker, a literal that makes it unnecessary to visit the clause if it is true.

Literals are numbered from 0: variable v is 2v, its negation 2v + 1.

A single step can take hours if somebody wants it to.  So every loop that can be long looks at the
flag ``stop``; once it is set, all functions return at once, and what they return means nothing.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.stopping import STOP
from playproof.proofs.checker import hints
from playproof.proofs.checker.state import (
    AT_THE_END,
    BAD_LEMMA,
    CAUSE,
    CHECKED,
    CHECKER,
    CONFLICT,
    FALSE,
    FULL,
    GONE,
    LIVE,
    MORE,
    NEXT,
    RATS,
    REFUTED,
    STAMP,
    STOPPED,
    TAUTOLOGY,
    TRAIL,
    TRUE,
    UNMATCHED,
    VISITS,
)


@register_jitable
def _assign(c, literal, reason, top):
    """Make a literal true; returns the new height of the trail."""
    c.values[literal] = TRUE
    c.values[literal ^ 1] = FALSE
    c.trail[top] = literal
    c.reasons[literal >> 1] = reason
    c.heights[literal >> 1] = top
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
def _propagate(c, head, top, stop):
    """Propagate the trail from ``head`` on; returns whether there is a conflict, and the new
    height of the trail."""
    literals, values = c.literals, c.values
    watchers, blockers = c.watchers, c.blockers
    while head < top and stop[0] == 0:
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
                        c.counters[CAUSE] = clause
                    else:
                        top = _assign(c, blocker, clause, top)
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
def _deny(c, clause, spared, top, stop):
    """Assume that the literals of a clause except ``spared`` are false, and propagate; returns
    the same as ``_propagate``."""
    bottom = top
    for place in range(c.starts[clause], c.ends[clause]):
        literal = c.literals[place]
        if literal != spared:
            if c.values[literal] == TRUE:
                c.counters[CAUSE] = -1 - literal
                return True, top
            if c.values[literal] == 0:
                top = _assign(c, literal ^ 1, -1, top)
    return _propagate(c, bottom, top, stop)


@register_jitable
def _has(c, clause, literal):
    place, end = c.starts[clause], c.ends[clause]
    while place < end and c.literals[place] != literal:
        place += 1
    return place < end


@register_jitable
def _resolvents_follow(c, against, bottom, stop):
    """Whether denying the other literals of each live clause with ``against`` gives a conflict."""
    missing = c.occurrences[against]
    for clause in range(c.counters[NEXT]):
        if missing == 0 or stop[0]:
            break
        c.counters[VISITS] += 1
        if c.fates[clause] == LIVE and _has(c, clause, against):
            missing -= 1
            conflict, top = _deny(c, clause, against, bottom, stop)
            if conflict:
                hints.add_resolvent(c, clause, bottom, top)
            _undo(c, top, bottom)
            if not conflict:
                return False
    return True


@register_jitable
def _follows(c, lemma, stop):
    """Whether a lemma is RUP or RAT with respect to the live clauses: ``MORE`` if it is."""
    if c.ends[lemma] == c.starts[lemma]:
        return BAD_LEMMA  # the empty clause: a conflict would have ended the check before
    bottom = c.counters[TRAIL]
    pivot = c.literals[c.starts[lemma]]
    refuted = c.values[pivot] == FALSE
    record = hints.start(c, lemma)
    accepted, middle = _deny(c, lemma, -1, bottom, stop)
    rup = accepted
    # Literals on the trail count as unit clauses.  If the pivot's negation is one, its
    # resolvent with the lemma is RUP only if the lemma is RUP, and that has failed.
    if not accepted and not refuted:
        accepted = _resolvents_follow(c, pivot ^ 1, middle, stop)
    recorded = hints.finish(c, lemma, record, accepted, rup, middle)
    _undo(c, middle, bottom)
    if not recorded:
        return FULL
    if not accepted:
        return BAD_LEMMA
    c.counters[RATS] += not rup
    return MORE


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
def _add(c, clause, stop):
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
        c.counters[CAUSE] = clause
        return True
    if free == 1:
        bottom = c.counters[TRAIL]
        top = _assign(c, c.literals[first], clause, bottom)
        conflict, c.counters[TRAIL] = _propagate(c, bottom, top, stop)
        return conflict
    _watch(c, c.literals[first], clause, c.literals[first + 1])
    _watch(c, c.literals[first + 1], clause, c.literals[first])
    return False


@register_jitable
def _delete(c, step, stop):
    """Delete one clause that has just the stamped literals, if there is one."""
    stamp = c.counters[STAMP]
    bucket = _bucket(c, step)
    before, clause = -1, c.buckets[bucket]
    while clause >= 0 and stop[0] == 0:
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
        hints.delete(c, clause)
    c.fates[clause] = GONE


@kernel(int64(CHECKER, int64, int64, STOP))
def advance(c, formula, budget, stop):
    """Check steps until ``budget`` watches have been visited, or to the end.

    The first ``formula`` steps are the formula's clauses; the others must follow from them.
    ``FULL`` asks for room in the record of hints, and changes nothing else.  ``STOPPED`` leaves a
    state that is of no further use.
    """
    counters = c.counters
    until = counters[VISITS] + budget
    while True:
        if stop[0]:
            return STOPPED
        if not hints.add_units(c):
            return FULL
        if counters[REFUTED]:
            return CONFLICT if hints.add_empty(c) else FULL
        if counters[NEXT] == len(c.starts):
            return AT_THE_END
        if counters[VISITS] > until:
            return MORE
        if not hints.has_room_to_delete(c):
            return FULL
        step = counters[NEXT]
        counters[VISITS] += 1 + c.ends[step] - c.starts[step]
        tautology = _tidy(c, step)
        if c.deletes[step]:
            _delete(c, step, stop)
        else:
            if tautology:
                c.fates[step] = TAUTOLOGY
            if step >= formula:
                verdict = MORE if tautology else _follows(c, step, stop)
                if stop[0]:
                    return STOPPED
                if verdict == FULL:
                    return FULL
                counters[CHECKED] += 1
                if verdict == BAD_LEMMA:
                    return BAD_LEMMA
            if _add(c, step, stop):
                counters[REFUTED] = 1
                continue
        counters[NEXT] += 1
