"""The candidates of a census: positions with many moves on sets that grow from
the centre, found by SAT once and kept on disk."""

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
    """Where the census of these candidates keeps what it has done."""
    return _folder() / f"census-{size}x{size}-{moves}-moves-{stones}-stones.jsonl"


def candidates(
    moves: int, stones: int, *, size: int = 8, tell: Callable[[str], None] = lambda text: None
) -> list[Position]:
    """All positions of ``stones`` stones with ``moves`` moves or more whose occupied
    squares grow from the centre, up to symmetry."""
    path = _path(moves, stones, size)
    kept = _read(path)
    if kept is not None:
        return kept
    sets = constructible_sets(
        moves, stones, size=size, on_progress=lambda n, now: tell(f"{n} sets, {now:.0f} s")
    )
    chosen = [occupied for occupied in sets.sets if occupied.bit_count() == stones]
    found = colourings(
        chosen, moves, size=size,
        on_progress=lambda n, now: tell(f"{n} of {len(chosen)} sets coloured, {now:.0f} s"),
    )  # fmt: skip
    if not (sets.complete and found.complete):
        raise PlayproofError("the candidates were not found to the last")
    _write(path, list(found.positions))
    return list(found.positions)


def _path(moves: int, stones: int, size: int) -> Path:
    # Named after the formula: other rules or another encoding are other candidates.
    statement = OthelloMobility(moves, size, size**2 - stones, constructible=True)
    digest = hashlib.sha256(statement.dimacs()).hexdigest()[:12]
    return _folder() / f"candidates-{size}x{size}-{moves}-moves-{stones}-stones-{digest}.json"


def _read(path: Path) -> list[Position] | None:
    """What was kept; None if there is nothing, or nothing whole."""
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
    with suppress(OSError):  # a read-only home: they are found again next time
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(f".{os.getpid()}")
        aside.write_text(json.dumps(data))
        os.replace(aside, path)


def _sum(positions: list[Position]) -> str:
    return hashlib.sha256(repr(positions).encode()).hexdigest()
