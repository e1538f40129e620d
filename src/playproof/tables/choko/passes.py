"""The passes that solve a pair of slices, a cell at a time.

Values inside a pair are found in the order of their distance, so each is final
when it is written.  For d = 1, 3, 5 ...:

1. *wins*: whoever can step into a loss in d - 1, or has an exit that wins in d;
2. *candidates*: whoever can step into one of these wins might be lost;
3. *losses*: a candidate is lost in d + 1 if all it can do loses.

What is left when nothing changes any more is drawn.  ``exits`` holds what jumps
and placements are worth, which is known before; ``codes`` what is known so far.
Most cells have nothing to do: loops over them look at eight in a word.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint8, uint32, uint64
from numba.extending import register_jitable

from playproof.tables.choko.index import COLUMNS, FIRST_REP, cell_of, image, small_at
from playproof.tables.choko.position_value import (
    all_steps_lose,
    best_jump,
    best_placement,
    can_step,
    mark_before,
    worst_reply,
)
from playproof.tables.choko.value_codes import CANDIDATE, DRAW, UNKNOWN

_ONES, _TOPS = 0x0101010101010101, 0x8080808080808080


@register_jitable
def has(word, code):
    """Whether one of the eight bytes of a word is ``code``."""
    x = word ^ (uint64(code) * uint64(_ONES))
    return (x - uint64(_ONES)) & ~x & uint64(_TOPS) != uint64(0)


@register_jitable
def sets_at(atlas, reps, shape, cell):
    """(row, large, small) of a cell."""
    row = int64(uint32(cell) // uint32(shape[COLUMNS]))  # half the work of 64 bits
    rep = int64(reps[shape[FIRST_REP] + row])
    return row, rep, small_at(atlas, shape, rep, cell - row * shape[COLUMNS])


@register_jitable
def reply_at(atlas, ranks, orbits, reps, shape, cell, child_shape, child_codes, mover):
    """A cell of the table of forced positions, in which ``mover`` has placed."""
    row, large, small = sets_at(atlas, reps, shape, cell)
    return worst_reply(
        atlas, ranks, orbits, reps, child_shape, child_codes, mover, row, large, small
    )


@register_jitable
def exit_at(
    atlas, ranks, orbits, reps, shape, cell, mover, jump_shape, jump_codes, by_mover,
    reply_shape, replies, places, lone, wins,
):  # fmt: skip
    """What a cell's jumps and placements are worth: UNKNOWN if there are none.

    ``by_mover`` and ``wins`` as in ``best_jump``; ``places``: there are pieces
    in hand.  A position without any legal action is drawn."""
    row, large, small = sets_at(atlas, reps, shape, cell)
    own, other = (large, small) if mover == 0 else (small, large)
    best = best_jump(
        atlas, ranks, orbits, reps, jump_shape, jump_codes, by_mover, own, other, lone, wins
    )
    if places:
        placed = best_placement(
            atlas, ranks, orbits, reps, reply_shape, replies, mover, row, large, small
        )
        best = max(best, placed)
    if best == UNKNOWN and not can_step(own, other):
        best = DRAW
    return best


@register_jitable
def mirrored_at(atlas, ranks, orbits, reps, shape, codes, cell):
    """The code of a cell's position with even counts, from the layout by the other side's set."""
    _, large, small = sets_at(atlas, reps, shape, cell)
    return codes[cell_of(atlas, ranks, orbits, reps, shape, small, large)]


@register_jitable
def mark_at(atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes, mirror_exits, code):
    """Mark what can step to a cell: with a win, or as CANDIDATE."""
    row, large, small = sets_at(atlas, reps, shape, cell)
    mark_before(
        atlas, ranks, orbits, reps, shape, mirror_codes, mirror_exits, mover, row, large, small,
        uint8(code),
    )  # fmt: skip


@register_jitable
def wins_by_exit(codes, exits, cell, won):
    return exits[cell] == won and codes[cell] == UNKNOWN


@register_jitable
def may_be_lost(codes, exits, cell, lost):
    """Whether pass 3 must look at a cell."""
    here = codes[cell]
    return here == CANDIDATE or (here == UNKNOWN and exits[cell] == lost)


@register_jitable
def settle_at(atlas, ranks, orbits, reps, shape, mover, cell, codes, exits, mirror_codes, lost):
    """Whether a cell that may be lost is; its code is written."""
    found = False
    if exits[cell] <= lost:
        row, large, small = sets_at(atlas, reps, shape, cell)
        found = all_steps_lose(
            atlas, ranks, orbits, reps, shape, mirror_codes, mover, row, large, small
        )
    codes[cell] = uint8(lost) if found else uint8(UNKNOWN)
    return found


@register_jitable
def orbit_size(atlas, rep):
    """How many positions of the board a cell in the row of ``rep`` stands for."""
    fixed = 0
    for g in range(8):
        fixed += int64(image(atlas, rep, g) == rep)
    return 8 // fixed
