"""Positions taken back level by level: how many there are one disc earlier, two discs, ...

Either nothing is left, and no game leads to the position; or the levels come down to
positions that play from the start reaches (``proofs.othello_retrograde``).  What
a candidate of the page gives is kept in the data folder.
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

MOST = 250_000  # positions of a level; with more it is stopped
MOST_AT_ALL = 3_000_000  # of a level while it is made: some have a hundred times the one before
KNOWN = 10  # stones: up to here all positions that play reaches are listed in no time
_FORMAT = 1  # of the kept files
_ONE = threading.Lock()  # a search takes the memory of a level: one at a time
_waiting = threading.BoundedSemaphore(3)  # more would keep others from their answers

_CANDIDATES = {
    "stubborn": (
        "34 moves, the longest way back",
        "All its squares can be filled, and of all positions with 34 moves this one can be taken "
        "back the furthest. Then nothing is left.",
    ),
    "unfillable": (
        "34 moves, squares that cannot be filled",
        "No disc of it can have been the last one: the first step back already finds nothing.",
    ),
    "earliest": (
        "33 moves with 29 discs",
        "The two searches meet: positions that lead here, and positions that play reaches.",
    ),
    "black": (
        "33 moves for Black, from the paper",
        "The same for the paper's position with 30 discs: thousands of ways back, and some of them "
        "begin at the start.",
    ),
}


def candidates() -> list[Json]:
    """What can be taken back here, by name."""
    return [
        {"name": name, "title": title, "about": about}
        for name, (title, about) in _CANDIDATES.items()
    ]


def levels(name: str, folder: Path) -> Json:
    """The levels of a candidate; kept in ``folder`` once they were counted."""
    if name not in _CANDIDATES:
        raise UsageError(f"no candidate {name[:40]!r}: want {one_of(list(_CANDIDATES))}")
    title, about = _CANDIDATES[name]
    text = {"stubborn": STUBBORN, "unfillable": UNFILLABLE}.get(name)
    state = read_othello(record(name) if text is None else text)
    file = folder / f"levels-{name}.json"
    wanted = {"format": _FORMAT, "playproof": __version__, "position": state.position}
    found = _kept(file, wanted)
    if found is None:
        found = count(state)
        with suppress(OSError):  # a disk that is full costs time and nothing else
            folder.mkdir(parents=True, exist_ok=True)
            write_json(file, {**wanted, **found})
    return {"name": name, "title": title, "about": about, "view": still(state), **found}


def own_levels(text: str) -> Json:
    """The levels of a position that somebody brings."""
    state = read_othello(text)
    head = {"name": "own", "title": "Your position", "about": still(state)["say"]}
    return {**head, "view": still(state), **count(state)}


def _kept(file: Path, wanted: Json) -> Json | None:
    try:
        found = json.loads(file.read_bytes())
        good = all(found.get(key) == value for key, value in wanted.items())
        return {key: found[key] for key in ("levels", "end", "position")} if good else None
    except (OSError, ValueError, AttributeError, KeyError):
        return None


def count(state: State) -> Json:
    """Distinct positions, up to symmetry, by discs taken back.

    ``levels``: for each its stones, positions, an example, and ``known``, how many of
    them play from the start reaches, where there are so few stones that all such
    are listed.  ``end``: nothing, met (the start is among them) or stopped.
    """
    from playproof.core.stopping import stop_flag
    from playproof.proofs.othello.boards import position_text
    from playproof.proofs.othello.retrograde.forward import forward_table
    from playproof.proofs.othello.retrograde.path import split
    from playproof.proofs.othello.retrograde.search import retreat

    size = int(state.game.options["size"])
    own, opponent, _ = split(state)
    flag = stop_flag()

    def look(depth: int, positions: int) -> None:
        if positions > MOST:
            flag[0] = 1

    if not _waiting.acquire(blocking=False):
        raise Refusal("busy", "other positions are being taken back: try again in a few seconds")
    try:
        with _ONE:
            found = retreat(
                [(own, opponent)], size=size, progress=look, stop=flag, most=MOST_AT_ALL
            )
    finally:
        _waiting.release()
    table = forward_table(KNOWN, size)
    stones = (own | opponent).bit_count()
    told: list[Json] = []
    for back, rows in enumerate(found.levels):
        few = stones - back <= KNOWN
        example = tuple(rows[0].tolist()) if len(rows) else None
        told.append(
            {
                "back": back,
                "stones": stones - back,
                "positions": len(rows),
                "known": _known(rows.tolist(), table, size) if few else None,
                "example": position_text(example, size) if example else None,
            }
        )
    end = "nothing" if not told[-1]["positions"] else "met" if told[-1]["known"] else "stopped"
    if found.finished and end == "stopped":
        end = "nothing"  # four discs, but not those of the start
    return {"levels": told, "end": end, "position": state.position}


def _known(rows: list[list[int]], table: Any, size: int) -> int:
    """How many of these positions play reaches."""
    from playproof.proofs.othello.boards import canonical

    return sum(
        canonical((own, opponent), size) in table.level((own | opponent).bit_count())
        for own, opponent in rows
    )
