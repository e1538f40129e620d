"""Chess as people write it: names of moves, positions, and what is refused."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playproof import DataError, IllegalAction, PlayproofError, make
from playproof.games.chess import move_names as chess_names
from playproof.games.chess import rows as chess_rows
from tests.support.games.chess_positions import random_state

CHESS = make("chess")
modest = settings(max_examples=60, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)
PROMOTING = "1n1q3k/P1P5/8/8/8/8/6p1/K6N"


@given(seeds)
@modest
def test_names_are_those_of_python_chess(seed: int) -> None:
    chess = pytest.importorskip("chess")
    state = random_state(seed)
    board = chess.Board(state.position)
    moves = list(board.legal_moves)
    assert sorted(state.legal_names()) == sorted(move.uci() for move in moves)
    named = chess_names.LegalMoveNames(state)
    for move in moves:
        action = state.find(move.uci())
        san = board.san(move)
        assert named.san(action) == san
        assert named.find(san) == action
        assert state.find(san.replace("x", "").replace("+", "").replace("=", "")) == action


@given(seeds)
@modest
def test_every_move_has_a_number_of_its_own(seed: int) -> None:
    """From the squares to the action and back, for all that is legal."""
    state = random_state(seed)
    words = [int(word) for word in state.row]
    for action in state.legal_actions():
        squares = chess_names.squares(action)
        assert squares is not None
        kind = chess_rows.kind_at(words, squares[0])
        assert chess_names.action_of(*squares, chess_names.promotion(action, kind)) == action


def test_planes_are_in_the_documented_order() -> None:
    """64 actions a plane: eight directions by seven, eight leaps, nine underpromotions."""
    assert chess_names.squares(64 * 0 + 12) == (12, 20)  # one north
    assert chess_names.squares(64 * 1 + 12) == (12, 28)
    assert chess_names.squares(64 * 13 + 0) == (0, 63)  # seven north-east
    assert chess_names.squares(64 * 15 + 4) == (4, 6)  # castling short
    assert chess_names.squares(64 * 43 + 4) == (4, 2)  # castling long
    assert chess_names.squares(64 * 49 + 12) == (12, 19)  # one north-west
    assert chess_names.squares(64 * 56 + 6) == (6, 23)  # a knight two up, one right
    assert chess_names.squares(64 * 63 + 6) == (6, 21)
    assert [chess_names.promotion(64 * plane + 48, "p") for plane in (0, 64, 67, 70)] == [*"qnbr"]
    assert [chess_names.squares(64 * plane + 49) for plane in (64, 65, 66)] == [
        (49, 56),
        (49, 57),
        (49, 58),
    ]
    assert chess_names.squares(7) == (7, 15)
    assert chess_names.squares(64 * 14 + 7) is None, "east of h1 is nothing"


def test_the_same_number_is_another_move_for_black() -> None:
    white, black = CHESS.start(), CHESS.start().apply("e2e4")
    assert (white.name(12), black.name(12)) == ("e2e3", "e7e6")
    assert (white.find("e2e4"), black.find("e7e5")) == (64 + 12, 64 + 12)


def test_people_write_moves_in_many_ways() -> None:
    start = CHESS.start()
    for text in ("e2e4", "E2E4", "e2-e4", "e4", " e4 ", "e4!?"):
        assert start.find(text) == 64 + 12
    castle = CHESS.position("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert [castle.name(castle.find(t)) for t in ("O-O", "0-0", "O-O-O", "0-0-0+")] == [
        "e1g1",
        "e1g1",
        "e1c1",
        "e1c1",
    ]
    pawn = CHESS.position(f"{PROMOTING} w - - 0 1")
    for text in ("a7b8n", "axb8=N", "axb8N", "a7xb8=n"):
        assert pawn.name(pawn.find(text)) == "a7b8n"
    assert {name for name in pawn.legal_names() if name.startswith("c7d8")} == {
        "c7d8q",
        "c7d8r",
        "c7d8b",
        "c7d8n",
    }
    black = CHESS.position(f"{PROMOTING} b - - 0 1")
    assert {"g2h1q", "g2g1n"} <= set(black.legal_names())
    assert start.play("1. e4 e5 2.Nf3 Nc6 1/2-1/2").moves == ["e2e4", "e7e5", "g1f3", "b8c6"]


@pytest.mark.parametrize(
    ("position", "text", "error", "line"),
    [
        ("", "e2e5", IllegalAction, "Chess: e2e5 is not legal here; legal: a2a3, b2b3"),
        ("", "Nf6", IllegalAction, "Chess: Nf6 is not legal here"),
        ("", "O-O", IllegalAction, "Chess: O-O is not legal here"),
        ("", "e9", DataError, "'e9' is not a move of Chess: write from and to such as e2e4"),
        ("", "draw", DataError, "'draw' is not a move of Chess"),
        (f"{PROMOTING} w - - 0 1", "a7a8", DataError, "becomes a piece, so write a7a8q"),
        ("1k6/8/8/8/8/8/8/R4R1K w - - 0 1", "Rd1", DataError, "Rd1 could be a1d1 or f1d1: write"),
        ("1k6/8/8/8/8/8/8/R4R1K w - - 0 1", "a1a1", IllegalAction, "a1a1 is not legal here"),
    ],
)
def test_what_is_no_move_is_told_apart(
    position: str, text: str, error: type[PlayproofError], line: str
) -> None:
    state = CHESS.position(position) if position else CHESS.start()
    with pytest.raises(error) as refused:
        state.apply(text)
    assert line in str(refused.value)


# Positions


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("8/8/8/8/8/8/8/8 w - -", "White has 0 kings: want one"),
        ("kk6/8/8/8/8/8/8/K7 w - -", "Black has 2 kings: want one"),
        ("k7/8/8/8/8/8/8/K7 w", "is no position of Chess: want board, side, castling"),
        ("k7/8/8/8/8/8/8/K7 x - -", "side to move 'x': want w or b"),
        ("k7/8/8/8/8/8/K7 w - -", "a board of 7 ranks"),
        ("k8/8/8/8/8/8/8/K7 w - -", "rank 8, 'k8': want eight squares"),
        ("k6x/8/8/8/8/8/8/K7 w - -", "rank 8, 'k6x'"),
        ("k6P/8/8/8/8/8/8/K7 w - -", "a pawn on h8: pawns stand on ranks 2 to 7"),
        ("k7/8/8/8/8/8/8/K7 w KQ -", "castling K without king and rook on their first squares"),
        ("k7/8/8/8/8/8/8/K7 w HA -", "castling 'HA': want letters of KQkq"),
        ("k7/8/8/8/8/8/8/K7 w - e5", "en passant 'e5': want a square of rank 6, or -"),
        ("k7/8/8/8/8/8/8/K7 w - e6", "en passant e6: no pawn has just passed that square"),
        ("k7/8/8/8/8/8/8/K7 w - - -1 1", "want two whole numbers"),
        ("k7/8/8/8/8/8/8/K7 w - - 99999 1", "are beyond any game"),
        ("k7/R7/8/8/8/8/8/K7 w - -", "Black is in check and not to move"),
        ("kQQQQQQQ/QQ6/8/8/8/8/P7/K7 w - -", "White has more pieces than sixteen"),
        ("\N{SNOWMAN}/8/8/8/8/8/8/K7 w - -", "rank 8"),
    ],
)
def test_a_broken_fen_says_what_is_wrong(text: str, line: str) -> None:
    with pytest.raises(DataError) as refused:
        CHESS.position(text)
    assert line in str(refused.value)
    assert "\n" not in str(refused.value)


def test_fens_are_read_with_and_without_counters() -> None:
    short = CHESS.position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -")
    assert short.position == "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"
    late = CHESS.position("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 7 42")
    assert (late.position.split()[-2:], late.ply) == (["7", "42"], 83)
    assert late.apply("c7c6").position.split()[-2:] == ["0", "43"]


def test_en_passant_is_kept_only_where_it_is_legal() -> None:
    assert CHESS.start().play("e4").position.split()[3] == "-"
    assert CHESS.start().play("e4 a6 e5 d5").position.split()[3] == "d6"
    pinned = "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1"
    assert CHESS.position(pinned).position.split()[3] == "-"


def test_a_position_is_told_from_moves() -> None:
    assert CHESS.looks_like_position("8/8/8/8/8/8/8/8 w - -")
    assert not CHESS.looks_like_position("e4 e5 1/2-1/2")


def test_a_view_tells_the_move_and_the_check() -> None:
    state = CHESS.start().play("e4 f5 Qh5+")
    view = state.view()
    assert view.say == "Black to move after Qh5+, in check. 1 legal move."
    assert [(mark.at, mark.kind) for mark in view.marks] == [("e8", "ring")]
    assert view.last == ("d1", "h5")
    assert {piece.at: piece.kind for piece in view.pieces}["h5"] == "Q"
    taken = CHESS.start().play("e4 a6 e5 d5").view()
    assert next(move.gone for move in taken.legal if move.name == "exd6") == ("d5",)
    promoting = CHESS.position(f"{PROMOTING} w - - 0 1").view()
    assert next(m.clicks for m in promoting.legal if m.name == "axb8=N") == ("a7", "b8", "opt:n")


def test_what_people_read_is_found_again() -> None:
    state, chooser = CHESS.start(), Random(5)
    while not state.is_terminal and state.ply < 50:
        actions = state.legal_actions()
        names = [state.display_names(action)[0] for action in actions]
        assert [state.find(name) for name in names] == actions
        assert sorted(move.name for move in state.view().legal) == sorted(names)
        state = state.apply(chooser.choice(actions))
    assert CHESS.start().play(state.start.display_names(*state.actions)) == state
