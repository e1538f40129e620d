"""The passes that solve a pair of slices, one cell at a time.

Values inside a pair are found in the order of their distance, so each is final when it is written.
For d = 1, 3, 5 ...:

1. *wins*: a position is won in d if it can step into a loss in d - 1 or has an exit that wins in d;
2. *candidates*: a position that can step into one of these wins may be lost;
3. *losses*: a candidate is lost in d + 1 if every action loses.

Positions that have no value when nothing changes any more are drawn. ``exits`` holds the values of
jumps and placements, which are known before; ``codes`` holds the values found so far, as in
``value_codes``. In most passes most cells need no work, so loops over them test eight at a time.

The same functions run on the CPU and inside CUDA kernels, and their moves come from the rules of
the game. Slices are laid out by the set ``large``. With ``mover`` 0 that side is to move, with 1
the side of ``small``. A move of ``small`` stays in its row, a move of ``large`` changes the row.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint8, uint32, uint64
from numba.extending import register_jitable

from playproof.rules import choko as rules
from playproof.rules.choko import BOARD
from playproof.tables.choko.index import (
    COLUMNS,
    FIRST_REP,
    cell_of,
    column_of,
    entry_of,
    image,
    small_at,
)
from playproof.tables.choko.value_codes import CANDIDATE, DRAW, UNKNOWN, WIN_AT_ONCE, aged, negated

_ONES, _TOPS = 0x0101010101010101, 0x8080808080808080

# Actions from one position, by the sets of squares.

# Directions are 0 to 3 for up, right, down and left. Loops over them have one copy of their bodies,
# inlined into the one caller, which is much faster than four calls with all these arrays.


@register_jitable
def _along(square, direction):
    """The next square in a direction."""
    if direction == 0:
        return square << 5
    if direction == 1:
        return square << 1
    if direction == 2:
        return square >> 5
    return square >> 1


@register_jitable
def _stepping(direction, own, other):
    """Own pieces that may step in a direction."""
    if direction == 0:
        return int64(rules.steps(rules.down, own, other, BOARD))
    if direction == 1:
        return int64(rules.steps(rules.left, own, other, BOARD))
    if direction == 2:
        return int64(rules.steps(rules.up, own, other, BOARD))
    return int64(rules.steps(rules.right, own, other, BOARD))


@register_jitable
def _jumping(direction, own, other, lone):
    """Own pieces that may jump in a direction."""
    if direction == 0:
        return int64(rules.jumps(rules.down, own, other, BOARD, lone))
    if direction == 1:
        return int64(rules.jumps(rules.left, own, other, BOARD, lone))
    if direction == 2:
        return int64(rules.jumps(rules.up, own, other, BOARD, lone))
    return int64(rules.jumps(rules.right, own, other, BOARD, lone))


@register_jitable
def worst_reply(atlas, ranks, orbits, reps, shape, codes, mover, row, large, small):
    """The value for ``mover``, who has just placed, after the best reply of the other side.

    ``shape`` and ``codes`` belong to the slice after both placements. ``large`` is the
    representative of ``row``.
    """
    empty = BOARD & ~(large | small)
    start, worst = row * shape[COLUMNS], WIN_AT_ONCE
    while empty != 0:
        square = empty & -empty
        empty ^= square
        if mover == 0:
            cell = start + column_of(atlas, ranks, shape, large, small | square)
        else:
            cell = cell_of(atlas, ranks, orbits, reps, shape, large | square, small)
        worst = min(worst, int64(codes[cell]))
    return worst


@register_jitable
def best_placement(atlas, ranks, orbits, reps, shape, replies, mover, row, large, small):
    """The best value of the mover's placements, by ``replies``, the table of ``worst_reply``."""
    empty = BOARD & ~(large | small)
    start, best = row * shape[COLUMNS], UNKNOWN
    while empty != 0:
        square = empty & -empty
        empty ^= square
        if mover == 0:
            cell = cell_of(atlas, ranks, orbits, reps, shape, large | square, small)
        else:
            cell = start + column_of(atlas, ranks, shape, large, small | square)
        best = max(best, int64(replies[cell]))
    return aged(best)


@register_jitable
def best_jump(atlas, ranks, orbits, reps, shape, codes, by_mover, own, other, lone, wins):
    """The best code of the jumps, UNKNOWN if there are none.

    ``shape`` and ``codes`` belong to the slice that jumps lead to, which is laid out by the set of
    the player who jumps (``by_mover``) or of the other side. With ``wins`` a jump takes the last
    pieces and ends the game.
    """
    best = UNKNOWN
    for direction in range(4):
        movers = _jumping(direction, own, other, lone)
        if wins and movers != 0:
            return WIN_AT_ONCE
        while movers != 0:
            start = movers & -movers
            movers ^= start
            jumped = _along(start, direction)
            mine = own ^ start ^ _along(jumped, direction)
            removable = int64(rules.removals(other, jumped, lone))
            while removable != 0:
                removed = removable & -removable
                removable ^= removed
                left = other & ~(jumped | removed)
                large, small = (mine, left) if by_mover else (left, mine)
                cell = cell_of(atlas, ranks, orbits, reps, shape, large, small)
                best = max(best, negated(int64(codes[cell])))
    return best


@register_jitable
def can_step(own, other):
    ways = rules.steps(rules.down, own, other, BOARD) | rules.steps(rules.up, own, other, BOARD)
    ways |= rules.steps(rules.left, own, other, BOARD)
    return (ways | rules.steps(rules.right, own, other, BOARD)) != 0


@register_jitable
def all_steps_lose(atlas, ranks, orbits, reps, shape, codes, mover, row, large, small):
    """Whether every step leads to a known win of the other side; ``codes`` are of its slice."""
    own, other = (large, small) if mover == 0 else (small, large)
    for direction in range(4):
        movers = _stepping(direction, own, other)
        while movers != 0:
            square = movers & -movers
            movers ^= square
            moved = square | _along(square, direction)
            if mover == 0:
                cell = cell_of(atlas, ranks, orbits, reps, shape, large ^ moved, small)
            else:
                cell = row * shape[COLUMNS] + column_of(atlas, ranks, shape, large, small ^ moved)
            if int64(codes[cell]) <= DRAW:
                return False
    return True


@register_jitable
def _mark(codes, exits, cell, code):
    """Write a win or CANDIDATE into a cell that has no value yet.

    A cell whose exits draw or win cannot be lost, and does not become a candidate.
    """
    if codes[cell] == UNKNOWN and (code != CANDIDATE or exits[cell] < DRAW):
        codes[cell] = code


@register_jitable
def _mark_images(atlas, ranks, shape, codes, exits, row, rep, small, code):
    """Mark all cells of a position whose row has a symmetric set."""
    for g in range(8):
        if image(atlas, rep, g) == rep:
            column = column_of(atlas, ranks, shape, rep, image(atlas, small, g))
            _mark(codes, exits, row * shape[COLUMNS] + column, code)


@register_jitable
def mark_before(atlas, ranks, orbits, reps, shape, codes, exits, mover, row, large, small, code):
    """Mark every position from which a step leads to this one, with a win or CANDIDATE.

    ``shape``, ``codes`` and ``exits`` belong to the slice of those positions.
    """
    # A step backwards is a step, too: the side that is not to move has just moved.
    own, other = (small, large) if mover == 0 else (large, small)
    to, rep, images = row, large, entry_of(atlas, orbits, shape, large) & 8
    for direction in range(4):
        movers = _stepping(direction, own, other)
        while movers != 0:
            square = movers & -movers
            movers ^= square
            moved = square | _along(square, direction)
            turned = small ^ moved
            if mover != 0:
                entry = entry_of(atlas, orbits, shape, large ^ moved)
                to, images = entry >> 4, entry & 8
                rep = int64(reps[shape[FIRST_REP] + to])
                turned = image(atlas, small, entry & 7)
            if images:
                _mark_images(atlas, ranks, shape, codes, exits, to, rep, turned, code)
            else:
                column = column_of(atlas, ranks, shape, rep, turned)
                _mark(codes, exits, to * shape[COLUMNS] + column, code)


# The passes, by cells.


@register_jitable
def contains(word, code):
    """Whether one of the eight bytes of a word is ``code``."""
    x = word ^ (uint64(code) * uint64(_ONES))
    return (x - uint64(_ONES)) & ~x & uint64(_TOPS) != uint64(0)


@register_jitable
def sets_at(atlas, reps, shape, cell):
    """(row, large, small) of a cell."""
    row = int64(uint32(cell) // uint32(shape[COLUMNS]))  # faster than a division of 64 bits
    rep = int64(reps[shape[FIRST_REP] + row])
    return row, rep, small_at(atlas, shape, rep, cell - row * shape[COLUMNS])


@register_jitable
def reply_at(atlas, ranks, orbits, reps, shape, cell, child_shape, child_codes, mover):
    """The code of a forced position, in which ``mover`` has just placed."""
    row, large, small = sets_at(atlas, reps, shape, cell)
    return worst_reply(
        atlas, ranks, orbits, reps, child_shape, child_codes, mover, row, large, small
    )


@register_jitable
def exit_at(
    atlas, ranks, orbits, reps, shape, cell, mover, jump_shape, jump_codes, by_mover,
    reply_shape, replies, places, lone, wins,
):  # fmt: skip
    """The best code of a cell's jumps and placements, UNKNOWN if there are none.

    ``by_mover`` and ``wins`` are as in ``best_jump``; ``places`` says that there are pieces in
    hand. A position without any legal action is drawn.
    """
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
    """The code of a position with even counts, from the layout by the other side's set."""
    _, large, small = sets_at(atlas, reps, shape, cell)
    return codes[cell_of(atlas, ranks, orbits, reps, shape, small, large)]


@register_jitable
def mark_at(atlas, ranks, orbits, reps, shape, mover, cell, mirror_codes, mirror_exits, code):
    """Mark the cells from which a step leads to ``cell``, with a win or CANDIDATE."""
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
    """Whether pass 3 must examine a cell."""
    here = codes[cell]
    return here == CANDIDATE or (here == UNKNOWN and exits[cell] == lost)


@register_jitable
def resolve_at(atlas, ranks, orbits, reps, shape, mover, cell, codes, exits, mirror_codes, lost):
    """Decide whether a cell that may be lost is lost, and write its code."""
    is_lost = False
    if exits[cell] <= lost:
        row, large, small = sets_at(atlas, reps, shape, cell)
        is_lost = all_steps_lose(
            atlas, ranks, orbits, reps, shape, mirror_codes, mover, row, large, small
        )
    codes[cell] = uint8(lost) if is_lost else uint8(UNKNOWN)
    return is_lost


@register_jitable
def orbit_size(atlas, rep):
    """How many positions a cell in the row of ``rep`` stands for, symmetric ones included."""
    fixed = 0
    for g in range(8):
        fixed += int64(image(atlas, rep, g) == rep)
    return 8 // fixed
