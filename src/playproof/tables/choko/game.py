"""Choko that knows its tables: searches of it ask them at every node."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.games.choko.game import Choko
from playproof.tables.choko.slices import belongs
from playproof.tables.choko.store import DISTANCE, OUTCOME, Files, MissingTable

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words

CHECKED = 256 << 20  # bytes that are compared with their checksums, unless told otherwise


def open_store(folder: Path, lone_jump: bool) -> Files:
    """The tables in a folder: those with distances if there are any."""
    for kind in (DISTANCE, OUTCOME):
        store = Files(folder, lone_jump, kind)
        if store.names():
            return store
    raise MissingTable(
        f"there are no tables in {folder}: build some with '{how_to_build(lone_jump)}'"
    )


def how_to_build(lone_jump: bool) -> str:
    """A command that makes a small start."""
    game = "choko:lone_jump=true" if lone_jump else "choko"
    return f"playproof table build {game} --hands 0 --pieces 8 --distance"


def with_tables(game: Game, store: Files, *, check: bool | None = None) -> Choko:
    """``game``, a Choko, with kernels that know every position of ``store``.

    It is the same game and equals ``game``; alpha-beta and tree search of it
    end where the tables begin.  Files are mapped into memory, and of each the
    header and the list of checksums are tested.  A kernel can not test the bytes it
    reads, so this is done now: of all files with ``check=True``, which reads them
    whole, of none with ``check=False``, and else of the smallest, 256 MB in all.
    """
    if game.name != "choko" or game.options["lone_jump"] != store.lone_jump:
        of = "choko:lone_jump=true" if store.lone_jump else "choko"
        raise UsageError(f"these are tables of {of}, not of {game.spec}")
    return _TabledChoko(store, check, game.options)


class _TabledChoko(Choko):
    def __init__(self, store: Files, check: bool | None, options: dict[str, Any]) -> None:
        super().__init__(**options)
        self._store, self._check = store, check
        slices = [one for one in store.names() if belongs(one, store.lone_jump)]
        if not slices:
            raise DataError(
                f"there are no tables with {store.kind}s in {store.folder}: "
                f"build some with '{how_to_build(store.lone_jump)}'"
            )
        # Kept here, the bytes stay where the words say, whatever the store closes.
        self._files = {one: store.file(one) for one in slices}
        left = CHECKED if check is None else 0
        for file in sorted(self._files.values(), key=lambda file: len(file.body)):
            left -= len(file.body)
            if check or left >= 0:
                file.check()

    @functools.cached_property
    def kernels(self) -> Kernels:
        from playproof.games.choko.kernels import KERNELS
        from playproof.tables.choko.probe_kernel import evaluate, probe

        return KERNELS._replace(probe=probe, evaluate=evaluate)

    @functools.cached_property
    def tables(self) -> Words:
        from playproof.tables.choko import probe_kernel as words
        from playproof.tables.choko.index import maps, shape_of

        out = np.zeros(words.WORDS, np.uint64)
        out[words.EXACT] = self._store.kind == DISTANCE
        places = (words.ATLAS, words.RANKS, words.ORBITS, words.REPS)
        for place, part in zip(places, maps(), strict=True):
            out[place] = part.ctypes.data
        for one, file in self._files.items():
            shape = words.SHAPES + one.large * words.COUNTS + one.small
            out[shape] = shape_of(one).ctypes.data
            slice_ = (one.hands * words.COUNTS + one.own) * words.COUNTS + one.other
            out[words.SLICES + slice_] = file.body.ctypes.data
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(other) in (Choko, _TabledChoko) and self.options == other.options

    def __hash__(self) -> int:
        return hash((Choko, tuple(self.options.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        store = self._store
        folder = (store.folder, store.lone_jump, store.kind)
        return _reopened, (folder, self._check, self.options)


def _reopened(
    folder: tuple[Path, bool, str], check: bool | None, options: dict[str, Any]
) -> _TabledChoko:
    """In another process the same files are mapped anew."""
    return _TabledChoko(Files(*folder), check, options)
