"""Choko with tables of solved positions, which searches probe at every node."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.game import Game
from playproof.games.choko.game import Choko
from playproof.tables.choko.slices import COUNTS, belongs
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore, MissingTable

if TYPE_CHECKING:
    from playproof.core.kernels import Kernels, Words

CHECKED_BYTES = 256 << 20  # compared with their checksums by default


def open_store(folder: Path, lone_jump: bool) -> FileStore:
    """The store of the tables in a folder, the ones with distances if there are any."""
    for kind in (DISTANCE, OUTCOME):
        store = FileStore(folder, lone_jump, kind)
        if store.slices():
            return store
    raise MissingTable(
        f"there are no tables in {folder}: build some with '{build_command(lone_jump)}'"
    )


def build_command(lone_jump: bool) -> str:
    """A command that builds a small set of tables."""
    game = "choko:lone_jump=true" if lone_jump else "choko"
    return f"playproof table build {game} --hands 0 --pieces 8 --distance"


def with_tables(game: Game, store: FileStore, *, check: bool | None = None) -> Choko:
    """``game``, a Choko, with kernels that know every position of ``store``.

    It equals ``game``, but alpha-beta and tree search of it end where the tables start. Files are
    mapped into memory, and the header and the checksums of each are verified. A kernel cannot
    verify the bytes that it reads, so they are compared with their checksums now: all of them with
    ``check=True``, none with ``check=False``, and by default those of the smallest files, 256 MB in
    all.
    """
    if game.name != "choko" or game.options["lone_jump"] != store.lone_jump:
        of = "choko:lone_jump=true" if store.lone_jump else "choko"
        raise UsageError(f"these are tables of {of}, not of {game.spec}")
    return _ChokoWithTables(store, check, game.options)


class _ChokoWithTables(Choko):
    def __init__(self, store: FileStore, check: bool | None, options: dict[str, Any]) -> None:
        super().__init__(**options)
        self._store, self._check = store, check
        slices = [slice_ for slice_ in store.slices() if belongs(slice_, store.lone_jump)]
        if not slices:
            raise DataError(
                f"there are no tables with {store.kind}s in {store.folder}: "
                f"build some with '{build_command(store.lone_jump)}'"
            )
        # These references keep the files mapped at the addresses in ``tables``.
        self._files = {slice_: store.file(slice_) for slice_ in slices}
        left = CHECKED_BYTES if check is None else 0
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
        for slice_, file in self._files.items():
            shape = words.SHAPES + slice_.large * COUNTS + slice_.small
            out[shape] = shape_of(slice_).ctypes.data
            word = (slice_.hands * COUNTS + slice_.own) * COUNTS + slice_.other
            out[words.SLICES + word] = file.body.ctypes.data
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return type(other) in (Choko, _ChokoWithTables) and self.options == other.options

    def __hash__(self) -> int:
        return hash((Choko, tuple(self.options.items())))

    def __reduce__(self) -> tuple[Any, ...]:
        store = self._store
        folder = (store.folder, store.lone_jump, store.kind)
        return _reopen, (folder, self._check, self.options)


def _reopen(
    folder: tuple[Path, bool, str], check: bool | None, options: dict[str, Any]
) -> _ChokoWithTables:
    """Unpickle: map the same files in another process."""
    return _ChokoWithTables(FileStore(*folder), check, options)
