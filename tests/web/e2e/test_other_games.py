"""A game that a package brings: the lab lists it, explains it, and plays it by clicks and keys."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from playproof.formats.svg.theme import tone
from tests.support.docs.reading import EXAMPLES
from tests.support.web import browser as tools
from tests.support.web.axe import violations
from tests.support.web.e2e import playing
from tests.support.web.people import eventually

if TYPE_CHECKING:
    from playwright.sync_api import Page

# A lab of its own, for packages; `tests/web/catalog/test_third_party.py` has the same by HTTP.
pytestmark = pytest.mark.slow

POINTS = """[playproof.games]
four = four:FourInARow
nim = nim:Nim
broken = no_such_module:Game
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tools.Server]:
    """A lab beside a package with two games that work and one that does not."""
    package = tmp_path_factory.mktemp("package")
    about = package / "my_games-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-games\nVersion: 1\n")
    (about / "entry_points.txt").write_text(POINTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(package), prepend=":")
        patch.setenv("PYTHONPATH", str(EXAMPLES), prepend=":")
        folder: Path = tmp_path_factory.mktemp("lab")
        with tools.running_server(folder) as server:
            yield server


def live(page: Page) -> str:
    """What a screen reader was told last."""
    text = "document.querySelector('play-board').shadowRoot.querySelector('.live').textContent"
    return str(page.evaluate(text))


def test_a_lab_with_a_broken_game_says_so_and_starts(installed: tools.Server) -> None:
    # Games of others are tried behind the pages: the lab says it when it has come to that.
    assert eventually(
        lambda: any("'broken' of no_such_module:Game" in line for line in installed.said)
    )


def test_four_in_a_row_by_clicks_to_its_end(desk: Page, installed: tools.Server) -> None:
    playing.open_play(desk, installed.url)
    form = playing.form(desk)
    expect(form.get_by_text("Not here: the game 'broken'")).to_be_visible()
    form.get_by_role("radio", name="Four in a Row", exact=True).check()
    expect(form.get_by_label("You play")).to_contain_text("Yellow, first")
    form.locator("[name=level]").select_option(label="Beginner")
    form.get_by_label("Line").select_option("4")
    before = desk.url
    desk.get_by_test_id("start").click()
    expect(desk).not_to_have_url(before)
    expect(desk.get_by_role("heading", level=1)).to_have_text("Play Four in a Row")
    expect(desk.get_by_test_id("seat-0")).to_contain_text("Yellow")
    expect(desk.get_by_test_id("seat-1")).to_contain_text("Red")
    dice, count = random.Random(4), 0
    while playing.await_turn(desk):
        count = len(desk.get_by_test_id("moves").locator("li").all())
        # Any empty cell of a column is its move: the disc falls.
        at = dice.choice(playing.legal(desk))
        playing.point(desk, at).click()
        move = desk.get_by_test_id("moves").locator("li").nth(count)
        expect(move).to_contain_text(at[0])
        if count == 0:
            assert playing.await_turn(desk)
            expect(playing.point(desk, f"{at[0]}1")).to_have_attribute(
                "aria-label", f"{at[0]}1, yellow disc"
            )
            assert live(desk).startswith("Red plays ")
            assert "Your turn." in live(desk)
    assert count >= 3
    expect(playing.status(desk)).to_contain_text("wins")
    picture = desk.locator("play-board .picture").inner_html()
    for colour in "yr":
        assert tone(colour, False).fill in picture
    assert tone("n", False).fill not in picture
    dots = [desk.get_by_test_id(f"seat-{i}").locator(".dot") for i in (0, 1)]
    expect(dots[0]).to_have_css("background-color", "rgb(255, 217, 58)")
    expect(dots[1]).to_have_css("background-color", "rgb(200, 56, 31)")
    assert violations(desk) == []


def test_nim_with_another_heap_by_keys(desk: Page, installed: tools.Server) -> None:
    playing.open_play(desk, installed.url)
    form = playing.form(desk)
    form.get_by_role("radio", name="Nim", exact=True).check()
    form.get_by_label("Heap").fill("3")
    form.locator("[name=level]").select_option(label="Beginner")
    before = desk.url
    desk.get_by_test_id("start").click()
    expect(desk).not_to_have_url(before)
    assert playing.await_turn(desk)
    playing.point(desk, "a1").focus()
    desk.keyboard.press("Enter")
    expect(playing.status(desk)).to_contain_text("Black wins")
    assert live(desk).startswith("Black plays 3.")
    # What was chosen stays chosen, is told, and stands in the list of games.
    expect(form.get_by_label("Heap")).to_have_value("3")
    expect(desk.get_by_role("heading", level=1).locator("..")).to_contain_text("(heap 3)")
    desk.goto(f"{installed.url}/#/games")
    expect(desk.get_by_role("heading", name="Nim heap 3").first).to_be_visible()


def test_it_is_analysed(desk: Page, installed: tools.Server) -> None:
    desk.goto(f"{installed.url}/#/analyse")
    paste = desk.get_by_test_id("paste")
    paste.get_by_label("Game").select_option("four")
    paste.get_by_label("Text").fill("a b a b a")
    desk.get_by_test_id("open-text").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Analyse Four in a Row")
    # Yellow has three in a column: Red must close it.
    best = desk.get_by_test_id("pv").locator("button").first
    expect(best).to_have_text("a", timeout=playing.PATIENCE)
    expect(desk.get_by_test_id("value")).to_contain_text("Yellow")


def test_its_rules_are_a_page_and_home_names_it(desk: Page, installed: tools.Server) -> None:
    desk.goto(f"{installed.url}/#/rules/four")
    article = desk.get_by_test_id("rules-article")
    expect(article.get_by_role("heading", level=1)).to_have_text("How to play Four in a Row")
    expect(article.get_by_role("heading", name="A move")).to_be_visible()
    expect(article.get_by_role("listitem").first).to_contain_text("in a line win")
    desk.goto(f"{installed.url}/#/rules/nim")
    expect(article).to_contain_text("This game comes without a description of its rules.")
    assert violations(desk) == []
    desk.goto(f"{installed.url}/#/")
    door = desk.get_by_test_id("door-play")
    expect(door).to_contain_text("Also here: Four in a Row, Nim.", timeout=playing.PATIENCE)
    desk.goto(f"{installed.url}/#/tournaments")
    game = desk.get_by_test_id("t-game")
    expect(game).to_contain_text("Four in a Row", timeout=playing.PATIENCE)
