"""For everyone, pages to play on: axe, light and dark, and a phone; and a finger."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support.longer import longer
from tests.support.web.browser import scrolls_sideways
from tests.support.web.e2e import playing, scenes
from tests.support.web.e2e.reading import read

if TYPE_CHECKING:
    from playwright.sync_api import Page

# The other boards are of the same parts, which `shots.py` shows.
# In this order: one person does all of it, and finds his last game where he left it.
SCENES = [
    "play",
    "question",
    "keys",
    "play-finished",
    "games",
    "play-invitation",
    "analyse-thinking",
    "analyse-refused",
    "analyse-half-a-move",
    "classroom",
    "classroom-game",
]
# A sample for `make test`; the others, a second each, are left to `make slow`, and what is wrong
# with one of them alone is found there.
TELLING = ("play", "question")


@pytest.mark.parametrize(
    "scene",
    [one if one in TELLING else pytest.param(one, marks=pytest.mark.slow) for one in SCENES],
)
def test_axe_and_a_phone(phone: Page, serve: str, scene: str) -> None:
    scenes.SCENES[scene](phone, serve)
    read(phone)


@pytest.mark.slow
def test_turns_on_the_full_board_by_a_finger(phone: Page, serve: str) -> None:
    playing.open_play(phone, serve)
    playing.start(phone, "go", variant="19x19", seed=5)
    chance = random.Random(5)
    for turn in range(longer(4, 10)):
        assert playing.await_turn(phone)
        before = playing.moved(phone)
        wanted = chance.choice(playing.legal(phone))
        playing.point(phone, wanted).tap()
        playing.expect(playing.pressing(phone, "play")).to_have_text(f"Play {wanted}")
        assert playing.moved(phone) == before == 2 * turn  # a tap alone is no move
        playing.pressing(phone, "play").tap()
        playing.await_moves(phone, before + 1)
        assert playing.moves(phone)[before] == wanted
        assert not scrolls_sideways(phone)


@pytest.mark.slow
def test_every_game_fits_a_phone(phone: Page, serve: str) -> None:
    playing.open_play(phone, serve)
    for game in playing.TITLES:
        playing.start(phone, game, against="beside")
        assert not scrolls_sideways(phone), game
        phone.locator(f'[data-testid=rules][href="#/rules/{game}"]').wait_for()
    small = phone.evaluate(
        """() => [...document.querySelectorAll("button, a, select, input, summary")]
          .filter((one) => !one.closest(".unseen, .skip, footer") && one.checkVisibility())
          .map((one) => [one.closest("label") ?? one].map((on) => on.getBoundingClientRect())
            .map((box) => [one.outerHTML.slice(0, 80), box.width, box.height])[0])
          .filter(([, width, height]) => width > 0 && (width < 40 || height < 40))"""
    )
    assert small == []
