"""Small and quick: what comes over the line, who is asked, and how soon a click is answered."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from tests.support.web.e2e import playing, scenes

if TYPE_CHECKING:
    from playwright.sync_api import Page, Request, WebSocket

LARGEST = 300_000  # bytes of everything there is to load
LARGEST_PAGE = 150_000  # bytes of one page, opened first
WORTH = 1_400  # bytes: smaller ones fit one packet anyhow
TEXTS = ("text/", "application/json", "image/svg+xml", "application/javascript")
# The bar is 50 ms, measured by `playproof bench lab`: a test must not fail on a busy machine.
PATIENT = 1_000.0  # milliseconds
THINKERS = 4  # there are not more


class Scale:
    """Weighs what a page asks for: bodies as they came over the line, and messages."""

    def __init__(self, page: Page) -> None:
        self.requests: list[Request] = []
        self.messages = 0
        self.hosts: set[str] = set()
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("requestfinished", lambda request: self.requests.append(request))
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        self.hosts.add(urlsplit(socket.url).netloc)
        socket.on("framereceived", self._weigh)

    def _weigh(self, payload: str | bytes) -> None:
        self.messages += len(payload.encode() if isinstance(payload, str) else payload)

    def bytes(self) -> int:
        return self.messages + sum(
            request.sizes()["responseBodySize"]
            for request in self.requests
            if not request.url.startswith("data:")
        )

    def uncompressed(self) -> list[str]:
        """Texts that would have been worth it and came as they are."""
        found = []
        for request in self.requests:
            response = request.response()
            if response is None or request.sizes()["responseBodySize"] < WORTH:
                continue
            headers = response.headers
            packed = headers.get("content-encoding") in ("gzip", "br", "zstd")
            if headers.get("content-type", "").startswith(TEXTS) and not packed:
                found.append(request.url)
        return found


@pytest.mark.slow
def test_everything_is_small_and_from_here(open_page: Callable[..., Page], serve: str) -> None:
    """One newcomer opens every page there is."""
    page = open_page()
    scale, before, pages = Scale(page), 0, {}
    visits = {"play": scenes.welcome, "classroom": scenes.classroom}
    visits["analyse"] = scenes.shown("analyse", "paste")
    visits["games"] = scenes.saved
    visits |= {name: scenes.SCENES[name] for name in ("home", "truth", "papers-othello")}
    visits |= {f"rules of {game}": scenes.rules(game) for game in playing.TITLES}
    for name, visit in visits.items():
        visit(page, serve)
        page.wait_for_load_state("networkidle")
        weight = scale.bytes()
        pages[name], before = weight - before, weight
    assert any(request.url.endswith("/board/board.js") for request in scale.requests)
    assert pages["play"] < LARGEST_PAGE, pages
    assert sum(pages.values()) < LARGEST, pages
    assert scale.uncompressed() == []
    assert scale.hosts == {urlsplit(serve).netloc}


@pytest.mark.slow
def test_a_click_is_answered_while_the_computer_thinks(page: Page, serve: str) -> None:
    """From the click to the move on the screen, while searches hold all engines."""
    playing.open_play(page, serve)
    playing.start(page, "go", variant="19x19", against="beside")
    playing.expect(playing.status(page)).to_have_text("Black's turn.")
    thinking = {"game": "chess", "seats": ["alphabeta:time=30", "human"]}
    busy = [_ask(page, f"{serve}/api/games", thinking)["id"] for _ in range(THINKERS)]
    took = [page.evaluate(_CLICK, name) for name in ("D4", "Q16", "D16", "Q4", "K10", "C3", "R3")]
    assert statistics.median(took) < PATIENT, took
    assert playing.moves(page) == ["D4", "Q16", "D16", "Q4", "K10", "C3", "R3"]
    for id in busy:
        assert playing.state(page, serve, id)["moves"] == []  # it thinks still
        _ask(page, f"{serve}/api/games/{id}/delete", {})


def _ask(page: Page, url: str, data: dict[str, Any]) -> dict[str, Any]:
    """Ask the lab for something, as this person."""
    origin = "/".join(url.split("/")[:3])
    answer = page.request.post(url, data=data, headers={"Origin": origin})
    assert answer.ok, answer.text()
    found: dict[str, Any] = answer.json()
    return found


_CLICK = """async (name) => {
  const list = document.querySelector("[data-testid=moves]");
  const count = list.querySelectorAll("li").length;
  const began = performance.now();
  const done = new Promise((resolve) => {
    const watcher = new MutationObserver(() => {
      if (list.querySelectorAll("li").length <= count) return;
      watcher.disconnect();
      resolve(performance.now() - began);
    });
    watcher.observe(list, { childList: true });
  });
  document.querySelector("play-board").shadowRoot.querySelector(`[data-at="${name}"]`).click();
  return done;
}"""
