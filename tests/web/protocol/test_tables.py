"""The tables of the docs are those of the structs and routes."""

from __future__ import annotations

from pathlib import Path

import pytest

import lab_tables


def test_there_are_pages_with_tables() -> None:
    names = {path.name for path in lab_tables.pages()}
    assert names >= {"lab-api.md", "lab-proofs.md", "lab-training.md", "lab-tournaments.md"}


@pytest.mark.parametrize("page", lab_tables.pages(), ids=lambda path: path.stem)
def test_a_page_has_the_tables_of_today(page: Path) -> None:
    """After a change: python tools/lab_tables.py."""
    text = page.read_text("utf-8")
    assert lab_tables.with_tables(text) == text
    assert lab_tables.with_tables(text.replace("| `GET", "| `PUT")) == text


def test_every_route_stands_in_a_table() -> None:
    text = "".join(path.read_text("utf-8") for path in lab_tables.pages())
    for route in lab_tables.all_routes():
        assert lab_tables.plain_path(route.path) in text, route.path
