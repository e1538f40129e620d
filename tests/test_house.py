"""Rules that every source file keeps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import playproof
from tests.support.paths import ROOT

PACKAGE = Path(playproof.__file__).resolve().parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

MOST_LINES = 450  # a longer file should be split
LEFT_FOR_LATER = re.compile(r"\b(TODO|FIXME|XXX|NotImplementedError)\b")


def lines_of(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def test_the_sources_are_found() -> None:
    assert len(SOURCES) > 20


def test_no_file_is_too_long() -> None:
    long = {str(f.relative_to(PACKAGE)): len(lines_of(f)) for f in SOURCES}
    assert {name: count for name, count in long.items() if count > MOST_LINES} == {}


def test_nothing_is_left_for_later() -> None:
    lines = [
        f"{file.relative_to(PACKAGE)}:{number} {line.strip()}"
        for file in SOURCES
        for number, line in enumerate(lines_of(file), 1)
        if LEFT_FOR_LATER.search(line)
    ]
    assert lines == []


@pytest.mark.parametrize("line", ["# TODO: faster", "raise NotImplementedError", "x = 1  # XXX"])
def test_what_is_left_for_later_is_detected(line: str) -> None:
    assert LEFT_FOR_LATER.search(line)
    # NotImplemented is Python's value for a comparison that is not supported.
    assert not LEFT_FOR_LATER.search("return NotImplemented")


@pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="there is no README yet")
@pytest.mark.parametrize("command", ["make lab", "make test"])
def test_the_readme_shows_the_two_commands(command: str) -> None:
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
