"""Home leads everywhere, and so does the menu of a phone; a paper's claim is run and told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.support.longer import longer
from tests.support.web.browser import PHONE, scrolls_sideways

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = (
    "play", "analyse", "classroom", "games", "rules", "proofs", "truth", "train", "tournaments",
    "papers",
)  # fmt: skip
PATIENCE = 60_000  # milliseconds: jobs start Python, two busy cores take their time


@pytest.mark.slow
def test_home_leads_to_each_page(desk: Page, serve: str) -> None:
    desk.set_default_timeout(PATIENCE)
    desk.goto(serve)
    desk.get_by_test_id("door-play").wait_for()
    for name in PAGES:
        expect(desk.get_by_test_id(f"door-{name}")).to_have_attribute("href", f"#/{name}")
    about = desk.get_by_test_id("door-truth")
    expect(about).to_contain_text("build tables for other positions")
    expect(about).not_to_contain_text("any position")  # most need tables that are not there
    for name in longer(("games", "train", "papers"), PAGES):  # all are gone to in ../e2e
        expect(desk.get_by_role("heading", level=1)).to_have_text("Play it. Teach it. Prove it.")
        desk.get_by_test_id(f"door-{name}").click()
        shown = desk.get_by_test_id(f"page-{name}")
        expect(shown.get_by_role("heading", level=1)).not_to_be_empty(timeout=PATIENCE)
        assert shown.get_by_role("alert").filter(has_text=".").count() == 0
        desk.locator("#brand").click()
    expect(desk.locator("#brand")).to_have_attribute("aria-current", "page")
    desk.get_by_test_id("begin-truth").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Choko is solved")
    desk.go_back()
    desk.get_by_test_id("begin-play").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Play Othello")


@pytest.mark.slow
def test_the_menu_of_a_phone(open_page: Callable[..., Page], serve: str) -> None:
    page = open_page(**PHONE)
    page.goto(serve)
    page.get_by_test_id("door-play").wait_for()
    assert not scrolls_sideways(page)
    menu = page.get_by_role("button", name="Menu")
    nav = page.get_by_role("navigation", name="Pages")
    expect(nav).to_be_hidden()
    menu.tap()
    expect(menu).to_have_attribute("aria-expanded", "true")
    assert nav.get_by_role("link").count() == 11
    assert not scrolls_sideways(page)
    page.keyboard.press("Escape")
    expect(nav).to_be_hidden()
    expect(menu).to_be_focused()
    page.keyboard.press("Enter")
    nav.get_by_role("link", name="Papers").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Papers")
    expect(nav).to_be_hidden()


@pytest.mark.slow
def test_a_claim_is_run_from_the_page(desk: Page, serve: str) -> None:
    desk.set_default_timeout(PATIENCE)
    desk.goto(f"{serve}/#/papers")
    desk.get_by_test_id("paper-othello33").click()
    expect(desk.get_by_test_id("ours-unreachable")).to_contain_text("4.9 s")
    desk.get_by_test_id("run-black").click()
    outcome = desk.get_by_test_id("outcome-black")
    desk.get_by_test_id("job-state").wait_for()
    desk.reload()  # the job goes on
    expect(outcome).to_contain_text("33 moves for Black after 26 plies", timeout=PATIENCE)
    expect(outcome).to_contain_text("holds")
    desk.reload()
    expect(outcome).to_contain_text("33 moves for Black")
