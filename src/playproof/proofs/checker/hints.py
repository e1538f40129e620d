"""Why a lemma follows, in LRAT's hints: what the compiled checker notes down while it checks.

Hints are found by going back from the conflict over the trail, as solvers analyse conflicts. They
are written to ``record`` as whole numbers; ``lrat_writer`` makes text of them. Nothing here has a
say in whether a proof is accepted.

A lemma is ``number, n, its literals, n, the hints of its resolvents, n, the hints before those``,
each list after its length; ``0, number`` forgets a clause. A literal that holds for good
gets a unit clause of its own as soon as it is derived, so that the hints of later lemmas
name one clause for it, and so that the clauses it was derived from may be forgotten.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba.extending import register_jitable

from playproof.proofs.checker.state import (
    CAUSE,
    GROUP,
    LISTED,
    MARK,
    NEXT_ID,
    STAMP,
    TRAIL,
    UNITS,
    WRITTEN,
)

_HIGHEST = 1 << 31


@register_jitable
def _write(c, number):
    """Append to the record; what does not fit is counted and lost."""
    at = c.counters[WRITTEN]
    if at < len(c.record):
        c.record[at] = number
    c.counters[WRITTEN] = at + 1


@register_jitable
def _set_length(c, slot):
    """Fill in the length of the list that begins after ``slot``."""
    if slot < len(c.record):
        c.record[slot] = c.counters[WRITTEN] - slot - 1


@register_jitable
def _mark(c, literal, middle):
    """Note that a false literal takes part in a conflict.

    Literals from ``middle`` on belong to a resolvent; before it, to the lemma; before the end of
    the permanent trail they have unit clauses.
    """
    variable = literal >> 1
    if c.heights[variable] >= middle:
        c.marks[2 * variable + 1] = c.counters[GROUP]
    elif c.marks[2 * variable] != c.counters[MARK]:
        c.marks[2 * variable] = c.counters[MARK]
        permanent = c.heights[variable] < c.counters[TRAIL]
        # The lemma's own literals are false to begin with.
        if permanent and c.stamps[literal] != c.counters[STAMP]:
            c.work[len(c.units) + c.counters[LISTED]] = c.units[variable]
            c.counters[LISTED] += 1


@register_jitable
def _mark_clause(c, clause, spared, middle):
    for place in range(c.starts[clause], c.ends[clause]):
        literal = c.literals[place]
        if literal != spared:
            _mark(c, literal, middle)


@register_jitable
def _write_reasons(c, side, mark, bottom, top, middle):
    """Write the reasons of the marked literals between two heights of the trail, oldest first."""
    n = 0
    for height in range(top - 1, bottom - 1, -1):
        literal = c.trail[height]
        variable = literal >> 1
        reason = c.reasons[variable]
        if reason >= 0 and c.marks[2 * variable + side] == mark:
            c.work[n] = c.ids[reason]
            n += 1
            _mark_clause(c, reason, literal, middle)
    return n


@register_jitable
def _flush_reasons(c, n):
    for i in range(n - 1, -1, -1):
        _write(c, c.work[i])


@register_jitable
def start(c, lemma):
    """Begin to write a lemma; returns where its record starts."""
    at = c.counters[WRITTEN]
    if len(c.record) == 0:
        return at
    c.counters[MARK] += 1
    c.counters[LISTED] = 0
    _write(c, c.counters[NEXT_ID])
    _write(c, c.ends[lemma] - c.starts[lemma])
    for place in range(c.starts[lemma], c.ends[lemma]):
        _write(c, c.literals[place])
    _write(c, 0)
    return at


@register_jitable
def add_resolvent(c, clause, middle, top):
    """Write why the resolvent with ``clause`` leads to a conflict."""
    if len(c.record) == 0:
        return
    c.counters[GROUP] += 1
    cause = c.counters[CAUSE]
    _write(c, -c.ids[clause])
    if cause < 0:
        _mark(c, (-1 - cause) ^ 1, middle)  # the clause holds already: its number is enough
        return
    _mark_clause(c, cause, -1, middle)
    n = _write_reasons(c, 1, c.counters[GROUP], middle, top, middle)
    _flush_reasons(c, n)
    _write(c, c.ids[cause])


@register_jitable
def finish(c, lemma, at, accepted, rup, top):
    """End the record of a lemma that was begun at ``at``; returns whether there was room for it."""
    if len(c.record) == 0:
        return True
    if not accepted:
        c.counters[WRITTEN] = at
        return True
    _set_length(c, at + 2 + c.ends[lemma] - c.starts[lemma])
    slot = c.counters[WRITTEN]
    _write(c, 0)
    cause = c.counters[CAUSE]
    if rup:
        if cause < 0:
            _mark(c, (-1 - cause) ^ 1, _HIGHEST)
        else:
            _mark_clause(c, cause, -1, _HIGHEST)
    n = _write_reasons(c, 0, c.counters[MARK], c.counters[TRAIL], top, _HIGHEST)
    for i in range(c.counters[LISTED]):
        _write(c, c.work[len(c.units) + i])
    _flush_reasons(c, n)
    if rup and cause >= 0:
        _write(c, c.ids[cause])
    _set_length(c, slot)
    if c.counters[WRITTEN] > len(c.record):
        c.counters[WRITTEN] = at
        return False
    c.ids[lemma] = c.counters[NEXT_ID]
    c.counters[NEXT_ID] += 1
    return True


@register_jitable
def _write_by_units(c, literal, clause):
    """Write that ``literal``, or nothing if it is -1, is left of a clause once units are applied;
    returns whether there was room."""
    at = c.counters[WRITTEN]
    _write(c, c.counters[NEXT_ID])
    if literal < 0:
        _write(c, 0)
    else:
        _write(c, 1)
        _write(c, literal)
    _write(c, 0)
    slot = c.counters[WRITTEN]
    _write(c, 0)
    for place in range(c.starts[clause], c.ends[clause]):
        if c.literals[place] != literal:
            _write(c, c.units[c.literals[place] >> 1])
    _write(c, c.ids[clause])
    _set_length(c, slot)
    if c.counters[WRITTEN] > len(c.record):
        c.counters[WRITTEN] = at
        return False
    c.counters[NEXT_ID] += 1
    return True


@register_jitable
def add_units(c):
    """Write unit clauses for literals that have come to hold for good; returns whether there was
    room for all."""
    while len(c.record) > 0 and c.counters[UNITS] < c.counters[TRAIL]:
        literal = c.trail[c.counters[UNITS]]
        reason = c.reasons[literal >> 1]
        if c.ends[reason] - c.starts[reason] == 1:
            c.units[literal >> 1] = c.ids[reason]
        else:
            c.units[literal >> 1] = c.counters[NEXT_ID]
            if not _write_by_units(c, literal, reason):
                return False
        c.counters[UNITS] += 1
    return True


@register_jitable
def add_empty(c):
    """Write the empty clause, which ends the proof; returns whether there was room."""
    return len(c.record) == 0 or _write_by_units(c, -1, c.counters[CAUSE])


@register_jitable
def delete(c, clause):
    """Write that a clause is forgotten, unless it is the unit clause of a literal that stays."""
    if len(c.record) == 0:
        return
    literal = c.literals[c.starts[clause]]
    alone = c.ends[clause] - c.starts[clause] == 1
    if not (alone and c.units[literal >> 1] == c.ids[clause]):
        _write(c, 0)
        _write(c, c.ids[clause])


@register_jitable
def has_room_to_delete(c):
    return len(c.record) == 0 or c.counters[WRITTEN] + 2 <= len(c.record)
