"""``make screenshots``: every page of the lab, light, dark and on a phone, to look at.

    python tests/support/web/shots.py [FOLDER] [PART OF A NAME]...

FOLDER is build/screenshots unless told.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.support.web import owner
from tests.support.web.browser import PHONE, chromium, running_server
from tests.support.web.e2e import scenes

if TYPE_CHECKING:
    from playwright.sync_api import Page

DESK: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
LOOKS: dict[str, dict[str, Any]] = {
    "light": DESK,
    "dark": {**DESK, "color_scheme": "dark"},
    "phone": {**PHONE, "reduced_motion": "reduce"},
    "phone-dark": {**PHONE, "reduced_motion": "reduce", "color_scheme": "dark"},
}


def shoot(folder: Path, only: list[str]) -> list[Path]:
    """Draw the scenes whose name has one of ``only`` in it, all if there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    with (
        tempfile.TemporaryDirectory() as games,
        chromium() as browser,
        running_server(Path(games) / "own") as lab,
        running_server(Path(games) / "class", "--host", "127.0.0.1") as guarded,
    ):
        todo = [(name, scene, lab.url) for name, scene in scenes.SCENES.items()]
        for name, scene, url in [*todo, ("join", scenes.join, guarded.url)]:
            for look, options in LOOKS.items():
                target = folder / f"{name}-{look}.png"
                if only and not any(part in target.name for part in only):
                    continue
                context = browser.new_context(**options)
                owner.admit_everywhere(context)
                page = context.new_page()
                scene(page, url)
                _settle(page)
                page.screenshot(path=target, full_page=True)
                context.close()
                made.append(target)
                print(target, flush=True)
    return made


def _settle(page: Page) -> None:
    """Everything loaded, seen from the top."""
    page.evaluate("""async () => {
      for (const image of document.images) image.loading = "eager";
      await Promise.all([...document.images].map((image) => image.decode()));
      scrollTo(0, 0);
    }""")
    page.wait_for_load_state("networkidle")


if __name__ == "__main__":
    given = sys.argv[1:]
    shoot(Path(given[0] if given else "build/screenshots"), given[1:])
