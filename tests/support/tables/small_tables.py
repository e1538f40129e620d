"""Small tables of Choko on disk, built once a process, and random positions in them."""

from __future__ import annotations

import functools
import random
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playproof import Game, State, make
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore

PIECES = 6  # in play, hands included


@functools.lru_cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="playproof-tables-")


@functools.lru_cache
def folder(lone_jump: bool = False) -> Path:
    """Tables of both kinds with all slices of six pieces in play; not to be changed."""
    path = Path(_scratch().name) / ("lone-jump" if lone_jump else "plain")
    device = Cpu()
    for kind in (DISTANCE, OUTCOME):
        build(
            plan_build(lone_jump, kind, pieces=PIECES),
            device,
            FileStore(path, lone_jump, kind, device),
        )
    return path


@functools.lru_cache
def files(lone_jump: bool = False, kind: str = DISTANCE) -> FileStore:
    return FileStore(folder(lone_jump), lone_jump, kind)


def copied(to: Path, pattern: str = "*", lone_jump: bool = False) -> Path:
    """Some of the files in a folder of their own, to be changed at will."""
    to.mkdir(parents=True, exist_ok=True)
    for path in folder(lone_jump).glob(pattern):
        shutil.copy(path, to)
    return to


def choko(lone_jump: bool = False, cap: int = 100) -> Game:
    return make("choko", lone_jump=lone_jump, cap=cap)


def position_in(
    game: Game, one: Slice, chooser: random.Random, *, forced: bool, ply: int | None = None
) -> State | None:
    """A random position of a slice, or a forced one that leads into it; None if it is over.

    ``ply``: the actions played, or one more where another side is to move."""
    side = chooser.randrange(2)
    own, other = (one.other - 1, one.own) if forced else (one.own, one.other)
    if own < 0 or (forced and other == 0):
        return None
    squares = chooser.sample(range(25), own + other)
    letters = ["1"] * 25
    for place, square in enumerate(squares):
        letters[square] = "br"[side if place < own else 1 - side]
    board = "/".join("".join(letters[5 * row : 5 * row + 5]) for row in range(4, -1, -1))
    hands = [one.hands, one.hands]
    hands[side] += forced
    least = 24 - sum(hands)
    played = chooser.randint(least, 99) if ply is None else max(least, ply)
    played += played % 2 != side
    initiative = "br"[1 - side] if forced else "-"
    state = game.position(f"{board} {'br'[side]} {hands[0]} {hands[1]} {initiative} {played}")
    return None if state.is_terminal else state


def positions(
    game: Game, count: int, seed: int, *, slices: Sequence[Slice] = (), ply: int | None = None
) -> list[State]:
    """Positions that the tables know, many of them forced; none is over."""
    chooser = random.Random(seed)
    there = list(slices) or files(game.options["lone_jump"]).slices()
    states: list[State] = []
    while len(states) < count:
        forced = chooser.random() < 0.5
        state = position_in(game, chooser.choice(there), chooser, forced=forced, ply=ply)
        if state is not None:
            states.append(state)
    return states


def is_forced(state: State) -> bool:
    return bool(int(state.row[2]) >> 1 & 1)
