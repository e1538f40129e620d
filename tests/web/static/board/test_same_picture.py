"""The page draws the picture that Python draws, byte for byte."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings

from playproof.core.view import Board, Piece, Turn, View
from playproof.formats import svg
from tests.support.formats.made_views import HAND_MADE, hostile, views
from tests.support.longer import longer
from tests.support.web import browser as tools
from tests.support.web.board import board_data
from tests.support.web.board.positions import GAMES, dressed, options, sample

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

COUNT = 30 * int(os.environ.get("PLAYPROOF_EXAMPLES", "1"))  # `make verify` draws more
PAGES = Path(__file__).parent / "pages"
# Digests travel instead of megabytes of pictures.
_DIGESTS = """async (batch) => {
  const { render } = await import("/static/board/svg.js");
  const found = [];
  for (const [view, options] of batch) {
    const bytes = new TextEncoder().encode(render(view, options));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    found.push(Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return found;
}"""
_PICTURE = """async ([view, options]) => {
  const { render } = await import("/static/board/svg.js");
  return render(view, options);
}"""


@pytest.fixture(scope="module")
def drawing(browser: Browser) -> Iterator[Page]:
    """An empty page that may import the board."""
    with tools.static_site(PAGES) as url:
        page = browser.new_page()
        page.goto(f"{url}/empty.html")
        yield page
        page.close()


def drawn(view: View, wanted: dict[str, Any]) -> str:
    return svg.render(view, theme=wanted["theme"], size=wanted["size"])


def check(page: Page, batch: list[tuple[View, dict[str, Any]]]) -> None:
    """Every picture of the batch is the same; what differs is shown as text."""
    messages = [[{**view.to_json(), "legal": []}, wanted] for view, wanted in batch]
    digests = page.evaluate(_DIGESTS, messages)
    for (view, wanted), message, digest in zip(batch, messages, digests, strict=True):
        picture = drawn(view, wanted)
        if hashlib.sha256(picture.encode()).hexdigest() != digest:
            assert page.evaluate(_PICTURE, message).split("\n") == picture.split("\n")


@pytest.mark.parametrize("name", GAMES)
def test_random_positions(drawing: Page, name: str) -> None:
    rng = random.Random(name)
    batch = []
    for number, state in enumerate(sample(name, COUNT)):
        view = state.view()
        batch.append((dressed(view, rng) if number % 2 else view, options(rng)))
    check(drawing, batch)


def test_made_by_hand_and_hostile(drawing: Page) -> None:
    made = [make() for make in HAND_MADE.values()] + [hostile()]
    check(drawing, [(v, {"theme": t, "size": 480}) for v in made for t in svg.PAPERS])


def test_a_chessman_as_large_as_it_was_drawn(drawing: Page) -> None:
    view = View(
        game="chess",
        title="Chess",
        board=Board("cells", "check", "abcd", tuple("4321")),
        pieces=(Piece("a1", "a1", "K", "w"),),
        turn=Turn("w", "White"),
        say="",
    )
    assert "scale(1)" in svg.render(view)
    check(drawing, [(view, {"theme": "light", "size": 480})])


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _numbers(part)


@settings(max_examples=longer(20, 40), deadline=None)
@given(view=views())
def test_any_view(drawing: Page, view: View) -> None:
    # JSON has no word for what is not a finite number.
    assume(all(math.isfinite(number) for number in _numbers(asdict(view))))
    check(drawing, [(view, {"theme": "light", "size": 480})])


@pytest.mark.parametrize(
    "value",
    [
        0.0,
        -0.0,
        0.005,
        0.015,
        1.005,
        -0.004,
        -0.005,
        -0.006,
        2.675,
        99.995,
        1e15,
        1e22,
        7,
        0.1 + 0.2,
    ],
)
def test_numbers(drawing: Page, value: float) -> None:
    said = drawing.evaluate(
        'async (v) => (await import("/static/board/svg_write.js")).num(v)', value
    )
    assert said == svg.num(value)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"board": {"kind": "graph"}}, "graph boards have no drawing"),
        ({"last": ["z9"]}, "no place 'z9'"),
        ({"score": {"b": None}}, "finite numbers"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    drawing: Page, change: dict[str, Any], complaint: str
) -> None:
    view = HAND_MADE["chess"]().to_json()
    for field, value in change.items():
        view[field] = {**view[field], **value} if isinstance(value, dict) else value
    with pytest.raises(Exception, match=complaint):
        drawing.evaluate(_PICTURE, [view, {}])


@pytest.mark.parametrize(
    ("wanted", "complaint"), [({"theme": "sepia"}, "no theme 'sepia'"), ({"size": 0}, "at least 1")]
)
def test_bad_options_are_refused(drawing: Page, wanted: dict[str, Any], complaint: str) -> None:
    with pytest.raises(Exception, match=complaint):
        drawing.evaluate(_PICTURE, [HAND_MADE["chess"]().to_json(), wanted])


def test_the_data_is_written_once() -> None:
    written = board_data.FILE.read_text(encoding="utf-8")
    assert written == board_data.module_text(), "run: python tests/support/web/board/board_data.py"
    assert json.loads(json.dumps(board_data.data()))["CHESS"]["shapes"]["Q"]["outlines"]
