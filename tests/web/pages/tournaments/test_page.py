"""Tournaments in the browser: a table, a cell's games, one of them step by step, a reload."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.support.web.browser import PHONE, Problems, Server
from tests.support.web.e2e.reading import read
from tests.support.web.tournaments.played import play

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[..., "Page"]
PATIENCE = 40_000


@pytest.fixture(scope="module", autouse=True)
def _played(lab: Server) -> None:
    """The lab has a tournament from the start."""
    play(lab.folder / "arena.sqlite", pairs=30)


@pytest.mark.slow
def test_a_game_of_a_cell_is_stepped_through(desk: Page, lab: Server) -> None:
    from playwright.sync_api import expect

    page = desk
    expect.set_options(timeout=PATIENCE)
    page.goto(f"{lab.url}/#/tournaments")
    page.get_by_role("link", name="Othello, 4 × 4: 3 players").click()  # noqa: RUF001
    expect(page.get_by_test_id("played")).to_have_text("180 of 180 games")
    expect(page.get_by_test_id("ratings").locator("tbody tr")).to_have_count(3)
    expect(page.get_by_test_id("openings")).to_contain_text("random moves, roughly even")

    # By keys alone: from cell to cell over the diagonal, into the games, along the moves.
    cells = page.get_by_test_id("cross").locator("tbody tr").first.locator("button")
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    expect(cells.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("cell-title")).to_be_focused()
    games = page.get_by_test_id("cell-games").locator("button")
    expect(games).to_have_count(50)
    page.get_by_test_id("more-games").click()
    expect(games).to_have_count(60)
    games.nth(1).click()
    expect(page.get_by_test_id("replay-title")).to_be_focused()
    expect(page.get_by_test_id("replay-board")).to_be_in_viewport(ratio=0.9)
    for _ in range(3):
        page.keyboard.press(".")
    slider = page.get_by_test_id("replay-slider")
    expect(slider).to_have_value("3")
    expect(page.get_by_test_id("where")).to_have_text(re.compile(r"^Looking at 3 of \d+$"))
    third = page.locator(".move[aria-current]").inner_text()

    page.reload()
    expect(slider).to_have_value("3")
    expect(page.locator(".move[aria-current]")).to_have_text(third.replace("\n", ""))
    expect(cells.nth(1)).to_have_attribute("aria-pressed", "true")
    page.get_by_test_id("go-last").click()
    expect(page.get_by_test_id("replay-end")).to_have_text(re.compile("wins|draw", re.IGNORECASE))
    page.get_by_test_id("replay-analyse").click()
    page.wait_for_url(re.compile(r"#/analyse/\w+"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Analyse Othello")


def test_a_wrong_player_is_told_in_a_line(desk: Page, lab: Server, desk_problems: Problems) -> None:
    from playwright.sync_api import expect

    desk_problems.allow("400")
    desk.goto(f"{lab.url}/#/tournaments")
    desk.get_by_test_id("t-others").fill("alphabeta:deph=3")
    desk.get_by_test_id("t-start").click()
    expect(desk.get_by_test_id("t-problem")).to_contain_text("deph", timeout=PATIENCE)


@pytest.mark.slow
def test_the_table_on_a_phone(open_page: Open, lab: Server) -> None:
    page = open_page(**PHONE, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE)
    page.goto(f"{lab.url}/#/tournaments/1/0-1.1.4")
    page.get_by_test_id("replay").wait_for()
    read(page)
