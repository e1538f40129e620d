"""The documentation, run: pages about games, papers and proofs, and those beside the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.docs.reading import DOCS, PAGES, follow, name_of

OTHERS = [page for page in PAGES if page.parent != DOCS]
# They play or prove for seconds.
LONG = ("CONTRIBUTING.md", "docs/games/othello.md", "docs/papers/othello33.md")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(
            page, id=name_of(page), marks=pytest.mark.slow if name_of(page) in LONG else ()
        )
        for page in OTHERS
    ],
)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path) -> None:
    follow(page, tmp_path)
