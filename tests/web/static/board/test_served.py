"""The board as the lab itself serves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import playproof

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PLAY = """async (view) => {
  await import("/static/board/board.js");
  const board = document.createElement("play-board");
  const moves = [];
  board.addEventListener("move", (event) => moves.push(event.detail));
  document.body.replaceChildren(board);
  board.view = view;
  await null;
  board.shadowRoot.querySelector('[data-at="d3"]').click();
  return moves;
}"""


@pytest.mark.slow
def test_the_lab_serves_the_board(page: Page, serve: str) -> None:
    page.goto(serve)
    view = playproof.make("othello").start().view().to_json()
    assert page.evaluate(_PLAY, view) == [{"c": ["d3"], "n": "d3"}]
