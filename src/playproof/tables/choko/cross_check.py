"""A second, independent computation of a position's value, to check the tables with.

Moves are generated square by square instead of by word operations, forced replies are tried one by
one instead of through a table, and no marks are used: the stored value must simply be the best of
the values that the moves lead to.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64
from numba.extending import register_jitable

from playproof.core.bits import popcount
from playproof.rules.choko import SIZE
from playproof.tables.choko.index import cell_of
from playproof.tables.choko.passes import sets_at
from playproof.tables.choko.value_codes import DRAW, UNKNOWN, WIN_AT_ONCE, aged, negated


@register_jitable
def _neighbour(square, direction, distance):
    """The square at a distance in a direction, or -1 off the board."""
    row, column = square // SIZE, square % SIZE
    if direction == 0:
        row += distance
    elif direction == 1:
        column += distance
    elif direction == 2:
        row -= distance
    else:
        column -= distance
    if row < 0 or row >= SIZE or column < 0 or column >= SIZE:
        return -1
    return SIZE * row + column


@register_jitable
def _code(atlas, ranks, orbits, reps, shape, codes, by_first, first, second):
    """The code of a position by the two sides' sets; ``by_first`` if rows are by the first set."""
    large, small = (first, second) if by_first else (second, first)
    return int64(codes[cell_of(atlas, ranks, orbits, reps, shape, large, small)])


@register_jitable
def _best_after_jump(
    atlas, ranks, orbits, reps, shape, codes, by_mover, mine, other, jumped, lone, best
):
    """The better of ``best`` and the codes after each removal of a jump."""
    for removed in range(SIZE * SIZE):
        if (other >> removed) & 1 == 0:
            continue
        if removed == jumped and (popcount(other) > 1 or not lone):
            continue
        left = other & ~(1 << removed) & ~(1 << jumped)
        code = _code(atlas, ranks, orbits, reps, shape, codes, by_mover, mine, left)
        best = max(best, negated(code))
    return best


@register_jitable
def _best_after_placements(atlas, ranks, orbits, reps, shape, codes, by_mover, own, other, best):
    """The better of ``best`` and the codes of all placements, each with its worst reply."""
    taken = own | other
    for placed in range(SIZE * SIZE):
        if (taken >> placed) & 1:
            continue
        worst = WIN_AT_ONCE
        for reply in range(SIZE * SIZE):
            if (taken >> reply) & 1 or reply == placed:
                continue
            mine, theirs = own | 1 << placed, other | 1 << reply
            code = _code(atlas, ranks, orbits, reps, shape, codes, by_mover, mine, theirs)
            worst = min(worst, code)
            if aged(worst) <= best:
                break  # this placement cannot be better
        best = max(best, aged(worst))
    return best


@register_jitable
def disagrees_at(
    atlas, ranks, orbits, reps, shape, codes, mover, mirror_codes, even, jump_shape, jump_codes,
    by_mover, child_shape, child_codes, places, lone, wins, cell,
):  # fmt: skip
    """Whether a cell does not hold the best value of its moves.

    With ``even`` both sides have the same number of pieces, so that the mirror is the slice itself,
    laid out by its mover's set. The other parameters are as in ``passes``.
    """
    _, large, small = sets_at(atlas, reps, shape, cell)
    own, other = (large, small) if mover == 0 else (small, large)
    own_rows = mover == 0
    best = UNKNOWN
    for square in range(SIZE * SIZE):
        if (own >> square) & 1 == 0:
            continue
        for direction in range(4):
            near = _neighbour(square, direction, 1)
            if near < 0 or (own >> near) & 1:
                continue
            if (other >> near) & 1 == 0:
                mine = own ^ 1 << square ^ 1 << near
                by_own = own_rows and not even
                code = _code(atlas, ranks, orbits, reps, shape, mirror_codes, by_own, mine, other)
                best = max(best, negated(code))
                continue
            landing = _neighbour(square, direction, 2)
            if landing < 0 or ((own | other) >> landing) & 1:
                continue
            if popcount(other) == 1 and not lone:
                continue
            if wins:
                best = WIN_AT_ONCE
                continue
            mine = own ^ 1 << square ^ 1 << landing
            best = _best_after_jump(
                atlas, ranks, orbits, reps, jump_shape, jump_codes, by_mover, mine, other, near,
                lone, best,
            )  # fmt: skip
    if places:
        best = _best_after_placements(
            atlas, ranks, orbits, reps, child_shape, child_codes, own_rows, own, other, best
        )
    if best == UNKNOWN:
        best = DRAW
    return best != int64(codes[cell])
