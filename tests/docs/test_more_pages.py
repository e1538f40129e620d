"""The documentation, run: pages about games, papers and proofs, and those beside the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.reading import DOCS, PAGES, ROOT, follow

OTHERS = [page for page in PAGES if page.parent != DOCS]


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    follow(page, tmp_path)
