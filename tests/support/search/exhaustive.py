"""Exhaustive search of Othello, written for the endgame solver's test: squares are numbers,
directions are walked, nothing is pruned and nothing is shared with the solver or the rules."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

import numba
import numpy as np

from playproof import State
from playproof.search.othello_endgame.solver import solve
from tests.support.search.endgames import final_score, sign


@numba.njit
def turned_by(own, opponent, row, column, size):
    one = np.uint64(1)
    all_turned = np.uint64(0)
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down == 0 and right == 0:
                continue
            r, c, run = row + down, column + right, np.uint64(0)
            while 0 <= r < size and 0 <= c < size:
                here = one << np.uint64(8 * r + c)
                if own & here:
                    all_turned |= run
                    break
                if not opponent & here:
                    break
                run |= here
                r, c = r + down, c + right
    return all_turned


@numba.njit
def count_of(stones, size):
    count = 0
    for r in range(size):
        for c in range(size):
            count += np.int64(stones >> np.uint64(8 * r + c) & np.uint64(1))
    return count


@numba.njit
def exhaust(own, opponent, size, winner_takes, passed):
    best = -1000
    for r in range(size):
        for c in range(size):
            here = np.uint64(1) << np.uint64(8 * r + c)
            if (own | opponent) & here:
                continue
            turned = turned_by(own, opponent, r, c, size)
            if turned:
                after = own | turned | here
                value = -exhaust(opponent & ~turned, after, size, winner_takes, False)
                best = max(best, value)
    if best > -1000:
        return best
    if not passed:
        return -exhaust(opponent, own, size, winner_takes, True)
    mine, yours = count_of(own, size), count_of(opponent, size)
    lead = mine - yours
    if winner_takes and lead != 0:
        rest = size * size - mine - yours
        lead += rest if lead > 0 else -rest
    return lead


def true_score(state: State) -> int:
    """The score for the side to move, by looking at everything."""
    row = state.row
    side = int(row[3]) & 1
    winner = bool(state.game.options["empties_to_winner"])
    size = int(state.game.options["size"])
    return exhaust(row[side], row[1 - side], size, winner, False)


def check(state: State, exact: bool) -> None:
    truth = true_score(state)
    solution = solve(state, exact=exact, megabytes=1)
    assert solution.finished
    assert solution.exact == exact
    assert solution.score == (truth if exact else sign(truth))
    assert solution.lower <= truth <= solution.upper
    assert solution.best_move == solution.line[0]
    assert solution.best_move in state.legal_actions()
    after = state.apply(solution.best_move)
    value = true_score(after) * (-1 if after.row[3] & 1 != state.row[3] & 1 else 1)
    ends = final_score(state, solution)
    if exact:
        assert (value, ends) == (truth, truth)
    else:
        assert (sign(value), sign(ends)) == (sign(truth), sign(truth))
