"""What a value means, in words."""

from __future__ import annotations

import pytest

from playproof import make, make_agent
from playproof.agents.analysis.value_text import certain_words, unit
from playproof.formats.any_text import read_state

MATE_IN_1 = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"
MATE_IN_2 = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
MATED_IN_1 = "8/8/8/8/8/5k2/4q3/7K w - - 0 1"
LOST = "--XOOX-----OOOOOOOOOXXOOOOOXXXOOOOXXOXXO-XXOOXXXXXXXXXXO--OOOOXO X"


@pytest.mark.parametrize(
    ("game", "position", "agent", "words"),
    [
        ("chess", MATE_IN_1, "alphabeta:depth=3", "mate in 1 for White"),
        ("chess", MATE_IN_2, "minimax:depth=3", "mate in 2 for White"),
        ("chess", MATED_IN_1, "minimax:depth=2", "mate in 1 for Black"),
        ("choko", "5/1r3/1b3/5/3br b 0 0 - 24", "alphabeta:depth=3", "Blue wins in 1"),
        ("chess", "", "alphabeta:depth=2", ""),
        ("chess", MATE_IN_1, "mcts:simulations=50", ""),
    ],
)
def test_what_a_search_knows_for_certain(game: str, position: str, agent: str, words: str) -> None:
    made = make(game)
    state = read_state(made, position) if position else made.start()
    decision = make_agent(agent, made).analyse(state)
    assert certain_words(state, decision.value, agent, decision.line) == words


def test_what_a_tree_has_proven_is_said() -> None:
    game = make("othello:size=4")
    state = game.start()
    decision = make_agent("mcts:simulations=40000", game).analyse(state)
    assert (decision.statistics["proven"], decision.value) == (True, -1.0)
    assert certain_words(state, decision.value, "mcts", is_proven=True) == "White wins"
    assert certain_words(state, decision.value, "mcts") == ""  # an estimate may be as sure
    assert certain_words(state, 0.0, "mcts", is_proven=True) == "a draw"


def test_othello_solved_to_the_end() -> None:
    made = make("othello")
    state = read_state(made, LOST)
    decision = make_agent("alphabeta:endgame=14", made).decide(state)
    assert decision.value == 10_006.0
    assert certain_words(state, decision.value, "alphabeta", decision.line) == "Black by 6"


def test_values_of_every_scale() -> None:
    chess, go, othello, choko = (make(n).start() for n in ("chess", "go", "othello", "choko"))
    assert certain_words(chess, 10_001.0, "alphabeta") == "White wins"  # how far, nobody says
    assert certain_words(chess, -9_997.0, "uci:stockfish,nodes=2000") == "mate in 3 for Black"
    assert certain_words(chess, 10_000.971, "alphabeta:tables=syzygy") == "White wins"
    assert certain_words(go, -10_012.0, "alphabeta") == "White by 12"
    assert certain_words(go, 10_000.5, "alphabeta") == "Black by 0.5"
    assert certain_words(othello, -1e9, "greedy") == "White wins"
    assert certain_words(choko, -10_000.988, "perfect", has_distance=True) == "Red wins in 12"
    assert certain_words(choko, 10_003.0, "alphabeta") == "Blue wins"
    born = make("quantum-go", board="3x3", collapse="born").start()
    assert certain_words(born, 6_000.0, "alphabeta") == "Black wins in about 80%"
    for value, agent in ((0.9, "mcts"), (None, "alphabeta"), (4_999.0, "alphabeta"), (1.0, "net")):
        assert certain_words(chess, value, agent) == ""


def test_units() -> None:
    assert [unit(spec) for spec in ("alphabeta:depth=2", "uci:x", "mcts", "perfect")] == [
        "points", "pawns", "result", "points",
    ]  # fmt: skip
