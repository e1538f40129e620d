"""The board with a mouse: marks, ghosts, moves of many clicks, chips, lists that come late."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import playproof
from playproof.core.view import LegalMove, View
from playproof.formats.svg.theme import BLUE, RED
from tests.web.static.board.conftest import BoardPage

# Blue jumps from B1 over C1 and removes one of two more; or steps, or places.
JUMP = "r3r/5/5/5/1br2 b 5 5 b 14"
PROMOTION = "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1"


def choko(position: str = JUMP) -> View:
    return playproof.make("choko").position(position).view()


def chess(fen: str = PROMOTION) -> View:
    return playproof.make("chess").position(fen).view()


def test_a_click_is_a_move(board: BoardPage) -> None:
    board.show("othello")
    board.click("d3")
    assert board.said("move") == [{"c": ["d3"], "n": "d3"}]


def test_what_is_not_legal_is_no_move(board: BoardPage) -> None:
    board.show("othello")
    for at in ("a1", "d4"):
        board.point(at).dispatch_event("click")
    assert board.moves() == []


def test_a_move_is_sent_once_until_there_is_a_new_position(board: BoardPage) -> None:
    board.show("othello")
    board.click("d3")
    for at in ("d3", "c4"):
        board.point(at).dispatch_event("click")
    assert board.moves() == [["d3"]]
    board.show("othello", "d3 c3")
    board.click("c4")
    assert board.moves() == [["d3"], ["c4"]]


def test_a_refused_move_can_be_made_again(board: BoardPage) -> None:
    view = board.show("othello")
    board.click("d3")
    board.page.evaluate("(view) => { board.view = view }", view)
    board.click("c4")
    board.page.evaluate("board.reset()")
    board.click("d3")
    assert board.moves() == [["d3"], ["c4"], ["d3"]]


def test_buttons_lie_on_their_points_at_any_size(board: BoardPage) -> None:
    board.show("go:board=9x9", "C7")
    for width in (1280, 700, 375):
        board.page.set_viewport_size({"width": width, "height": 900})
        off = board.page.evaluate(
            """() => {
              const root = board.shadowRoot;
              const middle = (e) => {
                const { x, y, width, height } = e.getBoundingClientRect();
                return [x + width / 2, y + height / 2];
              };
              const stone = [...root.querySelectorAll(".picture circle")]
                .find((circle) => circle.getAttribute("r") > 15);
              const [a, b] = [stone, root.querySelector('[data-at="C7"]')].map(middle);
              return Math.hypot(a[0] - b[0], a[1] - b[1]);
            }"""
        )
        assert off < 0.7


def test_buttons_stay_on_their_points_when_the_card_shrinks(board: BoardPage) -> None:
    state = playproof.make("othello").start()
    board.show(replace(state.view(), over="Over. " * 40))
    before = board.point("d3").bounding_box()
    below = board.page.locator("#below").bounding_box()
    board.show(state.view())
    assert board.point("d3").bounding_box() == pytest.approx(before, abs=0.6)
    assert board.page.locator("#below").bounding_box() == pytest.approx(below, abs=0.6)


def test_a_jump_is_three_clicks_with_chips_and_banners(board: BoardPage) -> None:
    view = board.show(choko())
    assert board.text("banner") == view["steps"][0]
    board.click("B1")
    assert board.text("banner") == view["steps"][1]
    board.click("D1")
    assert board.text("banner") == view["steps"][2]
    assert board.text("chips").split() == ["1", "B1", "2", "D1"]
    assert RED in board.marks()
    assert "D1, blue peg" in (board.label("D1") or "")
    assert board.label("B1") == "B1, empty"
    assert board.label("E5") == "E5, red peg, legal"
    board.click("E5")
    assert board.said("move") == [{"c": ["B1", "D1", "E5"], "n": "B1xD1,E5"}]


def test_take_back_goes_one_click_back(board: BoardPage) -> None:
    view = board.show(choko())
    board.click("B1", "D1")
    board.button("Take back").click()
    assert board.text("banner") == view["steps"][1]
    board.button("Take back").click()
    assert board.text("banner") == view["steps"][0]
    assert board.button("Take back").count() == 0
    board.click("B1", "B2")
    assert board.moves() == [["B1", "B2"]]


def test_the_same_position_again_keeps_the_clicks(board: BoardPage) -> None:
    board.show(choko())
    board.click("B1")
    board.show(choko())
    assert board.page.evaluate("board.clicks") == ["B1"]
    board.show("choko", "C3")
    assert board.page.evaluate("board.clicks") == []


def test_a_promotion_is_chosen_from_chips_beside_the_square(board: BoardPage) -> None:
    board.show(chess())
    board.click("b7", "a8")
    choices = board.page.locator("play-board .choices")
    assert choices.get_by_role("button").all_inner_texts() == ["Queen", "Knight", "Bishop", "Rook"]
    chips, square = choices.bounding_box(), board.point("a8").bounding_box()
    assert chips
    assert square
    assert 0 <= chips["y"] - square["y"] - square["height"] < square["height"]
    board.button("Knight").click()
    assert board.moves() == [["b7", "a8", "opt:n"]]
    assert choices.is_hidden()


def test_chips_can_be_taken_back(board: BoardPage) -> None:
    board.show(chess())
    board.click("b7", "b8")
    board.keys("Escape")
    assert board.page.locator("play-board .choices").is_hidden()
    board.click("c8")
    assert board.button("Queen").is_visible()


def test_legal_marks_differ_in_shape(board: BoardPage) -> None:
    board.show(chess("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"))
    first = board.marks()
    assert first.count("<circle") == 2  # a pawn and a king can move
    board.click("e4")
    marks = board.marks()
    assert f'fill="{BLUE}"' in marks  # a dot to go to
    assert f'fill="none" stroke="{BLUE}"' in marks  # a ring where there is something to take


def test_the_ghost_of_the_coming_piece_follows_the_mouse(board: BoardPage) -> None:
    board.show("go:board=9x9")
    assert "ghost" not in board.marks()
    board.point("E5").hover()
    assert "ghost" in board.marks()
    board.page.locator("h1").hover()
    assert "ghost" not in board.marks()
    assert board.said("point") == [{"at": "E5", "on": True}, {"at": "E5", "on": False}]


def test_a_board_that_is_only_looked_at_tells_of_every_point(board: BoardPage) -> None:
    board.show("othello", legal=[], actions=[])
    board.set(disabled=True)
    board.point("d4").hover()
    board.point("a1").hover()
    assert [d["at"] for d in board.said("point") if d["on"]] == ["d4", "a1"]
    board.point("d3").dispatch_event("click")
    assert board.moves() == []


def test_a_disabled_board_has_no_legal_points(board: BoardPage) -> None:
    board.show("othello")
    board.set(disabled=True)
    assert board.label("d3") == "d3, empty"
    assert board.point("d3").get_attribute("aria-disabled") == "true"
    board.set(disabled=False)
    assert board.label("d3") == "d3, empty, legal"
    assert board.point("d3").get_attribute("aria-disabled") is None


def test_actions_are_buttons(board: BoardPage) -> None:
    board.show("go:board=9x9")
    board.button("Pass").click()
    assert board.said("move") == [{"c": ["pass"], "n": "Pass"}]
    # It is on its way: nothing more can be pressed until there is an answer.
    assert board.button("Pass").count() == 0


def test_nothing_can_be_done_on_an_agents_turn(board: BoardPage) -> None:
    board.show("go:board=9x9", turn={"c": "b", "name": "Black", "who": "agent"})
    assert board.button("Pass").count() == 0
    board.point("E5").dispatch_event("click")
    assert board.moves() == []


def test_hands_are_buttons(board: BoardPage) -> None:
    state = playproof.make("choko").start()
    legal = (LegalMove(("hand:b", "C3"), "drop", ("src", "to")),)
    board.show(replace(state.view(), legal=legal, marks=()))
    board.button("From Blue's hand").click()
    board.click("C3")
    assert board.moves() == [["hand:b", "C3"]]


def test_a_long_list_is_asked_for(board: BoardPage) -> None:
    board.show(choko(), legal=[], lazy=True)
    assert board.said("prefix") == [{"c": []}]
    assert board.text("banner") == "One moment …"
    offer = "async ([prefix, tokens]) => { board.offer(prefix, tokens); await null; }"
    board.page.evaluate(offer, [[], [{"t": "B1", "kind": "src", "ends": False}]])
    board.click("B1")
    assert board.said("prefix") == [{"c": []}, {"c": ["B1"]}]
    board.page.evaluate(offer, [["B1"], [{"t": "B2", "kind": "to", "ends": True, "n": "B1-B2"}]])
    board.click("B2")
    assert board.said("move") == [{"c": ["B1", "B2"], "n": "B1-B2"}]


def test_heat_and_arrows_come_and_go(board: BoardPage) -> None:
    board.show("othello")
    plain = board.page.evaluate("board.shadowRoot.querySelector('.picture').innerHTML")
    # A pass has no place on the board.
    heat, arrow = {"d3": 0.9, "pass": 0.1}, {"a": "d3", "b": "d3", "p": 0.5, "best": True, "t": ""}
    board.set(heat=heat, arrows=[arrow, {**arrow, "b": "pass"}])
    drawn = board.page.evaluate("board.shadowRoot.querySelector('.picture').innerHTML")
    assert drawn.count("fill-opacity") == 1
    board.set(heat=None, arrows=None)
    assert board.page.evaluate("board.shadowRoot.querySelector('.picture').innerHTML") == plain


def test_a_page_can_light_points(board: BoardPage) -> None:
    board.show("othello")
    before = board.marks()
    board.set(hover=["d4", "z9"])
    assert board.marks().count("<circle") == before.count("<circle") + 1
    board.set(hover=None)
    assert board.marks() == before


@pytest.mark.parametrize(
    "name",
    [
        "othello:size=6",
        pytest.param("choko", marks=pytest.mark.slow),
        pytest.param("chess", marks=pytest.mark.slow),
        "go:board=5x5",
        "quantum-go:board=5x5",
        pytest.param("quantum-go:board=5x5,group=w,k=3", marks=pytest.mark.slow),
    ],
)
def test_every_legal_move_can_be_clicked(board: BoardPage, name: str) -> None:
    """The tokens of a random legal move, clicked in turn, are that move."""
    rng = random.Random(name)
    game, state, wanted = playproof.make(name), playproof.make(name).start(), []
    for _ in range(12):
        if state.is_terminal:
            state = game.start()
        view = state.view()
        board.show(view)
        clicks = rng.choice([m.clicks for m in view.legal] or [(view.actions[0].id,)])
        for number, token in enumerate(clicks):
            if not view.legal:
                board.button(view.actions[0].label).click()
            elif ":" in token:
                board.page.locator(f'play-board [data-token="{token}"]').click()
            elif len(board.moves()) == len(wanted):  # a last click that is no choice is not asked
                board.point(token).click()
            else:
                assert number == len(clicks) - 1
        wanted.append(list(clicks))
        assert board.moves() == wanted
        state = state.apply(rng.choice(state.legal_actions()))
