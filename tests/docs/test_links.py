"""Links of the documentation lead somewhere, and its pictures are drawn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import chokozero_seeds
import settings_page
from playproof.learning.registry import names
from playproof.papers.chokozero.seeds import recorded
from tests.support.docs.reading import BLOCK, DOCS, PAGES, ROOT, blocks

_LINK = re.compile(r"\]\(([^)\s]+)\)|<img[^>]*\bsrc=\"([^\"]+)\"")
# A file of the package or of the repository; capitals stand for names to be filled in.
_SOURCE = re.compile(r"`((?:[a-z_0-9.]+/)+[a-z_0-9]+\.(?:py|pyi|js))`")
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def slug(heading: str) -> str:
    """The anchor that a heading gets on the web."""
    plain = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return plain.replace(" ", "-")


def anchors(page: Path) -> set[str]:
    # A comment in a block of code is no heading.
    content = BLOCK.sub("", page.read_text(encoding="utf-8"))
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", content, re.MULTILINE)}


@pages
def test_every_link_leads_somewhere(page: Path) -> None:
    content = BLOCK.sub("", page.read_text(encoding="utf-8"))
    for links in _LINK.findall(content):
        link = links[0] or links[1]
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page.name}: {link}"


def missing_files(page: Path) -> list[str]:
    """Sources that a page names and that are not there: below the package or the repository."""
    named = _SOURCE.findall(page.read_text(encoding="utf-8"))
    homes = (ROOT / "src" / "playproof", ROOT)
    return [name for name in named if not any((home / name).exists() for home in homes)]


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_source_that_is_named_is_there(name: str, tmp_path: Path) -> None:
    assert missing_files(ROOT / name) == []
    wrong = tmp_path / "page.md"
    wrong.write_text("`core/state.py`, `tests/quick.py`, `core/no_such.py`", encoding="utf-8")
    assert missing_files(wrong) == ["core/no_such.py"]


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        if page != DOCS / "README.md":
            assert f"({page.relative_to(DOCS)})" in index, page


@pytest.mark.parametrize("algorithm", names())
def test_the_page_on_settings_has_each_as_it_is(algorithm: str) -> None:
    text = settings_page.PAGE.read_text(encoding="utf-8")
    assert f"## {algorithm}\n\n{settings_page.table(algorithm)}" in text


def test_every_picture_is_drawn_by_a_command_that_a_page_shows() -> None:
    shown = "".join(block.text for page in PAGES for block in blocks(page))
    for picture in (DOCS / "pictures").glob("*.svg"):  # a PNG is a photograph of the lab
        assert f"--svg docs/pictures/{picture.name}" in shown, picture


def test_the_section_on_several_seeds_is_made_from_the_recorded_games() -> None:
    page = chokozero_seeds.PAGE.read_text(encoding="utf-8")
    section = chokozero_seeds.section(recorded.shipped())
    assert section in page, "run python tools/chokozero_seeds.py"
    assert chokozero_seeds.with_section(page, section) == page
    other = page.replace("**V1 < V2 < V3** ", "**V1 < V2 < V3** once ")
    assert other != page
    assert chokozero_seeds.with_section(other, section) == page
    # At first it stands before the section that follows.
    without = page.replace(section, "")
    assert chokozero_seeds.with_section(without, section).count(f"## {chokozero_seeds.TITLE}") == 1
