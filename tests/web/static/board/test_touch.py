"""The board under a finger, on a phone of 375 pixels."""

from __future__ import annotations

import pytest

import playproof
from tests.support.web.browser import scrolls_sideways
from tests.web.static.board.conftest import BoardPage
from tests.web.static.board.test_mouse import chess, choko

FINGER = 44


def test_a_tap_on_a_small_point_wants_a_second(phone: BoardPage) -> None:
    phone.show("othello")
    phone.tap("d3")
    assert phone.moves() == []
    assert phone.text("banner") == "Play d3?"
    assert "ghost" in phone.marks()
    assert phone.point("d3").get_attribute("aria-pressed") == "true"
    phone.tap("d3")
    assert phone.moves() == [["d3"]]


def test_a_tap_elsewhere_moves_the_choice(phone: BoardPage) -> None:
    phone.show("othello")
    phone.tap("d3", "c4")
    assert phone.moves() == []
    phone.button("Play c4").tap()
    assert phone.moves() == [["c4"]]


def test_a_choice_can_be_taken_back(phone: BoardPage) -> None:
    view = phone.show("othello")
    phone.tap("d3")
    phone.button("Take back").tap()
    assert phone.text("banner") == view["steps"][0]
    assert phone.moves() == []


def test_large_points_need_no_second_tap(phone: BoardPage) -> None:
    phone.show("choko")
    phone.tap("C3")
    assert phone.moves() == [["C3"]]


def test_only_the_last_click_waits(phone: BoardPage) -> None:
    phone.show(chess("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"))
    phone.tap("e4", "d5")
    assert phone.moves() == []
    phone.tap("d5")
    assert phone.moves() == [["e4", "d5"]]


def test_chips_need_no_second_tap_and_fit(phone: BoardPage) -> None:
    phone.show(chess())
    phone.tap("b7", "a8")
    box = phone.page.locator("play-board .choices").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
    phone.button("Rook").tap()
    assert phone.moves() == [["b7", "a8", "opt:r"]]


@pytest.mark.parametrize(("confirm", "moves"), [(False, [["d3"]]), (True, []), ("auto", [])])
def test_a_page_can_decide(phone: BoardPage, confirm: object, moves: list[list[str]]) -> None:
    phone.set(confirm=confirm)
    phone.show("othello")
    phone.tap("d3")
    assert phone.moves() == moves


def test_a_small_window_with_a_mouse_confirms_too(board: BoardPage) -> None:
    board.page.set_viewport_size({"width": 375, "height": 740})
    board.show("othello")
    board.click("d3")
    assert board.moves() == []
    board.click("d3")
    assert board.moves() == [["d3"]]


def test_keys_need_no_confirmation(phone: BoardPage) -> None:
    phone.show("othello")
    phone.keys("Tab", "n", "Enter")
    assert phone.moves() == [["f5"]]


def test_a_finger_that_misses_means_the_nearest_point(phone: BoardPage) -> None:
    phone.show("othello")
    box = phone.point("d2").bounding_box()
    assert box
    # The lower edge of d2, which is no move, touches d3, which is one.
    phone.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] - 2)
    assert phone.text("banner") == "Play d3?"
    phone.page.touchscreen.tap(box["x"] - 3 * box["width"], box["y"] - box["height"])
    assert phone.text("banner") == "Play d3?"


def test_every_point_of_the_largest_board_is_usable(phone: BoardPage) -> None:
    """Points are smaller than a finger: a choice is moved by large buttons, then played."""
    phone.show("go:board=19x19")
    for at in ("A1", "T19", "K10", "Q4"):
        phone.tap(at)
        assert phone.text("banner") == f"Play {at}?"
    phone.tap("Q4")
    assert phone.moves() == [], "a second tap so small may have meant the neighbour"
    for name in ("left", "left", "up", "right", "down", "left"):
        phone.button(f"Move the choice {name}").tap()
    assert phone.text("banner") == "Play O4?"
    phone.button("Play O4").tap()
    assert phone.moves() == [["O4"]]


def test_a_nudge_jumps_over_what_is_no_choice_and_stops_at_the_edge(phone: BoardPage) -> None:
    phone.show("go:board=19x19", "B1")
    phone.tap("C1")
    phone.button("Move the choice left").tap()
    assert phone.text("banner") == "Play A1?"
    phone.button("Move the choice left").tap()
    assert phone.text("banner") == "Play A1?"


@pytest.mark.parametrize("name", ["othello", "choko", "chess", "go:board=19x19"])
def test_targets_are_large_or_confirmed_and_nothing_shifts(phone: BoardPage, name: str) -> None:
    view = playproof.make(name).start().view()
    phone.show(view)
    assert not scrolls_sideways(phone.page)
    below = phone.page.locator("#below").bounding_box()
    phone.tap(view.legal[0].clicks[0])
    for button in phone.page.locator("play-board .bar button").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= FINGER
    assert phone.page.locator("#below").bounding_box() == below
    assert not scrolls_sideways(phone.page)


def test_removals_by_taps(phone: BoardPage) -> None:
    phone.show(choko())
    phone.tap("B1", "D1", "A5")
    assert phone.moves() == [["B1", "D1", "A5"]]
