"""The rules in plain words: their pictures are positions that play really reaches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import playproof
from tests.support.web.browser import STATIC, Desk, static_site

if TYPE_CHECKING:
    from playwright.sync_api import Page

GAMES = ("othello", "choko", "quantum-go", "chess", "go")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page without a server behind it; `_offline` answers for one."""
    own: Path = tmp_path_factory.mktemp("site")
    (own / "index.html").write_bytes((STATIC / "index.html").read_bytes())
    with static_site(own) as url:
        yield f"{url}/index.html"


@pytest.fixture(scope="module", autouse=True)
def _offline(_desk: Desk) -> None:
    from playproof.web.catalog.listing import catalog

    join = {"needs_code": False, "entered": True, "owner": True, "url": ""}
    context = _desk.context
    context.route("**/api/join", lambda route: route.fulfill(json=join))
    context.route("**/api/catalog", lambda route: route.fulfill(json=catalog()))
    # No server: the line to it stays closed, quietly.
    closed = "window.WebSocket = class extends EventTarget { send() {} close() {} };"
    context.add_init_script(closed)


def rules_of(page: Page, game: str) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(
        "async (game) => (await import(`/static/rules/${game}.js`)).rules", game
    )
    return found


def views_of(page: Page, game: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Every picture of a game, and the View it is drawn from."""
    text = page.evaluate(
        """async (game) => {
          const { rules } = await import(`/static/rules/${game}.js`);
          const { viewOf } = await import("/static/rules/pictures.js");
          const pictures = rules.parts.flatMap((part) => part.pictures ?? []);
          return JSON.stringify(pictures.map((one) => [one, viewOf(game, one)]));
        }""",
        game,
    )
    return [(picture, view) for picture, view in json.loads(text)]


def standing(view: dict[str, Any]) -> set[tuple[Any, ...]]:
    return {(p["at"], p["k"], p["c"], p.get("w", 1)) for p in view["pieces"]}


@pytest.mark.parametrize("game", GAMES)
def test_pictures_show_positions_of_the_game(desk: Page, site: str, game: str) -> None:
    desk.goto(site + "#/rules")
    found = views_of(desk, game)
    assert found
    for picture, view in found:
        if "of" not in picture:
            assert picture.get("reach"), picture["caption"]
            continue
        made = playproof.make(picture["of"]["game"])
        position = picture["of"].get("position")
        state = made.position(position) if position else made.start()
        state = state.play(picture["of"].get("moves", ""))
        real = state.view().to_json()
        assert standing(view) == standing(real), picture["caption"]
        assert view["board"]["cols"] == real["board"]["cols"]
        assert view["board"]["rows"] == real["board"]["rows"]
        ends = {frozenset((link["a"], link["b"])) for link in view["links"]}
        assert ends == {frozenset((link["a"], link["b"])) for link in real["links"]}
        if "last" in picture:
            assert set(picture["last"]) == set(real["last"]), picture["caption"]


def test_chess_reach_is_what_the_pieces_reach(desk: Page, site: str) -> None:
    chess = pytest.importorskip("chess")
    desk.goto(site + "#/rules/chess")
    pictures = [p for p, _ in views_of(desk, "chess") if p.get("reach")]
    assert len(pictures) == 6
    for picture in pictures:
        rows = re.sub(r"\.+", lambda dots: str(len(dots[0])), "/".join(picture["rows"]))
        board = chess.Board(f"{rows} w - - 0 1")
        reached = {chess.square_name(move.to_square) for move in board.pseudo_legal_moves}
        assert set(picture["marks"]) == reached, picture["caption"]


def test_what_pictures_say_of_single_moves(desk: Page, site: str) -> None:
    desk.goto(site + "#/rules")
    marks = {p["caption"]: p.get("marks", {}) for g in GAMES for p, _ in views_of(desk, g)}
    start = playproof.make("othello").start()
    (numbered,) = [m for c, m in marks.items() if "four numbered squares" in c]
    assert set(numbered) == set(start.legal_names())
    go = playproof.make("go:board=5x5")
    barred = go.position("1X3/X1X2/1X3/5/5 w 0 - 0 0").legal_names()
    assert "B4" not in barred
    ko = go.position("5/1XO2/X1XO1/1XO2/5 w 0 - 0 0").play("B3").legal_names()
    assert "C3" not in ko
