"""The kernels of Quantum Go, over the row of ``rows``."""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from numba import float32, int64, uint64
from numba.extending import register_jitable

from playproof.core.compiling import kernel
from playproof.core.kernels import (
    ACTIONS_SIGNATURE,
    APPLY_SIGNATURE,
    CHANCE,
    HASH_SIGNATURE,
    OBSERVE_SIGNATURE,
    ONGOING,
    OUTCOME_SIGNATURE,
    PLAYER_SIGNATURE,
    SCORE_SIGNATURE,
    TRANSFORM_SIGNATURE,
    Kernels,
)
from playproof.games.go import rows
from playproof.games.go.kernels import transform_action
from playproof.games.go.rows import NARROW, WIDE, inlined, load, store
from playproof.games.quantum_go import rows as q
from playproof.games.quantum_go.legal import legal_collapses, legal_placements
from playproof.games.quantum_go.turn import decisions, move
from playproof.games.quantum_go.turn_end import all_stones, update_atari
from playproof.rules import quantum_go as law
from playproof.rules.go_board import either, nothing, without

# Planes of the observation
(
    OWN, OPPONENT, OWN_ENTANGLED, OPPONENT_ENTANGLED, OWN_ATARI, OPPONENT_ATARI, PARTNER_ABOVE,
    PARTNER_RIGHT, NEW, COLLAPSING, BARRED, PLACING, KEEPING_OLDER, KEEPING_NEW, MY_TURN, PASSED,
    KOMI, BLACK_TO_MOVE, PLANES,
) = range(19)  # fmt: skip


@kernel(HASH_SIGNATURE)
def hash_(options, state):
    return q.row_hash(options, state)


@inlined
def _actions(like, options, state, history, out):
    at = q.ledger_at(options)
    step = q.step_of(state[at])
    if step == law.OVER:
        return 0
    if step > law.NEW_GROUP:
        return decisions(options, state, out)
    if step > law.PLACE:
        return legal_collapses(like, options, state, history, step, out)
    first = state[at + q.NEW] == uint64(0)
    # At the start of a turn the history does not have the present board yet.
    now = q.row_hash(options, state) if first else uint64(0)
    n = legal_placements(like, options, state, history, now, out)
    if first:
        out[n] = int64(options[rows.WIDTH] * options[rows.HEIGHT])
        n += 1
    return n


@kernel(ACTIONS_SIGNATURE)
def actions(options, tables, state, history, out):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _actions(NARROW, options, state, history, out)
    return _actions(WIDE, options, state, history, out)


@kernel(APPLY_SIGNATURE)
def apply(options, tables, state, history, action):
    move(options, state, history, uint64(0), action, False)


@kernel(PLAYER_SIGNATURE)
def player(options, state):
    ledger = state[q.ledger_at(options)]
    step, side = q.step_of(ledger), q.side_of(ledger)
    if options[q.BORN] != uint64(0) and law.PLACE < step < law.OVER:
        return CHANCE
    if step in (law.OPPONENTS, law.OTHERS_LEFT_OVER):
        return 1 - side
    return side


@register_jitable
def _boards(like, state):
    """Black's and White's stones, entangled ones included."""
    n = len(like)
    black = either(load(like, state, q.BLACK * n), load(like, state, q.BLACK_ENTANGLED * n))
    white = either(load(like, state, q.WHITE * n), load(like, state, q.WHITE_ENTANGLED * n))
    return black, white


@inlined
def _score(like, options, state):
    g = rows.ground_of(like, options)
    n = len(like)
    black, white = load(like, state, q.BLACK * n), load(like, state, q.WHITE * n)
    prisoners = state[q.ledger_at(options) + q.PRISONERS]
    balance = rows.signed_balance(q.balance_of(prisoners))
    # During the game, entangled stones count for neither side, like empty points.
    empty = without(g.whole, either(black, white))
    return rows.margin(options, black, white, empty, balance, g)


@kernel(SCORE_SIGNATURE)
def score(options, tables, state, history):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _score(NARROW, options, state)
    return _score(WIDE, options, state)


@kernel(OUTCOME_SIGNATURE)
def outcome(options, tables, state, history):
    if q.step_of(state[q.ledger_at(options)]) != law.OVER:
        return ONGOING
    lead = score(options, tables, state, history)
    return int64(lead > 0.0) - int64(lead < 0.0)


@inlined
def _evaluate(like, options, state):
    at = q.ledger_at(options)
    black, white = _boards(like, state)
    lead = rows.estimate(
        options,
        black,
        white,
        load(like, state, q.ATARI * len(like)),
        q.side_of(state[at]),
        rows.signed_balance(q.balance_of(state[at + q.PRISONERS])),
        rows.ground_of(like, options),
    )
    # A group becomes one stone in the end, so its other stones do not count.
    for slot in range(int64(options[q.SLOTS])):
        group = q.group_at(options, state, slot)
        if group == uint64(0):
            break
        extra = float(law.size(group) - 1)
        point = law.member(group, 0)
        lead -= extra if black[point >> 6] >> uint64(point & 63) & uint64(1) else -extra
    return lead


@kernel(SCORE_SIGNATURE)
def evaluate(options, tables, state, history):
    if options[rows.BOARD_WORDS] == uint64(2):
        return _evaluate(NARROW, options, state)
    return _evaluate(WIDE, options, state)


@inlined
def _write_partners(options, state, out, points):
    """Write how far above and to the right of an entangled stone its partner is, as a share of
    the board's height and width; for several partners the mean."""
    width, height = int64(options[rows.WIDTH]), int64(options[rows.HEIGHT])
    rows.fill_plane(out, PARTNER_ABOVE * points, 0.0, points)
    rows.fill_plane(out, PARTNER_RIGHT * points, 0.0, points)
    for slot in range(int64(options[q.SLOTS])):
        group = q.group_at(options, state, slot)
        members = law.size(group)
        if members == 0:
            break
        above = right = 0
        for i in range(members):
            above += law.member(group, i) // width
            right += law.member(group, i) % width
        others = float(members - 1)
        for i in range(members):
            point = law.member(group, i)
            up, along = above - members * (point // width), right - members * (point % width)
            out[PARTNER_ABOVE * points + point] = float32(float(up) / others / float(height))
            out[PARTNER_RIGHT * points + point] = float32(float(along) / others / float(width))


@inlined
def _observe(like, options, state, history, out):
    n, at = len(like), q.ledger_at(options)
    ledger = state[at]
    step, side = q.step_of(ledger), q.side_of(ledger)
    mine = 1 - side if step in (law.OPPONENTS, law.OTHERS_LEFT_OVER) else side
    points = int64(options[rows.WIDTH] * options[rows.HEIGHT])
    atari = load(like, state, q.ATARI * n)
    new = law.points_of(like, state[at + q.NEW])
    collapsing = nothing(like)
    if step == law.NEW_GROUP:
        collapsing = new
    elif law.PLACE < step < law.OVER:
        collapsing = law.points_of(like, q.group_at(options, state, q.cursor_of(ledger)))
    ko = nothing(like)
    if step < law.LEFT_OVER and q.ko_of(ledger) >= 0:
        ko = law.points_of(like, law.with_member(uint64(0), q.ko_of(ledger)))
    boards = _boards(like, state)
    for colour in range(2):
        plane = 0 if colour == mine else 1
        stones = boards[colour]
        singles = load(like, state, colour * n)
        entangled = load(like, state, (q.BLACK_ENTANGLED + colour) * n)
        rows.write_plane(out, (OWN + plane) * points, singles, points)
        rows.write_plane(out, (OWN_ENTANGLED + plane) * points, entangled, points)
        caught = without(stones, without(stones, atari))
        rows.write_plane(out, (OWN_ATARI + plane) * points, caught, points)
    _write_partners(options, state, out, points)
    rows.write_plane(out, NEW * points, new, points)
    rows.write_plane(out, COLLAPSING * points, collapsing, points)
    rows.write_plane(out, BARRED * points, ko, points)
    rows.fill_flag(out, PLACING * points, step == law.PLACE, points)
    older = law.PLACE < step < law.OVER and step != law.NEW_GROUP
    rows.fill_flag(out, KEEPING_OLDER * points, older, points)
    rows.fill_flag(out, KEEPING_NEW * points, step == law.NEW_GROUP, points)
    rows.fill_flag(out, MY_TURN * points, mine == side, points)
    rows.fill_flag(out, PASSED * points, q.passes_of(ledger) > 0, points)
    lead = rows.komi(options) / float(points)
    rows.fill_plane(out, KOMI * points, lead if mine else 0.0 - lead, points)
    rows.fill_plane(out, BLACK_TO_MOVE * points, 1.0 - float(mine), points)


@kernel(OBSERVE_SIGNATURE)
def observe(options, tables, state, history, kind, out):
    """``planes``, from the side of the player who decides."""
    if options[rows.BOARD_WORDS] == uint64(2):
        _observe(NARROW, options, state, history, out)
    else:
        _observe(WIDE, options, state, history, out)


@register_jitable
def _image_group(options, group, symmetry):
    width, height = int64(options[rows.WIDTH]), int64(options[rows.HEIGHT])
    out = uint64(0)
    for i in range(law.size(group)):
        point = rows.image_point(width, height, law.member(group, i), symmetry)
        out = law.with_member(out, point)
    return out


@register_jitable
def _image_marks(options, group, image, marks, symmetry):
    """Bits for the members of a group, reordered for the members of its image."""
    width, height = int64(options[rows.WIDTH]), int64(options[rows.HEIGHT])
    out = 0
    for i in range(law.size(group)):
        if marks >> i & 1:
            point = rows.image_point(width, height, law.member(group, i), symmetry)
            for j in range(law.size(image)):
                if law.member(image, j) == point:
                    out |= 1 << j
    return out


@register_jitable
def _image_field(options, ledger, shift, symmetry):
    """The ledger with a field replaced by its image; the field is a point from 1, or 0."""
    width, height = int64(options[rows.WIDTH]), int64(options[rows.HEIGHT])
    point = q.field(ledger, shift, 9) - 1
    if point < 0:
        return ledger
    return q.with_field(ledger, shift, 9, rows.image_point(width, height, point, symmetry) + 1)


@inlined
def _transform(like, options, state, symmetry, out):
    n, at = len(like), q.ledger_at(options)
    for board in range(q.BOARDS):
        store(out, board * n, rows.image_board(options, load(like, state, board * n), symmetry))
    ledger, new = state[at], state[at + q.NEW]
    ledger = _image_field(options, ledger, q.KO, symmetry)
    ledger = _image_field(options, ledger, q.MEASURED, symmetry)
    image = _image_group(options, new, symmetry)
    for shift in (q.BOUND, q.TOUCHED):
        marks = _image_marks(options, new, image, q.field(ledger, shift, 7), symmetry)
        ledger = q.with_field(ledger, shift, 7, marks)
    out[at], out[at + q.NEW] = ledger, image
    for i in range(at + q.PRISONERS, state.shape[0]):
        out[i] = state[i]
    for slot in range(int64(options[q.SLOTS])):
        group = q.group_at(options, state, slot)
        if group == uint64(0):
            break
        q.write_lane(options, out, slot, _image_group(options, group, symmetry))
    q.update_grouping(options, out)


@kernel(TRANSFORM_SIGNATURE)
def transform(options, state, symmetry, out):
    if options[rows.BOARD_WORDS] == uint64(2):
        _transform(NARROW, options, state, symmetry, out)
    else:
        _transform(WIDE, options, state, symmetry, out)


@inlined
def _fill_derived(like, options, state):
    """0 if the position is possible, 1 if a chain has no liberty, 2 if an entangled stone touches
    another stone outside W-type play."""
    n = len(like)
    q.update_grouping(options, state)
    if update_atari(like, options, state):
        return 1
    if options[q.W_TYPE] == uint64(0):
        g, weak = rows.ground_of(like, options), options[q.WEAK] != uint64(0)
        entangled = either(
            load(like, state, q.BLACK_ENTANGLED * n), load(like, state, q.WHITE_ENTANGLED * n)
        )
        stones = all_stones(like, state)
        if rows.count(without(stones, without(stones, law.contact(entangled, g, weak)))) > 0:
            return 2
    return 0


@kernel(PLAYER_SIGNATURE)
def fill_derived(options, state):
    """Fill in the grouping and the stones in atari; return an error number as above, or 0."""
    if options[rows.BOARD_WORDS] == uint64(2):
        return _fill_derived(NARROW, options, state)
    return _fill_derived(WIDE, options, state)


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
