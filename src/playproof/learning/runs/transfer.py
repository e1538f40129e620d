"""Packs a run for another machine, into files that are easy to carry, and unpacks it there.

A package has the settings, metrics, times, the best net, and the state of the learner without the
arrays that its algorithm names as too large (a replay of gigabytes, games in progress).  The other
machine rebuilds these by playing.  If something stays behind, numbers are packed in 16 bits.  A
complete state is packed as it is, and continues to the same weights.

The nets of earlier iterations, which ``train --keep`` keeps, are packed in 16 bits if wanted.

A package is a folder with ``leg.json`` and a ZIP archive cut into parts of 16 MB.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.learning.learner import Arrays
from playproof.learning.runs.checkpoint import array_names, load_checkpoint, pack_checkpoint
from playproof.learning.runs.log import CHECKPOINT, METRICS, SETTINGS, TIMES
from playproof.learning.runs.run import NET, NETS, Run
from playproof.nets import files as net_files

INDEX = "leg.json"
PART_BYTES = 16_000_000
_FORMAT, _VERSION = "playproof-leg", 1
_CARRIED = (SETTINGS, METRICS, TIMES, NET, CHECKPOINT)
_KEPT_NET = re.compile(rf"{NETS}/\d{{1,9}}\.safetensors", re.ASCII)


@dataclass(frozen=True)
class Package:
    """A run that was packed or unpacked."""

    folder: Path
    preset: str
    iteration: int  # where the run continues
    files: tuple[str, ...]
    size: int  # bytes
    whole: bool  # the state is complete: nothing stayed behind
    note: str = ""  # if not, what that means


def export_run(source: Path, out: Path, *, nets: bool = False) -> Package:
    """Pack the run in the folder ``source`` into ``out``, which must be new or empty.

    ``nets`` packs the nets of earlier iterations too, as far as the run keeps them."""
    run = Run.open(source)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already: name a new folder")
    file = source / CHECKPOINT
    if not file.exists():
        raise DataError(f"{source} has no checkpoint yet: let it run for a while")
    algorithm = run.algorithm
    carried, metadata = load_checkpoint(file, without=algorithm.stays_behind)
    whole = not any(name.startswith(algorithm.stays_behind) for name in array_names(file))
    parts = {
        name: (source / name).read_bytes()
        for name in (SETTINGS, METRICS, TIMES, NET)
        if (source / name).exists()
    }
    if nets:
        parts |= _pack_nets(source / NETS, int(metadata["iteration"]))
    parts[CHECKPOINT] = pack_checkpoint(carried if whole else _to_half_precision(carried), metadata)
    package = _write(out, run.preset, int(metadata["iteration"]), parts, whole)
    return package if whole else replace(package, note=algorithm.stays_behind_note)


def import_run(source: Path, out: Path) -> Package:
    """Unpack the package ``source`` into the folder ``out``, which must not hold a run."""
    if (out / SETTINGS).exists():
        raise UsageError(f"{out} holds a run already: name another folder")
    index, parts = _read(source)
    for name, content in parts.items():
        if name != CHECKPOINT:
            write_atomically(out / name, content)
    write_atomically(out / CHECKPOINT, parts[CHECKPOINT])
    arrays, metadata = load_checkpoint(out / CHECKPOINT)
    if any(name.endswith(_SCALE) for name in arrays):
        write_atomically(out / CHECKPOINT, pack_checkpoint(_to_single_precision(arrays), metadata))
    run = Run.open(out)
    return Package(
        out, run.preset, int(metadata["iteration"]), tuple(sorted(parts)),
        sum(map(len, parts.values())), bool(index["whole"]),
    )  # fmt: skip


def _write(out: Path, preset: str, iteration: int, parts: dict[str, bytes], whole: bool) -> Package:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    data = packed.getvalue()
    pieces = [data[at : at + PART_BYTES] for at in range(0, len(data), PART_BYTES)]
    names = [f"leg-{number}.part" for number in range(1, len(pieces) + 1)]
    for name, piece in zip(names, pieces, strict=True):
        write_atomically(out / name, piece)
    index = {
        "format": _FORMAT, "version": _VERSION, "preset": preset, "iteration": iteration,
        "whole": whole, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(),
        "parts": names,
    }  # fmt: skip
    write_atomically(out / INDEX, json.dumps(index, indent=1).encode() + b"\n")
    return Package(out, preset, iteration, (INDEX, *names), len(data), whole)


def _read(source: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The index of a package and its files by name; a DataError if anything is wrong."""
    file = source / INDEX
    try:
        index = json.loads(file.read_bytes())
        if (index["format"], index["version"]) != (_FORMAT, _VERSION):
            raise ValueError
        names = [str(name) for name in index["parts"]]
        if any(Path(name).name != name for name in names):
            raise ValueError
    except OSError as error:
        raise DataError(f"{source} holds no packed run: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{file} is not the index of a packed run") from None
    try:
        data = b"".join((source / name).read_bytes() for name in names)
    except OSError as error:
        raise DataError(f"{source} is not whole: {error.filename}: {error.strerror}") from None
    if hashlib.sha256(data).hexdigest() != index["sha256"]:
        raise DataError(f"{source} is damaged: its parts are not those that {INDEX} names")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [n for n in archive.namelist() if n in _CARRIED or _KEPT_NET.fullmatch(n)]
            parts = {name: archive.read(name) for name in names}
    except (zipfile.BadZipFile, ValueError, OSError, RuntimeError) as error:
        raise DataError(f"{source} is damaged: {error}") from None
    for name in (SETTINGS, CHECKPOINT):
        if name not in parts:
            raise DataError(f"{source} is damaged: {name} is missing")
    return index, parts


def _pack_nets(folder: Path, last: int) -> dict[str, bytes]:
    """The nets in a folder up to the iteration ``last``, in 16 bits, by the names of their files.

    A run repeats the iterations after its checkpoint, so later nets stay behind."""
    packed = {}
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "net.safetensors"
        for net in folder.glob("*.safetensors"):
            if net.stem.isdecimal() and int(net.stem) <= last:
                net_files.save(net_files.load(net), file, half=True)
                packed[f"{NETS}/{net.name}"] = file.read_bytes()
    return packed


# 16-bit numbers

_SCALE = ".scale"  # suffix of the scale of an array that was divided by its largest number
_SQUARES = ("exp_avg_sq",)  # packed as square roots, because squares need twice the range


def _to_half_precision(arrays: Arrays) -> Arrays:
    converted: Arrays = {}
    for name, array in arrays.items():
        if array.dtype != np.float32:
            converted[name] = array
            continue
        numbers = np.sqrt(array) if name.endswith(_SQUARES) else array
        scale = float(np.abs(numbers).max(initial=0.0)) or 1.0
        converted[name] = (numbers / scale).astype(np.float16)
        converted[name + _SCALE] = np.array([scale], np.float64)
    return converted


def _to_single_precision(arrays: Arrays) -> Arrays:
    converted: Arrays = {}
    for name, array in arrays.items():
        if name.endswith(_SCALE):
            continue
        if name + _SCALE in arrays:
            array = array.astype(np.float64) * float(arrays[name + _SCALE][0])
            array = (array**2 if name.endswith(_SQUARES) else array).astype(np.float32)
        converted[name] = array
    return converted
