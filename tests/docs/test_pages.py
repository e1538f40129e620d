"""The documentation, run: what it shows is what happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.docs.reading import DOCS, PAGES, agree, follow, name_of

# The others are in test_more_pages.py: files are done by different workers.
GUIDES = [page for page in PAGES if page.parent == DOCS]
# They play matches, learn or prove for seconds.
LONG = (
    "alphazero",
    "arena", "command-line", "core", "extending", "lab-proofs", "learning", "own-learner",
    "rules-once",
)  # fmt: skip


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\n...\nc", "a\nb\nb\nc", True),
        ("...\nc\n...", "a\nc", True),
        ("perft(3) = 56   (0.00 s)", "perft(3) = 56   (0.12 s, 31.6 M/s)", True),
        ('{"leaves": 56, "seconds": 0.1}', '{"leaves": 56, "seconds": 2.0}', True),
        ("perft(3) = 56", "perft(3) = 57", False),
        ("a\n...\nd", "a\nb\nc", False),
        ("a", "a\nb", False),
        ("● ○", "○ ●", False),
    ],
)
def test_what_differs_is_noticed(shown: str, printed: str, same: bool) -> None:
    assert agree(shown, printed) == same


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name_of(page), marks=pytest.mark.slow if page.stem in LONG else ())
        for page in GUIDES
    ],
)
def test_a_guide_does_what_it_says(page: Path, tmp_path: Path) -> None:
    follow(page, tmp_path)
