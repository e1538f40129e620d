"""The pages on the papers (docs/papers) as data, for those who have the package and no docs.

The pages are the one place where our figures stand beside the papers'.  ``tools/paper_pages.py``
makes ``papers/data/pages.json`` from them; a test makes it again and compares.

A page has a ``title`` and ``sections`` of a title and blocks.  A block is a paragraph (``text``),
a list (``items``), a table (``columns``, ``rows``) or what a command prints (``code``); words in
them are Markdown still.
"""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

NAMES = ("othello33", "chokozero", "quantum-go", "rl-chess")
FILE = "pages.json"

Block = dict[str, Any]
Page = dict[str, Any]


@functools.cache
def shipped() -> dict[str, Page]:
    """The pages that come with Playproof."""
    file = resources.files("playproof.papers") / "data" / FILE
    pages: dict[str, Page] = json.loads(file.read_text(encoding="utf-8"))
    return pages


def tables(page: Page, section: str | None = None) -> list[Block]:
    """The tables of a page, or of one of its sections."""
    return [
        block
        for one in page["sections"]
        if section in (None, one["title"])
        for block in one["blocks"]
        if "rows" in block
    ]
