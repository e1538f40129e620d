"""Every page and dialog of the lab, each with something real on it, by name.

``test_everyone_*.py`` read them with axe and with a phone, ``shots.py`` draws them.
A scene takes a page and the address of a lab, and ends with all in place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.support.web.e2e import playing

if TYPE_CHECKING:
    from playwright.sync_api import Page

expect = playing.expect
Scene = Callable[["Page", str], None]
_PATIENCE = playing.PATIENCE


def welcome(page: Page, url: str) -> None:
    """As a newcomer finds it."""
    playing.open_play(page, url)
    assert playing.await_turn(page)


def play(page: Page, url: str) -> None:
    """The same, with a hint."""
    welcome(page, url)
    page.get_by_test_id("hint").click()
    expect(page.get_by_test_id("hint-line")).to_contain_text("Hint: ", timeout=_PATIENCE)


def finished(page: Page, url: str) -> None:
    playing.open_play(page, url)
    playing.start(page, "othello", variant="4x4", against="beside")
    page.get_by_test_id("resign").click()
    page.get_by_test_id("confirm").click()
    expect(playing.status(page)).to_contain_text("resigned", timeout=_PATIENCE)


def half_a_move(page: Page, url: str) -> None:
    """A pawn was clicked and promotes: the board asks to what."""
    page.set_default_timeout(_PATIENCE)
    analyse_text(page, url, "r3k3/1P6/8/8/8/8/8/4K3 w - - 0 1", "Chess")
    playing.point(page, "b7").click()
    playing.point(page, "a8").click()
    expect(page.locator("play-board .choices button").first).to_be_visible(timeout=_PATIENCE)


def invitation(page: Page, url: str) -> None:
    playing.open_play(page, url)
    playing.start(page, "quantum-go", against="open")
    expect(page.get_by_test_id("invite")).to_be_visible(timeout=_PATIENCE)


def two_moves(game: str, variant: str = "standard") -> Scene:
    def scene(page: Page, url: str) -> None:
        import random

        playing.open_play(page, url)
        playing.start(page, game, variant=variant, seed=5)
        chance = random.Random(5)
        for _ in range(2):
            assert playing.await_turn(page)
            if page.viewport_size and page.viewport_size["width"] < 500:
                playing.tap_a_move(page, chance)
            else:
                playing.click_a_move(page, chance)
        assert playing.await_turn(page)

    return scene


def thinking(page: Page, url: str) -> None:
    """Analyse, while the computer thinks for half a minute about the move before the last."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/analyse")
    page.get_by_test_id("budget").select_option("30")
    page.get_by_test_id("go-back").click()
    expect(page.get_by_test_id("where")).to_have_text("Looking at 24 of 25", timeout=_PATIENCE)
    expect(page.get_by_test_id("said")).to_have_text(
        re.compile(r"^([4-9]|\d\d) moves deep.* …"), timeout=_PATIENCE
    )
    expect(page.get_by_test_id("think")).to_have_text("Stop", timeout=_PATIENCE)


def analyse_text(page: Page, url: str, text: str, title: str) -> None:
    page.goto(f"{url}/#/analyse")
    found = page.get_by_test_id("paste")
    found.wait_for()
    page.get_by_test_id("always").uncheck()
    found.get_by_label("Text").fill(text)
    page.get_by_test_id("open-text").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Analyse {title}", timeout=_PATIENCE)


def classroom(page: Page, url: str) -> None:
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/classroom")
    page.get_by_test_id("matrix").locator("table").wait_for()
    expect(page.get_by_test_id("chsh-result")).to_contain_text("S =", timeout=_PATIENCE)


def lesson(page: Page, url: str) -> None:
    """A game of the class, with two pairs on the board."""
    classroom(page, url)
    found = page.get_by_test_id("class-start")
    found.locator('[name="board"]').select_option("5x5")
    page.get_by_test_id("class-begin").click()
    page.wait_for_url(re.compile(r"#/classroom/\w+"))
    question = page.get_by_test_id("question")
    for name, then in (("B2", "entangled with"), ("D4", "White places")):
        expect(question).to_contain_text("places", timeout=_PATIENCE)
        playing.point(page, name).click()
        playing.confirm(page)
        expect(question).to_contain_text(then, timeout=_PATIENCE)


def games(page: Page, url: str) -> None:
    playing.open_play(page, url)
    playing.start(page, "choko", against="beside")
    playing.start(page, "chess")
    saved(page, url)


def saved(page: Page, url: str) -> None:
    """The games that this person has."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/games")
    expect(page.locator(".game-item")).not_to_have_count(0, timeout=_PATIENCE)


def rules(game: str) -> Scene:
    def scene(page: Page, url: str) -> None:
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{url}/#/rules/{game}")
        title = playing.TITLES[game]
        expect(page.get_by_role("heading", level=1)).to_have_text(
            f"How to play {title}", timeout=_PATIENCE
        )

    return scene


def keys(page: Page, url: str) -> None:
    playing.open_play(page, url)
    page.get_by_role("button", name="Keyboard shortcuts").click()
    page.get_by_role("dialog").wait_for()


def question(page: Page, url: str) -> None:
    """Asked before something that cannot be taken back."""
    playing.open_play(page, url)
    assert playing.await_turn(page)
    page.get_by_test_id("resign").click()
    page.get_by_role("dialog").wait_for()


def refused(page: Page, url: str) -> None:
    """Text that cannot be read."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/analyse")
    page.get_by_test_id("paste").get_by_label("Text").fill("what is this?")
    page.get_by_test_id("open-text").click()
    expect(page.get_by_test_id("paste-problem")).not_to_be_empty(timeout=_PATIENCE)


def proofs(part: str, testid: str) -> Scene:
    """A part of the Proofs page, when what ``testid`` names is there."""

    def scene(page: Page, url: str) -> None:
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{url}/#/proofs/{part}")
        expect(page.get_by_test_id(testid)).to_be_visible(timeout=_PATIENCE)

    return scene


def proof(page: Page, url: str) -> None:
    """A theorem of three parts, run to its end."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/proofs/run")
    page.get_by_test_id("offer-equivalence").click()
    page.get_by_test_id("prove").click()
    verdict = page.get_by_test_id("proof-verdict")
    expect(verdict).to_contain_text("the proof was checked", timeout=2 * _PATIENCE)


def shown(route: str, testid: str) -> Scene:
    """A page by its address, when what ``testid`` names is there."""

    def scene(page: Page, url: str) -> None:
        page.set_default_timeout(_PATIENCE)
        page.goto(f"{url}/#/{route}")
        expect(page.get_by_test_id(testid)).to_be_visible(timeout=_PATIENCE)

    return scene


def menu(page: Page, url: str) -> None:
    """Home, with the pages unfolded where the window is narrow."""
    shown("", "door-papers")(page, url)
    knob = page.get_by_role("button", name="Menu")
    if knob.is_visible():
        knob.click()


def run(page: Page, url: str) -> None:
    """A net that has learned Choko for a few seconds, at play."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/train")
    page.get_by_test_id("recipe").select_option("choko")
    page.get_by_test_id("iterations").fill("60")
    page.get_by_test_id("start-run").click()
    expect(page.get_by_test_id("run-state")).to_have_text("Done", timeout=2 * _PATIENCE)
    page.get_by_test_id("watch-start").click()
    expect(page.get_by_test_id("watch-status")).to_contain_text("moves so far", timeout=_PATIENCE)


def table(page: Page, url: str) -> None:
    """A tournament of three, played to its end, and one of its games."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/tournaments")
    page.get_by_test_id("t-variant").select_option("4x4")
    page.get_by_test_id("t-games").fill("10")
    page.get_by_test_id("t-start").click()
    expect(page.get_by_test_id("tournament-state")).to_have_text("Done", timeout=2 * _PATIENCE)
    page.get_by_test_id("cell-2-0").click()
    page.get_by_test_id("cell-games").locator("button").first.click()
    page.get_by_test_id("go-forward").click()
    expect(page.get_by_test_id("where")).to_contain_text("Looking at 1", timeout=_PATIENCE)


def jobs(page: Page, url: str) -> None:
    """A tournament that was stopped, in the list of jobs, with its own page opened."""
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{url}/#/tournaments")
    page.get_by_test_id("t-games").fill("1000")
    page.get_by_test_id("t-start").click()
    expect(page.get_by_test_id("tournament-state")).to_have_text("Running", timeout=_PATIENCE)
    page.goto(f"{url}/#/jobs")
    page.get_by_test_id("job-cancel").first.click()
    stopped = page.get_by_test_id("jobs-over").locator("li", has_text="Stopped")
    expect(stopped.first).to_be_visible(timeout=_PATIENCE)
    stopped.first.get_by_role("link").click()
    expect(page.get_by_test_id("job-resume")).to_be_visible(timeout=_PATIENCE)


SCENES: dict[str, Scene] = {
    "home": shown("", "door-papers"),
    "home-menu": menu,
    "truth": shown("truth", "worth-A1"),
    "truth-game": shown("truth/C3%20D3%20C1%20A1%20C3xE3%2CA1/4", "mistakes"),
    "truth-small": shown("truth/small/3x2/standard/A1%20C2", "small-way"),
    "papers": shown("papers", "paper-rl-chess"),
    "papers-othello": shown("papers/othello33", "run-35"),
    "papers-choko": shown("papers/chokozero", "run-curves"),
    "play": play,
    "play-finished": finished,
    "play-invitation": invitation,
    "play-choko": two_moves("choko"),
    "play-quantum-go": two_moves("quantum-go"),
    "play-chess": two_moves("chess"),
    "play-go-19": two_moves("go", "19x19"),
    "analyse-thinking": thinking,
    "analyse-half-a-move": half_a_move,
    "analyse-refused": refused,
    "classroom": classroom,
    "classroom-game": lesson,
    "games": games,
    **{f"rules-{game}": rules(game) for game in playing.TITLES},
    "keys": keys,
    "question": question,
    "proofs-33": proofs("33", "frame-board"),
    "proofs-all": proofs("all/census-915/27", "frame-board"),
    "proofs-lemma": proofs("lemma/unfillable/26", "frame-board"),
    "proofs-levels": proofs("levels/earliest/20", "level-about"),
    "proofs-run": proofs("run", "proofs-list"),
    "proofs-check": proofs("check", "drop-zone"),
    "proofs-proof": proof,
    "train": shown("train", "start-form"),
    "train-run": run,
    "tournaments": shown("tournaments", "t-form"),
    "tournaments-table": table,
    "jobs": jobs,
}


def join(page: Page, url: str) -> None:
    """What a lab with a code (its address) shows to a stranger."""
    page.set_default_timeout(_PATIENCE)
    page.goto(url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Join the lab", timeout=_PATIENCE)
