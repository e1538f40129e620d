"""The kernels of Go.

A row is (black, white, atari, ledger); the first three are boards of two or six
words.  ``atari`` is derived from the stones: those whose chain has one liberty.
The ledger holds, from bit 0: the side to move, the passes in a row (2: the game is
over), the point that simple ko bars (counted from 1, 0 for none), the balance of
prisoners, and the prisoners that Black and White have taken.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import int64, uint64
from numba.extending import register_jitable

from playproof.core.bits import mix
from playproof.core.compiling import kernel
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
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
from playproof.games.go import rows
from playproof.games.go.rows import NARROW, WIDE, count, inlined, load, store
from playproof.rules import go as rules
from playproof.rules.go_board import around, both, either, has, nothing, one, same, some, without

# Shifts of the fields of the ledger.
PASSES, KO, BALANCE, TAKEN_BY_BLACK, TAKEN_BY_WHITE = 1, 3, 12, 24, 44
KO_BITS, TAKEN_BITS = 9, 20

OWN, OPPONENT, OWN_ATARI, OPPONENT_ATARI, BARRED, PASSED, KOMI, BLACK_TO_MOVE, PLANES = range(9)


@register_jitable
def side_of(ledger):
    return int64(ledger & uint64(1))


@register_jitable
def passes_of(ledger):
    return int64(ledger >> uint64(PASSES)) & 3


@register_jitable
def ko_of(ledger):
    """The point that simple ko bars, or -1."""
    return (int64(ledger >> uint64(KO)) & ((1 << KO_BITS) - 1)) - 1


@register_jitable
def balance_of(ledger):
    return int64(ledger >> uint64(BALANCE)) & ((1 << rows.BALANCE_BITS) - 1)


@register_jitable
def taken_of(ledger, side):
    return int64(ledger >> uint64(TAKEN_BY_BLACK + TAKEN_BITS * side)) & ((1 << TAKEN_BITS) - 1)


@register_jitable
def write_ledger(side, passes, ko, by_black, by_white):
    balance = (by_black - by_white) & ((1 << rows.BALANCE_BITS) - 1)
    word = uint64(side) | uint64(passes) << uint64(PASSES) | uint64(ko + 1) << uint64(KO)
    word |= uint64(balance) << uint64(BALANCE)
    word |= uint64(by_black) << uint64(TAKEN_BY_BLACK)
    return word | uint64(by_white) << uint64(TAKEN_BY_WHITE)


@register_jitable
def _board_hash(state, words):
    h = uint64(0)
    for i in range(2 * words):
        h += rows.word_hash(i, state[i])
    return h


@inlined
def _hash(like, options, state):
    words = len(like)
    ledger = state[3 * words]
    board = _board_hash(state, words)
    if options[rows.SUPERKO] == uint64(0):
        fields = ledger & uint64((1 << BALANCE) - 1)
        if options[rows.TERRITORY] != uint64(0):
            fields = ledger & uint64((1 << TAKEN_BY_BLACK) - 1)
        return mix(board ^ mix(fields + uint64(1)))
    units = count(load(like, state, 0)) + count(load(like, state, words))
    return rows.turn_hash(
        options, board, units, side_of(ledger), passes_of(ledger), balance_of(ledger)
    )


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _hash(NARROW, options, state)
    return _hash(WIDE, options, state)


@inlined
def _repeats_board(options, state, history, here, own, opponent, atari, point, side, g):
    """Whether a stone on ``point`` recreates an earlier board; the stone is played to find out."""
    words = len(own)
    mine, theirs = rules.stones_after(own, opponent, atari, point, g)
    h = uint64(0)
    for i in range(words):
        h += rows.word_hash(side * words + i, mine[i])
        h += rows.word_hash((1 - side) * words + i, theirs[i])
    units = count(mine) + count(theirs)
    after = rows.turn_hash(options, h, units, 0, 0, 0)
    if rows.has_occurred(options, history, after):
        return True
    # The suicide of a single stone recreates the present board.
    return (after ^ here) & rows.superko_bits(options) == uint64(0)


@register_jitable
def legal_points(like, options, state, history):
    """The mover's legal placements, as a board."""
    words = len(like)
    ledger = state[3 * words]
    g = rows.ground_of(like, options)
    side = side_of(ledger)
    own, opponent = load(like, state, side * words), load(like, state, (1 - side) * words)
    atari = load(like, state, 2 * words)
    empty = without(g.whole, either(own, opponent))
    legal = rules.breathing_points(own, opponent, atari, empty, g)
    suicide_allowed = options[rows.SUICIDE] != uint64(0)
    to_check = rules.capturing_points(opponent, atari, empty, g)
    if options[rows.SUPERKO] == uint64(0):
        ko = ko_of(ledger)
        if suicide_allowed:
            legal = empty
        if ko >= 0:
            taken = captures_at(opponent, atari, ko, g)
            if some(taken) and same(taken, rules.lowest_of(taken)):
                legal = without(legal, one(like, ko))
        return legal
    # Stones leave the board only as prisoners, so no board can return before the first prisoner.
    has_prisoners = taken_of(ledger, 0) + taken_of(ledger, 1) > 0
    if suicide_allowed:
        to_check = either(to_check, without(empty, legal))
        legal = empty
    elif not has_prisoners:
        return legal
    here = hash_(options, state)
    units = count(own) + count(opponent)
    if has_prisoners:
        bloom = rows.board_filter(options, history, units + 1)
        if bloom[0] != uint64(0):
            hashed = _board_hash(state, words)
            quiet = without(legal, to_check)
            repeats = rows.possible_repeats(bloom, hashed, own, side * words, quiet)
            to_check = either(to_check, repeats)
    while some(to_check):
        point = rows.lowest_point(to_check)
        stone = one(like, point)
        to_check = without(to_check, stone)
        if _repeats_board(options, state, history, here, own, opponent, atari, point, side, g):
            legal = without(legal, stone)
    return legal


@register_jitable
def captures_at(opponent, atari, point, g):
    """The stones that a stone on ``point`` captures."""
    near = around(one(opponent, point), g)
    return rules.flood(near, both(opponent, atari), g)


@inlined
def _actions(like, options, state, history, out):
    ledger = state[3 * len(like)]
    if passes_of(ledger) == 2:
        return 0
    n = rows.list_points(legal_points(like, options, state, history), out, 0)
    out[n] = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    return n + 1


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _actions(NARROW, options, state, history, out)
    return _actions(WIDE, options, state, history, out)


@inlined
def _apply(like, options, state, action):
    words = len(like)
    ledger = state[3 * words]
    side = side_of(ledger)
    by_black, by_white = taken_of(ledger, 0), taken_of(ledger, 1)
    if action == int64(options[rows.WIDTH] * options[rows.HEIGHT]):
        state[3 * words] = write_ledger(1 - side, passes_of(ledger) + 1, -1, by_black, by_white)
        return
    g = rows.ground_of(like, options)
    own, opponent = load(like, state, side * words), load(like, state, (1 - side) * words)
    own, opponent, atari, captured, lost = rules.play(
        own, opponent, load(like, state, 2 * words), action, g
    )
    store(state, side * words, own)
    store(state, (1 - side) * words, opponent)
    store(state, 2 * words, atari)
    taken, given = count(captured), count(lost)
    ko = -1
    if options[rows.SUPERKO] == uint64(0) and taken == 1:
        # A lone stone in atari captured one stone: it must not be retaken at once.
        stone = one(like, action)
        if has(atari, action) and not some(both(around(stone, g), own)):
            ko = rows.lowest_point(captured)
    if side == 0:
        by_black, by_white = by_black + taken, by_white + given
    else:
        by_black, by_white = by_black + given, by_white + taken
    state[3 * words] = write_ledger(1 - side, 0, ko, by_black, by_white)


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    if options[rows.BOARD_WORDS] == uint64(2):
        _apply(NARROW, options, state, action)
    else:
        _apply(WIDE, options, state, action)


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    return side_of(state[3 * int64(options[rows.BOARD_WORDS])])


@inlined
def _score(like, options, state):
    words = len(like)
    g = rows.ground_of(like, options)
    black, white = load(like, state, 0), load(like, state, words)
    balance = rows.signed_balance(balance_of(state[3 * words]))
    empty = without(g.whole, either(black, white))
    return rows.margin(options, black, white, empty, balance, g)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _score(NARROW, options, state)
    return _score(WIDE, options, state)


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    if passes_of(state[3 * int64(options[rows.BOARD_WORDS])]) < 2:
        return ONGOING
    lead = score(options, tables, state, history)
    return int64(lead > 0.0) - int64(lead < 0.0)


@inlined
def _evaluate(like, options, state):
    words = len(like)
    ledger = state[3 * words]
    return rows.estimate(
        options,
        load(like, state, 0),
        load(like, state, words),
        load(like, state, 2 * words),
        side_of(ledger),
        rows.signed_balance(balance_of(ledger)),
        rows.ground_of(like, options),
    )


@kernel(SCORE_SIGNATURE)
def evaluate(options, tables, state, history):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _evaluate(NARROW, options, state)
    return _evaluate(WIDE, options, state)


@inlined
def _observe(like, options, state, history, out):
    words = len(like)
    ledger = state[3 * words]
    side = side_of(ledger)
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    own, opponent = load(like, state, side * words), load(like, state, (1 - side) * words)
    atari = load(like, state, 2 * words)
    rows.write_plane(out, OWN * points, own, points)
    rows.write_plane(out, OPPONENT * points, opponent, points)
    rows.write_plane(out, OWN_ATARI * points, both(own, atari), points)
    rows.write_plane(out, OPPONENT_ATARI * points, both(opponent, atari), points)
    barred = nothing(own)
    if passes_of(ledger) < 2:
        g = rows.ground_of(like, options)
        empty = without(g.whole, either(own, opponent))
        legal = legal_points(like, options, state, history)
        barred = without(rules.breathing_points(own, opponent, atari, empty, g), legal)
    rows.write_plane(out, BARRED * points, barred, points)
    rows.fill_flag(out, PASSED * points, passes_of(ledger) > 0, points)
    lead = rows.komi(options) / float(points)
    rows.fill_plane(out, KOMI * points, lead if side else 0.0 - lead, points)
    rows.fill_plane(out, BLACK_TO_MOVE * points, 1.0 - float(side), points)


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    """``planes``: the mover's stones, the opponent's, those of both in atari, the points barred
    only by ko, whether the opponent has just passed, the komi from the mover's side, and whether
    Black is to move."""
    if options[rows.BOARD_WORDS] == uint64(2):
        _observe(NARROW, options, state, history, out)
    else:
        _observe(WIDE, options, state, history, out)


@inlined
def _transform(like, options, state, symmetry, out):
    words = len(like)
    for board in range(3):
        store(
            out,
            board * words,
            rows.image_board(options, load(like, state, board * words), symmetry),
        )
    ledger = state[3 * words]
    ko = ko_of(ledger)
    if ko >= 0:
        ko = rows.image_point(int64(options[rows.WIDTH]), int64(options[rows.HEIGHT]), ko, symmetry)
    ledger &= ~(uint64((1 << KO_BITS) - 1) << uint64(KO))
    out[3 * words] = ledger | uint64(ko + 1) << uint64(KO)


@kernel(TRANSFORM_SIGNATURE)
def transform(options, state, symmetry, out):
    if options[rows.BOARD_WORDS] == uint64(2):
        _transform(NARROW, options, state, symmetry, out)
    else:
        _transform(WIDE, options, state, symmetry, out)


@kernel(TRANSFORM_ACTION_SIGNATURE)
def transform_action(options, action, symmetry):
    width, height = int64(options[rows.WIDTH]), int64(options[rows.HEIGHT])
    if action == width * height:
        return action
    return rows.image_point(width, height, action, symmetry)


@inlined
def _fill_atari(like, options, state):
    words = len(like)
    g = rows.ground_of(like, options)
    black, white = load(like, state, 0), load(like, state, words)
    empty = without(g.whole, either(black, white))
    store(state, 2 * words, rules.all_atari(black, white, empty, g))
    return some(either(rules.dead(black, empty, g), rules.dead(white, empty, g)))


@kernel(PLAYER_SIGNATURE)
def fill_derived(options, state):
    """Fill in the stones in atari; return 1 if a chain has no liberty, else 0."""
    if options[rows.BOARD_WORDS] == uint64(2):
        return int64(_fill_atari(NARROW, options, state))
    return int64(_fill_atari(WIDE, options, state))


KERNELS = Kernels(
    actions=actions,
    apply=apply,
    player=player,
    outcome=outcome,
    score=score,
    observe=observe,
    hash=hash_,
    transform=transform,
    transform_action=transform_action,
    evaluate=evaluate,
)
