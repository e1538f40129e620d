"""The shipped records of all reachable positions with 33 moves; a naive board plays them too."""

from __future__ import annotations

import numpy as np
import pytest

from playproof.core.errors import PlayproofError
from playproof.proofs.othello.census.records import (
    CANDIDATES,
    CensusRecord,
    census_records,
    check_records,
    record_lines,
    totals,
)
from tests.support.oracles.othello_naive import BLACK, WHITE, naive_flips, start_board

RECORDS = census_records()


def naive_end(record: str) -> tuple[list[list[int | None]], int, int]:
    """The board, the side to move and its number of moves after a transcript."""
    board = [list(row) for row in start_board(8)]
    side = BLACK

    def moves(colour: int) -> int:
        frozen = tuple(map(tuple, board))
        return sum(bool(naive_flips(frozen, colour, r, c)) for r in range(8) for c in range(8))

    for start in range(0, len(record), 2):
        if record[start : start + 2] == "--":
            assert not moves(side)
            side = 1 - side
            continue
        row, column = int(record[start + 1]) - 1, ord(record[start]) - ord("a")
        turned = naive_flips(tuple(map(tuple, board)), side, row, column)
        assert turned, f"{record[start : start + 2]} turns nothing over"
        for r, c in {*turned, (row, column)}:
            board[r][c] = side
        side = 1 - side
    return board, side, moves(side)


def images(board: list[list[int | None]]) -> list[bytes]:
    cells = np.array([[2 if cell is None else cell for cell in row] for row in board], np.uint8)
    turned = [np.rot90(cells, quarter) for quarter in range(4)]
    return [image.tobytes() for cells in turned for image in (cells, cells.T)]


def test_a_naive_board_replays_every_record_to_33_moves() -> None:
    seen: set[bytes] = set()
    for one in RECORDS:
        board, side, moves = naive_end(one.record)
        assert moves == 33
        assert side == (BLACK if one.colour == "Black" else WHITE)
        assert sum(cell is not None for row in board for cell in row) == one.stones
        own_first = [[cell if cell is None else cell ^ side for cell in row] for row in board]
        assert seen.isdisjoint(images(own_first)), "an image of an earlier position"
        seen.update(images(own_first))


def test_the_totals_of_the_census() -> None:
    rows = totals(RECORDS)
    assert [row.stones for row in rows] == list(CANDIDATES) == [26, 27, 28, 29, 30, 31]
    assert [row.reachable for row in rows] == [0, 0, 0, 8, 138, 769]
    assert [(row.black, row.white) for row in rows[3:]] == [(0, 8), (138, 0), (0, 769)]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda lines: [*lines, lines[0]], "ends in an image of the position of record 1"),
        (lambda lines: [lines[0][:-2]], "legal moves: want 33"),
        (lambda lines: ["d3c3f4a1"], "f4 is not legal here"),
    ],
)
def test_a_wrong_record_is_named(change, complaint: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(PlayproofError, match=complaint):
        check_records(change(record_lines()[:3]))


def test_a_mirrored_game_is_recognised() -> None:
    first: CensusRecord = RECORDS[0]
    game = first.state.game
    mirrored = first.state.transformed(3)
    assert mirrored != first.state
    # The symmetries that keep the start turn a game into another one.
    for symmetry in (3, 4, 7):
        state = game.start()
        for action in first.state.actions:
            state = state.apply(
                int(game.kernels.transform_action(game.option_words, action, symmetry))
            )
        line = game.join_moves([state.name(action) for action in state.actions])
        with pytest.raises(PlayproofError, match="an image of the position of record 1"):
            check_records([first.record, line])
