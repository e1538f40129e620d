"""A person without a mouse: Tab between controls; arrows, n and Enter on the board."""

from __future__ import annotations

import random
import string
from typing import TYPE_CHECKING

from tests.support.web.e2e import playing

if TYPE_CHECKING:
    from playwright.sync_api import Page

_FOCUSED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  return { name: at?.name ?? "", value: at?.value ?? "", type: at?.type ?? "",
    test: at?.dataset?.testid ?? "", at: at?.dataset?.at ?? "", key: at?.dataset?.key ?? "",
    tag: at?.tagName ?? "" };
}"""
_MOST_TABS = 120


class Keys:
    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)

    def focused(self) -> dict[str, str]:
        """What has the focus, inside the board too."""
        found: dict[str, str] = self.page.evaluate(_FOCUSED)
        return found

    def tab_to(self, **wanted: str) -> None:
        """Tab until something with these marks has the focus."""
        for _ in range(_MOST_TABS):
            found = self.focused()
            if all(found[mark] == value for mark, value in wanted.items()):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to {wanted}")

    def fill_the_form(self, *, game: str, variant: str, level: str, seed: int) -> None:
        self.tab_to(name="game")
        self._arrow_to(game)
        for name, value in (("variant", variant), ("against", "agent"), ("level", level)):
            self.tab_to(name=name)
            self._arrow_to(value)
        self.tab_to(tag="SUMMARY")
        self.press("Enter")
        self.tab_to(name="seed")
        self.page.keyboard.type(str(seed))
        self.tab_to(test="start")
        self.press("Enter")

    def _arrow_to(self, value: str) -> None:
        """Choose an option, or a button of a group, with the arrow keys."""
        if self.focused()["tag"] == "SELECT":
            self.press("Home")
        for _ in range(30):
            if self.focused()["value"] == value:
                return
            self.press("ArrowDown")
        raise AssertionError(f"the arrow keys do not lead to {value}")

    def move(self, chance: random.Random) -> None:
        """One move: points until it is complete, or a button under the board."""
        before = playing.moved(self.page)
        while (seen := playing.look(self.page)).moves == before:
            if seen.legal:
                self._to_the_board()
                wanted = chance.choice(seen.legal)
                if chance.random() < 0.5:
                    self._walk(wanted)
                else:
                    self._next(wanted, len(seen.legal))
                assert self.focused()["at"] == wanted
                self.press("Enter")
            elif seen.buttons:
                self.tab_to(key=seen.buttons[0])
                self.press("Enter")

    def _to_the_board(self) -> None:
        # Its buttons come after its points.
        way = "Shift+Tab" if self.focused()["key"] else "Tab"
        for _ in range(_MOST_TABS):
            if self.focused()["at"]:
                return
            self.press(way)
        raise AssertionError("Tab does not lead to the board")

    def _next(self, wanted: str, legal: int) -> None:
        """With n, which goes from legal point to legal point."""
        for _ in range(legal):
            if self.focused()["at"] == wanted:
                return
            self.press("n")

    def _walk(self, wanted: str) -> None:
        """With the arrow keys; a name is a letter for the column and a number."""
        column, row = _place(self.focused()["at"])
        to_column, to_row = _place(wanted)
        across = "ArrowRight" if to_column > column else "ArrowLeft"
        self.press(*[across] * abs(to_column - column))
        if to_row == row:
            return
        # Some boards count their rows from above, some from below: one step tells.
        first, other = "ArrowDown", "ArrowUp"
        self.press(first)
        stepped = _place(self.focused()["at"])[1]
        if stepped == row:  # there was no room
            first, other = other, first
            self.press(first)
            stepped = _place(self.focused()["at"])[1]
        on = (to_row > row) == (stepped > row)
        self.press(*[first if on else other] * abs(to_row - stepped))


def _place(name: str) -> tuple[int, int]:
    return string.ascii_lowercase.index(name[0].lower()), int(name[1:])
