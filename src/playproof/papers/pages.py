"""The pages on the papers (docs/papers) as data, for those who have the package and no docs.

The pages are the one place where our figures stand beside the papers'.  What comes with the
package is made from them, and a test makes it again and compares::

    python -m playproof.papers.pages docs/papers

writes ``papers/data/pages.json`` anew after a page has changed.
"""

from __future__ import annotations

import functools
import json
import re
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError

NAMES = ("othello33", "chokozero", "quantum-go", "rl-chess")
_FILE = "pages.json"

Block = dict[str, Any]
Page = dict[str, Any]


def parse(text: str) -> Page:
    """A page: ``title``, and ``sections`` of a title and blocks.

    A block is a paragraph (``text``), a list (``items``), a table (``columns``, ``rows``) or what
    a command prints (``code``); words in them are Markdown still.  Pictures and other HTML are
    left out: they are not in the package.
    """
    page: Page = {"title": "", "sections": []}
    section: dict[str, Any] = {"title": "", "blocks": []}
    for chunk in _chunks(text):
        if chunk.startswith("# "):
            page["title"] = chunk[2:].strip()
        elif chunk.startswith("## "):
            page["sections"].append(section)
            section = {"title": chunk[3:].strip(), "blocks": []}
        else:
            section["blocks"] += _blocks(chunk)
    page["sections"].append(section)
    return page


def _chunks(text: str) -> Iterator[str]:
    """Parts between empty lines; what stands between fences is one."""
    lines: list[str] = []
    fenced = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            fenced = not fenced
        if line.strip() or fenced:
            lines.append(line)
        elif lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        raise DataError("a block of code has no end: want a line of ```")


def _blocks(chunk: str) -> list[Block]:
    lines = chunk.splitlines()
    if lines[0].startswith("```"):
        return [{"code": "\n".join(lines[1:-1])}]
    if lines[0].startswith("|"):
        rows = [_cells(line) for line in lines]
        return [{"columns": rows[0], "rows": rows[2:]}]
    if lines[0].startswith(("<", "![")):
        return []
    if re.match(r"[-*] ", lines[0]):
        return [{"items": _items(lines)}]
    return [{"text": _joined(lines)}]


def _cells(line: str) -> list[str]:
    """A ``|`` of the text is written with a backslash before it."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _items(lines: list[str]) -> list[str]:
    items: list[list[str]] = []
    for line in lines:
        if re.match(r"[-*] ", line):
            items.append([line[2:]])
        else:
            items[-1].append(line)
    return [_joined(item) for item in items]


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip().removeprefix("> ") for line in lines)


def tables(page: Page, section: str | None = None) -> list[Block]:
    """The tables of a page, or of one of its sections."""
    return [
        block
        for one in page["sections"]
        if section in (None, one["title"])
        for block in one["blocks"]
        if "rows" in block
    ]


def make(folder: Path) -> dict[str, Page]:
    """The pages in ``folder``."""
    found = {}
    for name in NAMES:
        try:
            found[name] = parse((folder / f"{name}.md").read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"{folder / name}.md cannot be read: {error.strerror}") from None
    return found


def as_text(pages: dict[str, Page]) -> str:
    return json.dumps(pages, ensure_ascii=False, indent=1) + "\n"


@functools.cache
def shipped() -> dict[str, Page]:
    """The pages that come with Playproof."""
    file = resources.files("playproof.papers") / "data" / _FILE
    pages: dict[str, Page] = json.loads(file.read_text(encoding="utf-8"))
    return pages


if __name__ == "__main__":
    Path(__file__).with_name("data").joinpath(_FILE).write_text(
        as_text(make(Path(sys.argv[1]))), encoding="utf-8"
    )
