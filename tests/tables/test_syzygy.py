"""Syzygy tables: won endings are won, drawn ones held, by any agent that is given them.

The tables of three pieces lie beside this file.  ``PLAYPROOF_SYZYGY=DIR`` adds your own.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import chess
import chess.syzygy
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import playproof
from playproof.agents.registry import make_agent
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.state import State
from playproof.tables.syzygy import Syzygy
from tests.support.paths import SYZYGY

FOLDER = SYZYGY
MINE = os.environ.get("PLAYPROOF_SYZYGY")


def ending(draw: st.DrawFn, pieces: str) -> State:
    """A legal position of these pieces, capitals White's, either side to move."""
    squares = draw(st.permutations(range(64)))[: len(pieces)]
    board = chess.Board(None)
    for square, letter in zip(squares, pieces, strict=True):
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    board.turn = draw(st.booleans())
    assume(board.is_valid())
    return playproof.make("chess").position(board.fen())


positions = st.composite(ending)


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_values_of_moves_are_those_of_the_tables(data: st.DataObject) -> None:
    state = data.draw(positions(data.draw(st.sampled_from(["KkQ", "KkR", "KkP", "Kkq", "Kkp"]))))
    board = chess.Board(state.position)
    if state.is_terminal:
        return
    moves = Syzygy(FOLDER).moves(state)
    assert moves is not None
    assert {action for action, _ in moves} == set(state.legal_actions())
    with chess.syzygy.open_tablebase(str(FOLDER)) as tables:
        assert moves[0][1].wdl == tables.probe_wdl(board)  # a fresh clock: nothing is cursed
        if moves[0][1].wdl:
            assert abs(moves[0][1].dtz - abs(tables.probe_dtz(board))) <= 1  # dtz is rounded


@pytest.mark.slow
@settings(deadline=None, max_examples=5)
@given(st.data())
def test_a_won_ending_is_won_and_a_drawn_one_held(data: st.DataObject) -> None:
    pieces = data.draw(st.sampled_from(["KkQ", "KkR", "KkP"]))
    state = data.draw(positions(pieces))
    moves = None if state.is_terminal else Syzygy(FOLDER).moves(state)
    if not moves:
        return
    mover = 1 if state.current_player == 0 else -1
    expected = mover * moves[0][1].outcome
    white, black = (
        make_agent(f"alphabeta:tables={FOLDER},depth=1", state.game, seed=seed) for seed in (1, 2)
    )
    while not state.is_terminal:
        agent = white if state.current_player == 0 else black
        state = state.apply(agent.decide(state).action)
    assert state.outcome == expected


def test_the_clock_counts() -> None:
    chess_game = playproof.make("chess")
    won = "8/8/8/3k4/8/8/8/K6R w - - {} 80"
    fresh = Syzygy(FOLDER).moves(chess_game.position(won.format(0)))
    late = Syzygy(FOLDER).moves(chess_game.position(won.format(85)))
    assert fresh is not None
    assert late is not None
    assert fresh[0][1].outcome == 1
    assert (late[0][1].wdl, late[0][1].outcome) == (1, 0)
    assert late[0][1].text.startswith("won but for the fifty-move rule (dtz ")


def test_where_the_tables_end_there_is_no_answer() -> None:
    tables, game = Syzygy(FOLDER), playproof.make("chess")
    assert tables.pieces == 3
    for fen in (
        "4k3/8/8/8/8/8/8/3RK2R w - - 0 1",  # four pieces
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",  # White may castle
    ):
        assert tables.moves(game.position(fen)) is None
    agent = make_agent(f"alphabeta:tables={FOLDER},depth=2", game)
    assert agent.decide(game.start()).statistics["depth"] == 2


def test_a_table_that_is_missing_ends_the_tables(tmp_path: Path) -> None:
    for file in FOLDER.glob("KPvK.*"):
        shutil.copy(file, tmp_path)
    before_promotion = playproof.make("chess").position("8/4P3/8/3k4/8/8/8/K7 w - - 0 1")
    assert Syzygy(tmp_path).moves(before_promotion) is None


@pytest.mark.parametrize("agent", ["alphabeta:tables={}", "mcts:tables={},simulations=10"])
def test_agents_use_them(agent: str) -> None:
    state = playproof.make("chess").position("8/8/8/3k4/8/8/8/K6R w - - 0 1")
    decision = make_agent(agent.format(FOLDER), state.game).analyse(state)
    assert decision.statistics["proven"]
    assert len(decision.moves) == len(state.legal_actions())
    assert decision.moves[0].action == decision.action
    assert decision.value is not None
    assert decision.value >= 1


def test_what_is_wrong_is_said_in_one_line(tmp_path: Path) -> None:
    game = playproof.make("chess")
    (tmp_path / "empty").mkdir()
    for folder, words in (
        (tmp_path / "none", "there is no folder"),
        (tmp_path / "empty", "there are no Syzygy tables in"),
    ):
        with pytest.raises(UsageError, match=f"alphabeta: {words}"):
            make_agent(f"alphabeta:tables={folder}", game)
    with pytest.raises(UsageError, match="name the folder"):
        make_agent("alphabeta:tables", game)


@pytest.mark.parametrize("damage", [b"", b"no table", b"\x00" * 300])
def test_damaged_tables_are_told(tmp_path: Path, damage: bytes) -> None:
    for file in FOLDER.glob("K?vK.*"):
        shutil.copy(file, tmp_path)
    (tmp_path / "KRvK.rtbz").write_bytes(damage)
    state = playproof.make("chess").position("8/8/8/3k4/8/8/8/K6R w - - 0 1")
    with pytest.raises(PlayproofError, match=r"^[^\n]*$"):
        make_agent(f"alphabeta:tables={tmp_path}", state.game).decide(state)


@pytest.mark.skipif(not MINE, reason="PLAYPROOF_SYZYGY names no folder of tables")
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_your_own_tables(data: st.DataObject) -> None:
    tables = Syzygy(Path(MINE or ""))
    pieces = data.draw(st.sampled_from(["KkQr", "KkRb", "KkPp", "KkBN", "KkQn", "KkRR"]))
    state = data.draw(positions(pieces))
    board = chess.Board(state.position)
    moves = None if state.is_terminal else tables.moves(state)
    if moves:
        with chess.syzygy.open_tablebase(MINE or "") as theirs:
            assert moves[0][1].wdl == theirs.probe_wdl(board)
