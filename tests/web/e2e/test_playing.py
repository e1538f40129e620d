"""A game of each of the four games against the computer, by clicks; two by keys alone;
and a reload in the middle of a game."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support.longer import longer
from tests.support.web.e2e import playing
from tests.support.web.e2e.keys import Keys

if TYPE_CHECKING:
    from playwright.sync_api import Page

TO_THE_END = 200  # turns: no game below has so many
SEED = 7  # the computer's chances repeat with it


@pytest.mark.parametrize(
    ("game", "variant", "turns"),
    [
        ("othello", "4x4", TO_THE_END),
        pytest.param("quantum-go", "5x5", longer(10, TO_THE_END), marks=pytest.mark.slow),
        pytest.param("choko", "standard", longer(5, 10), marks=pytest.mark.slow),
        pytest.param("chess", "standard", longer(5, 10), marks=pytest.mark.slow),
    ],
)
def test_by_clicks(desk: Page, serve: str, game: str, variant: str, turns: int) -> None:
    playing.open_play(desk, serve)
    id = playing.start(desk, game, variant=variant, seed=SEED)
    chance, played = random.Random(SEED), 0
    while playing.await_turn(desk) and played < turns:
        playing.click_a_move(desk, chance)
        played += 1
    _same_as_the_server(desk, serve, id, turns)


@pytest.mark.parametrize(
    ("game", "variant", "turns"),
    [
        ("othello", "4x4", TO_THE_END),
        pytest.param("chess", "standard", longer(5, 10), marks=pytest.mark.slow),
    ],
)
def test_by_keys_alone(desk: Page, serve: str, game: str, variant: str, turns: int) -> None:
    playing.open_play(desk, serve)
    keys = Keys(desk)
    before = desk.url
    keys.fill_the_form(game=game, variant=variant, level="random", seed=SEED)
    playing.expect(desk).not_to_have_url(before, timeout=playing.PATIENCE)
    chance, played = random.Random(SEED), 0
    while playing.await_turn(desk) and played < turns:
        keys.move(chance)
        played += 1
    _same_as_the_server(desk, serve, playing.game_id(desk), turns)


def test_a_reload_goes_on_where_it_was(desk: Page, serve: str) -> None:
    playing.open_play(desk, serve)
    playing.start(desk, "quantum-go", variant="5x5", seed=3)
    chance = random.Random(3)
    for _ in range(longer(1, 2)):
        assert playing.await_turn(desk)
        playing.click_a_move(desk, chance)
        assert playing.await_turn(desk)
        before, here, may = playing.moves(desk), desk.url, playing.legal(desk)
        desk.reload()
        playing.await_moves(desk, len(before))
        assert playing.await_turn(desk)
        assert desk.url == here
        assert playing.moves(desk) == before
        assert playing.legal(desk) == may


@pytest.mark.slow
def test_clicks_of_an_unfinished_move_are_no_move(desk: Page, serve: str) -> None:
    playing.open_play(desk, serve)
    playing.start(desk, "chess", seed=3)
    assert playing.await_turn(desk)
    playing.point(desk, "e2").click()
    playing.expect(playing.point(desk, "e2")).to_have_attribute("aria-pressed", "true")
    desk.reload()
    assert playing.await_turn(desk)
    assert playing.moves(desk) == []
    playing.point(desk, "e2").click()
    playing.point(desk, "e4").click()
    playing.await_moves(desk, 2)
    assert playing.moves(desk)[0] in ("e4", "e2e4")


def _same_as_the_server(page: Page, url: str, id: str, turns: int) -> None:
    """What the page shows is what the server holds, and the game ended where it should."""
    held = playing.state(page, url, id)
    assert playing.moves(page) == held["moves"]
    if turns == TO_THE_END:
        assert held["result"] != "*"
        assert not held["can"]["move"]
        playing.expect(page.get_by_test_id("again")).to_be_visible()
    else:
        assert held["result"] == "*"
        assert len(held["moves"]) > turns  # the other side has moved too
