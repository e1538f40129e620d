"""What one position of Choko is worth, from the positions that follow it.

The same functions run on the CPU and inside CUDA kernels; the moves come from
the law of the game.  Slices are laid out by the set ``large``; with ``mover`` 0
that side is to move, with 1 the side of ``small``.  A move of ``small`` stays in
its row, a move of ``large`` goes to another one.  Codes are those of
``value_codes``.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64
from numba.extending import register_jitable

from playproof.rules import choko as rules
from playproof.rules.choko import BOARD
from playproof.tables.choko.index import COLUMNS, FIRST_REP, cell_of, column_of, entry_of, image
from playproof.tables.choko.value_codes import CANDIDATE, DRAW, UNKNOWN, WIN_AT_ONCE, aged, negated

# Directions are 0 to 3 for up, right, down and left, and loops go over them: one copy of their
# bodies, put into the one caller, is much faster than four calls with all these arrays.


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
    """The value for ``mover``, who has just placed, once the other side has placed too.

    ``shape`` and ``codes`` are of the slice after both; ``large`` is the chosen
    set of ``row``."""
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
    """The best of the mover's placements by the table of ``worst_reply``."""
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
    """The best code over the jumps, UNKNOWN if there are none.

    ``shape`` and ``codes`` are of the slice that jumps lead to, laid out by the
    set of who jumps (``by_mover``) or of the other side; ``wins`` says that a
    jump takes the last pieces and ends the game."""
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
    """Whether every step leads to a known win of the other side, by ``codes`` of its slice."""
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
    """Write a win, or note a possible loss, where nothing is known yet."""
    if codes[cell] == UNKNOWN and (code != CANDIDATE or exits[cell] < DRAW):
        codes[cell] = code


@register_jitable
def _mark_images(atlas, ranks, shape, codes, exits, row, rep, small, code):
    """Mark a position of a row whose set is symmetric, in all its cells."""
    for g in range(8):
        if image(atlas, rep, g) == rep:
            column = column_of(atlas, ranks, shape, rep, image(atlas, small, g))
            _mark(codes, exits, row * shape[COLUMNS] + column, code)


@register_jitable
def mark_before(atlas, ranks, orbits, reps, shape, codes, exits, mover, row, large, small, code):
    """Mark every position from which a step leads to this one: ``code`` is a win
    or CANDIDATE; ``shape``, ``codes`` and ``exits`` are of their slice."""
    # A step back is a step: the side that is not to move has moved, so its pieces go back.
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
