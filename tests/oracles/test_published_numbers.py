"""The oracles against numbers that others have published, and against the rules' own corollaries.

An oracle is only worth something if it is right, so it answers here to what neither it nor the
engine has produced.
"""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.longer import longer
from tests.support.oracles import choko_naive, othello_naive
from tests.support.oracles.choko_naive import BLUE, FIRST_JUMP, FIRST_STEP, PIECES, RED, NaiveChoko
from tests.support.oracles.othello_naive import BLACK, WHITE, NaiveOthello

# The two game records of Figure 1 in the paper on positions with 33 legal moves.
BLACK_TO_MOVE = "F5D6C4F3C5B4B3E6C6G5F6C7C3D2C2B2F4G4G3G7G6E7D3G2H3B6"
WHITE_TO_MOVE = "F5F6E6F4G7C6G3E7D6F3E3D3B7D7C2G2G1C3B2B3B4F7G5C4C7C8E2"


def replay(record: str) -> NaiveOthello:
    """The position after a record such as "F5D6"."""
    position = NaiveOthello()
    for letter, digit in zip(record[::2], record[1::2], strict=True):
        row, column = int(digit) - 1, "ABCDEFGH".index(letter)
        position = position.play(8 * row + column)
    return position


def squares(text: str) -> list[int]:
    """Choko squares from their names, such as "A1 C3"."""
    return [5 * (int(name[1]) - 1) + "ABCDE".index(name[0]) for name in text.split()]


# Othello


def test_othello_perft_is_the_published_one() -> None:
    assert [othello_naive.perft(NaiveOthello(), depth) for depth in range(1, 7)] == [
        4, 12, 56, 244, 1396, 8200,
    ]  # fmt: skip


def test_black_begins_with_c4_d3_e6_or_f5() -> None:
    assert NaiveOthello().legal() == [2 * 8 + 3, 3 * 8 + 2, 4 * 8 + 5, 5 * 8 + 4]


@pytest.mark.parametrize(
    ("record", "plies", "mover"), [(BLACK_TO_MOVE, 26, BLACK), (WHITE_TO_MOVE, 27, WHITE)]
)
def test_the_published_records_reach_33_moves(record: str, plies: int, mover: int) -> None:
    position = replay(record)
    discs = sum(othello_naive.count(position.board, colour) for colour in (BLACK, WHITE))
    assert len(record) == 2 * plies
    assert position.to_move == mover
    assert discs == 4 + plies
    assert len(position.legal()) == 33


def perfect_difference(position: NaiveOthello, memo: dict[NaiveOthello, int]) -> int:
    """Black's disc difference when both play 4x4 as well as can be."""
    if position not in memo:
        actions = position.legal()
        if actions:
            best = max if position.to_move == BLACK else min
            memo[position] = best(perfect_difference(position.play(a), memo) for a in actions)
        else:
            memo[position] = position.difference
    return memo[position]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("empties_to_winner", "difference"), longer([(True, -10)], [(False, -8), (True, -10)])
)
def test_white_wins_the_small_board(empties_to_winner: bool, difference: int) -> None:
    start = NaiveOthello(size=4, empties_to_winner=empties_to_winner)
    assert perfect_difference(start, {}) == difference


def test_a_pass_needs_an_opponent_who_can_place() -> None:
    # White can take b1 by c1; Black has nothing that closes on a disc of its own.
    board = othello_naive.board_of(4, black=[(0, 1)], white=[(0, 0)])
    black = NaiveOthello(size=4, board=board)
    assert black.legal() == [black.pass_action]
    assert not black.over
    white = black.play(black.pass_action)
    assert white.to_move == WHITE
    assert white.legal() == [2]
    finished = white.play(2)
    assert finished.over
    assert finished.legal() == []
    assert (finished.winner, finished.difference) == (-1, -3)
    with pytest.raises(ValueError, match="not legal"):
        finished.play(finished.pass_action)


# Choko


@pytest.mark.parametrize(
    ("lone_jump", "leaves"), [(False, [25, 600, 15640]), (True, [25, 600, 15700])]
)
def test_choko_perft_is_the_published_one(lone_jump: bool, leaves: list[int]) -> None:
    start = NaiveChoko(lone_jump=lone_jump)
    assert [choko_naive.perft(start, depth) for depth in (1, 2, 3)] == leaves


@settings(max_examples=40, deadline=None)
@given(lone_jump=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_choko_initiative_and_hands(lone_jump: bool, seed: int) -> None:
    """Rule 5: hands are equal at a free decision; a forced player holds a piece and places it."""
    # A whole game from one seed: a drawn list of choices would mostly stop in the opening.
    random = Random(seed)
    position = NaiveChoko(lone_jump=lone_jump)
    while not position.over:
        actions = position.legal()
        mine, theirs = position.hands[position.to_move], position.hands[1 - position.to_move]
        if position.forced:
            assert mine == theirs + 1
            assert actions == choko_naive.squares_with(position.board, None)
        else:
            assert mine == theirs
        for side in (BLUE, RED):
            on_board = len(choko_naive.squares_with(position.board, side))
            assert on_board + position.hands[side] + position.captured[1 - side] == PIECES
            assert lone_jump or position.captured[side] % 2 == 0
        action = random.choice(actions)
        after = position.play(action)
        if action >= FIRST_STEP:
            assert after.initiative == "none"
        elif not position.forced:
            assert after.initiative == position.to_move
        else:
            assert after.initiative == position.initiative == after.to_move
        position = after
    assert position.legal() == []


def test_the_holder_of_the_initiative_moves_after_the_last_placement() -> None:
    position = NaiveChoko()
    for square in range(2 * PIECES):
        position = position.play(square)
    assert position.hands == (0, 0)
    assert position.initiative == position.to_move == BLUE
    assert position.legal()
    assert min(position.legal()) >= FIRST_STEP


@pytest.mark.parametrize("lone_jump", [False, True])
def test_the_last_piece_on_the_board(lone_jump: bool) -> None:
    """Without the option it cannot be jumped; with it, it is taken alone and may end the game."""
    board = choko_naive.board_of(blue=squares("B1"), red=squares("C1"))
    position = NaiveChoko(lone_jump=lone_jump, board=board, hands=(0, 0), captured=(11, 11))
    jump = FIRST_JUMP + 25 * (4 * 1 + 1) + 2
    assert (jump in position.legal()) == lone_jump
    assert len([action for action in position.legal() if action >= FIRST_JUMP]) == lone_jump
    if lone_jump:
        after = position.play(jump)
        assert after.captured == (12, 11)
        assert after.over
        assert after.winner == 1
        assert after.legal() == []


def test_an_empty_side_with_pieces_in_hand_is_not_beaten() -> None:
    board = choko_naive.board_of(blue=squares("B1"), red=squares("C1 E5"))
    position = NaiveChoko(board=board, hands=(1, 1), captured=(9, 10))
    after = position.play(FIRST_JUMP + 25 * (4 * 1 + 1) + 24)
    assert choko_naive.squares_with(after.board, RED) == []
    assert not after.over
    assert after.captured == (11, 10)
    assert after.legal() == choko_naive.squares_with(after.board, None)


def test_a_win_on_the_last_action_beats_the_cap() -> None:
    board = choko_naive.board_of(blue=squares("B1"), red=squares("C1 E5"))
    position = NaiveChoko(board=board, hands=(0, 0), captured=(10, 11), ply=99)
    won = position.play(FIRST_JUMP + 25 * (4 * 1 + 1) + 24)
    drawn = position.play(FIRST_STEP + 4 * 1)
    assert (won.ply, won.over, won.winner) == (100, True, 1)
    assert (drawn.ply, drawn.over, drawn.winner) == (100, True, 0)


def test_a_mover_without_an_action_draws() -> None:
    board = choko_naive.board_of(blue=squares("A1"), red=squares("A2 A3 B1 C1"))
    position = NaiveChoko(board=board, hands=(0, 0), captured=(8, 11))
    assert position.over
    assert position.winner == 0
    assert position.legal() == []
