"""The search for passes, beside every game of a naive board."""

from __future__ import annotations

from functools import cache

import pytest

import playproof
from playproof import UsageError
from playproof.proofs.othello import passes
from playproof.proofs.othello.passes import most_passes, plies_for, search
from tests.support.oracles.othello_naive import BLACK, Board, naive_flips, start_board

Placed = list[tuple[Board, int]]


def children(board: Board, colour: int) -> Placed:
    """The boards after each placement of ``colour``, with the side to move next."""
    after = []
    for row in range(len(board)):
        for column in range(len(board)):
            flips = naive_flips(board, colour, row, column)
            if flips:
                cells = [list(line) for line in board]
                for r, c in (*flips, (row, column)):
                    cells[r][c] = colour
                after.append((tuple(map(tuple, cells)), 1 - colour))
    return after


def naive_passes(size: int, most_stones: int) -> dict[int, int]:
    """The largest number of passes up to each number of stones, by every game, with nothing
    shared between positions except that the same board is not played on twice with as many."""
    largest: dict[int, int] = {}
    seen: set[tuple[Board, int, int]] = set()

    def visit(board: Board, colour: int, count: int) -> None:
        stones = sum(cell is not None for line in board for cell in line)
        if stones > most_stones:
            return
        moves = children(board, colour)
        if not moves:
            moves, count = children(board, 1 - colour), count + 1
        if not moves or (board, colour, count) in seen:
            return
        seen.add((board, colour, count))
        for number in range(stones, most_stones + 1):
            largest[number] = max(largest.get(number, 0), count)
        for after, side in moves:
            visit(after, side, count)

    visit(start_board(size), BLACK, 0)
    return largest


@cache
def small_board() -> dict[int, int]:
    return naive_passes(4, 15)


def test_every_game_on_4x4_has_as_many_passes() -> None:
    assert small_board()[15] == 5
    assert {stones: most_passes(stones, 4) for stones in range(4, 16)} == small_board()


def test_the_opening_of_the_larger_boards_has_no_pass() -> None:
    for size, stones in ((6, 9), (8, 8)):
        assert set(naive_passes(size, stones).values()) == {0}
        assert most_passes(stones, size) == 0


@pytest.mark.parametrize(
    ("size", "number", "stones"), [(4, 1, 8), (4, 3, 13), (4, 5, 15), (8, 1, 12), (8, 2, 15)]
)
def test_the_record_has_the_passes(size: int, number: int, stones: int) -> None:
    result = search(number, stones, size)
    assert result.record is not None
    state = playproof.make("othello", size=size).start().play(result.record)
    assert state.moves.count("pass") == number
    assert state.legal_names() != ["pass"]
    assert not state.is_terminal
    assert len(state.moves) - number + 4 == stones
    assert search(number, stones - 1, size).record is None  # the first is at so many stones
    assert search(number, 4, size).record is None


def test_all_positions_are_searched_while_no_pass_is_missing() -> None:
    """The published counts of positions with 4, 5, ... stones, up to symmetry and colours."""
    assert search(3, 13).positions[:7] == (1, 1, 3, 14, 60, 322, 1_773)
    assert search(0, 11).positions == (1, 1, 3, 14, 60, 322, 1_773, 10_649)


def test_a_position_with_too_few_passes_cannot_catch_up() -> None:
    """Dropping nothing gives the same: no level is filtered but the last."""
    for number in range(1, 6):
        for stones in range(8, 16):
            assert (search(number, stones, 4).record is not None) == (
                small_board()[stones] >= number
            )


def test_a_search_that_forgets_a_forced_pass_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    real = passes._next_level

    def forgetful(level: passes.ForwardLevel, least: int, size: int) -> passes.ForwardLevel:
        level.masks[:] = 1  # every position as if no pass had led there
        return real(level, least, size)

    assert search(2, 12, 4).record is not None
    monkeypatch.setattr(passes, "_next_level", forgetful)
    assert search(2, 12, 4).record is None


def test_so_many_plies_are_enough() -> None:
    # 26 placements, 2 passes with at most 17 stones, one at each of 18 ... 29, and one more.
    assert plies_for(34, 2, 17) == 26 + 2 + 12 + 1 == 41
    assert plies_for(33, 2, 17) == 43
    # On 4x4 a game with 6 moves exists: the bound must not be less than its plies.
    assert plies_for(6, small_board()[9], 9, 4) == 6 + small_board()[9] + 0 + 1


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(UsageError, match="want 4, 6 or 8"):
        search(1, 8, 5)
    with pytest.raises(UsageError, match="8 passes: want 0 to 7"):
        search(8, 12)
    with pytest.raises(UsageError, match="3 stones: want 4 to 16"):
        search(1, 3, 4)
