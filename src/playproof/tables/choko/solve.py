"""Solving Choko pair by pair, on any device that can do the passes.

A device holds a slice as one byte a cell and does the work on all its cells;
this file says what is done in which order (``passes`` says why).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError
from playproof.tables.choko.slices import Slice, belongs
from playproof.tables.choko.value_codes import DRAW, LONGEST, loss_in, win_in

Codes = Any  # one byte a cell, wherever the device keeps it
Counts = npt.NDArray[np.int64]  # 256 of them, by code
Flags = npt.NDArray[np.bool_]  # likewise
Tick = Callable[[int], None]  # so many cells are done
Fetch = Callable[[Slice], Codes]


@dataclass(frozen=True)
class Ways:
    """How a position can leave its pair of slices."""

    lone_jump: bool
    wins: bool  # a jump ends the game
    jump: tuple[Slice, Codes] | None
    by_mover: bool  # that slice is laid out by the set of who jumps
    placed: tuple[Slice, Codes] | None  # the forced positions that placements lead to


@dataclass(frozen=True)
class Known:
    """What is known of a slice and its mirror."""

    codes: dict[Slice, Codes]
    exits: dict[Slice, Codes]


@dataclass(frozen=True)
class Turn:
    """The three passes for a distance ``d``, by the codes that they look for."""

    lost_before: int  # a loss in d - 1
    won: int  # a win in d
    lost: int  # a loss in d + 1
    after_losses: bool  # there are losses in d - 1
    exits_win: bool  # some exits win in d
    exits_lose: bool  # some exits lose in d + 1


@dataclass(frozen=True)
class Around:
    """A solved slice and those that its moves lead to."""

    lone_jump: bool
    wins: bool
    codes: Codes
    mirror: Codes
    jump: tuple[Slice, Codes] | None
    by_mover: bool
    child: tuple[Slice, Codes] | None


class Device(Protocol):
    name: str

    def memory(self) -> int: ...
    def empty(self, cells: int) -> Codes: ...
    def take(self, codes: Codes) -> Codes: ...
    def give(self, codes: Codes, cells: int) -> npt.NDArray[np.uint8]: ...
    def replies(self, forced: Slice, child: Slice, codes: Codes, tick: Tick) -> Codes: ...
    def exits(self, one: Slice, ways: Ways, tick: Tick) -> Codes: ...
    def mirrored(self, one: Slice, codes: Codes) -> Codes: ...
    def advance(self, both: tuple[Slice, Slice], known: Known, turn: Turn) -> int: ...
    def finish(self, codes: Codes) -> None: ...
    def present(self, codes: Codes, cells: int) -> Flags: ...
    def histogram(self, one: Slice, codes: Codes) -> Counts: ...
    def disagreements(self, one: Slice, around: Around) -> int: ...
    def gather(self, codes: Codes, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]: ...
    def find(self, codes: Codes, cells: int, code: int) -> int: ...
    def pack(self, codes: Codes) -> Codes: ...
    def unpack(self, body: Codes) -> Codes: ...


def solve_pair(
    device: Device, pair: tuple[Slice, ...], lone_jump: bool, fetch: Fetch, tick: Tick
) -> dict[Slice, Codes]:
    """The codes of a slice and its mirror; ``fetch`` gives those of the slices before them."""
    known = Known({}, {})
    for one in pair:
        known.exits[one] = _exits(device, one, lone_jump, fetch, tick)
    if len(pair) == 1:  # even counts: the mirror is the slice itself, laid out the other way
        known.exits[pair[0].mirror] = device.mirrored(pair[0], known.exits[pair[0]])
    both = pair[0], pair[0].mirror
    for one in both:
        known.codes[one] = device.empty(one.cells)
    scheduled = np.any([device.present(known.exits[one], one.cells) for one in pair], axis=0)
    _settle(device, both, known, scheduled)
    for one in pair:
        device.finish(known.codes[one])
        tick(one.cells)
    return {one: known.codes[one] for one in pair}


def work(one: Slice) -> int:
    """How many cells are ticked off while a slice is solved."""
    return 2 * one.cells + (_forced(one).cells if one.hands else 0)


def _forced(one: Slice) -> Slice:
    """The positions after a placement: laid out by the same side, whoever it was that placed."""
    if one.mover == 0:
        return Slice(one.hands, one.large + 1, one.small, 0)
    return Slice(one.hands, one.large, one.small + 1, 1)


def _exits(device: Device, one: Slice, lone_jump: bool, fetch: Fetch, tick: Tick) -> Codes:
    child, placed = one.after_placements(), None
    if child is not None:
        forced = _forced(one)
        placed = forced, device.replies(forced, child, fetch(child), tick)
    landed = _landed(one, lone_jump, fetch)
    by_mover = landed is not None and landed[0].mover == 1  # its mover is the side jumped over
    return device.exits(one, Ways(lone_jump, _wins_at_once(one), landed, by_mover, placed), tick)


def _landed(one: Slice, lone_jump: bool, fetch: Fetch) -> tuple[Slice, Codes] | None:
    """The slice that jumps lead to."""
    jump = one.after_jump()
    return (jump, fetch(jump)) if jump is not None and belongs(jump, lone_jump) else None


def _wins_at_once(one: Slice) -> bool:
    """Whether a jump takes the last pieces."""
    return one.hands == 0 and one.other <= 2


def disagreements(device: Device, one: Slice, lone_jump: bool, fetch: Fetch) -> int:
    """How many cells of a solved slice do not hold the best of their moves."""
    landed, child = _landed(one, lone_jump, fetch), one.after_placements()
    mirror = one if one.large == one.small else one.mirror
    around = Around(
        lone_jump, _wins_at_once(one), fetch(one), fetch(mirror), landed,
        landed is not None and landed[0].mover == 1,
        (child, fetch(child)) if child is not None else None,
    )  # fmt: skip
    return device.disagreements(one, around)


def _settle(device: Device, both: tuple[Slice, Slice], known: Known, scheduled: Flags) -> None:
    """Wins and losses by growing distance, until no more can follow."""
    losses = 0
    for d in range(1, LONGEST + 2, 2):
        won, lost = win_in(d), loss_in(d + 1)
        turn = Turn(
            loss_in(d - 1), won, lost, losses > 0, bool(scheduled[won]), bool(scheduled[lost])
        )
        losses = 0
        if turn.after_losses or turn.exits_win or turn.exits_lose:
            losses = device.advance(both, known, turn)
        later = scheduled[DRAW + 1 : won].any() or scheduled[lost + 1 : DRAW].any()
        if not losses and not later:
            return
    raise PlayproofError(f"a win in more than {LONGEST} actions does not fit into a byte")
