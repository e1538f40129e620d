"""The kernels of chess, over the row of ``rows``."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

import numpy as np
from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import GOLDEN, mix
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    COUNT_SIGNATURE,
    HASH_SIGNATURE,
    OBSERVE_SIGNATURE,
    ONGOING,
    OUTCOME_SIGNATURE,
    PLAYER_SIGNATURE,
    SCORE_SIGNATURE,
    TRANSFORM_ACTION_SIGNATURE,
    TRANSFORM_SIGNATURE,
    Kernels,
)
from playproof.games.chess.evaluation import material, sort_mvv_lva, tapered_evaluation
from playproof.games.chess.move_names import CLAIM
from playproof.games.chess.rows import (
    CLAIMED,
    CLOCK,
    CLOCK_BITS,
    LEDGER,
    PLY,
    WORDS,
    clock_of,
    is_claimed,
    side_of,
)
from playproof.rules.bits import folded_multiply, lowest
from playproof.rules.chess.attacks import threats
from playproof.rules.chess.board import NOTHING, RANK_6, load, occupied_of
from playproof.rules.chess.count_moves import can_move, count_moves
from playproof.rules.chess.draws import is_dead, occurrences
from playproof.rules.chess.list_moves import list_moves
from playproof.rules.chess.make_move import make_move

_SALTS = tuple(mix(i * GOLDEN & 0xFFFFFFFFFFFFFFFF) for i in range(1, 9))

# Option words: a limit of 0 means no limit.
REPETITIONS, PLIES, DEAD, CLAIM_REPETITIONS, CLAIM_PLIES = range(5)
OPTIONS = {
    "automatic": (3, 100, 1, 0, 0),
    "claimed": (5, 150, 1, 3, 100),
    "none": (0, 0, 0, 0, 0),
}


@kernel(HASH_SIGNATURE, counted=False)
def hash_(options, state):
    """The position's hash: pairs of words, salted so that none is 0, multiplied and folded."""
    h = folded_multiply(state[0] ^ _SALTS[0], state[1] ^ _SALTS[1])
    h ^= folded_multiply(state[2] ^ _SALTS[2], state[3] ^ _SALTS[3])
    h ^= folded_multiply(state[4] ^ _SALTS[4], state[5] ^ _SALTS[5])
    h ^= folded_multiply(state[6] ^ _SALTS[6], (state[LEDGER] & uint64(3)) ^ _SALTS[7])
    return mix(h)


@register_jitable
def _has_occurred(options, state, history, limit, clock):
    """Whether the position occurs for at least the ``limit``-th time; False if ``limit`` is 0."""
    # A repetition takes at least four plies.
    if limit == 0 or clock < 4 * (limit - 1):
        return False
    return occurrences(history, hash_(options, state), clock, limit) >= limit


@register_jitable
def _is_drawn(options, state, history, p):
    """Whether a rule other than stalemate draws the game.  A checkmate takes precedence."""
    ledger = state[LEDGER]
    clock, limit = clock_of(ledger), int64(options[PLIES])
    if is_claimed(ledger) or (limit > 0 and clock >= limit):
        return True
    if options[DEAD] != NOTHING and is_dead(p):
        return True
    return _has_occurred(options, state, history, int64(options[REPETITIONS]), clock)


@register_jitable
def _may_claim(options, state, history):
    limit, clock = int64(options[CLAIM_PLIES]), clock_of(state[LEDGER])
    if limit == 0:
        return False
    if clock >= limit:
        return True
    return _has_occurred(options, state, history, int64(options[CLAIM_REPETITIONS]), clock)


@kernel(ACTIONS_SIGNATURE, counted=False)
def actions(options, tables, state, history, out):
    p = load(state)
    if _is_drawn(options, state, history, p):
        return 0
    n = list_moves(tables, p, False, out)
    if n > 0 and _may_claim(options, state, history):
        out[n] = CLAIM
        n += 1
    return n


@kernel(ACTIONS_SIGNATURE, counted=False)
def noisy(options, tables, state, history, out):
    """Captures and promotions to a queen, in MVV-LVA order."""
    p = load(state)
    if _is_drawn(options, state, history, p):
        return 0
    n = list_moves(tables, p, True, out)
    sort_mvv_lva(tables, p, out, n)
    return n


@kernel(COUNT_SIGNATURE, counted=False)
def count(options, tables, state, history):
    p = load(state)
    if _is_drawn(options, state, history, p):
        return 0
    n = count_moves(tables, p)
    if n > 0 and _may_claim(options, state, history):
        n += 1
    return n


@kernel(APPLY_SIGNATURE, counted=False)
def apply(options, tables, state, history, action):
    ledger = state[LEDGER]
    if action == CLAIM:
        state[LEDGER] = ledger | uint64(1 << CLAIMED)
        return
    p, final = make_move(tables, load(state), action)
    state[0], state[1], state[2], state[3] = p.pawns, p.knights, p.diagonal, p.straight
    state[4], state[5], state[6] = p.kings, p.own, p.rights
    clock = 0 if final else min(clock_of(ledger) + 1, (1 << CLOCK_BITS) - 1)
    ply = (ledger >> uint64(PLY)) + uint64(1)
    side = (ledger & uint64(1)) ^ uint64(1)
    state[LEDGER] = side | uint64(clock) << uint64(CLOCK) | ply << uint64(PLY)


@kernel(PLAYER_SIGNATURE, counted=False)
def player(options, state):
    return side_of(state[LEDGER])


@register_jitable
def _result(options, tables, state, history, p):
    drawn = _is_drawn(options, state, history, p)
    if can_move(tables, p):
        return 0 if drawn else ONGOING
    checkers, _ = threats(tables, p, lowest(p.kings & p.own))
    if checkers == NOTHING:
        return 0
    return 1 if side_of(state[LEDGER]) else -1


@kernel(OUTCOME_SIGNATURE, counted=False)
def outcome(options, tables, state, history):
    return _result(options, tables, state, history, load(state))


@kernel(SCORE_SIGNATURE, counted=False)
def score(options, tables, state, history):
    """White's lead in material; 0 once the game is drawn."""
    p = load(state)
    if _result(options, tables, state, history, p) == 0:
        return 0.0
    lead = material(p)
    return float(-lead if side_of(state[LEDGER]) else lead)


@kernel(SCORE_SIGNATURE, counted=False)
def evaluate(options, tables, state, history):
    """White's advantage in pawns: the static evaluation."""
    lead = tapered_evaluation(tables, load(state))
    return 0.0 - lead if side_of(state[LEDGER]) else lead


@register_jitable
def _write_board(out, plane, board):
    for i in range(64):
        out[uint64(64 * plane + i)] = np.float32(board >> uint64(i) & uint64(1))


@register_jitable
def _fill(out, plane, value):
    for i in range(64):
        out[uint64(64 * plane + i)] = np.float32(value)


@kernel(OBSERVE_SIGNATURE, counted=False)
def observe(options, tables, state, history, kind, out):
    """``paper-13``: the mover's pawns, knights, bishops, rooks, queens and king, the same for
    the opponent, and the empty squares.  ``full``: these and castling rights (the mover's
    kingside and queenside, the opponent's), the en passant square, whether the position has
    occurred once before and twice before, and the clock in hundredths."""
    p = load(state)
    queens = p.diagonal & p.straight
    for side in range(2):
        own = ~p.own if side else p.own
        _write_board(out, 6 * side, p.pawns & own)
        _write_board(out, 6 * side + 1, p.knights & own)
        _write_board(out, 6 * side + 2, p.diagonal & own & ~queens)
        _write_board(out, 6 * side + 3, p.straight & own & ~queens)
        _write_board(out, 6 * side + 4, queens & own)
        _write_board(out, 6 * side + 5, p.kings & own)
    _write_board(out, 12, ~occupied_of(p))
    if kind == 0:
        return
    for number, corner in enumerate((7, 0, 63, 56)):
        _fill(out, 13 + number, p.rights >> uint64(corner) & uint64(1))
    _write_board(out, 17, p.rights & RANK_6)
    clock = clock_of(state[LEDGER])
    times = occurrences(history, hash_(options, state), clock, 3)
    _fill(out, 18, 1.0 if times > 1 else 0.0)
    _fill(out, 19, 1.0 if times > 2 else 0.0)
    _fill(out, 20, min(clock, 100) / 100.0)


@kernel(TRANSFORM_SIGNATURE, counted=False)
def transform(options, state, symmetry, out):
    """Symmetry 1 swaps the colours.  The row is seen from the mover's side, so only the side to
    move changes."""
    for i in range(WORDS):
        out[i] = state[i]
    out[LEDGER] ^= uint64(symmetry)


@kernel(TRANSFORM_ACTION_SIGNATURE, counted=False)
def transform_action(options, action, symmetry):
    return action


KERNELS = Kernels(
    actions=actions,
    apply=apply,
    player=player,
    outcome=outcome,
    score=score,
    observe=observe,
    hash=hash_,
    count=count,
    transform=transform,
    transform_action=transform_action,
    evaluate=evaluate,
    noisy=noisy,
)
