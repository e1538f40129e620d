"""Choko with tables: the compiled probe beside the plain one, and what it refuses."""

from __future__ import annotations

import gc
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from playproof import DataError, State, UsageError, make
from playproof.core.kernels import ONGOING
from playproof.tables.choko import game as choko_game
from playproof.tables.choko.game import open_store, with_tables
from playproof.tables.choko.probe import Probe, TableValue
from playproof.tables.choko.probe_kernel import code_of
from playproof.tables.choko.slices import slice_of
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore
from playproof.tables.choko.value_codes import DRAW, distance, outcome
from tests.support.longer import longer
from tests.support.tables.small_tables import (
    choko,
    copied,
    files,
    folder,
    is_forced,
    position_in,
    positions,
)


def probed(state: State) -> int:
    """What the compiled probe says, from the side of who is to move."""
    game = state.game
    row = state.row.copy()
    result = int(game.kernels.probe(game.option_words, game.tables, row, state.history))
    return result if result == ONGOING or state.current_player == 0 else -result


def exact(probe: Probe, states: list[State]) -> list[TableValue]:
    """The plain probe's answers, the cap left out, many at once."""
    known = probe.store.kind == DISTANCE
    best = [max(codes.values()) for codes in probe.codes_of(states)]
    return [TableValue(outcome(c), distance(c) if known and outcome(c) else None) for c in best]


@pytest.mark.parametrize("lone_jump", [False, True])
@pytest.mark.parametrize("kind", [DISTANCE, OUTCOME])
def test_the_compiled_probe_says_what_the_plain_one_does(lone_jump: bool, kind: str) -> None:
    store = files(lone_jump, kind)
    game = with_tables(choko(lone_jump, cap=0), store)
    count = longer(250, 800)
    states = positions(game, count, 1)
    results = [probed(state) for state in states]
    assert results == [value.outcome for value in exact(Probe(store), states)]
    assert set(results) == {-1, 0, 1}
    assert 0.2 * count < sum(is_forced(state) for state in states) < 0.8 * count


@pytest.mark.parametrize("lone_jump", [False, True])
def test_under_the_cap_a_win_must_fit(lone_jump: bool) -> None:
    store, late = files(lone_jump), 0
    game = with_tables(choko(lone_jump), store)
    states = positions(game, 500, 2) + positions(game, 500, 3, ply=92)
    for state, value in zip(states, exact(Probe(store), states), strict=True):
        fits = value.distance is None or state.ply + value.distance <= 100
        assert probed(state) == (value.outcome if fits else 0)
        late += not fits
    assert late > 100
    near = [s for s in states if s.ply >= 90][:100]
    plain = Probe(store)
    assert [probed(s) for s in near] == [plain.value(s, capped=True).outcome for s in near]


def test_without_distances_only_draws_are_known_under_a_cap() -> None:
    store = files(kind=OUTCOME)
    game = with_tables(choko(), store)
    states = positions(game, 500, 4)
    for state, value in zip(states, exact(Probe(store), states), strict=True):
        assert probed(state) == (ONGOING if value.outcome else 0)


@pytest.mark.parametrize("kind", [DISTANCE, OUTCOME])
def test_uncompiled_it_says_the_same(kind: str) -> None:
    game = with_tables(choko(cap=0), files(kind=kind))
    for state in positions(game, 60, 5):
        assert outcome(code_of(game.tables, state.row)) == probed(state)


def test_evaluation_prefers_near_wins_and_far_losses() -> None:
    store = files()
    game = with_tables(choko(cap=0), store)
    states = positions(game, 400, 6)
    for state, value in zip(states, exact(Probe(store), states), strict=True):
        arguments = (game.option_words, game.tables, state.row.copy(), state.history)
        sign = 1 if state.current_player == 0 else -1
        near = sign * value.outcome * (1 - (value.distance or 0) / 1000)
        assert game.kernels.evaluate is not None
        assert game.kernels.evaluate(*arguments) == pytest.approx(near, abs=1e-12)
        without = with_tables(game, files(kind=OUTCOME))
        assert without.kernels.evaluate is not None
        evaluation = without.kernels.evaluate(without.option_words, without.tables, *arguments[2:])
        assert evaluation == (state.score if value.outcome else 0.0)


def test_what_no_table_has_is_not_known(tmp_path: Path) -> None:
    game = with_tables(choko(cap=0), files())
    assert probed(game.start()) == ONGOING
    assert probed(game.position("bbbb1/5/5/5/rrrr1 b 0 0 - 40")) == ONGOING
    # A position that no game comes to: pieces are captured in twos.
    assert probed(game.position("b4/5/5/5/r4 b 0 0 - 40")) == ONGOING
    part = with_tables(game, FileStore(copied(tmp_path, "h0-2v*"), False, DISTANCE))
    chooser = random.Random(7)
    for own, other in ((2, 2), (2, 4), (4, 2)):
        for forced in (False, True):
            # A forced reply makes the mover of ``one`` free again.
            state = position_in(part, slice_of(0, own, other), chooser, forced=forced)
            assert state is not None
            assert (probed(state) == ONGOING) == (own == 4)
    state = position_in(part, slice_of(1, 1, 1), chooser, forced=False)
    assert state is not None
    assert probed(state) == ONGOING


def test_a_forced_reply_that_leaves_no_move_is_a_draw() -> None:
    store = files(lone_jump=True)
    game = with_tables(choko(lone_jump=True, cap=0), store)
    stuck = game.position("5/5/r4/r4/brr2 b 0 0 - 40")
    assert stuck.outcome == 0
    assert code_of(game.tables, stuck.row) == DRAW
    before = game.position("5/5/r4/r4/b1r2 r 0 1 b 39")
    assert probed(before) == Probe(store).value(before).outcome


def test_it_is_the_same_game() -> None:
    plain, other = choko(), choko(cap=90)
    game = with_tables(plain, files())
    assert game == plain
    assert plain == game
    assert hash(game) == hash(plain)
    assert game != other
    assert game != make("othello")
    assert game.start() == plain.start()
    assert game.spec == "choko"
    assert len({game, plain}) == 1


def test_it_travels_to_other_processes() -> None:
    game = with_tables(choko(), files())
    again = pickle.loads(pickle.dumps(game))
    assert again == game
    for state in positions(game, 50, 8):
        assert probed(State(again, state.row)) == probed(state)


def test_the_bytes_stay_when_the_store_is_gone() -> None:
    store = FileStore(folder(), False, DISTANCE)
    game = with_tables(choko(cap=0), store)
    states = positions(game, 100, 9)
    before = [probed(state) for state in states]
    for one in store.slices():
        store.close(one)
    del store
    gc.collect()
    assert [probed(state) for state in states] == before


# Refusals


def test_tables_of_another_game_are_refused() -> None:
    with pytest.raises(UsageError, match="tables of choko, not of choko:lone_jump=true"):
        with_tables(choko(lone_jump=True), files())
    with pytest.raises(UsageError, match="tables of choko:lone_jump=true, not of choko"):
        with_tables(choko(), files(lone_jump=True))
    with pytest.raises(UsageError, match="not of othello"):
        with_tables(make("othello"), files())


def test_a_folder_of_other_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"has lone_jump True, not False.*use another folder"):
        with_tables(choko(), open_store(folder(lone_jump=True), False))


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no tables in .*playproof table build choko --hands 0"):
        open_store(tmp_path, False)
    with pytest.raises(DataError, match="table build choko:lone_jump=true"):
        open_store(tmp_path / "nowhere", True)
    with pytest.raises(DataError, match="no tables with distances in"):
        with_tables(choko(), FileStore(copied(tmp_path, "*.outcome"), False, DISTANCE))


def test_distances_are_preferred(tmp_path: Path) -> None:
    assert open_store(folder(), False).kind == DISTANCE
    assert open_store(copied(tmp_path, "*.outcome"), False).kind == OUTCOME


def damage(path: Path) -> None:
    content = np.fromfile(path, np.uint8)
    content[-100] ^= 1  # of the table: the sums of so small a file are eight bytes
    content.tofile(path)


def test_damage_is_found_at_opening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = copied(tmp_path)
    damage(here / "h0-4v2.distance")
    store = FileStore(here, False, DISTANCE)
    with pytest.raises(DataError, match=r"h0-4v2.distance is damaged.*build it again"):
        with_tables(choko(), store)
    with_tables(choko(), FileStore(here, False, DISTANCE), check=False)
    # Files that are too large for it are left alone, unless told otherwise.
    monkeypatch.setattr(choko_game, "CHECKED_BYTES", 200_000)
    with_tables(choko(), FileStore(here, False, DISTANCE))
    with pytest.raises(DataError, match="is damaged"):
        with_tables(choko(), FileStore(here, False, DISTANCE), check=True)
    damage(here / "h0-2v2.distance")
    with pytest.raises(DataError, match=r"h0-2v2.distance is damaged"):
        with_tables(choko(), FileStore(here, False, DISTANCE))


def test_a_truncated_file_is_found_without_reading_it(tmp_path: Path) -> None:
    here = copied(tmp_path)
    path = here / "h0-4v2.distance"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="is damaged: it has"):
        with_tables(choko(), FileStore(here, False, DISTANCE), check=False)
