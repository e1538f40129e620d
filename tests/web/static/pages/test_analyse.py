"""Analyse: every kind of text, thinking that streams and stops, variations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import playproof
from playproof.formats.any_text import read_game
from tests.support.web.browser import Desk, scrolls_sideways
from tests.support.web.pages.lab import TITLES, moves, point, wait_for_moves

if TYPE_CHECKING:
    from playwright.sync_api import Page

BOARD = "---------------------------OX------XXX-------------------------- O"
FEN = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
SGF = "(;GM[1]FF[4]SZ[9]KM[7];B[ee];W[cc];B[gc])"
PGN = '[Event "x"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 *'
RECORD = json.dumps({"game": "choko", "options": {}, "moves": ["C3", "B2"]})
QUANTUM = json.dumps(
    {"game": "quantum-go", "options": {"board": "6x6"}, "moves": ["D3", "C2", "C4", "D5"]}
)


@pytest.fixture(scope="module", autouse=True)
def _a_second(_desk: Desk) -> None:
    """It thinks for no longer about the first position of all."""
    _desk.context.add_init_script("localStorage.setItem('playproof.budget', '1')")


def open_analyse(page: Page, url: str, *, think: bool = False) -> None:
    page.goto(f"{url}/#/analyse")
    page.wait_for_url(re.compile(r"#/analyse/\w+"))
    page.get_by_test_id("paste").wait_for()
    page.get_by_test_id("budget").select_option("1")
    page.get_by_test_id("always").set_checked(think)


def paste(page: Page, text: str, game: str = "auto") -> None:
    form = page.get_by_test_id("paste")
    form.get_by_label("Text").fill(text)
    form.get_by_label("Game", exact=True).select_option(game)
    page.get_by_test_id("open-text").click()


@contextmanager
def opening(page: Page) -> Iterator[None]:
    """What is done within opens another game: wait until the page of the last one is gone, which
    may look like it and would swallow what is clicked next."""
    page.get_by_test_id("title").evaluate("(title) => { title.dataset.last = ''; }")
    yield
    page.locator("[data-last]").wait_for(state="detached")


def paste_game(page: Page, text: str, game: str = "auto") -> None:
    """Paste what can be read, and wait until it is opened."""
    with opening(page):
        paste(page, text, game)


def choose_example(page: Page, number: int) -> None:
    with opening(page):
        page.get_by_label("Example").select_option(index=number)


def title(page: Page, game: str) -> None:
    page.get_by_role("heading", level=1, name=f"Analyse {TITLES[game]}", exact=True).wait_for()


def examples(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await import('/static/pages/analyse/examples.js')).EXAMPLES"
    )
    return found


def test_opens_with_a_real_game_that_is_thought_about(desk: Page, serve: str) -> None:
    open_analyse(desk, serve, think=True)
    title(desk, "othello")
    wait_for_moves(desk, 25)
    desk.get_by_test_id("about").filter(has_text="33 legal moves").wait_for()
    desk.get_by_test_id("value").filter(has_text=re.compile(r"Black \d+%")).wait_for()
    desk.get_by_test_id("top").get_by_role("button").first.wait_for()
    meter = desk.get_by_role("meter", name="Chances of Black")
    assert re.fullmatch(r"Black \d+%, White \d+%", meter.get_attribute("aria-valuetext") or "")
    assert desk.evaluate("Object.keys(document.querySelector('play-board').heat).length") > 0


def test_examples_can_be_read(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    found = examples(desk)
    assert {one["game"] for one in found} == set(TITLES)
    for one in found:
        state, _ = read_game(playproof.make(one["game"]), one["text"])
        assert len(state.actions) > 20
    desk.get_by_label("Example").select_option(label=found[3]["label"])
    title(desk, "chess")
    wait_for_moves(desk, 33)
    desk.get_by_test_id("status").filter(has_text="White wins by checkmate").wait_for()


@pytest.mark.slow
def test_each_kind_of_text(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    for text, given, game, plies in (
        ("f5d6c3", "auto", "othello", 3),
        ("1. F5 2. D6 3. C3", "auto", "othello", 3),
        (BOARD, "othello", "othello", 0),
        ("C3 B2 C2", "choko", "choko", 3),
        (RECORD, "auto", "choko", 2),
        (PGN, "auto", "chess", 3),
        (FEN, "auto", "chess", 0),
        (SGF, "auto", "go", 3),
        (QUANTUM, "auto", "quantum-go", 4),
    ):
        here = desk.url
        paste(desk, text, given)
        desk.wait_for_function("here => location.href !== here", arg=here)
        title(desk, game)
        desk.wait_for_function(
            "n => document.querySelectorAll('[data-testid=moves] li').length === n", arg=plies
        )


def test_wrong_text_gives_one_line(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    here = desk.url
    problem = desk.get_by_test_id("paste-problem")
    for text, game, told in (
        ("f5f5", "othello", "f5"),
        ("f5d6c3d3a1", "auto", "move 5: Othello: a1 is not legal here"),
        ("what is this?", "auto", "what"),
        ("1. e4 Ke7 2. Qq9", "chess", "Ke7"),
        ("(;GM[1", "go", "has no ]"),
        ("  ", "auto", "nothing to open"),
    ):
        paste(desk, text, game)
        problem.filter(has_text=told).wait_for()
        assert "\n" not in problem.inner_text()
        assert "Traceback" not in problem.inner_text()
        assert desk.url == here


@pytest.mark.slow
def test_a_file_of_games_offers_the_choice(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    here = desk.url
    name = "A_very_long_name_without_any_blank_" * 3
    first = '[White "Anna"]\n[Result "1-0"]\n\n1. e4 e5 (1... c5) 1-0\n\n'
    second = f'[White "{name}"]\n\n1. d4 *\n'
    desk.set_viewport_size({"width": 360, "height": 740})
    desk.get_by_test_id("paste").locator("input[type=file]").set_input_files(
        {"name": "games.pgn", "mimeType": "text/plain", "buffer": (first + second).encode()}
    )
    offer = desk.get_by_test_id("paste-choices")
    offer.filter(has_text="This text contains 2 games: choose one.").wait_for()
    assert offer.get_by_role("button").count() == 2
    assert not scrolls_sideways(desk)
    assert desk.url == here
    offer.get_by_role("button", name="1. Anna \N{EN DASH} ?, 1-0").click()
    title(desk, "chess")
    wait_for_moves(desk, 2)
    desk.get_by_test_id("source").filter(has_text="Anna \N{EN DASH} ?, 1-0.").wait_for()
    assert desk.get_by_test_id("lines").get_by_role("button").count() == 2
    paste(desk, second)
    desk.get_by_test_id("source").filter(has_text=name).wait_for()
    assert not scrolls_sideways(desk)
    desk.set_viewport_size({"width": 1280, "height": 900})
    paste(desk, "f5 d6 c3 d3 a1")
    offer.filter(has_text="Othello (move 5: a1 is not legal here)").wait_for()
    offer.get_by_role("button", name="Go").click()
    title(desk, "go")


def test_thinking_streams_and_stops(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    paste_game(desk, "f5d6c3d3c4", "othello")
    title(desk, "othello")
    wait_for_moves(desk, 5)
    desk.get_by_test_id("budget").select_option("30")
    box = desk.get_by_test_id("top").bounding_box()
    desk.get_by_test_id("think").click()
    desk.get_by_test_id("said").filter(has_text=re.compile("deep.* …")).wait_for()
    assert desk.get_by_test_id("think").inner_text() == "Stop"
    desk.get_by_test_id("think").click()
    desk.get_by_test_id("said").filter(has_text=re.compile(r"s\.$")).wait_for()
    assert desk.get_by_test_id("think").inner_text() == "Think"
    assert desk.get_by_test_id("top").bounding_box() == box  # nothing has moved
    # The further lines have a figure and moves that can be played.
    others = desk.get_by_test_id("other-lines").get_by_role("listitem")
    assert others.count() == 2
    second = others.first.get_by_role("button")
    assert second.count() >= 1
    assert others.first.inner_text() != others.last.inner_text()
    desk.get_by_test_id("lines-count").select_option("1")
    desk.get_by_test_id("other-lines").wait_for(state="hidden")
    desk.get_by_test_id("lines-count").select_option("3")
    second.first.click()
    wait_for_moves(desk, 6)


def test_a_mate_is_called_one(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    paste_game(desk, "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "chess")
    title(desk, "chess")
    desk.get_by_test_id("analyst").select_option(label="Alpha-beta")
    desk.get_by_test_id("think").click()
    first = desk.get_by_test_id("top").locator("tbody tr").first
    first.filter(has_text="mate in 1 for White").wait_for()
    assert "10005" not in desk.get_by_test_id("top").inner_text()
    desk.get_by_test_id("said").filter(has_text="mate in 1 for White").wait_for()


@pytest.mark.slow
def test_going_on_while_it_thinks_needs_no_word(desk: Page, serve: str) -> None:
    open_analyse(desk, serve, think=True)
    choose_example(desk, 1)
    title(desk, "othello")
    wait_for_moves(desk, 25)
    for _ in range(3):
        desk.get_by_test_id("go-back").click()
    desk.get_by_test_id("where").filter(has_text="Looking at 22 of 25").wait_for()
    desk.get_by_test_id("said").filter(has_text=re.compile(r"s\.$")).wait_for()
    desk.get_by_test_id("think").filter(has_text="Think").wait_for()
    assert desk.get_by_test_id("notice").count() == 0


def test_steps_that_are_quicker_than_the_answers_all_count(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    choose_example(desk, 1)
    title(desk, "othello")
    wait_for_moves(desk, 25)
    # In one turn of the page's own loop: no answer can come between.
    click = "name => document.querySelector(`[data-testid=go-${name}]`).click()"
    desk.evaluate(f"() => ['back', 'back', 'back', 'forward', 'back'].forEach({click})")
    desk.get_by_test_id("where").filter(has_text="Looking at 22 of 25").wait_for()
    desk.evaluate(f"() => ['first', 'forward', 'forward'].forEach({click})")
    desk.get_by_test_id("where").filter(has_text="Looking at 2 of 25").wait_for()
    desk.get_by_test_id("go-forward").click()
    desk.get_by_test_id("where").filter(has_text="Looking at 3 of 25").wait_for()


def test_variations(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    paste_game(desk, "f5d6c3d3c4f4", "othello")
    title(desk, "othello")
    wait_for_moves(desk, 6)
    desk.get_by_role("button", name="Go to move 1, f5").click()
    desk.get_by_test_id("where").filter(has_text="Looking at 1 of 6").wait_for()
    point(desk, "f4").click()
    lines = desk.get_by_test_id("lines").get_by_role("button")
    lines.nth(1).wait_for()
    assert lines.nth(1).inner_text() == "From move 2: f4"
    assert moves(desk) == ["f5", "f4"]
    desk.get_by_test_id("undo").click()
    lines.nth(1).wait_for(state="detached")
    desk.get_by_test_id("redo").click()
    lines.nth(1).wait_for()
    assert moves(desk) == ["f5", "f4"]
    lines.nth(0).click()
    wait_for_moves(desk, 6)
    assert moves(desk)[:3] == ["f5", "d6", "c3"]


def test_best_line_and_table_are_played_on_the_board(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    paste_game(desk, "f5d6c3", "othello")
    title(desk, "othello")
    desk.get_by_test_id("think").click()
    desk.get_by_test_id("said").filter(has_text=re.compile(r"s\.$")).wait_for()
    line = desk.get_by_test_id("pv").get_by_role("button")
    wanted = line.all_inner_texts()[:3]
    line.nth(2).click()
    wait_for_moves(desk, 6)
    assert moves(desk) == ["f5", "d6", "c3", *wanted]


def test_a_tree_search_has_visits_and_priors(desk: Page, serve: str) -> None:
    open_analyse(desk, serve)
    paste_game(desk, SGF)
    title(desk, "go")
    desk.get_by_test_id("think").click()
    desk.get_by_test_id("said").filter(has_text="games tried").wait_for()
    row = desk.get_by_test_id("top").locator("tbody tr").first
    row.wait_for()
    assert len(row.locator("td:visible").all()) == 5
    assert int(row.locator("td").nth(3).inner_text().replace(",", "")) > 0
