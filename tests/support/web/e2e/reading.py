"""Reads a page for everyone: axe has nothing against it, light or dark, and a phone shows all
of it: no scrolling sideways, nothing too small for a finger, nothing under something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.web.axe import COLOURS, violations
from tests.support.web.browser import scrolls_sideways
from tests.support.web.e2e.playing import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

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
      const line = on.getClientRects()[0]; // of words that go on in the next line, the first part
      const [x, y] = [line.left + line.width / 2, line.top + line.height / 2];
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


def _fits_a_smaller_phone(page: Page) -> None:
    """Many are 360 pixels wide, not 375."""
    size = page.viewport_size
    if size is None or size["width"] > 400:
        return
    page.set_viewport_size({**size, "width": 360})
    page.wait_for_function(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    page.set_viewport_size(size)


def read(page: Page) -> None:
    """Whatever is wrong with the page as it is now, at this width, fails the test."""
    assert not scrolls_sideways(page)
    _fits_a_smaller_phone(page)
    found = page.evaluate(_TARGETS, SMALLEST)
    assert found == [], found
    page.evaluate("scrollTo(0, 0)")
    for scheme, rules in (("light", ()), ("dark", COLOURS)):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        found = violations(page, rules)
        assert found == [], (scheme, found)
    found = page.evaluate(_FOLDS)
    assert found == [], found
