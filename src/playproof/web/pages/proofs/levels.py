"""Retrograde levels: how many positions lie one disc before a position, two discs, and so on.

Either a level is empty, and no game leads to the position; or the levels get down to
positions that play from the start reaches (``proofs.othello.retrograde``).  The levels
of the page's candidates are stored in the data folder.
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from playproof import __version__
from playproof.core.errors import UsageError, one_of
from playproof.core.jobs.store import write_json
from playproof.core.state import State
from playproof.web.pages.proofs.frames import read_othello, record, still
from playproof.web.pages.proofs.lemma import STUBBORN, UNFILLABLE
from playproof.web.protocol.refusal import Refusal

Json = dict[str, Any]

MOST = 250_000  # positions of a level; after a larger one the count stops
MOST_AT_ALL = 3_000_000  # positions of a level that is being built: it may be 100 times the last
KNOWN = 10  # stones: up to here all positions that play reaches are known at once
_FORMAT = 1  # of the stored files
_SEARCH_LOCK = threading.Lock()  # one search at a time, since a level takes much memory
_slots = threading.BoundedSemaphore(3)  # searches that run or wait; more would block other requests

_CANDIDATES = {
    "stubborn": (
        "34 moves, the longest way back",
        "All its squares can be filled, and of all positions with 34 moves this one can be taken "
        "back furthest. Then nothing is left.",
    ),
    "unfillable": (
        "34 moves, squares that cannot be filled",
        "None of its discs can have been placed last, so the first step back finds nothing.",
    ),
    "earliest": (
        "33 moves with 29 discs",
        "Here the two searches meet: positions that lead here, and positions that play reaches.",
    ),
    "black": (
        "33 moves for Black, from the paper",
        "The same for the paper's position with 30 discs: there are thousands of ways back, and "
        "some of them lead to the start.",
    ),
}


def candidates() -> list[Json]:
    """The name, title and description of each candidate."""
    return [
        {"name": name, "title": title, "about": about}
        for name, (title, about) in _CANDIDATES.items()
    ]


def candidate_levels(name: str, folder: Path) -> Json:
    """The levels of a candidate; once counted, they are stored in ``folder``."""
    if name not in _CANDIDATES:
        raise UsageError(f"no candidate {name[:40]!r}: want {one_of(list(_CANDIDATES))}")
    title, about = _CANDIDATES[name]
    text = {"stubborn": STUBBORN, "unfillable": UNFILLABLE}.get(name)
    state = read_othello(record(name) if text is None else text)
    file = folder / f"levels-{name}.json"
    header = {"format": _FORMAT, "playproof": __version__, "position": state.position}
    result = _stored(file, header)
    if result is None:
        result = count(state)
        with suppress(OSError):  # on a full disk they are counted again next time
            folder.mkdir(parents=True, exist_ok=True)
            write_json(file, {**header, **result})
    return {"name": name, "title": title, "about": about, "view": still(state), **result}


def own_levels(text: str) -> Json:
    """The levels of a position that a person entered."""
    state = read_othello(text)
    head = {"name": "own", "title": "Your position", "about": still(state)["say"]}
    return {**head, "view": still(state), **count(state)}


def _stored(file: Path, header: Json) -> Json | None:
    try:
        data = json.loads(file.read_bytes())
        current = all(data.get(key) == value for key, value in header.items())
        return {key: data[key] for key in ("levels", "end", "position")} if current else None
    except (OSError, ValueError, AttributeError, KeyError):
        return None


def count(state: State) -> Json:
    """Count the distinct positions, up to symmetry, for each number of discs taken back.

    Each of ``levels`` has its stones, the number of positions, an example, and ``known``:
    with few stones, how many of them play from the start reaches.  ``end`` is "nothing",
    "met" (the start is among them) or "stopped".
    """
    from playproof.core.stopping import stop_flag
    from playproof.proofs.othello.boards import position_text
    from playproof.proofs.othello.retrograde.forward import forward_table
    from playproof.proofs.othello.retrograde.path import split
    from playproof.proofs.othello.retrograde.search import retreat

    size = int(state.game.options["size"])
    own, opponent, _ = split(state)
    flag = stop_flag()

    def stop_if_large(depth: int, positions: int) -> None:
        if positions > MOST:
            flag[0] = 1

    if not _slots.acquire(blocking=False):
        raise Refusal("busy", "other positions are being taken back: try again in a few seconds")
    try:
        with _SEARCH_LOCK:
            result = retreat(
                [(own, opponent)], size=size, on_progress=stop_if_large, stop=flag,
                most=MOST_AT_ALL,
            )  # fmt: skip
    finally:
        _slots.release()
    table = forward_table(KNOWN, size)
    stones = (own | opponent).bit_count()
    levels: list[Json] = []
    for back, rows in enumerate(result.levels):
        few = stones - back <= KNOWN
        example = tuple(rows[0].tolist()) if len(rows) else None
        levels.append(
            {
                "back": back,
                "stones": stones - back,
                "positions": len(rows),
                "known": _count_reached(rows.tolist(), table, size) if few else None,
                "example": position_text(example, size) if example else None,
            }
        )
    last = levels[-1]
    end = "nothing" if not last["positions"] else "met" if last["known"] else "stopped"
    if result.finished and end == "stopped":
        end = "nothing"  # four discs are left, but not those of the start
    return {"levels": levels, "end": end, "position": state.position}


def _count_reached(rows: list[list[int]], table: Any, size: int) -> int:
    """How many of these positions play from the start reaches."""
    from playproof.proofs.othello.boards import canonical

    return sum(
        canonical((own, opponent), size) in table.level((own | opponent).bit_count())
        for own, opponent in rows
    )
