"""Checkpoints of a training run: the state of its learner as a safetensors file."""

from __future__ import annotations

import json
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from playproof.core.errors import DataError, one_line
from playproof.core.files.atomic_write import write_atomically
from playproof.learning.learner import Arrays, Learner
from playproof.learning.runs.log import FORMAT
from playproof.nets import files as net_files


class CheckpointWriter:
    """Writes checkpoints and nets in a thread of its own, since a replay may have gigabytes.

    ``write`` copies the state at once.  One checkpoint is written at a time; the next ``write``,
    or ``close``, raises the error of the last one."""

    def __init__(self, file: Path, net_file: Path) -> None:
        self._file, self._net_file = file, net_file
        self._pool = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def write(self, arrays: Arrays, metadata: dict[str, Any], *, net: net_files.Net) -> None:
        self._wait()
        copies = {name: np.array(array, order="C") for name, array in arrays.items()}
        self._last = self._pool.submit(self._write, copies, metadata, net)

    def _write(self, arrays: Arrays, metadata: dict[str, Any], net: net_files.Net) -> None:
        write_atomically(self._file, pack_checkpoint(arrays, metadata))
        net_files.save(net, self._net_file)

    def _wait(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def close(self) -> None:
        self._pool.shutdown()
        self._wait()


def pack_checkpoint(arrays: Arrays, metadata: dict[str, Any]) -> bytes:
    """A learner's state as the bytes of a checkpoint."""
    from safetensors.numpy import save

    copies = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    packed: bytes = save(copies, metadata={"format": FORMAT, "facts": json.dumps(metadata)})
    return packed


def load_checkpoint(path: Path, without: tuple[str, ...] = ()) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the metadata of a checkpoint; a DataError if it is damaged.

    Arrays whose names start with one of ``without`` are not read."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            header = dict(file.metadata() or {})
            if header.get("format") != FORMAT:
                raise ValueError("it is no checkpoint")
            names = [name for name in file.keys() if not name.startswith(without)]  # noqa: SIM118
            arrays = {name: file.get_tensor(name) for name in names}
        return arrays, json.loads(header["facts"])
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} is damaged: {one_line(error)}; delete it to start over") from None


def array_names(path: Path) -> list[str]:
    """The names of the arrays in a checkpoint, which are not read."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        return list(file.keys())


def check_checkpoint(
    path: Path, learner: Learner, arrays: Arrays, stays_behind: tuple[str, ...]
) -> None:
    """Raise a DataError if a checkpoint does not fit the learner that is to take it over.

    Arrays whose names start with ``stays_behind`` may be missing."""
    own = learner.state()[0]
    needed = {name for name in own if not name.startswith(stays_behind)}
    if set(arrays) not in (set(own), needed):
        raise DataError(f"{path} is a checkpoint of another kind of run")
    for name, array in arrays.items():
        fixed = name not in learner.growing
        if own[name].dtype != array.dtype or (fixed and own[name].shape != array.shape):
            raise DataError(
                f"{path}: {name} has shape {array.shape} and type {array.dtype}, "
                f"but these settings make it {own[name].shape} and {own[name].dtype}"
            )
    if "weights" in arrays and not np.isfinite(arrays["weights"]).all():
        raise DataError(f"{path} holds weights that are not finite: delete it to start over")
