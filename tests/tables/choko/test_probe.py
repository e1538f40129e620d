"""What the tables say of positions of Choko: values, moves, lines, and the cap on actions."""

from __future__ import annotations

import numpy as np
import pytest

from playproof.core.batch import Batch
from playproof.core.errors import DataError, UsageError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.tables.choko import probe as probe_module
from playproof.tables.choko import value_codes as codes
from playproof.tables.choko.probe import Probe, TableValue
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.store import OUTCOME, MemoryStore
from tests.support.oracles.choko_solver_naive import Position, followers
from tests.support.tables.choko_solved import slice_with, solved, some_positions, state_of, stored


def some_states(probe: Probe, count: int) -> list[State]:
    """Positions of every slice and forced ones after them, with Blue or Red to move."""
    states = []
    for one in solved_slices(probe):
        for i, position in enumerate(some_positions(one, count, seed=6)):
            state = state_of(probe.game, position, i % 2)
            if state.is_terminal:
                continue
            states.append(state)
            if one.hands:
                states.append(state.apply(state.legal_actions()[0]))
    return [state for state in states if not state.is_terminal]


def solved_slices(probe: Probe) -> list[Slice]:
    assert isinstance(probe.store, MemoryStore)
    return probe.store.slices()


@pytest.fixture(scope="module", params=[(False, 6), (True, 5)], ids=["twos", "lone-jump"])
def probe(request: pytest.FixtureRequest) -> Probe:
    return solved(*request.param).probe


def test_a_move_is_worth_what_it_leads_to(probe: Probe) -> None:
    states = some_states(probe, 4)
    assert {bool(int(state.row[2]) >> 1 & 1) for state in states} == {False, True}  # forced
    for state in states:
        moves = probe.moves(state)
        assert sorted(action for action, _ in moves) == state.legal_actions()
        assert moves[0][1] == probe.value(state)
        order = [preference(value) for _, value in moves]
        assert order == sorted(order, reverse=True)
        for action, value in moves:
            after = state.apply(action)
            if after.is_terminal:
                won = int(after.returns()[state.current_player or 0])
                assert value == TableValue(won, 1 if won else None)
                continue
            reply = probe.value(after)
            longer = None if reply.distance is None else reply.distance + 1
            assert value == TableValue(-reply.outcome, longer)


def preference(value: TableValue) -> tuple[int, int]:
    return value.outcome, -value.outcome * (value.distance or 0)


def test_many_positions_are_answered_as_one(probe: Probe) -> None:
    few = some_states(probe, 3)
    alone = [probe.codes_of([state])[0] for state in few]
    assert probe.codes_of(few * 7) == alone * 7
    assert probe.codes_of([]) == []


def test_codes_come_as_flat_arrays_in_the_engines_order(probe: Probe) -> None:
    states = some_states(probe, 4)
    batch = Batch.of(states)
    offsets, actions, codes_ = probe.action_codes(batch.rows)
    legal = batch.legal_lists()
    assert (offsets == legal.offsets).all()
    assert (actions == legal.actions).all()
    for row, state in enumerate(states):
        part = slice(offsets[row], offsets[row + 1])
        values = probe.moves(state)
        coded = dict(zip(actions[part].tolist(), codes_[part].tolist(), strict=True))
        for action, value in values:
            assert codes.outcome(coded[action]) == value.outcome
            assert codes.distance(coded[action]) == (value.distance or 0)


def test_portions_change_nothing(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Batch.of(some_states(probe, 4)).rows
    whole = probe.action_codes(rows)
    for portion in (1, 700, 5000):  # less than one position has, a few positions, many
        monkeypatch.setattr(probe_module, "_PORTION", portion)
        for part, expected in zip(probe.action_codes(rows), whole, strict=True):
            assert (part == expected).all()


def test_no_codes_for_no_rows_and_none_for_finished_games(probe: Probe) -> None:
    offsets, actions, codes_ = probe.action_codes(np.empty((0, 3), np.uint64))
    assert (offsets.tolist(), len(actions), len(codes_)) == ([0], 0, 0)
    over = State(probe.game, probe.game.read_position("5/5/5/5/3b1 r 0 0 - 25"), set_up=True)
    rows = np.stack([some_states(probe, 1)[0].row, over.row])
    with pytest.raises(DataError, match="the game is over in row 1"):
        probe.action_codes(rows)


def test_a_line_keeps_its_promise(probe: Probe) -> None:
    lengths = set()
    for state in some_states(probe, 3):
        value, line = probe.value(state), probe.line(state)
        lengths.add(len(line))
        assert len(line) == (value.distance or 0)
        here, mover = state, state.current_player
        for action in line:
            here = here.apply(action)
        if value.outcome:
            assert here.outcome == (value.outcome if mover == 0 else -value.outcome)
    assert max(lengths) > 20


def test_a_win_must_come_in_time(probe: Probe) -> None:
    capped = make("choko", lone_jump=probe.store.lone_jump, cap=100)
    edges = 0
    for one in solved_slices(probe):
        for position in some_positions(one, 3, seed=7):
            if not followers(position, probe.store.lone_jump):
                continue
            exact = probe.value(state_of(probe.game, position))
            edge = exact.distance or 20
            for left in {edge - 2, edge - 1, edge, edge + 1, edge + 2} - {0, -1}:
                state = state_of(capped, position, left % 2, 100 - left)
                inside = exact.distance is not None and exact.distance <= left
                assert probe.value(state, capped=True) == (exact if inside else TableValue(0, None))
                assert probe.value(state) == exact
                move_codes = probe.codes_of([state])[0]
                for action, value in probe.moves(state, capped=True):
                    early = codes.distance(move_codes[action]) <= left
                    assert value.outcome == (codes.outcome(move_codes[action]) if early else 0)
                edges += exact.distance == left
    assert edges > 10


def test_no_cap_is_no_cap(probe: Probe) -> None:
    for state in some_states(probe, 1):
        assert probe.value(state, capped=True) == probe.value(state)
        assert probe.moves(state, capped=True) == probe.moves(state)


@pytest.mark.parametrize(("lone_jump", "pieces"), [(False, 6), (True, 5)])
def test_tables_without_distances_say_who_wins(lone_jump: bool, pieces: int) -> None:
    exact, plain = solved(lone_jump, pieces).probe, solved(lone_jump, pieces, OUTCOME).probe
    for state in some_states(exact, 2):
        assert plain.value(state) == TableValue(exact.value(state).outcome, None)


def test_tables_without_distances_know_no_cap() -> None:
    probe = solved(False, 6, OUTCOME).probe
    text = "5/5/1bb2/1rb2/1rb2 b 0 0 - 96"
    state = make("choko").position(text)
    assert probe.value(state) == TableValue(1, None)
    with pytest.raises(UsageError, match="build them with --distance"):
        probe.value(state, capped=True)


def test_what_cannot_be_answered(probe: Probe) -> None:
    other = make("choko", lone_jump=not probe.store.lone_jump)
    with pytest.raises(UsageError, match="these are tables of choko"):
        probe.value(other.start())
    with pytest.raises(UsageError, match="these are tables of choko"):
        probe.value(make("othello").start())
    with pytest.raises(DataError, match="the game is over"):
        probe.value(make("choko", lone_jump=probe.store.lone_jump, cap=24).position(
            "5/5/5/5/3br b 0 0 - 24"))  # fmt: skip
    with pytest.raises(DataError, match="h11-1v1 is not in memory"):
        probe.value(probe.game.start())


def test_words_of_values() -> None:
    assert TableValue(1, 59).text == "won in 59"
    assert TableValue(-1, 4).text == "lost in 4"
    assert TableValue(0, None).text == "drawn"
    assert TableValue(-1, None).text == "lost"


def test_stored_and_told_values_are_the_same(probe: Probe) -> None:
    assert isinstance(probe.store, MemoryStore)
    for one in solved_slices(probe):
        for position in some_positions(one, 3, seed=8):
            code = stored(probe.store, slice_with(position), [position])[0]
            if not followers(position, probe.store.lone_jump):
                assert code == codes.DRAW
                continue
            probed = probe.value(state_of(probe.game, position))
            assert probed.outcome == codes.outcome(code)
            assert (probed.distance or 0) == codes.distance(code)


def test_no_move_is_a_draw() -> None:
    # The mover's only piece is in a corner, and there is no way over the pieces around it.
    shut_in = Position(frozenset({0}), frozenset({1, 5, 10, 2}), 0, False)
    assert followers(shut_in, True) == []
    assert state_of(make("choko", lone_jump=True), shut_in).outcome == 0
    store = solved(True, 5).store
    assert stored(store, slice_with(shut_in), [shut_in]) == [codes.DRAW]
