"""Write ``papers/data/pages.json`` from docs/papers, after a page there has changed::

    python tools/paper_pages.py

Pictures and other HTML are left out: they are not in the package.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playproof.core.errors import DataError
from playproof.papers import pages
from playproof.papers.pages import NAMES, Block, Page

ROOT = Path(__file__).resolve().parents[1]


def parse(text: str) -> Page:
    """A page of Markdown as data."""
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
    """The parts between empty lines; a fenced block is one part."""
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
    """The cells of a row; in a cell, ``|`` is written with a backslash before it."""
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


def make(folder: Path) -> dict[str, Page]:
    """The pages in ``folder`` by name."""
    parsed = {}
    for name in NAMES:
        try:
            parsed[name] = parse((folder / f"{name}.md").read_text(encoding="utf-8"))
        except OSError as error:
            raise DataError(f"{folder / name}.md cannot be read: {error.strerror}") from None
    return parsed


def as_text(pages: dict[str, Page]) -> str:
    return json.dumps(pages, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    text = as_text(make(ROOT / "docs" / "papers"))
    (Path(pages.__file__).parent / "data" / pages.FILE).write_text(text, encoding="utf-8")
