"""What axe-core, a reader of pages for everyone, has to say against a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.longer import longer

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Rules of axe that ask for colours: the others say the same of a page, be it light or dark.
COLOURS = ("color-contrast", "link-in-text-block")
# Words of the same colour and size on the same ground have the same contrast: axe, which takes
# half a second for all of a page, is asked about the first two of them alone, except in
# `make verify`.  What has no words of its own has no contrast; fields, whose words are not in the
# page's text, and what is not to be seen are left to axe.
_ALIKE = """() => {
  const grounds = new Map(), seen = new Map();
  const ground = (one) => {
    if (!one) return "";
    if (!grounds.has(one)) {
      const look = getComputedStyle(one);
      const own = [look.backgroundColor, look.backgroundImage, look.opacity, look.position,
        one.matches(":disabled, [aria-disabled=true], [aria-hidden=true], [inert]")];
      const plain = own.join() === "rgba(0, 0, 0, 0),none,1,static,false";
      const below = ground(one.parentElement ?? one.getRootNode().host);
      grounds.set(one, plain ? below : `${below}|${own}`);
    }
    return grounds.get(one);
  };
  const unseen = (one) =>
    one.getBoundingClientRect().width < 2 || !one.checkVisibility({ visibilityProperty: true });
  const boards = [...document.querySelectorAll("play-board")].map((board) => board.shadowRoot);
  for (const root of [document, ...boards]) {
    for (const one of root.querySelectorAll("*")) {
      one.removeAttribute("data-alike");
      if (one.matches("input, select, textarea")) continue;
      const words = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (words && unseen(one)) continue;
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(one);
      const key = [color, fontSize, fontWeight, textShadow, ground(one)].join();
      const count = seen.get(key) ?? 0;
      if (words) seen.set(key, count + 1);
      if (!words || count > 1) one.setAttribute("data-alike", "");
    }
  }
}"""
_AXE = f"""async ([rules, all]) => {{
  if (!all) {{
    ({_ALIKE})();
    axe.configure({{ rules: [{{ id: "color-contrast", selector: ":not([data-alike])" }}] }});
  }}
  const only = rules.length ? {{ runOnly: {{ type: "rule", values: rules }} }} : {{}};
  const found = await axe.run(document, {{ resultTypes: ["violations"], ...only }});
  return found.violations.flatMap(({{ id, help, nodes }}) => nodes.map((node) =>
    `${{id}}: ${{help}}: ${{node.html.slice(0, 160)}} ${{node.failureSummary.slice(0, 300)}}`));
}}"""


def violations(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """What axe-core has to say against the page, one line each; by some rules or by all."""
    if not page.evaluate("'axe' in window"):
        from axe_playwright_python.sync_playwright import Axe

        page.evaluate(Axe().axe_script)
    found: list[str] = page.evaluate(_AXE, [list(rules), longer(False, True)])
    return found
