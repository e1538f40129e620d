"""A person at the page: starts games by the form, sees whose turn it is, clicks, presses keys.

Nothing here knows the rules: a move is whatever the board says may be clicked.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

PATIENCE = 30_000  # milliseconds: two busy cores may take their time
MINE = re.compile(r"^Your turn\.$")
MINE_OR_OVER = re.compile(r"^Your turn\.$|wins|[Dd]raw|tie")
TITLES = {
    "othello": "Othello",
    "choko": "Choko",
    "quantum-go": "Quantum Go",
    "chess": "Chess",
    "go": "Go",
}


def open_play(page: Page, url: str) -> None:
    page.set_default_timeout(PATIENCE)
    page.goto(f"{url}/#/play")
    form(page).wait_for()


def form(page: Page) -> Locator:
    return page.get_by_test_id("new-game")


def start(
    page: Page,
    game: str,
    *,
    variant: str = "standard",
    against: str = "agent",
    level: str = "Beginner",
    seed: int | None = None,
) -> str:
    """A new game by the form with the mouse; its id."""
    found, before = form(page), page.url
    found.get_by_role("radio", name=TITLES[game], exact=True).check()
    found.locator("[name=variant]").select_option(variant)
    found.locator("[name=against]").select_option(against)
    if against == "agent":
        found.locator("[name=level]").select_option(label=level)
    if seed is not None:
        if not found.locator("[name=seed]").is_visible():
            found.locator("summary").click()
        found.locator("[name=seed]").fill(str(seed))
    # The page of the game before may look like the new one: it must be gone.
    found.evaluate("(form) => { form.dataset.last = ''; }")
    page.get_by_test_id("start").click()
    expect(page).not_to_have_url(before, timeout=PATIENCE)
    expect(page.locator("[data-last]")).to_have_count(0, timeout=PATIENCE)
    expect(page.get_by_role("heading", level=1)).to_have_text(
        f"Play {TITLES[game]}", timeout=PATIENCE
    )
    return game_id(page)


def game_id(page: Page) -> str:
    return page.url.rpartition("/")[2]


def status(page: Page) -> Locator:
    return page.get_by_test_id("status")


def await_turn(page: Page) -> bool:
    """Wait until it is this person's turn, or the game is over (False)."""
    while True:
        expect(status(page)).to_have_text(MINE_OR_OVER, timeout=PATIENCE)
        text = status(page).inner_text()  # which may have changed since
        if MINE_OR_OVER.search(text):
            return bool(MINE.search(text))


def point(page: Page, at: str) -> Locator:
    return page.locator(f'play-board button[data-at="{at}"]')


@dataclass(frozen=True)
class Sight:
    """What the page showed at one moment."""

    moves: int
    legal: list[str]  # points that may be clicked, as their buttons tell a screen reader
    buttons: list[str]  # keys of the buttons under the board: play, action-pass
    choices: int  # chips beside the board, such as pieces to promote to


def look(page: Page) -> Sight:
    # In one go: between two looks the other side may have moved.
    return Sight(
        **page.evaluate("""() => {
          const all = (selector) => [
            ...document.querySelector("play-board").shadowRoot.querySelectorAll(selector)];
          return {
            moves: document.querySelectorAll("[data-testid=moves] li").length,
            legal: all('button[data-at][aria-label*="legal"]').map((one) => one.dataset.at),
            buttons: all(".bar .buttons button").map((one) => one.dataset.key),
            choices: all(".choices:not([hidden]) button").length,
          };
        }""")
    )


def legal(page: Page) -> list[str]:
    return look(page).legal


def pressing(page: Page, key: str) -> Locator:
    """A button under the board."""
    return page.locator(f'play-board button[data-key="{key}"]')


def moves(page: Page) -> list[str]:
    return page.get_by_test_id("moves").locator(".mono").all_inner_texts()


def await_moves(page: Page, count: int) -> None:
    """Wait for at least so many moves in the list."""
    last = page.get_by_test_id("moves").locator("li").nth(count - 1)
    last.wait_for(state="attached", timeout=PATIENCE)


def moved(page: Page) -> int:
    return look(page).moves


def click_a_move(page: Page, chance: random.Random) -> None:
    """One move by the mouse: points until it is complete, or a button under the board."""
    before = moved(page)
    while (seen := look(page)).moves == before:
        if seen.choices:
            page.locator("play-board .choices button").first.click()
        elif target := _target(page, seen, chance):
            target.click()


def tap_a_move(page: Page, chance: random.Random) -> None:
    """One move by a finger: points, then "Play …" where a small screen asks."""
    before = moved(page)
    while (seen := look(page)).moves == before:
        target = _target(page, seen, chance)
        if target:
            target.tap()


def _target(page: Page, seen: Sight, chance: random.Random) -> Locator | None:
    """What to press next; None while the answer to the last press is on its way."""
    if "play" in seen.buttons:
        return pressing(page, "play")
    if seen.legal:
        return point(page, chance.choice(seen.legal))
    passing = [key for key in seen.buttons if key.startswith("action-")]
    return pressing(page, passing[0]) if passing else None


def confirm(page: Page) -> None:
    """Press "Play …" where the board waits for it, as it does on a small screen."""
    if "play" in look(page).buttons:
        pressing(page, "play").click()


def state(page: Page, url: str, id: str) -> dict[str, Any]:
    """What the server holds, asked over HTTP with this person's cookie."""
    answer = page.request.get(f"{url}/api/games/{id}")
    assert answer.ok, answer.text()
    found: dict[str, Any] = answer.json()
    return found
