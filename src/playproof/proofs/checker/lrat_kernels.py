"""The compiled LRAT checker: it follows hints and searches for nothing.

``plain`` says what an LRAT proof is; this is the same for proofs of any length.  The two share no
code.  Literals are numbered from 0: variable v is 2v, its negation 2v + 1.

Literals that are supposed to be false carry a stamp.  Those of the lemma and of its own hints have
one stamp, those of a resolvent and of its hints another, so that nothing is undone.

Once the flag ``stop`` is set, all functions return at once, and what they return means nothing.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import int32, int64, types, uint8
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.stopping import STOP

# What is wrong with a line, as text or as a step.
(
    OK, NO_NUMBER, TOO_LARGE, NO_ID, NO_ZERO, AFTER_ZERO, NOT_GROWING, UNKNOWN_CLAUSE, UNKNOWN_HINT,
    OPEN_HINT, STRAY_HINT, NO_CONFLICT, NO_RESOLVENT,
) = range(13)  # fmt: skip
# The results of ``advance`` apart from those.
CONFLICT, MORE, AT_THE_END, REFUTED, STOPPED = range(13, 18)
DIGITS = 18  # at most, of a number

# Indices into ``counters``: the next step and clause, numbers visited, the last stamp, and the
# clause or hint that a fault is about.
NEXT, CLAUSE, VISITS, STAMP, CULPRIT, RATS = range(6)
COUNTERS = 6


class LratState(NamedTuple):
    """n clauses, the formula's and then the proof's, with l literals over v variables; k steps."""

    literals: npt.NDArray[np.int32]  # (l,)
    starts: npt.NDArray[np.int64]  # (n + 1,) where each clause starts in ``literals``
    ids: npt.NDArray[np.int64]  # (n,) their numbers in the proof
    live: npt.NDArray[np.uint8]  # (n,)
    # The occurrences of a literal as a linked list; deleted clauses are removed in passing.
    heads: npt.NDArray[np.int64]  # (2v,) the last place in ``literals``, or -1
    chains: npt.NDArray[np.int64]  # (l,) the place before, or -1
    owners: npt.NDArray[np.int32]  # (l,) the clause at each place
    stamps: npt.NDArray[np.int64]  # (2v,) literals that are supposed to be false
    groups: npt.NDArray[np.int64]  # (n,) where the hints of the resolvent with a clause start
    group_stamps: npt.NDArray[np.int64]  # (n,) the lemma that gave them
    deletes: npt.NDArray[np.uint8]  # (k,) 1 if the step deletes clauses
    hints: npt.NDArray[np.int64]  # of all steps; or the clauses that are deleted
    hint_starts: npt.NDArray[np.int64]  # (k,)
    hint_ends: npt.NDArray[np.int64]  # (k,)
    counters: npt.NDArray[np.int64]  # (COUNTERS,)


_BYTES = types.Array(uint8, 1, "C", readonly=True)
_FLAGS = types.Array(uint8, 1, "C")
_INTS = types.Array(int32, 1, "C")
_LONGS = types.Array(int64, 1, "C")
_STATE = types.NamedTuple(
    (
        _INTS, _LONGS, _LONGS, _FLAGS, _LONGS, _LONGS, _INTS, _LONGS, _LONGS, _LONGS, _FLAGS,
        _LONGS, _LONGS, _LONGS, _LONGS,
    ),
    LratState,
)  # fmt: skip


# Text


@register_jitable
def _is_blank(byte):
    return byte == 32 or byte == 9 or byte == 13


@kernel(types.UniTuple(int64, 3)(_BYTES, _LONGS, _FLAGS, _LONGS, _LONGS, _LONGS, STOP))
def scan(data, ids, deletes, numbers, starts, middles, stop):
    """Scan lines ``ID LITERAL… 0 HINT… 0`` and ``ID d ID… 0``, one step each.

    The literals of step i are ``numbers[starts[i]:middles[i]]``, its hints go on to
    ``starts[i + 1]``.  Returns the number of steps, the fault of the line after them or ``OK``, and
    the byte where it is.
    """
    n, size, at, end = 0, 0, 0, len(data)
    while at < end:
        beginning = at
        words, zeros, wanted = 0, 0, 2
        starts[n] = middles[n] = size
        while at < end and data[at] != 10 and stop[0] == 0:
            if _is_blank(data[at]):
                at += 1
                continue
            first = at
            if words == 1 and data[at] == 100:
                at += 1
                if at < end and data[at] != 10 and not _is_blank(data[at]):
                    return n, NO_NUMBER, first
                wanted = 1
                words += 1
                continue
            negative = data[at] == 45
            if negative:
                at += 1
            digit = at
            number = 0
            while at < end and 48 <= data[at] <= 57:
                if at - digit == DIGITS:
                    return n, TOO_LARGE, first
                number = number * 10 + (int64(data[at]) - 48)
                at += 1
            whole = at > digit and (at == end or data[at] == 10 or _is_blank(data[at]))
            if not whole or (data[digit] == 48 and at - first > 1):
                return n, NO_NUMBER, first
            if words == 0:
                if negative or number == 0:
                    return n, NO_ID, first
                ids[n] = number
            elif zeros == wanted:
                return n, AFTER_ZERO, first
            elif number == 0:
                zeros += 1
                if zeros < wanted:
                    middles[n] = size
            else:
                numbers[size] = -number if negative else number
                size += 1
            words += 1
        if words == 0 or zeros < wanted or stop[0]:
            return n, NO_ZERO, beginning
        deletes[n] = wanted == 1
        n += 1
        at += 1
    starts[n] = size
    return n, OK, end


# Steps


@register_jitable
def _find(c, number):
    """The live clause with a number, or -1."""
    high = min(number, c.counters[CLAUSE]) - 1  # numbers grow, so it cannot be further up
    if high < 0:
        return -1
    low = 0
    while c.ids[high] != number and low < high:
        middle = (low + high) >> 1
        if c.ids[middle] < number:
            low = middle + 1
        else:
            high = middle
    return high if c.ids[high] == number and c.live[high] else -1


@register_jitable
def _keep(c):
    """Make the next clause live."""
    clause = c.counters[CLAUSE]
    c.live[clause] = 1
    for place in range(c.starts[clause], c.starts[clause + 1]):
        literal = c.literals[place]
        c.owners[place] = clause
        c.chains[place] = c.heads[literal]
        c.heads[literal] = place
    c.counters[CLAUSE] = clause + 1


@register_jitable
def _follow(c, first, last, lemma, resolvent, stop):
    """Follow hints to a clause whose literals are all false: ``CONFLICT``, or what is wrong."""
    for at in range(first, last):
        if stop[0]:
            break
        clause = _find(c, c.hints[at])
        if clause < 0:
            c.counters[CULPRIT] = c.hints[at]
            return UNKNOWN_HINT
        left = -1
        c.counters[VISITS] += c.starts[clause + 1] - c.starts[clause]
        for place in range(c.starts[clause], c.starts[clause + 1]):
            literal = c.literals[place]
            if c.stamps[literal] != lemma and c.stamps[literal] != resolvent:
                if left >= 0 and literal != left:
                    c.counters[CULPRIT] = c.hints[at]
                    return OPEN_HINT
                left = literal
        if left < 0:
            return CONFLICT
        if c.stamps[left ^ 1] != lemma:
            c.stamps[left ^ 1] = resolvent
    return NO_CONFLICT


@register_jitable
def _check_resolvent(c, clause, pivot, last, lemma, stop):
    """Whether a clause with the opposite of the pivot holds once the pivot is true.

    Hints must name it; if none follow its number, one of its literals is true already.
    """
    c.counters[CULPRIT] = c.ids[clause]
    if c.group_stamps[clause] != lemma:
        return NO_RESOLVENT
    group = c.groups[clause]
    end_of_group = group
    while end_of_group < last and c.hints[end_of_group] > 0:
        end_of_group += 1
    c.counters[STAMP] += 1
    resolvent = c.counters[STAMP]
    first, end = c.starts[clause], c.starts[clause + 1]
    c.counters[VISITS] += end - first
    for place in range(first, end):
        literal = c.literals[place]
        if literal != pivot ^ 1 and c.stamps[literal] != lemma:
            c.stamps[literal] = resolvent
    if group == end_of_group:
        for place in range(first, end):
            literal = c.literals[place]
            opposite = c.stamps[literal ^ 1]
            if literal == pivot or (literal != pivot ^ 1 and opposite in (lemma, resolvent)):
                return CONFLICT
        return NO_RESOLVENT
    outcome = _follow(c, group, end_of_group, lemma, resolvent, stop)
    if outcome == NO_CONFLICT:
        c.counters[CULPRIT] = c.ids[clause]
        return NO_RESOLVENT
    return outcome


@register_jitable
def _check_pivot(c, pivot, first, last, lemma, stop):
    """Whether the pivot may be made true: ``CONFLICT``, or what is wrong."""
    for at in range(first, last):
        if c.hints[at] < 0 and stop[0] == 0:
            clause = _find(c, -c.hints[at])
            opposed = False
            if clause >= 0:
                for place in range(c.starts[clause], c.starts[clause + 1]):
                    opposed |= c.literals[place] == pivot ^ 1
            if not opposed:
                c.counters[CULPRIT] = c.hints[at]
                return STRAY_HINT
            c.groups[clause] = at + 1
            c.group_stamps[clause] = lemma
    before, place = -1, c.heads[pivot ^ 1]
    while place >= 0 and stop[0] == 0:
        after = c.chains[place]
        c.counters[VISITS] += 1
        if c.live[c.owners[place]]:
            outcome = _check_resolvent(c, c.owners[place], pivot, last, lemma, stop)
            if outcome != CONFLICT:
                return outcome
            before = place
        elif before < 0:
            c.heads[pivot ^ 1] = after
        else:
            c.chains[before] = after
        place = after
    return CONFLICT


@register_jitable
def _add(c, step, stop):
    """Check the next clause: ``OK`` and ``REFUTED`` accept it."""
    clause = c.counters[CLAUSE]
    if clause > 0 and c.ids[clause] <= c.ids[clause - 1]:
        c.counters[CULPRIT] = c.ids[clause - 1]
        return NOT_GROWING
    c.counters[STAMP] += 1
    lemma = c.counters[STAMP]
    start, end = c.starts[clause], c.starts[clause + 1]
    for place in range(start, end):
        c.stamps[c.literals[place]] = lemma
    first, last = c.hint_starts[step], c.hint_ends[step]
    middle = first
    while middle < last and c.hints[middle] > 0:
        middle += 1
    outcome = _follow(c, first, middle, lemma, lemma, stop)
    if outcome == NO_CONFLICT and start < end:
        c.counters[RATS] += 1
        outcome = _check_pivot(c, c.literals[start], middle, last, lemma, stop)
    if stop[0]:
        return STOPPED
    if outcome != CONFLICT:
        return outcome
    _keep(c)
    return OK if start < end else REFUTED


@register_jitable
def _delete(c, step):
    for at in range(c.hint_starts[step], c.hint_ends[step]):
        clause = _find(c, c.hints[at])
        if clause < 0:
            c.counters[CULPRIT] = c.hints[at]
            return UNKNOWN_CLAUSE
        c.live[clause] = 0
    return OK


@kernel(int64(_STATE, int64, int64, STOP))
def advance(c, formula, budget, stop):
    """Check steps until ``budget`` literals and hints have been visited, or to the empty clause.

    Returns ``MORE``, ``AT_THE_END``, ``REFUTED``, ``STOPPED``, or what is wrong with the next step.
    """
    while c.counters[CLAUSE] < formula:
        _keep(c)
    until = c.counters[VISITS] + budget
    while c.counters[NEXT] < len(c.deletes):
        if stop[0]:
            return STOPPED
        if c.counters[VISITS] > until:
            return MORE
        step = c.counters[NEXT]
        c.counters[VISITS] += 1 + c.hint_ends[step] - c.hint_starts[step]
        outcome = _delete(c, step) if c.deletes[step] else _add(c, step, stop)
        if outcome in (OK, REFUTED):
            c.counters[NEXT] += 1
        if outcome != OK:
            return outcome
    return AT_THE_END
