"""The Othello endgame solver, compiled.

Every search has a null window: it decides whether the score is above alpha, and returns a bound. A
bound above alpha is a lower bound of the score, any other an upper bound. A score is exact where
two bounds meet.

``own`` are the stones of the player to move. From six empties up the search is a loop over a stack
of plies; below that it calls ``last_empties``.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import lowest, popcount
from playproof.core.compiling import kernel
from playproof.core.kernels import WORDS
from playproof.search.othello_endgame.hash_table import (
    AGE,
    BEST,
    BEST_MOVE,
    COUNT,
    EMPTIES,
    FRAME,
    INDEX,
    MOVE,
    NODE_LIMIT,
    NODES,
    PASS,
    POINTERS,
    SOLVER_ARRAYS,
    STOPPED,
    WIDTH,
    find,
    lower_of,
    move_of,
    pointers_to,
    prefetch,
    store,
    upper_of,
)
from playproof.search.othello_endgame.lanes import around, flips, moves, reach
from playproof.search.othello_endgame.last_empties import (
    NOTHING,
    final_score,
    last_empties,
    odd_quadrants,
)
from playproof.search.othello_endgame.stability import stable

_ONE = uint64(1)

# The number of empties from which each technique pays off, measured.
_STACK = 6  # the loop over plies rather than ``last_empties``
_TABLE = 8
_CHILDREN_IN_TABLE = 10
_LOOKAHEAD = 12
_STABLE_BELOW = 20  # stable discs are counted from alpha = 2 * empties - this on

# Terms of a move's priority, in eighths of a disc.
_REPLY, _POTENTIAL_REPLY, _CORNER, _ODD_QUADRANT = 32, 8, 32, 16
_FROM_TABLE = 1 << 40
_INFINITY = 1 << 20  # above every value of the lookahead
_WINDOW = 100  # moves that are worse by this much need no exact value


# Move ordering


@register_jitable
def _weighed_moves(placements, corners):
    return popcount(placements) + popcount(placements & corners)


@register_jitable
def static_value(own, opponent, memory):
    """An estimate of the score, in eighths of a disc.

    It is fitted to the exact scores of 8,500 positions with 12 and 16 empties. Its error is 11
    discs, where the scores spread by 32.
    """
    squares, corners = memory.squares, memory.corners
    empty = squares & ~(own | opponent)
    mobility = _weighed_moves(moves(reach(own, opponent), empty), corners)
    mobility -= _weighed_moves(moves(reach(opponent, own), empty), corners)
    safe = popcount(stable(own, opponent, squares, memory.edges, memory.size))
    safe -= popcount(stable(opponent, own, squares, memory.edges, memory.size))
    held = popcount(own & corners) - popcount(opponent & corners)
    beside = around(empty & corners)  # these give the corner away
    risky = popcount(own & beside) - popcount(opponent & beside)
    discs = popcount(own) - popcount(opponent)
    return 16 * mobility + 12 * safe + 24 * held - 16 * risky - 3 * discs


@register_jitable(forceinline=True)
def _must_stop(memory):
    statistics = memory.statistics
    return memory.stop[0] != 0 or statistics[NODES] > statistics[NODE_LIMIT]


@kernel(int64(uint64, uint64, int64, int64, int64, POINTERS))
def _lookahead(own, opponent, depth, alpha, beta, memory):
    """The alpha-beta value of ``static_value`` after ``depth`` plies."""
    memory.statistics[NODES] += 1
    if depth == 0 or _must_stop(memory):
        return static_value(own, opponent, memory)
    empty = memory.squares & ~(own | opponent)
    reached = reach(own, opponent)
    left = moves(reached, empty)
    if left == 0:
        if moves(reach(opponent, own), empty) == 0:
            return 8 * final_score(own, popcount(empty), memory)
        return -_lookahead(opponent, own, depth, -beta, -alpha, memory)
    best = int64(-_INFINITY)
    while left != 0 and best < beta:
        move = left & (~left + _ONE)
        left ^= move
        turned = flips(reached, opponent, move)
        mine, yours = own ^ turned ^ move, opponent ^ turned
        value = -_lookahead(yours, mine, depth - 1, -beta, -max(alpha, best), memory)
        best = max(best, value)
    return best


@register_jitable(forceinline=True)
def _plies_ahead(empties):
    """The depth of the lookahead that orders moves; -1 for none."""
    return min((empties - _LOOKAHEAD) // 2, 6) if empties >= _LOOKAHEAD else -1


@register_jitable(forceinline=True)
def _list_children(ply, own, opponent, reached, placements, hint, memory):
    """Write the children of a node with their priorities; returns how many there are.

    The order is fastest first: few replies for the opponent make a small tree.
    """
    corners, empty = memory.corners, memory.squares & ~(own | opponent)
    empties, odd = popcount(empty), odd_quadrants(empty, memory)
    depth = _plies_ahead(empties)
    best = int64(-_INFINITY)
    at = 2 * WIDTH * ply
    left = placements
    while left != 0:
        move = left & (~left + _ONE)
        left ^= move
        turned = flips(reached, opponent, move)
        mine, yours, rest = own ^ turned ^ move, opponent ^ turned, empty ^ move
        if empties > _TABLE:
            prefetch(yours, mine, memory)
        priority = -_REPLY * _weighed_moves(moves(reach(yours, mine), rest), corners)
        priority -= _POTENTIAL_REPLY * popcount(around(mine) & rest)
        if move & corners != 0:
            priority += _CORNER
        if move & odd != 0:
            priority += _ODD_QUADRANT
        if depth >= 0:
            ahead = -_lookahead(yours, mine, depth, -_INFINITY, _WINDOW - best, memory)
            best = max(best, ahead)
            priority += ahead
        square = lowest(move)
        if square == hint:
            priority += _FROM_TABLE
        memory.boards[at], memory.boards[at + 1] = yours, mine
        memory.ordering[at], memory.ordering[at + 1] = priority, square
        at += 2
    return popcount(placements)


@register_jitable(forceinline=True)
def _move_best_first(ply, index, count, memory):
    """Swap the child with the highest priority from ``index`` on to that place."""
    boards, ordering = memory.boards, memory.ordering
    first = 2 * (WIDTH * ply + index)
    best = first
    for at in range(first + 2, 2 * (WIDTH * ply + count), 2):
        if ordering[at] > ordering[best]:
            best = at
    if best != first:
        for at in range(2):
            ordering[first + at], ordering[best + at] = ordering[best + at], ordering[first + at]
            boards[first + at], boards[best + at] = boards[best + at], boards[first + at]


# The search


@register_jitable(forceinline=True)
def _cut_by_child(ply, count, alpha, memory):
    """The place of a child whose stored bound puts the parent's score above alpha, or -1.

    Enhanced transposition cut-off (Plaat, Schaeffer, Pijls and de Bruin, 1996).
    """
    first = 2 * WIDTH * ply
    for at in range(first, first + 2 * count, 2):
        entry = find(memory.boards[at], memory.boards[at + 1], memory)
        if entry != 0 and -upper_of(entry) > alpha:
            return at
    return -1


@register_jitable(forceinline=True)
def _quick_answer(own, opponent, empty, empties, alpha, memory):
    """A bound that needs no search, or NOTHING; and the best move in the table."""
    total = memory.total
    if 4 <= empties < _STACK:
        return last_empties(own, opponent, empty, alpha, memory), int64(PASS)
    # The opponent keeps stable discs. They are only counted where they may be enough for a bound.
    if alpha >= total - 2 * popcount(opponent) and alpha >= 2 * empties - _STABLE_BELOW:
        kept = popcount(stable(opponent, own, memory.squares, memory.edges, memory.size))
        if total - 2 * kept <= alpha:
            return total - 2 * kept, int64(PASS)
    if empties < _TABLE:
        return int64(NOTHING), int64(PASS)
    entry = find(own, opponent, memory)
    if entry == 0:
        return int64(NOTHING), int64(PASS)
    if lower_of(entry) > alpha:
        return lower_of(entry), int64(PASS)
    if upper_of(entry) <= alpha:
        return upper_of(entry), int64(PASS)
    return int64(NOTHING), move_of(entry)


@register_jitable(forceinline=True)
def _expand(ply, own, opponent, empty, empties, hint, alpha, memory):
    """Write a node's children and return (their number, NOTHING), or (0, a bound) without them."""
    at = 2 * WIDTH * ply
    reached = reach(own, opponent)
    placements = moves(reached, empty)
    if placements == 0:
        if moves(reach(opponent, own), empty) == 0:
            return 0, final_score(own, empties, memory)
        memory.boards[at], memory.boards[at + 1] = opponent, own
        memory.ordering[at + 1] = PASS
        return 1, int64(NOTHING)
    count = _list_children(ply, own, opponent, reached, placements, hint, memory)
    if ply > 0 and empties >= _CHILDREN_IN_TABLE:
        cut = _cut_by_child(ply, count, alpha, memory)
        if cut >= 0:
            return 0, -upper_of(find(memory.boards[cut], memory.boards[cut + 1], memory))
    return count, int64(NOTHING)


@register_jitable(forceinline=True)
def _store_result(own, opponent, frame, alpha, memory):
    """Store the bound that a finished node has proven."""
    frames, total = memory.frames, memory.total
    best, move, empties = frames[frame + BEST], frames[frame + MOVE], frames[frame + EMPTIES]
    if empties >= _TABLE and move != PASS:
        lower, upper = (best, total) if best > alpha else (-total, best)
        store(own, opponent, lower, upper, move, empties, memory)


@register_jitable
def _search(root_own, root_opponent, root_alpha, memory):
    """A bound that decides whether the root's score is above alpha; 0 if it was stopped."""
    frames, boards, ordering = memory.frames, memory.boards, memory.ordering
    statistics = memory.statistics
    own, opponent = root_own, root_opponent
    ply, entering = 0, True
    value = int64(0)  # of the node just left
    while True:
        frame = FRAME * ply
        alpha = root_alpha if ply & 1 == 0 else -root_alpha - 1
        if entering:
            statistics[NODES] += 1
            if _must_stop(memory):
                statistics[STOPPED] = 1
                return 0
            empty = memory.squares & ~(own | opponent)
            empties, count, hint = popcount(empty), 0, int64(PASS)
            value = int64(NOTHING)
            if ply > 0:
                value, hint = _quick_answer(own, opponent, empty, empties, alpha, memory)
            elif empties >= _TABLE:  # the root needs a move, too
                entry = find(own, opponent, memory)
                hint = move_of(entry) if entry != 0 else int64(PASS)
            if value == NOTHING:
                count, value = _expand(ply, own, opponent, empty, empties, hint, alpha, memory)
            if count == 0:
                if ply == 0:
                    return value
                ply, entering = ply - 1, False
                continue
            frames[frame + BEST], frames[frame + MOVE] = NOTHING, PASS
            frames[frame + COUNT], frames[frame + EMPTIES] = count, empties
            index = 0
        else:
            index, count = frames[frame + INDEX], frames[frame + COUNT]
            if -value > frames[frame + BEST]:
                frames[frame + BEST] = -value
                frames[frame + MOVE] = ordering[2 * (WIDTH * ply + index) + 1]
            index += 1
            value = frames[frame + BEST]
            if value > alpha or index == count:
                if ply == 0:
                    _store_result(root_own, root_opponent, frame, alpha, memory)
                    statistics[BEST_MOVE] = frames[frame + MOVE]
                    return value
                at = 2 * (WIDTH * (ply - 1) + frames[frame - FRAME + INDEX])
                _store_result(boards[at], boards[at + 1], frame, alpha, memory)
                ply, entering = ply - 1, False
                continue
        if count > 1:
            _move_best_first(ply, index, count, memory)
        frames[frame + INDEX] = index
        at = 2 * (WIDTH * ply + index)
        own, opponent = boards[at], boards[at + 1]
        ply, entering = ply + 1, True


@kernel(int64(SOLVER_ARRAYS, WORDS, uint64, uint64, int64))
def null_window_search(arrays, options, own, opponent, alpha):
    """A bound that decides whether the score is above ``alpha``; 0 if it was stopped.

    The best move is left in ``statistics[BEST_MOVE]``.
    """
    arrays.statistics[AGE] += 1
    return _search(own, opponent, alpha, pointers_to(arrays, options))


@kernel(int64(SOLVER_ARRAYS, WORDS, uint64, uint64, int64))
def lookahead_score(arrays, options, own, opponent, depth):
    """The score in discs that a lookahead of ``depth`` plies estimates."""
    memory = pointers_to(arrays, options)
    return _lookahead(own, opponent, depth, -_INFINITY, _INFINITY, memory) // 8
