"""Asking all that is known about a position of Choko: tables that were built, else what is
shipped; and saying what it would take where neither reaches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.core.state import State
from playproof.papers.choko_solved import values as choko_values

if TYPE_CHECKING:
    from playproof.tables.choko.build import Plan
    from playproof.tables.choko.probe import Probe
    from playproof.tables.choko.slices import Slice

SIZES = range(4, 25, 2)  # pieces in play, of which tables can be built; captures come in twos
TABLES, SHIPPED = "tables", "shipped"


class Value(NamedTuple):
    """From Blue's side: who wins (1, 0, -1) and in how many actions, where that is known."""

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
class Answer:
    """``moves``: all legal actions, best first, or none where only the value is known."""

    value: Value
    moves: tuple[tuple[int, Value], ...]
    line: tuple[int, ...]
    source: str


class Oracle:
    """Looks into folders of tables, each time anew: some may have been built meanwhile."""

    def __init__(self, folders: Callable[[bool], Sequence[Path]]) -> None:
        """``folders``: where tables may lie, by whether lone jumps are allowed."""
        self._folders = folders
        self._probes: dict[tuple[Path, bool, str], Probe] = {}
        self._lock = threading.Lock()  # a store opens files as they are asked for

    def ask(self, state: State, *, line: bool = False) -> Answer | None:
        """What is known of a position; ``line`` asks for best play too.  None if nothing."""
        if state.is_terminal:
            return Answer(Value(int(state.outcome or 0), 0), (), (), TABLES)
        needed = slices_after(state)
        with self._lock:
            probe = self._probe(bool(state.game.options["lone_jump"]), needed)
            if probe is not None:
                return _from_tables(probe, state, line)
        known = choko_values.find(state)
        return None if known is None else _from_shipped(known, state)

    def _probe(self, lone_jump: bool, needed: Sequence[Slice]) -> Probe | None:
        """Tables that hold all of these slices, with distances if there are such."""
        from playproof.tables.choko.probe import Probe
        from playproof.tables.choko.store import DISTANCE, OUTCOME, Files

        for kind in (DISTANCE, OUTCOME):
            for folder in self._folders(lone_jump):
                store = Files(folder, lone_jump, kind)
                if all(store.path(one).is_file() for one in needed):
                    key = (folder, lone_jump, kind)
                    if key not in self._probes:
                        self._probes[key] = Probe(store)
                    return self._probes[key]
        return None

    def largest(self) -> int:
        """With so many pieces in play, hands included, everything is known; 0 for none."""
        from playproof.tables.choko.store import DISTANCE, Files

        most = 0
        for folder in self._folders(False):
            there = set(Files(folder, False, DISTANCE).names())
            for pieces in SIZES:
                if not there.issuperset(plan_of(pieces).slices):
                    break
                most = max(most, pieces)
        return most


def plan_of(pieces: int) -> Plan:
    """What is built for all positions with so many pieces in play."""
    from playproof.tables.choko.build import plan
    from playproof.tables.choko.store import DISTANCE

    return plan(False, DISTANCE, pieces=pieces)


def pieces_in_play(state: State) -> int:
    """On the board and in hand, both sides together."""
    blue, red, ledger = (int(word) for word in state.row)
    return blue.bit_count() + red.bit_count() + (ledger >> 4 & 15) + (ledger >> 8 & 15)


def slices_after(state: State) -> list[Slice]:
    """The slices of the free positions that a move, and the reply to it, may lead to."""
    from playproof.tables.choko.slices import needed_by, slice_of

    blue, red, ledger = (int(word) for word in state.row)
    side, forced = ledger & 1, ledger >> 1 & 1
    own, other = (word.bit_count() for word in ((red, blue) if side else (blue, red)))
    hands = ledger >> (4 if side else 8) & 15  # the other's: both, once a reply is made
    if forced:
        return [slice_of(hands, other, own + 1)]
    here = slice_of(hands, own, other)
    return [slice_of(hands, other, own), *needed_by(here, bool(state.game.options["lone_jump"]))]


def _from_tables(probe: Probe, state: State, line: bool) -> Answer:
    moves = tuple((action, _value(state, found)) for action, found in probe.moves(state))
    exact = probe.store.kind == "distance"
    best = tuple(probe.line(state)) if line and exact else ()
    return Answer(moves[0][1], moves, best, TABLES)


def _value(state: State, found: Any) -> Value:
    """A value of who moves, as one of Blue."""
    sign = -1 if state.current_player == 1 else 1
    return Value(sign * found.outcome, found.distance)


def _from_shipped(known: choko_values.Known, state: State) -> Answer:
    sign = -1 if state.current_player == 1 else 1

    def value(number: int) -> Value:
        who = (number > 0) - (number < 0)
        return Value(sign * who, abs(number) if who and known.exact else None)

    order = sorted(known.moves.items(), key=lambda m: (choko_values.goodness(m[1]), -m[0]))
    moves = tuple((action, value(number)) for action, number in reversed(order))
    return Answer(value(known.value), moves, known.line, SHIPPED)
