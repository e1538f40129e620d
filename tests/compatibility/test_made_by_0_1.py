"""What version 0.1 made is what it made: nobody may bring it up to date."""

from __future__ import annotations

from tests.support.compatibility.made import MADE, digest


def test_it_is_as_it_was() -> None:
    sums = {}
    for line in (MADE / "SHA256SUMS").read_text("utf-8").splitlines():
        wanted, name = line.split("  ")
        sums[name] = wanted
    files = {file.relative_to(MADE).as_posix(): file for file in MADE.rglob("*") if file.is_file()}
    found = {name: digest(file) for name, file in files.items()}
    assert {name: found[name] for name in found if name not in ("README.md", "SHA256SUMS")} == sums


def test_it_is_small() -> None:
    assert sum(file.stat().st_size for file in MADE.rglob("*") if file.is_file()) < 400_000
