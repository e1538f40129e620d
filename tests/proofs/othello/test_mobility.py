"""The largest mobility of Othello and Choko, by SAT, by z3, and by trying everything."""

from __future__ import annotations

import functools
import itertools
from random import Random

import numpy as np
import pytest

import playproof
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.proofs import registry
from playproof.proofs.choko import mobility as choko_mobility
from playproof.proofs.choko.mobility import ChokoMobility, ChokoRemovals
from playproof.proofs.choko.records import actions_to
from playproof.proofs.othello import mobility as othello_mobility
from playproof.proofs.othello.boards import (
    canonical,
    images,
    position_images,
    position_text,
)
from playproof.proofs.othello.constructible import is_constructible
from playproof.proofs.othello.mobility import OthelloMobility, enumerate_positions
from playproof.proofs.othello.reachability import colourings, constructible_sets
from playproof.proofs.registry import read_statement
from playproof.proofs.sat import smt
from playproof.proofs.sat.solvers import SAT, UNSAT, IncrementalSolver
from playproof.proofs.statements import Statement, decide
from playproof.rules import othello
from tests.support.proofs.circuits import choko_positions


def moves_of(position: tuple[int, int], size: int = 8) -> int:
    return int(othello.moves(*position, othello.board(size))).bit_count()


@functools.cache
def every_4x4_position() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Own stones, the other's and number of moves, of all 2**4 * 3**12 with an occupied centre."""
    own = np.zeros(1, np.uint64)
    opponent = np.zeros(1, np.uint64)
    centre = sum(othello.start(4))
    for square in range(64):
        if othello.board(4) >> square & 1:
            bit, none = np.uint64(1 << square), np.uint64(0)
            kinds = [(bit, none), (none, bit)]
            kinds += [] if centre >> square & 1 else [(none, none)]
            own, opponent = (
                np.concatenate([word | kind[i] for kind in kinds])
                for i, word in enumerate((own, opponent))
            )
    board = np.uint64(othello.board(4))
    parts = zip(np.array_split(own, 16), np.array_split(opponent, 16), strict=True)
    moves = np.concatenate([np.bitwise_count(othello.moves(a, b, board)) for a, b in parts])
    return own, opponent, moves


def every_4x4_position_with(at_least: int) -> set[tuple[int, int]]:
    own, opponent, moves = every_4x4_position()
    return {(int(own[i]), int(opponent[i])) for i in np.flatnonzero(moves >= at_least)}


@pytest.mark.slow
def test_4x4_by_trying_every_position() -> None:
    _, _, moves = every_4x4_position()
    assert len(moves) == 2**4 * 3**12
    found = othello_mobility.largest(4)
    assert found.value == moves.max() == 8
    assert found.refuted is not None
    assert found.refuted.statement == OthelloMobility(9, 4)


@pytest.mark.parametrize(("size", "most"), [(4, 8), (6, 20)])
def test_z3_and_sat_agree_on_small_boards(size: int, most: int) -> None:
    assert othello_mobility.largest(size).value == most
    there = smt.decide(OthelloMobility(most, size))
    assert there.status == SAT
    assert there.position is not None
    assert moves_of(there.position, size) >= most
    assert smt.decide(OthelloMobility(most + 1, size)).status == UNSAT


def test_z3_and_sat_agree_with_a_bound_on_empty_squares() -> None:
    # Twenty moves need at least as many empty squares: 4x4 shows where it ends.
    statuses = []
    for empties in range(8, 13):
        statement = OthelloMobility(7, 4, empties)
        statuses.append(decide(statement).answer.status)
        assert smt.decide(statement).status == statuses[-1]
    assert statuses == sorted(statuses)
    assert set(statuses) == {SAT, UNSAT}
    with pytest.raises(PlayproofError, match="z3 can only decide"):
        smt.decide(OthelloMobility(7, 4, constructible=True))


def test_34_moves_are_possible() -> None:  # that 35 are not: `make verify proofs`
    found = decide(OthelloMobility(34))
    assert found.witness is not None
    position = found.witness["own"], found.witness["opponent"]
    assert moves_of(position) == 34
    assert found.witness["moves"] == othello.moves(*position, othello.board(8))
    state = playproof.make("othello").position(position_text(position, 8))
    assert len(state.legal_actions()) == 34


def test_positions_are_enumerated_up_to_symmetry() -> None:
    told: list[tuple[int, float]] = []
    found = enumerate_positions(
        OthelloMobility(33), 20, on_progress=lambda count, seconds: told.append((count, seconds))
    )
    assert len(found.positions) == len(set(found.positions)) == 20
    assert not found.complete
    assert told[-1][0] == 20
    for position in found.positions:
        assert canonical(position, 8) == position
        assert moves_of(position) >= 33


@pytest.mark.slow
def test_an_enumeration_to_its_end_is_everything() -> None:
    wanted = {canonical(position, 4) for position in every_4x4_position_with(8)}
    found = enumerate_positions(OthelloMobility(8, 4))
    assert found.complete
    assert set(found.positions) == wanted
    assert len(found.positions) == len(wanted) > 1
    rest = OthelloMobility(8, 4, blocked_positions=tuple(found.positions))
    assert decide(rest).answer.status == UNSAT
    assert decide(OthelloMobility(8, 4, blocked_positions=rest.blocked_positions[1:])).witness


def test_time_ends_an_enumeration() -> None:
    found = enumerate_positions(OthelloMobility(33, empties_at_least=39), seconds=0.3)
    assert not found.complete
    assert found.positions == []
    assert found.seconds < 5


# The constructible sets of the reachability proof


def test_the_occupied_squares_of_played_positions_are_constructible() -> None:
    random = Random(9)
    for size in othello.SIZES:
        game = playproof.make("othello", size=size)
        for _ in range(15):
            state = game.start()
            while state.outcome is None:
                occupied = int(state.row[0]) | int(state.row[1])
                assert is_constructible(occupied, size)
                state = state.apply(random.choice(state.legal_actions()))
    start = sum(othello.start(8))
    assert not is_constructible(start | 1, 8)
    assert not is_constructible(start & (start - 1), 8)


def test_sets_and_colourings_of_a_small_board_by_trying_everything() -> None:
    wanted = {(x, y) for x, y in every_4x4_position_with(7) if is_constructible(x | y, 4)}
    found = constructible_sets(7, size=4)
    assert found.complete
    assert set(found.sets) == {min(images(x | y, 4)) for x, y in wanted}
    coloured = colourings(found.sets, 7, size=4)
    assert set(coloured.positions) == {canonical(position, 4) for position in wanted}
    kept = {position for position in wanted if position[0] | position[1] in found.sets}
    assert coloured.total == len(kept)
    few = constructible_sets(7, max_stones=8, size=4)
    assert set(few.sets) == {occupied for occupied in found.sets if occupied.bit_count() <= 8}


def test_images_keep_the_number_of_moves() -> None:
    for size, (own, opponent) in itertools.product((4, 6, 8), [(0x1234, 0x40402), (0x81, 0x7E00)]):
        board = othello.board(size)
        position = own & board, opponent & board & ~own
        counts = {moves_of(image, size) for image in position_images(position, size)}
        assert len(counts) == 1


# Choko


@pytest.mark.slow
def test_each_jump_removes_one_of_the_others() -> None:
    assert decide(ChokoRemovals()).answer.status == UNSAT


@pytest.mark.parametrize("lone_jump", [False, True])
@pytest.mark.parametrize("bound", [9, 24, 60])
def test_choko_actions_are_counted_as_the_game_lists_them(bound: int, lone_jump: bool) -> None:
    game = playproof.make("choko", lone_jump=lone_jump, cap=0)
    cnf = ChokoMobility(bound, lone_jump=lone_jump).cnf
    random = Random(10)
    both = set()
    with IncrementalSolver(cnf) as solver:
        for own, enemy in choko_positions(80, seed=bound):
            room = 12 - max(own.bit_count(), enemy.bit_count())
            hand = random.randrange(room + 1)
            forced = int(hand > 0 and random.random() < 0.2)
            witness = {"own": own, "enemy": enemy, "hand": (1 << hand) - 1, "forced": forced}
            listed = len(game.position(choko_mobility.position_text(witness)).legal_actions())
            assert choko_mobility.count_actions(witness, lone_jump) == listed
            enough = solver.solve(cnf.fix(**witness)).status == SAT
            assert enough == (listed >= bound)
            both.add(enough)
    assert both == {True, False} or bound == 60


def test_176_actions_of_choko() -> None:  # that 177 are not possible: `make verify proofs`
    found = decide(ChokoMobility(176, "material"))
    assert found.witness is not None
    text = choko_mobility.position_text(found.witness)
    assert len(state_of(text).legal_actions()) == 176
    own, enemy, hand = (found.witness[name] for name in ("own", "enemy", "hand"))
    state = playproof.make("choko").start()
    for action in actions_to(own, enemy, hand.bit_count()):
        state = state.apply(action)  # an illegal one is an error
    assert len(state.legal_actions()) == 176
    assert state.position.split()[:4] == state_of(text).position.split()[:4]


def state_of(text: str) -> playproof.State:
    return playproof.make("choko", cap=0).position(text)


def test_a_position_of_placements_alone_is_reached_by_them() -> None:
    found = decide(ChokoMobility(110, "placed"))
    assert found.witness is not None
    text = choko_mobility.position_text(found.witness)
    own, enemy = (
        [square for square in range(25) if found.witness[name] >> square & 1]
        for name in ("own", "enemy")
    )
    assert len(own) == len(enemy)
    state = playproof.make("choko", cap=0).start()
    for mine, theirs in zip(own, enemy, strict=True):
        state = state.apply(mine).apply(theirs)
    assert state.position.split()[:4] == state_of(text).position.split()[:4]
    assert len(state.legal_actions()) >= 110


@pytest.mark.parametrize(
    ("own", "enemy", "hand"), [(1, 3, 0), (0b111, 0xFFF << 3, 0), (0, 0xFFF, 1)]
)
def test_a_record_is_made_only_where_red_lost_nothing(own: int, enemy: int, hand: int) -> None:
    with pytest.raises(UsageError, match="Red has all pieces"):
        actions_to(own, enemy, hand)


# Statements as JSON

GOOD: list[Statement] = [
    OthelloMobility(35),
    OthelloMobility(33, 8, 38, True, blocked=(0x3C7E << 16, 0x1818 << 24)),
    OthelloMobility(8, 4, blocked_positions=((1, 2), (4, 8)), cardinality="totalizer"),
    ChokoMobility(100, "material", True),
    ChokoRemovals(True),
]


@pytest.mark.parametrize("statement", GOOD, ids=lambda statement: statement.family)
def test_a_statement_is_read_as_it_was_written(statement: Statement) -> None:
    again = read_statement(statement.json())
    assert again == statement
    assert again.json() == statement.json()
    assert "\n" not in statement.json()
    assert statement.dimacs() == again.dimacs()


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{", "must be JSON"),
        ("[]", "JSON object"),
        ('{"format": 2, "statement": "equivalence"}', '"format": 1'),
        ('{"format": 1, "statement": "chess"}', "want choko-mobility"),
        ('{"format": 1, "statement": "equivalence"}', "incomplete"),
        ('{"format": 1, "statement": "equivalence", "figure": 2, "colour": 1}', "'colour'"),
        ('{"format": 1, "statement": "equivalence", "figure": [2]}', "cannot be"),
        ('{"format": 1, "statement": "equivalence", "figure": true}', "cannot be True"),
        ('{"format": 1, "statement": "othello-mobility", "at_least": 3, "blocked": [7]}', "0x1c"),
    ],
)
def test_bad_json_is_named(text: str, wrong: str) -> None:
    with pytest.raises(DataError, match=wrong):
        read_statement(text)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OthelloMobility(35, 5),
        lambda: OthelloMobility(65),
        lambda: OthelloMobility(-1),
        lambda: OthelloMobility(8, 4, empties_at_least=17),
        lambda: OthelloMobility(8, 4, blocked=(1 << 63,)),
        lambda: ChokoMobility(100, "magic"),
        lambda: ChokoMobility(-1),
    ],
)
def test_a_statement_that_makes_no_sense_is_refused(make: object) -> None:
    with pytest.raises(UsageError):
        make()  # type: ignore[operator]


def test_every_family_is_found_by_its_name() -> None:
    for name in registry._BUILTIN:
        assert registry.find(name).family == name
        registry._check(registry.find(name))
