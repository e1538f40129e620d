"""Where solved slices of Choko are kept: in files, or in the memory of a device.

A slice is kept with its distances, one byte a cell, or as won, drawn and lost,
two bits a cell.  In the second form the slices above it see wins and losses as
if they were over at once, which leaves who wins as it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError
from playproof.core.files.folders import data_folder
from playproof.tables import files
from playproof.tables.choko.slices import Slice, belongs, parse
from playproof.tables.choko.solve import Codes, Counts, Device
from playproof.tables.choko.value_codes import DRAW, unpacked

DISTANCE, OUTCOME = "distance", "outcome"  # the two kinds of table
_OUTCOMES = np.array([unpacked(bits) for bits in range(4)], np.uint8)


class MissingTable(DataError):
    """A table that nobody has built in this folder."""


class Store(Protocol):
    """What a build and a probe ask for."""

    lone_jump: bool
    kind: str

    def has(self, one: Slice) -> bool: ...
    def fetch(self, one: Slice) -> Codes: ...
    def save(self, one: Slice, codes: Codes, counts: Counts) -> None: ...
    def counts(self, one: Slice) -> Counts: ...
    def read(self, one: Slice, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]: ...


def default_folder(lone_jump: bool) -> Path:
    """In the data folder, where commands, agents and the lab find them."""
    return data_folder() / "tables" / ("choko-lone-jump" if lone_jump else "choko")


class Files:
    """A folder with one file a slice."""

    def __init__(self, folder: Path, lone_jump: bool, kind: str, device: Device | None = None):
        self.folder, self.lone_jump, self.kind = folder, lone_jump, kind
        self._device = device  # that builds; a probe needs none
        self._open: dict[Slice, files.TableFile] = {}

    def path(self, one: Slice) -> Path:
        return self.folder / f"{one.name}.{self.kind}"

    def has(self, one: Slice) -> bool:
        return one in self._open or self.path(one).is_file()

    def names(self) -> list[Slice]:
        """The slices that are there, in the order of solving."""
        found = [parse(path.stem) for path in self.folder.glob(f"*.{self.kind}")]
        there = [one for one in found if one is not None]
        return sorted(there, key=lambda one: (one.hands, one.large + one.small, one))

    def check_rules(self) -> None:
        """Refuse a folder that holds tables of other rules, before anything is added to it."""
        for one in self.names()[:1]:
            self._opened(one)

    def file(self, one: Slice) -> files.TableFile:
        """The open file of a slice, which must be of this game."""
        if one in self._open:
            return self._open[one]
        if not belongs(one, self.lone_jump):
            raise DataError(
                f"no game comes to {one.name}: "
                + ("not both sides lose one piece" if self.lone_jump else "captures come in twos")
            )
        if not self.path(one).is_file():
            raise MissingTable(
                f"there is no table of {one.name} in {self.folder}: "
                f"build it with 'playproof table build choko --hands {one.hands} "
                f"--pieces {one.large + one.small + 2 * one.hands}'"
            )
        self._open[one] = self._opened(one)
        return self._open[one]

    def _opened(self, one: Slice) -> files.TableFile:
        found = files.TableFile(self.path(one))
        for key, value in self._header(one).items():
            if found.header.get(key) != value:
                raise DataError(
                    f"{found.path} has {key} {found.header.get(key)!r}, not {value!r}: "
                    "it is a table of other rules; use another folder"
                )
        return found

    def _header(self, one: Slice) -> dict[str, Any]:
        return {
            "game": "choko", "lone_jump": self.lone_jump, "slice": one.name, "kind": self.kind,
            "cells": one.cells,
        }  # fmt: skip

    def save(self, one: Slice, codes: Codes, counts: Counts) -> None:
        assert self._device is not None
        if self.kind == OUTCOME:
            packed = self._device.pack(codes)
            body = self._device.give(packed, len(packed))
        else:
            body = self._device.give(codes, one.cells)
        positions = {str(code): int(counts[code]) for code in np.flatnonzero(counts)}
        files.write(self.path(one), {**self._header(one), "positions": positions}, body)

    def fetch(self, one: Slice) -> Codes:
        """The codes of a slice, where the device works with them."""
        assert self._device is not None
        body = self.file(one).whole()
        if self.kind == DISTANCE:
            return self._device.take(_padded(body, one.cells))
        return self._device.unpack(self._device.take(body))

    def close(self, one: Slice) -> None:
        self._open.pop(one, None)

    def find(self, one: Slice, code: int) -> int:
        """The first cell that holds ``code``, -1 if there is none."""
        for first in range(0, one.cells, files.BLOCK):
            cells = np.arange(first, min(one.cells, first + files.BLOCK), dtype=np.int64)
            found = np.flatnonzero(self.read(one, cells) == code)
            if len(found):
                return first + int(found[0])
        return -1

    def counts(self, one: Slice) -> Counts:
        """How many positions have each code."""
        out = np.zeros(256, np.int64)
        for code, count in self.file(one).header["positions"].items():
            out[int(code)] = count
        return out

    def read(self, one: Slice, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """The codes of some cells."""
        file = self.file(one)
        if self.kind == DISTANCE:
            return file.read(cells)
        packed = file.read(cells >> 2)
        return np.asarray(_OUTCOMES[packed >> (2 * (cells & 3)).astype(np.uint8) & 3])


def _padded(body: npt.NDArray[np.uint8], cells: int) -> npt.NDArray[np.uint8]:
    """A slice as its file holds it, in whole words."""
    if cells % 8 == 0:
        return np.asarray(body)
    return np.concatenate([body, np.full(-cells % 8, DRAW, np.uint8)])


class Memory:
    """Slices in the memory of the device that solves them, for as long as the process runs."""

    def __init__(self, lone_jump: bool, kind: str, device: Device) -> None:
        self.lone_jump, self.kind, self._device = lone_jump, kind, device
        self._kept: dict[Slice, Codes] = {}
        self._counts: dict[Slice, Counts] = {}

    def has(self, one: Slice) -> bool:
        return one in self._kept

    def names(self) -> list[Slice]:
        return list(self._counts)

    def save(self, one: Slice, codes: Codes, counts: Counts) -> None:
        self._kept[one] = codes if self.kind == DISTANCE else self._device.pack(codes)
        self._counts[one] = counts

    def fetch(self, one: Slice) -> Codes:
        if one not in self._kept:
            raise DataError(f"the slice {one.name} is not in memory (any more)")
        kept = self._kept[one]
        return kept if self.kind == DISTANCE else self._device.unpack(kept)

    def find(self, one: Slice, code: int) -> int:
        return self._device.find(self.fetch(one), one.cells, code)

    def drop(self, one: Slice) -> None:
        """Forget a slice that nothing needs any more; what was counted stays."""
        self._kept.pop(one, None)

    def counts(self, one: Slice) -> Counts:
        return self._counts[one]

    def read(self, one: Slice, cells: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        return self._device.gather(self.fetch(one), cells)
