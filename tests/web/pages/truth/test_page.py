"""Truth in a browser: tables are built, five positions are asked for, a game is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.support.web.browser import Problems

if TYPE_CHECKING:
    from playwright.sync_api import Page

PATIENCE = 60_000  # milliseconds: opening tables takes seconds on two busy cores
# Positions with four pieces in play, and what `playproof table probe` says of them.
FIVE = {
    "5/5/5/5/5 b 2 2 - 20": "Blue to move: a draw",
    "4r/5/5/1b3/1br2 b 0 0 - 24": "Blue to move: Blue wins in 1",
    "5/1r3/1b3/5/3br b 0 0 - 24": "Blue to move: Blue wins in 1",
    "r4/5/2b2/5/5 b 1 1 - 22": "Blue to move: a draw",
    "b4/5/5/5/4r r 1 1 - 23": "Red to move: a draw",
}


def value(page: Page, text: str) -> None:
    expect(page.get_by_test_id("truth-value")).to_contain_text(text, timeout=PATIENCE)


@pytest.mark.slow
def test_tables_are_built_and_asked(desk: Page, serve: str, desk_problems: Problems) -> None:
    desk_problems.allow("400")
    desk.set_default_timeout(PATIENCE)
    desk.goto(f"{serve}/#/truth")
    value(desk, "Blue wins in 59")
    expect(desk.get_by_test_id("worth-A1")).to_contain_text("Blue wins in 59")
    desk.locator('play-board[data-testid=board] button[data-at="B2"]').click()
    value(desk, "Red to move: Blue wins in 68")
    desk.go_back()
    value(desk, "Blue to move: Blue wins in 59")

    desk.get_by_test_id("build-4").click()
    desk.get_by_test_id("job-state").wait_for()
    desk.reload()  # in the middle of it
    expect(desk.get_by_test_id("size-4").get_by_text("Built")).to_be_visible(timeout=PATIENCE)
    for number, (text, told) in enumerate(FIVE.items()):
        form = desk.get_by_test_id("truth-form")
        form.get_by_label("Text").fill(text)
        desk.get_by_test_id("truth-open").click()
        desk.wait_for_url(f"**/#/truth/{quote(text, safe='')}")
        value(desk, told)
        expect(desk.get_by_test_id("truth-value")).to_be_in_viewport()  # the form is below it
        expect(desk.get_by_test_id("truth-beyond")).to_be_empty()
        assert desk.get_by_test_id("truth-moves").locator("tbody tr").count() > 0
        if number == 2:
            desk.reload()
            value(desk, told)
    desk.get_by_test_id("truth-form").get_by_label("Text").fill("A1 A1")
    desk.get_by_test_id("truth-open").click()
    expect(desk.get_by_test_id("truth-problem")).to_contain_text("A1 is not legal")


@pytest.mark.slow
def test_a_game_is_judged_and_boards_are_walked(
    desk: Page, serve: str, desk_problems: Problems
) -> None:
    desk.set_default_timeout(PATIENCE)
    desk.goto(f"{serve}/#/truth")
    desk.get_by_test_id("example-line-58").click()
    expect(desk.get_by_test_id("verdict")).to_have_text("Nobody gave anything away.")
    value(desk, "Blue wins in 1")
    expect(desk.get_by_test_id("where")).to_have_text("Looking at 58 of 59")
    desk.get_by_test_id("go-last").click()
    value(desk, "Blue wins")
    desk.reload()
    expect(desk.get_by_test_id("where")).to_have_text("59 so far")

    desk_problems.allow("400")
    worth = desk.get_by_test_id("ending-value")
    desk.get_by_test_id("ending-text").fill("hello")
    desk.get_by_test_id("ending-open").click()
    expect(desk.get_by_test_id("ending-problem")).to_contain_text("want moves such as f5d6c3")
    desk.get_by_test_id("ending-example").click()
    expect(worth).to_have_text("Black to move: Black wins by 6.")
    desk.get_by_test_id("ending-moves").get_by_role("button").first.click()
    expect(worth).to_have_text("White to move: Black wins by 6.")

    desk.get_by_test_id("small-3x2-standard").click()
    expect(desk.get_by_test_id("small-value")).to_have_text("Black wins by 1.")
    desk.locator('play-board[data-testid=small-board] button[data-at="A1"]').click()
    expect(desk.get_by_test_id("small-way")).to_have_text("So far: A1")
    desk.get_by_test_id("small-moves").get_by_role("button", name="Choose C2").click()
    expect(desk.get_by_test_id("small-value")).to_have_text("White wins by 6, the whole board.")
    desk.reload()
    expect(desk.get_by_test_id("small-value")).to_have_text("White wins by 6, the whole board.")
    desk.get_by_test_id("small-back").click()
    expect(desk.get_by_test_id("small-value")).to_have_text("Black wins by 1.")
