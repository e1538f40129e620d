"""The value of a position of Choko: from tables that were built, else from what is shipped; and
which tables would be needed where neither knows it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.core.state import State
from playproof.papers.choko_solved import values as choko_values

if TYPE_CHECKING:
    from playproof.tables.choko.build import BuildPlan
    from playproof.tables.choko.probe import Probe
    from playproof.tables.choko.slices import Slice

SIZES = range(4, 25, 2)  # pieces in play that tables can be built for; captures remove two
TABLES, SHIPPED = "tables", "shipped"


class ChokoValue(NamedTuple):
    """A value from Blue's side: who wins (1, 0, -1), and in how many actions if that is known."""

    who: int
    actions: int | None

    @property
    def words(self) -> str:
        if self.who == 0:
            return "drawn"
        name = "Blue wins" if self.who > 0 else "Red wins"
        if self.actions is None:
            return name
        return name if self.actions == 0 else f"{name} in {self.actions}"

    def to_json(self) -> dict[str, int | str | None]:
        return {"who": self.who, "in": self.actions, "words": self.words}


@dataclass(frozen=True)
class SolvedPosition:
    """What is known of a position: its value, its moves and the line of best play.

    ``moves`` are all legal actions, best first; empty if only the position's value is known.
    """

    value: ChokoValue
    moves: tuple[tuple[int, ChokoValue], ...]
    line: tuple[int, ...]
    source: str


class Oracle:
    """Looks positions up in folders of tables, which are searched anew for each position, since
    tables may have been built in the meantime."""

    def __init__(self, folders: Callable[[bool], Sequence[Path]]) -> None:
        """``folders`` gives the folders to search, by whether lone jumps are allowed."""
        self._folders = folders
        self._probes: dict[tuple[Path, bool, str], Probe] = {}
        self._lock = threading.Lock()  # a probe opens files when they are first needed

    def look_up(self, state: State, *, line: bool = False) -> SolvedPosition | None:
        """What is known of a position, with best play if ``line``; None if nothing is known."""
        if state.is_terminal:
            return SolvedPosition(ChokoValue(int(state.outcome or 0), 0), (), (), TABLES)
        needed = slices_after(state)
        with self._lock:
            probe = self._probe(bool(state.game.options["lone_jump"]), needed)
            if probe is not None:
                return _from_tables(probe, state, line)
        known = choko_values.find(state)
        return None if known is None else _from_shipped(known, state)

    def _probe(self, lone_jump: bool, needed: Sequence[Slice]) -> Probe | None:
        """Tables that hold all of these slices, with distances if there are any."""
        from playproof.tables.choko.probe import Probe
        from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore

        for kind in (DISTANCE, OUTCOME):
            for folder in self._folders(lone_jump):
                store = FileStore(folder, lone_jump, kind)
                if all(store.path(one).is_file() for one in needed):
                    key = (folder, lone_jump, kind)
                    if key not in self._probes:
                        self._probes[key] = Probe(store)
                    return self._probes[key]
        return None

    def largest(self) -> int:
        """The number of pieces in play, hands included, up to which tables are complete; or 0."""
        from playproof.tables.choko.store import DISTANCE, FileStore

        most = 0
        for folder in self._folders(False):
            names = set(FileStore(folder, False, DISTANCE).slices())
            for pieces in SIZES:
                if not names.issuperset(plan_of(pieces).slices):
                    break
                most = max(most, pieces)
        return most


def plan_of(pieces: int) -> BuildPlan:
    """The plan to build tables for all positions with up to ``pieces`` pieces in play."""
    from playproof.tables.choko.build import plan_build
    from playproof.tables.choko.store import DISTANCE

    return plan_build(False, DISTANCE, pieces=pieces)


def pieces_in_play(state: State) -> int:
    """The number of pieces on the board and in hand, of both sides."""
    blue, red, ledger = (int(word) for word in state.row)
    return blue.bit_count() + red.bit_count() + (ledger >> 4 & 15) + (ledger >> 8 & 15)


def slices_after(state: State) -> list[Slice]:
    """The slices of the positions without an obligation that a move, or a reply to it, leads to."""
    from playproof.tables.choko.slices import needed_by, slice_of

    blue, red, ledger = (int(word) for word in state.row)
    side, forced = ledger & 1, ledger >> 1 & 1
    own, other = (word.bit_count() for word in ((red, blue) if side else (blue, red)))
    hands = ledger >> (4 if side else 8) & 15  # the opponent's; after a reply both have as many
    if forced:
        return [slice_of(hands, other, own + 1)]
    here = slice_of(hands, own, other)
    return [slice_of(hands, other, own), *needed_by(here, bool(state.game.options["lone_jump"]))]


def _from_tables(probe: Probe, state: State, line: bool) -> SolvedPosition:
    moves = tuple((action, _value(state, entry)) for action, entry in probe.moves(state))
    exact = probe.store.kind == "distance"
    best = tuple(probe.line(state)) if line and exact else ()
    return SolvedPosition(moves[0][1], moves, best, TABLES)


def _value(state: State, entry: Any) -> ChokoValue:
    """A table's value, which is from the side to move, as a value from Blue's side."""
    sign = -1 if state.current_player == 1 else 1
    return ChokoValue(sign * entry.outcome, entry.distance)


def _from_shipped(known: choko_values.ShippedValue, state: State) -> SolvedPosition:
    sign = -1 if state.current_player == 1 else 1

    def value(number: int) -> ChokoValue:
        who = (number > 0) - (number < 0)
        return ChokoValue(sign * who, abs(number) if who and known.exact else None)

    order = sorted(known.moves.items(), key=lambda m: (choko_values.preference(m[1]), -m[0]))
    moves = tuple((action, value(number)) for action, number in reversed(order))
    return SolvedPosition(value(known.value), moves, known.line, SHIPPED)
