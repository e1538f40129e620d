"""Choko's tables: slices, index, codes, known figures, and checks."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof.core.errors import DataError, UsageError
from playproof.tables.choko import index
from playproof.tables.choko import value_codes as codes
from playproof.tables.choko.build import SliceSummary, build, plan_build
from playproof.tables.choko.index import maps, shape_of
from playproof.tables.choko.passes import sets_at
from playproof.tables.choko.slices import (
    Slice,
    belongs,
    needed_by,
    orbit_counts,
    pairs,
    parse,
    slice_of,
    square_images,
)
from playproof.tables.choko.solve import disagreements
from playproof.tables.choko.store import DISTANCE, OUTCOME, MemoryStore
from tests.support.oracles.choko_naive import neighbour
from tests.support.tables.choko_solved import cells_of, cpu, sets_of, solved, squares, word

SLICES = [one for pair in pairs(True) for one in pair]  # those without lone jumps among them


# Slices


@pytest.mark.parametrize(
    ("lone_jump", "slices", "raw", "by_mover", "cells"),
    [
        (False, 218, 760_576_880_166, 96_158_433_035, 95_606_864_358),
        (True, 772, 2_536_222_207_291, 320_709_082_762, 318_796_779_653),
    ],
)
def test_the_whole_game_has_so_many_positions(
    lone_jump: bool, slices: int, raw: int, by_mover: int, cells: int
) -> None:
    plan = plan_build(lone_jump, DISTANCE)
    assert len(plan.slices) == len({one.name for one in plan.slices}) == slices
    assert all(parse(one.name) == one for one in plan.slices)
    assert sum(one.raw for one in plan.slices) == raw
    # Rows by the mover's set, as first published, are a few more than by the larger set.
    rows = orbit_counts()
    assert sum(rows[one.own] * comb(25 - one.own, one.other) for one in plan.slices) == by_mover
    assert plan.cells == cells
    # A row and a column are found from a cell by a division of 32 bits.
    assert max(one.cells for one in plan.slices) < 2**32


@pytest.mark.parametrize("lone_jump", [False, True])
def test_what_moves_lead_to_is_solved_before(lone_jump: bool) -> None:
    before: set[Slice] = set()
    for pair in pairs(lone_jump):
        for one in pair:
            assert (one.mirror in pair) == (one.large > one.small)
            # Counts after a jump, and after a placement with its reply, by hand.
            left = max(0, one.other - 2)
            jumps = one.own and one.other and (one.hands or left) and (one.other > 1 or lone_jump)
            expected = {slice_of(one.hands, left, one.own)} if jumps else set()
            if one.hands:
                expected.add(slice_of(one.hands - 1, one.own + 1, one.other + 1))
            assert {s for s in expected if belongs(s, lone_jump)} <= set(needed_by(one, lone_jump))
            assert set(needed_by(one, lone_jump)) <= before
        before |= set(pair)


@pytest.mark.parametrize("name", ["h0-2v2x", "h-2v2", "0-2v2", "h0-2v", "h00-2v2", "h1", ""])
def test_what_is_no_name_of_a_slice(name: str) -> None:
    assert parse(name) is None


def test_symmetries_are_those_of_the_square() -> None:
    images = square_images().tolist()
    assert len({tuple(image) for image in images}) == 8
    near = {frozenset((s, neighbour(s, d))) for s in range(25) for d in range(4)}
    near = {pair for pair in near if None not in pair}
    for image in images:
        assert sorted(image) == list(range(25))
        assert {frozenset(image[square] for square in pair) for pair in near} == near


@pytest.mark.parametrize("size", range(5))
def test_orbits_are_counted_as_by_hand(size: int) -> None:
    images = square_images().tolist()
    orbits = {
        min(tuple(sorted(image[square] for square in chosen)) for image in images)
        for chosen in combinations(range(25), size)
    }
    assert orbit_counts()[size] == orbit_counts()[25 - size] == len(orbits)


# Cells


@st.composite
def positions(draw: st.DrawFn) -> tuple[Slice, int, int]:
    """A slice and the two sides' sets, of the one with more pieces first."""
    one = draw(st.sampled_from(SLICES))
    there = draw(st.permutations(range(25)))
    large, small = there[: one.large], there[one.large : one.large + one.small]
    return one, word(frozenset(large)), word(frozenset(small))


def turned(bits: int, symmetry: int) -> int:
    image = square_images()[symmetry].tolist()
    return word(frozenset(image[square] for square in squares(bits)))


@settings(max_examples=150, deadline=None)
@given(positions())
def test_a_cell_stands_for_a_position_and_its_images(drawn: tuple[Slice, int, int]) -> None:
    one, large, small = drawn
    images = [(turned(large, g), turned(small, g)) for g in range(8)]
    for g, both in enumerate(images):
        assert both == (index.image(maps().atlas, large, g), index.image(maps().atlas, small, g))
    sets = [np.array(column, np.int64) for column in zip(*images, strict=True)]
    cells = cells_of(one, *sets)
    assert 0 <= cells.min() <= cells.max() < one.cells
    # What lies in the cell of an image is an image, so the cell's value is the position's.
    assert set(zip(*(s.tolist() for s in sets_of(one, cells)), strict=True)) <= set(images)
    # Only a row whose set is symmetric has several cells for a position.
    alone = len({image[0] for image in images}) == 8
    assert len(set(cells.tolist())) == 1 or not alone
    entry = index.entry_of(maps().atlas, maps().orbits, shape_of(one), large)
    assert bool(entry & 8) == (not alone)
    assert set((cells // one.columns).tolist()) == {entry >> 4}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SLICES), st.data())
def test_a_cell_is_found_again(one: Slice, data: st.DataObject) -> None:
    cell = data.draw(st.integers(0, one.cells - 1))
    atlas, ranks, _, reps = maps()
    # In plain Python here; compiled elsewhere.
    row, large, small = (int(part) for part in sets_at(atlas, reps, shape_of(one), cell))
    assert (large.bit_count(), small.bit_count(), large & small) == (one.large, one.small, 0)
    column = int(index.column_of(atlas, ranks, shape_of(one), large, small))
    assert (row, column) == divmod(cell, one.columns)
    assert index.small_at(atlas, shape_of(one), large, column) == small
    assert cells_of(one, np.array([large]), np.array([small])).tolist() == [cell]


@pytest.mark.parametrize(
    "one",
    [Slice(12, 0, 0, 0), Slice(0, 1, 1, 0), Slice(0, 2, 2, 0), Slice(0, 3, 1, 1),
     Slice(3, 4, 2, 1), Slice(0, 3, 3, 0), Slice(2, 8, 0, 0)],
    ids=lambda one: one.name,
)  # fmt: skip
def test_every_cell_is_hit_once(one: Slice) -> None:
    cells = np.arange(one.cells)
    larges, smalls = sets_of(one, cells)
    assert (cells_of(one, larges, smalls) == cells).all()
    assert (np.bitwise_count(larges) == one.large).all()
    assert (np.bitwise_count(smalls) == one.small).all()
    assert not (larges & smalls).any()
    assert len(np.unique(larges << 25 | smalls)) == one.cells
    # Columns go with the rank: rows are runs of one set.
    assert (larges.reshape(one.rows, one.columns) == larges[:: one.columns, None]).all()


# Codes

WINS = [codes.win_in(d) for d in range(1, codes.LONGEST + 1, 2)]
LOSSES = [codes.loss_in(d) for d in range(0, codes.LONGEST, 2)]
VALUES = [*LOSSES, codes.DRAW, *WINS]


def test_codes_say_who_wins_and_when() -> None:
    assert [codes.distance(code) for code in WINS] == list(range(1, codes.LONGEST + 1, 2))
    assert [codes.distance(code) for code in LOSSES] == list(range(0, codes.LONGEST, 2))
    assert codes.distance(codes.DRAW) == codes.outcome(codes.DRAW) == 0
    assert {codes.outcome(code) for code in WINS} == {1}
    assert {codes.outcome(code) for code in LOSSES} == {-1}
    assert WINS[0] == codes.WIN_AT_ONCE
    # None of them means something else while a slice is solved.
    assert len(set(VALUES)) == len(VALUES)
    assert not {codes.UNKNOWN, codes.CANDIDATE} & set(VALUES)
    assert set(VALUES) <= set(range(256))


def test_a_larger_code_is_a_better_one() -> None:
    def preference(code: int) -> tuple[int, int]:
        who = codes.outcome(code)
        return who, -who * codes.distance(code)

    assert sorted(VALUES) == sorted(VALUES, key=preference)


def test_codes_a_move_earlier() -> None:
    for code in VALUES:
        before, earlier = codes.negated(code), codes.aged(code)
        assert codes.outcome(before) == -codes.outcome(code)
        assert codes.outcome(earlier) == codes.outcome(code)
        if code != codes.DRAW:
            assert codes.distance(before) == codes.distance(code) + 1
            assert codes.distance(earlier) == codes.distance(code) + 2


# Figures


def lines(lone_jump: bool, pieces: int) -> dict[str, SliceSummary]:
    return {line.slice.name: line for line in solved(lone_jump, pieces).built.summaries}


@pytest.mark.parametrize(
    ("name", "positions", "shares", "longest"),
    [
        ("h0-2v2", "75,900", "33.2/66.1/0.7", (5, 4)),
        ("h0-4v2", "2.66 M", "92.2/7.8/0.0", (47, 4)),
        ("h0-2v4", "2.66 M", "0.9/57.3/41.8", (5, 48)),
    ],
)
def test_known_figures(name: str, positions: str, shares: str, longest: tuple[int, int]) -> None:
    line = lines(False, 6)[name]
    count = line.slice.raw
    assert positions in (f"{count:,}", f"{count / 1e6:.2f} M")
    assert line.wins + line.draws + line.losses == count == line.counts.sum()
    parts = (line.wins, line.draws, line.losses)
    assert "/".join(f"{100 * part / count:.1f}" for part in parts) == shares
    assert (line.longest_win, line.longest_loss) == longest


@pytest.mark.parametrize(("lone_jump", "pieces"), [(False, 6), (True, 5)])
def test_counts_are_those_of_the_positions(lone_jump: bool, pieces: int) -> None:
    for line in solved(lone_jump, pieces).built.summaries:
        assert line.counts.sum() == line.slice.raw
        assert line.wins + line.draws + line.losses == line.slice.raw
        assert not line.counts[[codes.UNKNOWN, codes.CANDIDATE]].any()


# Checks


@pytest.mark.parametrize(("lone_jump", "pieces"), [(False, 6), (True, 5)])
def test_solved_slices_agree_with_the_second_way(lone_jump: bool, pieces: int) -> None:
    store = solved(lone_jump, pieces).store
    for one in store.slices():
        assert disagreements(cpu(), one, lone_jump, store.fetch) == 0, one.name


def test_a_wrong_cell_is_noticed() -> None:
    store = solved(False, 6).store
    for name in ("h0-2v2", "h0-4v2", "h0-2v4", "h1-1v1", "h1-3v1", "h2-2v0"):
        one = parse(name)
        assert one is not None
        good = store.fetch(one)
        chooser = np.random.default_rng(5)
        for cell in chooser.integers(0, one.cells, 3).tolist():
            for code in (codes.DRAW, codes.win_in(7)):
                bad = good.copy()
                bad[cell] = code

                def fetch(s: Slice, one: Slice = one, bad: np.ndarray = bad) -> np.ndarray:
                    return bad if s == one else store.fetch(s)

                wrong = disagreements(cpu(), one, False, fetch)
                assert (wrong > 0) == (good[cell] != code)


def test_a_build_can_check_itself() -> None:
    store = MemoryStore(True, DISTANCE, cpu())
    built = build(plan_build(True, DISTANCE, pieces=4), cpu(), store, verify=True)
    assert built.wrong == 0
    assert {line.wrong for line in built.summaries} == {0}
    assert {line.wrong for line in solved(True, 4).built.summaries} == {None}


@pytest.mark.parametrize(("lone_jump", "pieces"), [(False, 6), (True, 5)])
def test_tables_without_distances_say_who_wins(lone_jump: bool, pieces: int) -> None:
    exact, plain = solved(lone_jump, pieces), solved(lone_jump, pieces, OUTCOME)
    assert plain.store.slices() == exact.store.slices()
    for one in exact.store.slices():
        cells = np.arange(one.cells)
        with_distance = exact.store.read(one, cells).astype(np.int64)
        without = plain.store.read(one, cells).astype(np.int64)
        assert (np.sign(with_distance - codes.DRAW) == np.sign(without - codes.DRAW)).all()
    for one, two in zip(exact.built.summaries, plain.built.summaries, strict=True):
        assert (one.wins, one.draws, one.losses) == (two.wins, two.draws, two.losses)


def test_a_build_drops_what_nothing_needs() -> None:
    store = MemoryStore(False, DISTANCE, cpu())
    plan = plan_build(False, DISTANCE, pieces=6)
    built = build(plan, cpu(), store, keep_all=False)
    assert [line.slice for line in built.summaries] == plan.slices
    for line, other in zip(built.summaries, solved(False, 6).built.summaries, strict=True):
        assert (line.counts == other.counts).all()
    assert store.has(plan.slices[-1])
    assert not store.has(plan.slices[0])
    with pytest.raises(DataError, match="not in memory"):
        store.fetch(plan.slices[0])


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        ({"pieces": 1}, "--pieces 1: want 2 to 24"),
        ({"pieces": 25}, "--pieces 25: want 2 to 24"),
        ({"hands": 13}, "--hands 13: want 0 to 12"),
        ({"hands": -1}, "--hands -1: want 0 to 12"),
        ({"pieces": 2}, "no position has so few pieces"),
    ],
)
def test_what_cannot_be_planned(limits: dict[str, int], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        plan_build(False, DISTANCE, **limits)


def test_a_plan_is_closed() -> None:
    for plan in (
        plan_build(True, DISTANCE, hands=2, pieces=9),
        plan_build(False, OUTCOME, hands=0),
    ):
        for one in plan.slices:
            assert set(needed_by(one, plan.lone_jump)) <= set(plan.slices)
    assert {one.hands for one in plan_build(False, OUTCOME, hands=0).slices} == {0}
