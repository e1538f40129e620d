"""The Othello endgame solver, compiled.

Every search here answers one question: *is the score above alpha?*  The answer
is a bound: above alpha the score is at least that, else at most that.  An exact
score is two such answers that meet.

Who is to move holds ``own``.  From six empties up the search is a loop over a
stack of plies; below it calls ``last_empties``.
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
    MEMORY,
    MOVE,
    NODE_LIMIT,
    NODES,
    PASS,
    SPACE,
    STOPPED,
    WIDTH,
    fetch,
    find,
    keep,
    look_at,
    lower_of,
    move_of,
    upper_of,
)
from playproof.search.othello_endgame.lanes import around, flips, moves, reach
from playproof.search.othello_endgame.last_empties import (
    NOTHING,
    final,
    last_empties,
    odd_quadrants,
)
from playproof.search.othello_endgame.stability import stable

_ONE = uint64(1)

# From how many empties on each part pays for itself, measured.
_STACK = 6  # below it: the last empties
_TABLE = 8
_CHILDREN_IN_TABLE = 10
_LOOKING_AHEAD = 12
_STABLE_BELOW = 20  # stable discs are counted from alpha = 2 * empties - this on

# How promising a move is, in eighths of a disc.
_A_REPLY, _A_POTENTIAL_REPLY, _A_CORNER, _ODD_QUADRANT = 32, 8, 32, 16
_FROM_TABLE = 1 << 40
_CERTAIN = 1 << 20  # beyond every promise
_WINDOW = 100  # moves that are worse by this need no exact promise


# Which move first


@register_jitable
def _weighed_moves(placements, corners):
    return popcount(placements) + popcount(placements & corners)


@register_jitable
def judge(own, opponent, memory):
    """What the score may come to, in eighths of a disc.

    Fitted to the exact scores of 8,500 positions with 12 and 16 empties: it
    misses by 11 discs where the scores spread by 32.
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
def _halted(memory):
    statistics = memory.statistics
    return memory.stop[0] != 0 or statistics[NODES] > statistics[NODE_LIMIT]


@kernel(int64(uint64, uint64, int64, int64, int64, MEMORY))
def _foresee(own, opponent, depth, alpha, beta, memory):
    """What ``judge`` comes to after the best ``depth`` plies."""
    memory.statistics[NODES] += 1
    if depth == 0 or _halted(memory):
        return judge(own, opponent, memory)
    empty = memory.squares & ~(own | opponent)
    reached = reach(own, opponent)
    left = moves(reached, empty)
    if left == 0:
        if moves(reach(opponent, own), empty) == 0:
            return 8 * final(own, popcount(empty), memory)
        return -_foresee(opponent, own, depth, -beta, -alpha, memory)
    best = int64(-_CERTAIN)
    while left != 0 and best < beta:
        move = left & (~left + _ONE)
        left ^= move
        turned = flips(reached, opponent, move)
        mine, yours = own ^ turned ^ move, opponent ^ turned
        value = -_foresee(yours, mine, depth - 1, -beta, -max(alpha, best), memory)
        best = max(best, value)
    return best


@register_jitable(forceinline=True)
def _plies_ahead(empties):
    """How far the order of moves is thought through; -1 for not at all."""
    return min((empties - _LOOKING_AHEAD) // 2, 6) if empties >= _LOOKING_AHEAD else -1


@register_jitable(forceinline=True)
def _list_children(ply, own, opponent, reached, placements, hint, memory):
    """Write the children of a node and how promising they are; their number.

    Fastest first: few replies for the opponent make a small tree.
    """
    corners, empty = memory.corners, memory.squares & ~(own | opponent)
    empties, odd = popcount(empty), odd_quadrants(empty, memory)
    depth = _plies_ahead(empties)
    best = int64(-_CERTAIN)
    at = 2 * WIDTH * ply
    left = placements
    while left != 0:
        move = left & (~left + _ONE)
        left ^= move
        turned = flips(reached, opponent, move)
        mine, yours, rest = own ^ turned ^ move, opponent ^ turned, empty ^ move
        if empties > _TABLE:
            fetch(yours, mine, memory)
        promise = -_A_REPLY * _weighed_moves(moves(reach(yours, mine), rest), corners)
        promise -= _A_POTENTIAL_REPLY * popcount(around(mine) & rest)
        if move & corners != 0:
            promise += _A_CORNER
        if move & odd != 0:
            promise += _ODD_QUADRANT
        if depth >= 0:
            ahead = -_foresee(yours, mine, depth, -_CERTAIN, _WINDOW - best, memory)
            best = max(best, ahead)
            promise += ahead
        square = lowest(move)
        if square == hint:
            promise += _FROM_TABLE
        memory.boards[at], memory.boards[at + 1] = yours, mine
        memory.notes[at], memory.notes[at + 1] = promise, square
        at += 2
    return popcount(placements)


@register_jitable(forceinline=True)
def _bring_best(ply, index, count, memory):
    """Bring the most promising of the children from ``index`` on to that place."""
    boards, notes = memory.boards, memory.notes
    first = 2 * (WIDTH * ply + index)
    best = first
    for at in range(first + 2, 2 * (WIDTH * ply + count), 2):
        if notes[at] > notes[best]:
            best = at
    if best != first:
        for at in range(2):
            notes[first + at], notes[best + at] = notes[best + at], notes[first + at]
            boards[first + at], boards[best + at] = boards[best + at], boards[first + at]


# The search


@register_jitable(forceinline=True)
def _cut_by_child(ply, count, alpha, memory):
    """A child whose known bound answers the question for its parent, or -1.

    Enhanced transposition cut-off (Plaat, Schaeffer, Pijls and de Bruin, 1996).
    """
    first = 2 * WIDTH * ply
    for at in range(first, first + 2 * count, 2):
        facts = find(memory.boards[at], memory.boards[at + 1], memory)
        if facts != 0 and -upper_of(facts) > alpha:
            return at
    return -1


@register_jitable(forceinline=True)
def _known(own, opponent, empty, empties, alpha, memory):
    """An answer without a search, or NOTHING; and the best move on record."""
    total = memory.total
    if 4 <= empties < _STACK:
        return last_empties(own, opponent, empty, alpha, memory), int64(PASS)
    # The opponent keeps what is stable: worth a look where that may be enough.
    if alpha >= total - 2 * popcount(opponent) and alpha >= 2 * empties - _STABLE_BELOW:
        kept = popcount(stable(opponent, own, memory.squares, memory.edges, memory.size))
        if total - 2 * kept <= alpha:
            return total - 2 * kept, int64(PASS)
    if empties < _TABLE:
        return int64(NOTHING), int64(PASS)
    facts = find(own, opponent, memory)
    if facts == 0:
        return int64(NOTHING), int64(PASS)
    if lower_of(facts) > alpha:
        return lower_of(facts), int64(PASS)
    if upper_of(facts) <= alpha:
        return upper_of(facts), int64(PASS)
    return int64(NOTHING), move_of(facts)


@register_jitable(forceinline=True)
def _expand(ply, own, opponent, empty, empties, hint, alpha, memory):
    """Write a node's children: (their number, NOTHING), or (0, an answer)."""
    at = 2 * WIDTH * ply
    reached = reach(own, opponent)
    placements = moves(reached, empty)
    if placements == 0:
        if moves(reach(opponent, own), empty) == 0:
            return 0, final(own, empties, memory)
        memory.boards[at], memory.boards[at + 1] = opponent, own
        memory.notes[at + 1] = PASS
        return 1, int64(NOTHING)
    count = _list_children(ply, own, opponent, reached, placements, hint, memory)
    if ply > 0 and empties >= _CHILDREN_IN_TABLE:
        cut = _cut_by_child(ply, count, alpha, memory)
        if cut >= 0:
            return 0, -upper_of(find(memory.boards[cut], memory.boards[cut + 1], memory))
    return count, int64(NOTHING)


@register_jitable(forceinline=True)
def _record(own, opponent, frame, alpha, memory):
    """Keep what a finished node has proven."""
    frames, total = memory.frames, memory.total
    best, move, empties = frames[frame + BEST], frames[frame + MOVE], frames[frame + EMPTIES]
    if empties >= _TABLE and move != PASS:
        lower, upper = (best, total) if best > alpha else (-total, best)
        keep(own, opponent, lower, upper, move, empties, memory)


@register_jitable
def _search(root_own, root_opponent, root_alpha, memory):
    frames, boards, notes = memory.frames, memory.boards, memory.notes
    statistics = memory.statistics
    own, opponent = root_own, root_opponent
    ply, entering = 0, True
    value = int64(0)  # of the node just left
    while True:
        frame = FRAME * ply
        alpha = root_alpha if ply & 1 == 0 else -root_alpha - 1
        if entering:
            statistics[NODES] += 1
            if _halted(memory):
                statistics[STOPPED] = 1
                return 0
            empty = memory.squares & ~(own | opponent)
            empties, count, hint = popcount(empty), 0, int64(PASS)
            value = int64(NOTHING)
            if ply > 0:
                value, hint = _known(own, opponent, empty, empties, alpha, memory)
            elif empties >= _TABLE:  # at the root the move is wanted too
                facts = find(own, opponent, memory)
                hint = move_of(facts) if facts != 0 else int64(PASS)
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
                frames[frame + MOVE] = notes[2 * (WIDTH * ply + index) + 1]
            index += 1
            value = frames[frame + BEST]
            if value > alpha or index == count:
                if ply == 0:
                    _record(root_own, root_opponent, frame, alpha, memory)
                    statistics[BEST_MOVE] = frames[frame + MOVE]
                    return value
                at = 2 * (WIDTH * (ply - 1) + frames[frame - FRAME + INDEX])
                _record(boards[at], boards[at + 1], frame, alpha, memory)
                ply, entering = ply - 1, False
                continue
        if count > 1:
            _bring_best(ply, index, count, memory)
        frames[frame + INDEX] = index
        at = 2 * (WIDTH * ply + index)
        own, opponent = boards[at], boards[at + 1]
        ply, entering = ply + 1, True


@kernel(int64(SPACE, WORDS, uint64, uint64, int64))
def ask(space, options, own, opponent, alpha):
    """Is the score above ``alpha``?  A bound on it, and BEST_MOVE; 0 if STOPPED."""
    space.statistics[AGE] += 1
    return _search(own, opponent, alpha, look_at(space, options))


@kernel(int64(SPACE, WORDS, uint64, uint64, int64))
def guess(space, options, own, opponent, depth):
    """The score that a search of ``depth`` plies expects, in discs."""
    memory = look_at(space, options)
    return _foresee(own, opponent, depth, -_CERTAIN, _CERTAIN, memory) // 8
