"""Stores of solved slices of Choko: in files, or in the memory of a device.

A slice is stored with distances, one byte per cell, or as won, drawn and lost, two bits per cell.
The second kind is read back as if every win and loss came at once. Slices that are solved from it
have wrong distances, but the right outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """The folder has no table of a slice."""


Cells = npt.NDArray[np.int64]
CellGroups = Sequence[tuple[Slice, Cells]]  # what to look up in each of several slices


class SliceStore(Protocol):
    """What a probe needs of a store."""

    lone_jump: bool
    kind: str

    def has(self, slice_: Slice) -> bool: ...
    def slices(self) -> list[Slice]: ...
    def counts(self, slice_: Slice) -> Counts: ...
    def read(self, slice_: Slice, cells: Cells) -> npt.NDArray[np.uint8]: ...
    def read_many(self, groups: CellGroups) -> npt.NDArray[np.uint8]:
        """The codes of the cells of all groups, one group after the other."""


def default_folder(lone_jump: bool) -> Path:
    """The folder in the data folder where commands, agents and the lab look for tables."""
    return data_folder() / "tables" / ("choko-lone-jump" if lone_jump else "choko")


class FileStore:
    """A store in a folder, with one file per slice."""

    def __init__(self, folder: Path, lone_jump: bool, kind: str, device: Device | None = None):
        self.folder, self.lone_jump, self.kind = folder, lone_jump, kind
        self._device = device  # for building; probing needs none
        self._open_files: dict[Slice, files.TableFile] = {}

    def path(self, slice_: Slice) -> Path:
        return self.folder / f"{slice_.name}.{self.kind}"

    def has(self, slice_: Slice) -> bool:
        return slice_ in self._open_files or self.path(slice_).is_file()

    def slices(self) -> list[Slice]:
        """The slices in the folder, in the order of solving."""
        parsed = [parse(path.stem) for path in self.folder.glob(f"*.{self.kind}")]
        slices = [slice_ for slice_ in parsed if slice_ is not None]
        return sorted(slices, key=lambda one: (one.hands, one.large + one.small, one))

    def check_rules(self) -> None:
        """Refuse a folder with tables of other rules, before anything is added to it."""
        for slice_ in self.slices()[:1]:
            self._open(slice_)

    def file(self, slice_: Slice) -> files.TableFile:
        """The open file of a slice, which must belong to this game."""
        if slice_ in self._open_files:
            return self._open_files[slice_]
        if not belongs(slice_, self.lone_jump):
            raise DataError(
                f"no game comes to {slice_.name}: "
                + ("not both sides lose one piece" if self.lone_jump else "captures come in twos")
            )
        if not self.path(slice_).is_file():
            raise MissingTable(
                f"there is no table of {slice_.name} in {self.folder}: "
                f"build it with 'playproof table build choko --hands {slice_.hands} "
                f"--pieces {slice_.large + slice_.small + 2 * slice_.hands}'"
            )
        self._open_files[slice_] = self._open(slice_)
        return self._open_files[slice_]

    def _open(self, slice_: Slice) -> files.TableFile:
        file = files.TableFile(self.path(slice_))
        for key, value in self._header(slice_).items():
            if file.header.get(key) != value:
                raise DataError(
                    f"{file.path} has {key} {file.header.get(key)!r}, not {value!r}: "
                    "it is a table of other rules; use another folder"
                )
        return file

    def _header(self, slice_: Slice) -> dict[str, Any]:
        return {
            "game": "choko", "lone_jump": self.lone_jump, "slice": slice_.name, "kind": self.kind,
            "cells": slice_.cells,
        }  # fmt: skip

    def save(self, slice_: Slice, codes: Codes, counts: Counts) -> None:
        assert self._device is not None
        if self.kind == OUTCOME:
            packed = self._device.pack(codes)
            body = self._device.to_host(packed, len(packed))
        else:
            body = self._device.to_host(codes, slice_.cells)
        positions = {str(code): int(counts[code]) for code in np.flatnonzero(counts)}
        files.write(self.path(slice_), {**self._header(slice_), "positions": positions}, body)

    def fetch(self, slice_: Slice) -> Codes:
        """The codes of a slice, in the memory of the device."""
        assert self._device is not None
        body = self.file(slice_).read_all()
        if self.kind == DISTANCE:
            return self._device.to_device(_padded(body, slice_.cells))
        return self._device.unpack(self._device.to_device(body))

    def close(self, slice_: Slice) -> None:
        self._open_files.pop(slice_, None)

    def find(self, slice_: Slice, code: int) -> int:
        """The first cell that holds ``code``, -1 if there is none."""
        for first in range(0, slice_.cells, files.BLOCK):
            cells = np.arange(first, min(slice_.cells, first + files.BLOCK), dtype=np.int64)
            matches = np.flatnonzero(self.read(slice_, cells) == code)
            if len(matches):
                return first + int(matches[0])
        return -1

    def counts(self, slice_: Slice) -> Counts:
        """How many positions have each code."""
        out = np.zeros(256, np.int64)
        for code, count in self.file(slice_).header["positions"].items():
            out[int(code)] = count
        return out

    def read(self, slice_: Slice, cells: Cells) -> npt.NDArray[np.uint8]:
        """The codes of some cells."""
        file = self.file(slice_)
        if self.kind == DISTANCE:
            return file.read(cells)
        return _unpacked_at(file.read(cells >> 2), cells)

    def read_many(self, groups: CellGroups) -> npt.NDArray[np.uint8]:
        parts = [self.read(slice_, cells) for slice_, cells in groups]
        return np.concatenate(parts) if parts else np.empty(0, np.uint8)


def _padded(body: npt.NDArray[np.uint8], cells: int) -> npt.NDArray[np.uint8]:
    """The cells of a file, padded with draws to a whole number of words."""
    if cells % 8 == 0:
        return np.asarray(body)
    return np.concatenate([body, np.full(-cells % 8, DRAW, np.uint8)])


def _unpacked_at(packed: npt.NDArray[np.uint8], cells: Cells) -> npt.NDArray[np.uint8]:
    """The codes of some cells, from the packed bytes that hold them."""
    return np.asarray(_OUTCOMES[packed >> (2 * (cells & 3)).astype(np.uint8) & 3])


class MemoryStore:
    """A store in the memory of the device that solves the slices."""

    def __init__(self, lone_jump: bool, kind: str, device: Device) -> None:
        self.lone_jump, self.kind, self._device = lone_jump, kind, device
        self._slices: dict[Slice, Codes] = {}
        self._counts: dict[Slice, Counts] = {}

    def has(self, slice_: Slice) -> bool:
        return slice_ in self._slices

    def slices(self) -> list[Slice]:
        return list(self._counts)

    def save(self, slice_: Slice, codes: Codes, counts: Counts) -> None:
        self._slices[slice_] = codes if self.kind == DISTANCE else self._device.pack(codes)
        self._counts[slice_] = counts

    def fetch(self, slice_: Slice) -> Codes:
        codes = self._stored(slice_)
        return codes if self.kind == DISTANCE else self._device.unpack(codes)

    def _stored(self, slice_: Slice) -> Codes:
        if slice_ not in self._slices:
            raise DataError(f"the slice {slice_.name} is not in memory (any more)")
        return self._slices[slice_]

    def find(self, slice_: Slice, code: int) -> int:
        return self._device.find(self.fetch(slice_), slice_.cells, code)

    def drop(self, slice_: Slice) -> None:
        """Free the memory of a slice that is no longer needed; its counts stay."""
        self._slices.pop(slice_, None)

    def counts(self, slice_: Slice) -> Counts:
        return self._counts[slice_]

    def read(self, slice_: Slice, cells: Cells) -> npt.NDArray[np.uint8]:
        return self.read_many([(slice_, cells)])

    def read_many(self, groups: CellGroups) -> npt.NDArray[np.uint8]:
        packed = self.kind == OUTCOME
        stored = [
            (self._stored(slice_), cells >> 2 if packed else cells) for slice_, cells in groups
        ]
        codes = self._device.gather(stored)
        if packed and groups:
            return _unpacked_at(codes, np.concatenate([cells for _, cells in groups]))
        return codes
