"""The board by keys alone, and what a screen reader is told."""

from __future__ import annotations

import random

import pytest

import playproof
from tests.support.longer import longer
from tests.web.static.board.conftest import BoardPage
from tests.web.static.board.test_mouse import chess, choko


def test_one_point_is_in_the_tab_order(board: BoardPage) -> None:
    board.show("othello")
    assert board.page.locator('play-board .points button[tabindex="0"]').count() == 1
    board.keys("Tab")
    assert board.focused() == "e5"
    board.keys("ArrowUp", "Shift+Tab", "Tab")
    assert board.focused() == "e4"


def test_arrows_walk_to_every_point_and_stop_at_the_edge(board: BoardPage) -> None:
    board.show("go:board=5x5")
    board.keys("Tab", "ArrowRight", "ArrowUp")
    assert board.focused() == "D4"
    board.keys(*["ArrowRight"] * 4, *["ArrowUp"] * 4)
    assert board.focused() == "E5"
    board.keys(*["ArrowLeft"] * 9, *["ArrowDown"] * 9)
    assert board.focused() == "A1"


def test_n_goes_to_the_next_legal_point_and_round(board: BoardPage) -> None:
    board.show("othello")
    board.keys("Tab")
    found = []
    for _ in range(5):
        board.keys("n")
        found.append(board.focused())
    assert found == ["f5", "e6", "d3", "c4", "f5"]
    board.keys("Shift+N")
    assert board.focused() == "c4"


@pytest.mark.parametrize("key", ["Enter", " "])
def test_enter_and_space_click(board: BoardPage, key: str) -> None:
    board.show("othello")
    board.keys("Tab", "n", key)
    assert board.moves() == [["f5"]]


def test_a_jump_by_keys(board: BoardPage) -> None:
    board.show(choko())
    board.keys("Tab")
    while board.focused() != "B1":
        board.keys("n")
    board.keys("Enter")
    while board.focused() != "D1":
        board.keys("n")
    board.keys("Enter", "Escape", "Enter")
    board.keys("n")
    at = board.focused()
    assert at in ("A5", "E5")
    board.keys("Enter")
    assert board.moves() == [["B1", "D1", at]]


def test_escape_takes_back_and_keeps_the_focus_on_the_board(board: BoardPage) -> None:
    board.show(choko())
    board.point("B1").focus()
    board.keys("Enter", "Escape")
    assert board.page.evaluate("board.clicks") == []
    assert board.focused() == "B1"


def test_a_promotion_by_keys(board: BoardPage) -> None:
    board.show(chess())
    board.point("b7").focus()
    board.keys("Enter", "ArrowUp", "ArrowLeft", "Enter")
    assert board.focused() == "Queen"
    board.keys("Tab", "Enter")
    assert board.moves() == [["b7", "a8", "opt:n"]]
    assert board.focused() == "a8"


def test_shortcuts_of_the_browser_are_left_alone(board: BoardPage) -> None:
    board.show("othello")
    board.keys("Tab")
    board.page.evaluate(
        """() => {
          window.seen = 0;
          addEventListener("keydown", (event) => { seen += !event.defaultPrevented; });
        }"""
    )
    board.keys("Control+n", "x", "Escape")
    assert board.page.evaluate("seen") == 4  # Control itself too
    board.keys("n", "ArrowUp")
    assert board.page.evaluate("seen") == 4


@pytest.mark.parametrize("name", ["othello:size=4", "quantum-go:board=3x3"])
def test_a_whole_game_by_keys(board: BoardPage, name: str) -> None:
    rng = random.Random(5)
    state = playproof.make(name).start()
    board.show(state.view())
    board.point(state.view().legal[0].clicks[0]).focus()
    most = longer(16, 40)
    for turn in range(1, most):
        if state.is_terminal:
            break
        view = state.view()
        board.show(view)
        if view.legal:
            board.keys(*["n"] * rng.randint(1, len(view.legal)), "Enter")
        else:
            board.button(view.actions[0].label).press("Enter")
            board.point("a1" if "othello" in name else "A1").focus()
        assert len(board.moves()) == turn
        state = state.apply(board.moves()[-1][0])
    assert state.is_terminal or turn == most - 1


def test_points_have_names(board: BoardPage) -> None:
    board.show("othello", "d3")
    assert board.label("c3") == "c3, empty, legal"
    assert board.label("a1") == "a1, empty"
    assert board.label("d3") == "d3, black disc, last move"
    board.show(chess())
    assert board.label("e2") == "e2, white king, legal"
    assert board.label("d7") == "d7, black king"
    board.show("quantum-go:board=5x5", "A1 C3")
    assert board.label("A1") == "A1, black stone, number 1, here with probability 50%"
    assert board.page.get_by_role("grid", name="Quantum Go board").count() == 1


def test_a_board_that_is_only_looked_at_is_walked_by_keys(board: BoardPage) -> None:
    board.show("othello", legal=[], actions=[])
    board.set(disabled=True)
    board.keys("Tab", "ArrowLeft", "Enter", "n", "Escape")
    board.point("d5").blur()
    assert board.said("point") == [
        {"at": "e5", "on": True},
        {"at": "e5", "on": False},
        {"at": "d5", "on": True},
        {"at": "d5", "on": False},
    ]
    assert board.moves() == []


def test_what_happened_is_said(board: BoardPage) -> None:
    view = board.show("othello")
    assert board.live() == view["say"]
    board.show("othello", say="Now.", over="Black wins.")
    assert board.live() == "Black wins. Now."


def test_choices_are_said(board: BoardPage) -> None:
    view = board.show(choko())
    board.click("B1")
    assert board.live() == f"B1 chosen. {view['steps'][1]}"
    board.keys("Escape")
    assert board.live() == view["say"]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        ({"to": "A1", "gone": "C3", "p": 1}, "Group 5 collapsed: A1 stays, C3 goes."),
        ({"to": "A1", "gone": ["C3", "D4"]}, "Group 5 collapsed: A1 stays, C3, D4 go."),
        ({"to": "C3", "there": False, "p": None}, "Group 5 collapsed: C3 goes."),
        (
            {"to": None, "there": True, "p": 0.25},
            "Group 5: the stone is there. The probability was 25%.",
        ),
    ],
)
def test_events_are_said(board: BoardPage, event: dict[str, object], words: str) -> None:
    board.show(
        "quantum-go:board=5x5", events=[{"k": "collapse", "pair": "5", **event}], say="Go on."
    )
    assert board.live() == f"{words} Go on."
