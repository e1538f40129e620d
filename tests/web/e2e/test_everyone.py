"""For everyone: axe has nothing against any page, light or dark, and a phone shows all of
it: no scrolling sideways, nothing too small for a finger, nothing under something else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from web.browser import PHONE, Server, running_server, scrolls_sideways, violations
from web.e2e import playing, scenes

if TYPE_CHECKING:
    from playwright.sync_api import Page

Open = Callable[..., "Page"]
SMALLEST = 24  # pixels a side: WCAG 2.2, success criterion 2.5.8
# Points of a board may be smaller: its arrow buttons and "Play …" do the same (2.5.8, equivalent).
# Words within a sentence may be as low as its line (2.5.8, inline).
_TARGETS = """async (smallest) => {
  const wanted = "button, select, input, textarea, summary, a[href]";
  const boards = [...document.querySelectorAll("play-board")].map((board) => board.shadowRoot);
  const dialog = document.querySelector("dialog[open]");
  const found = [];
  for (const root of [document, ...boards]) {
    for (const one of root.querySelectorAll(wanted)) {
      if (one.closest(".unseen, .skip, [data-at]") || one.dataset.at) continue;
      if (dialog && !dialog.contains(one)) continue;
      if (!one.checkVisibility({ visibilityProperty: true })) continue;
      const on = one.matches("[type=radio], [type=checkbox]") ? one.closest("label") ?? one : one;
      on.scrollIntoView({ block: "center", behavior: "instant" });
      const box = on.getBoundingClientRect();
      if (!box.width) continue;
      const name = on.outerHTML.slice(0, 100);
      const inline = one.tagName === "A" && getComputedStyle(one).display === "inline";
      if (!inline && (box.width < smallest || box.height < smallest))
        found.push(`small: ${Math.round(box.width)} x ${Math.round(box.height)}: ${name}`);
      if (box.left < 0 || box.right > innerWidth + 0.5) found.push(`outside: ${name}`);
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      let top = document.elementFromPoint(x, y);
      if (top?.shadowRoot) top = top.shadowRoot.elementFromPoint(x, y);
      if (!on.contains(top))
        found.push(`covered by ${top?.outerHTML.slice(0, 80)}: ${name}`);
    }
  }
  return found;
}"""

# Menus and folds that make the page too wide when they are opened, one after the other.
_FOLDS = """() => [...document.querySelectorAll("details")].filter((fold) => {
  fold.open = true;
  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  fold.open = false;
  return wide;
}).map((fold) => fold.outerHTML.slice(0, 100))"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(tmp_path_factory.mktemp("class"), "--host", "127.0.0.1") as server:
        yield server


# The other boards and texts are of the same parts, which `shots.py` shows.
READ = [
    "home",
    "home-menu",
    "truth",
    "truth-game",
    "truth-small",
    "papers",
    "papers-othello",
    "papers-choko",
    "play",
    "play-finished",
    "play-invitation",
    "analyse-thinking",
    "analyse-half-a-move",
    "analyse-refused",
    "classroom",
    "classroom-game",
    "games",
    "rules-othello",
    "rules-choko",
    "rules-quantum-go",
    "rules-chess",
    "rules-go",
    "keys",
    "question",
    "proofs-33",
    "proofs-lemma",
    "proofs-levels",
    "proofs-run",
    "proofs-check",
    "proofs-proof",
    # One run and one table are read in tests/web/training and tests/web/tournaments.
    "train",
    "tournaments",
]


@pytest.mark.parametrize("scene", READ)
def test_axe_and_a_phone(open_page: Open, serve: str, scene: str) -> None:
    page = open_page(**PHONE, reduced_motion="reduce")
    scenes.SCENES[scene](page, serve)
    _read(page)


def test_the_join_screen(open_page: Open, guarded: Server) -> None:
    page = open_page(**PHONE, reduced_motion="reduce")
    scenes.join(page, guarded.url)
    _read(page)


def _read(page: Page) -> None:
    assert not scrolls_sideways(page)
    assert page.evaluate(_TARGETS, SMALLEST) == []
    page.evaluate("scrollTo(0, 0)")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        playing.expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        assert violations(page) == [], scheme
    assert page.evaluate(_FOLDS) == []


def test_ten_turns_on_the_full_board_by_a_finger(open_page: Open, serve: str) -> None:
    page = open_page(**PHONE)
    playing.open_play(page, serve)
    playing.start(page, "go", variant="19x19", seed=5)
    chance = random.Random(5)
    for turn in range(10):
        assert playing.await_turn(page)
        before = playing.moved(page)
        wanted = chance.choice(playing.legal(page))
        playing.point(page, wanted).tap()
        playing.expect(playing.pressing(page, "play")).to_have_text(f"Play {wanted}")
        assert playing.moved(page) == before == 2 * turn  # a tap alone is no move
        playing.pressing(page, "play").tap()
        playing.await_moves(page, before + 1)
        assert playing.moves(page)[before] == wanted
        assert not scrolls_sideways(page)
