"""Chess as it is played: counts, endings, draws, and what must hold of every position."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playproof
from playproof import Batch, State, UsageError, make, perft, playouts
from playproof.games.chess import rows as chess_rows
from playproof.games.chess.move_names import CLAIM
from playproof.rules.chess.list_moves import BLOCK
from tests.support.games.chess_positions import PERFT, random_state

CHESS = make("chess")
CLAIMED = make("chess:draws=claimed")
SHUFFLE = "Nf3 Nf6 Ng1 Ng8"  # back to where it was, in two moves each
modest = settings(max_examples=60, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", PERFT)
def test_perft(name: str) -> None:
    position, counts = PERFT[name]
    state = CHESS.position(position)
    depth = 5 if name in ("start", "rooks and pawns") else 4
    assert tuple(perft(state, d) for d in range(1, depth + 1)) == counts[:depth]


@pytest.mark.parametrize(
    ("position", "depth", "leaves"),
    [
        # In check from a rook: take it, or leave both of its lines.
        ("4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", 1, 3),
        # En passant would open the rank to a rook: the pawn is not pinned, yet may not take.
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", 1, 6),
        # En passant answers the check of the pawn that has just moved.
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", 1, 9),
        # Castling through an attacked square, and out of check.
        ("4k3/8/8/8/8/8/5r2/R3K2R w KQ - 0 1", 1, 22),
        ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", 1, 3),
        # The rook may pass an attacked square on the long side.
        ("4k3/8/8/8/8/8/1r6/R3K2R w KQ - 0 1", 1, 23),
        # Fifty moves, threefold and bare kings do not stop perft.
        ("8/8/8/4k3/8/8/4K3/8 w - - 120 90", 3, 356),
    ],
)
def test_what_is_rare(position: str, depth: int, leaves: int) -> None:
    assert perft(CHESS.position(position), depth) == leaves


def test_the_most_moves_there_are() -> None:
    """Petrović, 1964.  Kernels write lists unchecked: there must be room."""
    state = CHESS.position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert len(state.legal_actions()) == 218
    assert CHESS.max_actions >= 218 + 2 * BLOCK


# Endings


@pytest.mark.parametrize(
    ("moves", "outcome", "over"),
    [
        ("f3 e5 g4 Qh4#", -1, "Black wins by checkmate."),
        ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7#", 1, "White wins by checkmate."),
        (f"{SHUFFLE} {SHUFFLE}", 0, "Draw: the position has come up too often."),
        (
            "e3 a5 Qh5 Ra6 Qxa5 h5 Qxc7 Rah6 h4 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
            0,
            "Draw by stalemate.",
        ),
    ],
)
def test_how_games_end(moves: str, outcome: int, over: str) -> None:
    state = CHESS.start().play(moves)
    assert (state.outcome, state.view().over) == (outcome, over)
    assert state.legal_actions() == []


@pytest.mark.parametrize(
    ("board", "dead"),
    [
        ("8/8/8/4k3/8/8/4K3/8", True),
        ("8/8/8/4k3/8/8/4K1N1/8", True),
        ("8/8/8/4k1b1/8/8/4K3/8", True),
        ("8/8/8/4k1b1/8/4B3/4K3/8", True),  # e3 and g5 are dark squares both
        ("8/8/8/4k1b1/8/3B4/4K3/8", False),
        ("8/8/8/4k1n1/8/8/4K1N1/8", False),
        ("8/8/8/4k3/8/8/4KNN1/8", False),
        ("8/8/8/4k1n1/8/8/4KB2/8", False),
        ("8/8/8/4k3/8/8/4KP2/8", False),
        ("8/8/8/4k3/8/8/4KR2/8", False),
    ],
)
def test_too_little_material(board: str, dead: bool) -> None:
    state = CHESS.position(f"{board} w - - 0 1")
    assert state.is_terminal == dead
    assert not make("chess:draws=none").position(f"{board} w - - 0 1").is_terminal
    assert "material" in state.view().say or not dead


def test_fifty_moves_end_the_game_but_a_mate_goes_before() -> None:
    before = CHESS.position("7k/8/6K1/8/8/8/8/R7 w - - 98 90")
    assert before.apply("a1a2").outcome is None
    assert before.apply("a1a2").apply("h8g8").outcome == 0
    last = CHESS.position("7k/8/6K1/8/8/8/8/R7 w - - 99 90")
    assert last.apply("a1a2").outcome == 0
    assert last.apply("a1a8").outcome == 1
    assert last.apply("a1a2").view().say.startswith("Draw: 50 moves")


def test_repetition_counts_rights_and_en_passant() -> None:
    """The same men on the same squares are not always the same position."""
    first = CHESS.start().play("e4 e5 Ke2 Ke7 Ke1 Ke8 Ke2 Ke7 Ke1 Ke8")
    assert first.outcome is None, "at first the kings could castle"
    assert first.play("Ke2").outcome is None
    assert first.play("Ke2 Ke7").outcome == 0
    passed = CHESS.start().play("e4 a6 e5 d5")  # exd6 is possible now, and not later
    there_and_back = "Nf3 Nc6 Ng1 Nb8"
    assert passed.play(f"{there_and_back} {there_and_back}").outcome is None
    assert passed.play(f"{there_and_back} {there_and_back} Nf3").outcome == 0
    idle = CHESS.start().play("a4 h5")  # no pawn can take a4 or h5: no trace of them
    assert idle.position.split()[3] == "-"
    assert idle.play(f"{SHUFFLE} {SHUFFLE}").outcome == 0


def test_people_claim_their_draws() -> None:
    twice = CLAIMED.start().play(SHUFFLE)
    assert CLAIM not in twice.legal_actions()
    state = twice.play(SHUFFLE)
    assert state.outcome is None
    assert state.legal_actions()[-1] == CLAIM
    assert [button.id for button in state.view().actions] == ["draw"]
    drawn = state.apply("draw")
    assert (drawn.outcome, drawn.view().over) == (0, "Draw, claimed.")
    assert CLAIMED.position(drawn.position).outcome == 0
    assert State.parse(drawn.serialize()) == drawn
    assert state.play(f"{SHUFFLE} {SHUFFLE}").outcome == 0, "the fifth time needs no claim"
    late = CLAIMED.position("7k/8/6K1/8/8/8/8/R7 w - - 100 90")
    assert CLAIM in late.legal_actions()
    assert CLAIMED.position("7k/8/6K1/8/8/8/8/R7 w - - 150 90").outcome == 0
    with pytest.raises(playproof.PlayproofError):
        CHESS.start().apply("draw")
    with pytest.raises(UsageError, match="draws=offered is not automatic, claimed or none"):
        make("chess:draws=offered")


# What must hold of every position


def reread(row: np.ndarray) -> np.ndarray:
    return CHESS.read_position(CHESS.write_position(row))


@given(seeds)
@modest
def test_a_row_is_what_its_fen_says(seed: int) -> None:
    """Whatever was kept up to date by moves is what a fresh reading finds."""
    state = random_state(seed)
    assert (reread(state.row) == state.row).all()
    chess = pytest.importorskip("chess")
    assert chess.Board(state.position).fen() == state.position


@given(seeds)
@modest
def test_boards_stay_consistent(seed: int) -> None:
    state = random_state(seed)
    for action in state.legal_actions():
        row = state.apply(action).row
        pawns, knights, diagonal, straight, kings, own, rights, _ = (int(w) for w in row)
        assert not pawns & (knights | diagonal | straight | kings)
        assert not knights & (diagonal | straight | kings)
        assert not kings & (diagonal | straight)
        assert own & ~(pawns | knights | diagonal | straight | kings) == 0
        assert (kings & own).bit_count() == 1
        assert kings.bit_count() == 2
        assert pawns & 0xFF000000000000FF == 0
        assert rights & ~0x8100FF0000000081 == 0
        assert rights & 0x8100000000000081 & ~straight == 0


@given(seeds)
@modest
def test_equal_positions_have_equal_hashes_however_reached(seed: int) -> None:
    state = random_state(seed)
    hashed = CHESS.kernels.hash(CHESS.option_words, state.row.copy())
    assert hashed == CHESS.kernels.hash(CHESS.option_words, reread(state.row))
    others = {
        int(CHESS.kernels.hash(CHESS.option_words, state.apply(action).row.copy()))
        for action in state.legal_actions()
    }
    assert len(others | {int(hashed)}) == len(state.legal_actions()) + 1


@given(seeds)
@modest
def test_the_mirrored_position_has_the_mirrored_moves(seed: int) -> None:
    """Colours exchanged and the board turned: the same numbers, the names upside down."""
    chess = pytest.importorskip("chess")
    state = random_state(seed)
    mirrored = CHESS.position(chess.Board(state.position).mirror().fen())
    assert mirrored.legal_actions() == state.legal_actions()
    assert mirrored.score == -state.score
    turned = str.maketrans("12345678", "87654321")
    assert mirrored.legal_names() == [name.translate(turned) for name in state.legal_names()]
    assert mirrored == state.transformed(1)


@given(seeds)
@modest
def test_noisy_moves_are_the_captures_and_queens(seed: int) -> None:
    chess = pytest.importorskip("chess")
    state = random_state(seed)
    board = chess.Board(state.position)
    out = np.empty(CHESS.max_actions, np.int32)
    arguments = CHESS.option_words, CHESS.tables, state.row.copy(), state.history
    noisy = {state.name(int(a)) for a in out[: CHESS.kernels.noisy(*arguments, out)]}
    expected = {
        move.uci()
        for move in board.legal_moves
        if (board.is_capture(move) and not move.promotion) or move.promotion == chess.QUEEN
    }
    assert noisy == expected


def test_captures_are_tried_dearest_first() -> None:
    state = CHESS.position("6k1/8/8/2q1r2Q/3P4/8/8/K7 w - - 0 1")
    out = np.empty(CHESS.max_actions, np.int32)
    n = CHESS.kernels.noisy(CHESS.option_words, CHESS.tables, state.row.copy(), state.history, out)
    assert [state.name(int(a)) for a in out[:n]] == ["d4c5", "d4e5", "h5e5"]


# What networks see


def test_paper_13_is_the_board_from_the_movers_side() -> None:
    white, black = CHESS.start(), CHESS.start().play("e4")
    planes = white.observation("paper-13")
    assert planes.shape == (13, 8, 8)
    assert (planes.sum(axis=0) == 1).all(), "a square is one thing"
    assert planes.sum(axis=(1, 2)).tolist() == [8, 2, 2, 2, 1, 1, 8, 2, 2, 2, 1, 1, 32]
    assert planes[0, 1].all(), "own pawns on the second row"
    assert planes[4, 0, 3] == 1, "the queen on d1"
    assert black.observation("paper-13")[5, 0, 4] == 1, "Black's king is on e too"
    assert black.observation("paper-13")[6, 4, 4] == 1, "White's pawn on e4, five rows away"


def test_full_tells_what_the_board_does_not() -> None:
    state = CHESS.position("r3k2r/8/8/3pP3/8/8/8/R3K3 w Qk d6 0 9")
    planes = state.observation("full")
    assert planes[:13].tolist() == state.observation("paper-13").tolist()
    assert [plane.max() for plane in planes[13:17]] == [0, 1, 1, 0], "own Q, the other's K"
    assert planes[17, 5, 3] == planes[17].sum() == 1, "d6"
    again = CHESS.start().play(SHUFFLE)
    assert again.observation("full")[18:, 0, 0].tolist() == pytest.approx([1, 0, 0.04])
    third = CLAIMED.start().play(f"{SHUFFLE} {SHUFFLE}")
    assert third.observation("full")[18:, 0, 0].tolist() == pytest.approx([1, 1, 0.08])


# Searches and random games


def test_alpha_beta_mates_and_takes() -> None:
    from playproof.search.alphabeta.search import AlphaBeta, AlphaBetaConfig

    search = AlphaBeta(CHESS, AlphaBetaConfig(depth=5))
    ladder = CHESS.position("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1")
    result = search.search(ladder)
    assert result.value > 5000
    end = ladder
    for action in result.line:
        end = end.apply(action)
    assert end.outcome == 1
    hanging = CHESS.position("rnb1kbnr/pppp1ppp/8/4p3/4P2q/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
    assert hanging.name(search.search(hanging).action) == "f3h4"


def test_alpha_beta_knows_a_repetition() -> None:
    """A queen behind, White makes the position come up a third time: that is worth 0."""
    from playproof.search.alphabeta.search import AlphaBeta, AlphaBetaConfig

    start = CHESS.position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1")
    again = start.play("Nf6 Nf3 Ng8 Ng1 Nf6 Nf3 Ng8")
    for depth in (1, 2, 3):
        result = AlphaBeta(CHESS, AlphaBetaConfig(depth=depth)).search(again)
        assert (again.name(result.action), result.value) == ("f3g1", 0.0)
    forgetful = State(CHESS, again.row)
    assert AlphaBeta(CHESS, AlphaBetaConfig(depth=3)).search(forgetful).value < -5.0


def test_random_games_are_the_same_in_batches_and_playouts() -> None:
    played = playouts(CHESS, 200, seed=3)
    assert set(played.results.tolist()) <= {-1, 0, 1}
    assert 100 < played.lengths.mean() < 600
    batch = Batch.start(CHESS, 64, seed=1)
    for _ in range(60):
        batch.apply(batch.random_actions())
    for row in Random(1).sample(range(64), 8):
        state = batch[row]
        assert state.legal_actions() == sorted(batch.legal_lists().of(row).tolist())
        assert chess_rows.fen_of(state.row).ply == 60 or state.is_terminal
