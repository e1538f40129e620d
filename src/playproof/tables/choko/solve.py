"""Solving Choko pair by pair, on any device that implements the passes.

A device holds a slice as one byte per cell and does the work on all of its cells. This module
decides what is done in which order; ``passes`` explains why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.errors import PlayproofError
from playproof.tables.choko.slices import Slice, belongs
from playproof.tables.choko.value_codes import DRAW, LONGEST, loss_in, win_in

Codes = Any  # one byte per cell, in the memory of the device
Counts = npt.NDArray[np.int64]  # (256,) by code
Flags = npt.NDArray[np.bool_]  # (256,) by code
Tick = Callable[[int], None]  # called with the number of cells just done
Fetch = Callable[[Slice], Codes]  # the codes of a slice that is solved


@dataclass(frozen=True)
class Exits:
    """The ways in which a position can leave its pair of slices."""

    lone_jump: bool
    wins: bool  # a jump ends the game
    jump: tuple[Slice, Codes] | None  # the slice that jumps lead to
    by_mover: bool  # whether that slice is laid out by the set of the player who jumps
    placed: tuple[Slice, Codes] | None  # the forced positions that placements lead to


@dataclass(frozen=True)
class PairState:
    """The codes of a slice and its mirror so far, and the values of their exits."""

    codes: dict[Slice, Codes]
    exits: dict[Slice, Codes]


@dataclass(frozen=True)
class PassTargets:
    """The codes that the three passes for a distance ``d`` look for, and whether they occur."""

    lost_before: int  # code of a loss in d - 1
    won: int  # code of a win in d
    lost: int  # code of a loss in d + 1
    after_losses: bool  # there are losses in d - 1
    exits_win: bool  # some exits win in d
    exits_lose: bool  # some exits lose in d + 1


@dataclass(frozen=True)
class Neighbours:
    """A solved slice and those that its moves lead to; fields as in ``Exits``."""

    lone_jump: bool
    wins: bool
    codes: Codes
    mirror: Codes
    jump: tuple[Slice, Codes] | None
    by_mover: bool
    child: tuple[Slice, Codes] | None  # the slice that a placement and its reply lead to


class Device(Protocol):
    """A CPU or a GPU that holds slices in its memory and runs the passes over them."""

    name: str

    def free_memory(self) -> int: ...
    def empty(self, cells: int) -> Codes: ...
    def to_device(self, codes: Codes) -> Codes: ...
    def to_host(self, codes: Codes, cells: int) -> npt.NDArray[np.uint8]: ...
    def replies(self, forced: Slice, child: Slice, codes: Codes, tick: Tick) -> Codes: ...
    def exits(self, slice_: Slice, ways: Exits, tick: Tick) -> Codes: ...
    def mirrored(self, slice_: Slice, codes: Codes) -> Codes: ...
    def advance(
        self, layouts: tuple[Slice, Slice], state: PairState, targets: PassTargets
    ) -> int: ...
    def finish(self, codes: Codes) -> None: ...
    def present(self, codes: Codes, cells: int) -> Flags: ...
    def histogram(self, slice_: Slice, codes: Codes) -> Counts: ...
    def disagreements(self, slice_: Slice, neighbours: Neighbours) -> int: ...
    def gather(
        self, groups: Sequence[tuple[Codes, npt.NDArray[np.int64]]]
    ) -> npt.NDArray[np.uint8]: ...
    def find(self, codes: Codes, cells: int, code: int) -> int: ...
    def pack(self, codes: Codes) -> Codes: ...
    def unpack(self, body: Codes) -> Codes: ...


def solve_pair(
    device: Device, pair: tuple[Slice, ...], lone_jump: bool, fetch: Fetch, tick: Tick
) -> dict[Slice, Codes]:
    """The codes of a slice and its mirror; ``fetch`` returns those of slices solved before."""
    state = PairState({}, {})
    for slice_ in pair:
        state.exits[slice_] = _exits(device, slice_, lone_jump, fetch, tick)
    if len(pair) == 1:  # with even counts the mirror is the same slice in the other layout
        state.exits[pair[0].mirror] = device.mirrored(pair[0], state.exits[pair[0]])
    layouts = pair[0], pair[0].mirror
    for slice_ in layouts:
        state.codes[slice_] = device.empty(slice_.cells)
    scheduled = np.any(
        [device.present(state.exits[slice_], slice_.cells) for slice_ in pair], axis=0
    )
    _run_passes(device, layouts, state, scheduled)
    for slice_ in pair:
        device.finish(state.codes[slice_])
        tick(slice_.cells)
    return {slice_: state.codes[slice_] for slice_ in pair}


def work(slice_: Slice) -> int:
    """How many cells are reported to ``tick`` while a slice is solved."""
    return 2 * slice_.cells + (_forced(slice_).cells if slice_.hands else 0)


def _forced(slice_: Slice) -> Slice:
    """The forced positions after a placement, laid out by the set of the same side."""
    if slice_.mover == 0:
        return Slice(slice_.hands, slice_.large + 1, slice_.small, 0)
    return Slice(slice_.hands, slice_.large, slice_.small + 1, 1)


def _exits(device: Device, slice_: Slice, lone_jump: bool, fetch: Fetch, tick: Tick) -> Codes:
    child, placed = slice_.after_placements(), None
    if child is not None:
        forced = _forced(slice_)
        placed = forced, device.replies(forced, child, fetch(child), tick)
    landed = _landed(slice_, lone_jump, fetch)
    by_mover = landed is not None and landed[0].mover == 1  # its mover is the side that lost pieces
    return device.exits(
        slice_, Exits(lone_jump, _wins_at_once(slice_), landed, by_mover, placed), tick
    )


def _landed(slice_: Slice, lone_jump: bool, fetch: Fetch) -> tuple[Slice, Codes] | None:
    """The slice that jumps lead to, if any."""
    jump = slice_.after_jump()
    return (jump, fetch(jump)) if jump is not None and belongs(jump, lone_jump) else None


def _wins_at_once(slice_: Slice) -> bool:
    """Whether any jump takes the last pieces of the other side."""
    return slice_.hands == 0 and slice_.other <= 2


def disagreements(device: Device, slice_: Slice, lone_jump: bool, fetch: Fetch) -> int:
    """How many cells of a solved slice do not hold the best of their moves."""
    landed, child = _landed(slice_, lone_jump, fetch), slice_.after_placements()
    mirror = slice_ if slice_.large == slice_.small else slice_.mirror
    neighbours = Neighbours(
        lone_jump, _wins_at_once(slice_), fetch(slice_), fetch(mirror), landed,
        landed is not None and landed[0].mover == 1,
        (child, fetch(child)) if child is not None else None,
    )  # fmt: skip
    return device.disagreements(slice_, neighbours)


def _run_passes(
    device: Device, layouts: tuple[Slice, Slice], state: PairState, scheduled: Flags
) -> None:
    """Find wins and losses by growing distance, until there can be no more."""
    losses = 0
    for d in range(1, LONGEST + 2, 2):
        won, lost = win_in(d), loss_in(d + 1)
        targets = PassTargets(
            loss_in(d - 1), won, lost, losses > 0, bool(scheduled[won]), bool(scheduled[lost])
        )
        losses = 0
        if targets.after_losses or targets.exits_win or targets.exits_lose:
            losses = device.advance(layouts, state, targets)
        later = scheduled[DRAW + 1 : won].any() or scheduled[lost + 1 : DRAW].any()
        if not losses and not later:
            return
    raise PlayproofError(f"a win in more than {LONGEST} actions does not fit into a byte")
