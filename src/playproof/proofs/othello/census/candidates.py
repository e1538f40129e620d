"""The candidates of a census: positions with many moves on constructible sets of squares.

They are found by SAT once and stored in the cache folder.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from playproof.core.errors import PlayproofError
from playproof.core.files.folders import cache_folder
from playproof.proofs.othello.boards import Position
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.reachability import colourings, constructible_sets


def _folder() -> Path:
    return cache_folder() / "othello"


def default_file(moves: int, stones: int, size: int) -> Path:
    """The default file for the results of the census of these candidates."""
    return _folder() / f"census-{size}x{size}-{moves}-moves-{stones}-stones.jsonl"


def candidates(
    moves: int, stones: int, *, size: int = 8, on_progress: Callable[[str], None] | None = None
) -> list[Position]:
    """All positions with ``stones`` stones and at least ``moves`` moves on constructible sets,
    up to symmetry.  ``on_progress`` is called with a line of text."""
    path = _path(moves, stones, size)
    stored = _read(path)
    if stored is not None:
        return stored

    def report(text: str) -> None:
        if on_progress is not None:
            on_progress(text)

    sets = constructible_sets(
        moves,
        stones,
        size=size,
        on_progress=lambda n, elapsed: report(f"{n} sets, {elapsed:.0f} s"),
    )
    selected = [occupied for occupied in sets.sets if occupied.bit_count() == stones]
    coloured = colourings(
        selected, moves, size=size,
        on_progress=lambda n, elapsed: report(
            f"{n} of {len(selected)} sets coloured, {elapsed:.0f} s"
        ),
    )  # fmt: skip
    if not (sets.complete and coloured.complete):
        raise PlayproofError("the search for candidates was not completed: start it again")
    _write(path, list(coloured.positions))
    return list(coloured.positions)


def _path(moves: int, stones: int, size: int) -> Path:
    # The name has a digest of the formula, since other rules have other candidates.  The formula is
    # counted as in version 0.1, so that files of that version, which took long, are still read.
    statement = OthelloMobility(
        moves, size, size**2 - stones, constructible=True, cardinality="mtotalizer"
    )
    digest = hashlib.sha256(statement.dimacs()).hexdigest()[:12]
    return _folder() / f"candidates-{size}x{size}-{moves}-moves-{stones}-stones-{digest}.json"


def _read(path: Path) -> list[Position] | None:
    """The stored positions; None if there is no file or it is damaged."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        data = json.loads(path.read_text())
        positions = [(int(own, 16), int(other, 16)) for own, other in data["positions"]]
        if data["sum"] == _sum(positions):
            return positions
    return None


def _write(path: Path, positions: list[Position]) -> None:
    data = {
        "sum": _sum(positions),
        "positions": [[f"{own:x}", f"{other:x}"] for own, other in positions],
    }
    with suppress(OSError):  # if the cache is read-only, they are computed again next time
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps(data))
        os.replace(temporary, path)


def _sum(positions: list[Position]) -> str:
    return hashlib.sha256(repr(positions).encode()).hexdigest()
