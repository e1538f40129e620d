"""A training run in a folder: settings, metrics, and a checkpoint from which it resumes.

``settings.json``           the preset, every setting, versions
``metrics.jsonl``           one line per iteration
``times.jsonl``             one line per checkpoint: seconds, iterations, device
``games.jsonl``             games of the evaluations, as records
``checkpoint.safetensors``  weights, optimiser, opponents, games and random state
``net.safetensors``         the network as ``net:PATH`` plays it
``nets/N.safetensors``      the network after iteration N, if earlier ones are kept

A checkpoint is written to a temporary file and moved into place.  Lines after the last checkpoint
are dropped when a run resumes.  So a run that was killed at any moment ends with the same files as
one that was not, except for times.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof import __version__
from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.files.atomic_write import write_atomically
from playproof.learning import registry
from playproof.learning.algorithm import AnyAlgorithm
from playproof.learning.learner import Learner, Stopped, never
from playproof.learning.metrics import plain_numbers
from playproof.learning.presets import find
from playproof.learning.runs.checkpoint import (
    CheckpointWriter,
    check_checkpoint,
    load_checkpoint,
)
from playproof.learning.runs.log import CHECKPOINT, FORMAT, METRICS, SETTINGS, TIMES
from playproof.learning.runs.tensorboard import open_events
from playproof.learning.setting import apply_changes, from_json
from playproof.learning.settings import RunSettings
from playproof.nets import files as net_files

if TYPE_CHECKING:
    from playproof.learning.evaluation import Evaluation

GAMES, NET = "games.jsonl", "net.safetensors"
NETS = "nets"  # the folder of earlier nets


@dataclass(frozen=True)
class Run:
    """A training run and its folder."""

    folder: Path
    preset: str
    algorithm: AnyAlgorithm
    settings: RunSettings

    @classmethod
    def create(cls, folder: Path, preset: str, changes: Mapping[str, str]) -> Run:
        """Create a run in a folder that does not hold one yet; it has not started.

        ``changes`` are settings other than the preset's, as text."""
        chosen = find(preset)
        if (folder / SETTINGS).exists():
            raise UsageError(
                f"{folder} holds a run already: continue it with --resume, or name another folder"
            )
        settings = apply_changes(chosen.settings, changes)
        settings.check()
        run = cls(folder, preset, chosen.algorithm, settings)
        data = {
            "format": FORMAT, "algorithm": chosen.algorithm.name, "preset": preset,
            "settings": asdict(settings),
            "versions": {
                "playproof": __version__, "python": platform.python_version(),
                "numpy": np.__version__,
            },
        }  # fmt: skip
        write_atomically(folder / SETTINGS, json.dumps(data, indent=1).encode() + b"\n")
        return run

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Open the run in a folder; a DataError if there is none or its settings are damaged."""
        file = folder / SETTINGS
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise ValueError
            algorithm = _find_algorithm(file, str(data["algorithm"]))
            stored, config = data["settings"], algorithm.config
            missing = {field.name for field in fields(config)} - set(stored)
            if not missing <= config.optional_names():
                raise ValueError
            settings = config(**from_json(stored))
            return cls(folder, str(data["preset"]), algorithm, settings)
        except OSError as error:
            raise DataError(f"{folder} holds no run: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{file} is not the settings of a run: start a new one") from None

    @classmethod
    def create_seeds(
        cls, folder: Path, preset: str, changes: Mapping[str, str], seeds: int
    ) -> list[Run]:
        """Create runs that differ in their seeds, in sub-folders."""
        if (folder / SETTINGS).exists():
            raise UsageError(f"{folder} holds a run already: name another folder")
        first = apply_changes(find(preset).settings, changes).seed
        return [
            cls.create(folder / f"seed-{seed}", preset, {**changes, "seed": str(seed)})
            for seed in range(first, first + seeds)
        ]

    @classmethod
    def create_folds(cls, folder: Path, preset: str, changes: Mapping[str, str]) -> list[Run]:
        """Create runs that differ in the fold of data that is held out, in sub-folders."""
        if (folder / SETTINGS).exists():
            raise UsageError(f"{folder} holds a run already: name another folder")
        chosen = find(preset)
        folds = chosen.algorithm.folds
        if folds is None:
            able = [algorithm.name for algorithm in registry.available() if algorithm.folds]
            raise UsageError(f"{preset} has no folds: they are for {one_of(able)}")
        return [
            cls.create(folder / f"fold-{fold}", preset, {**changes, folds.setting: str(fold)})
            for fold in range(folds.count(apply_changes(chosen.settings, changes)))
        ]

    @classmethod
    def open_all(cls, folder: Path) -> list[Run]:
        """Open the run in a folder, or those of several seeds or folds in its sub-folders."""
        inside = sorted(
            [file for kind in ("seed", "fold") for file in folder.glob(f"{kind}-*/{SETTINGS}")],
            key=lambda file: (len(file.parent.name), file),
        )
        if (folder / SETTINGS).exists() or not inside:
            return [cls.open(folder)]
        return [cls.open(file.parent) for file in inside]

    def resume(
        self,
        *,
        checkpoint_every: int = 25,
        stopped: Stopped = never,
        device: str = "cpu",
        keep_every: int = 0,
        on_start: Callable[[Learner], None] = lambda learner: None,
        on_iteration: Callable[[dict[str, float]], None] = lambda metrics: None,
    ) -> Learner:
        """Run to the end, from the checkpoint if there is one.

        Once ``stopped`` returns true the run stops, even in the middle of an iteration, and its
        whole state is saved.  The net of every ``keep_every``-th iteration is kept as well, with
        the untrained one; 0 keeps only the latest.  ``on_start`` is called with the learner before
        its first iteration, ``on_iteration`` with the metrics of every iteration."""
        learner = self.restore_learner(device)
        for name in (METRICS, TIMES, GAMES):
            _drop_lines_after(self.folder / name, learner.iteration)
        if keep_every and learner.iteration == 0:
            self._save_net(learner, kept_net_path(self.folder, 0))
        on_start(learner)
        with (
            closing(_LineBuffer(self.folder, learner.iteration, device)) as lines,
            closing(CheckpointWriter(self.folder / CHECKPOINT, self.folder / NET)) as checkpoints,
        ):
            saved = (self.folder / CHECKPOINT).exists()
            while learner.iteration < self.settings.iterations and not stopped():
                result = learner.iterate(stopped)
                saved = False
                if result is None:
                    break
                metrics = plain_numbers(result)
                lines.add(metrics, learner.evaluated)
                if keep_every and learner.iteration % keep_every == 0:
                    self._save_net(learner, kept_net_path(self.folder, learner.iteration))
                if learner.iteration % checkpoint_every == 0:
                    self._save_checkpoint(learner, lines, checkpoints)
                    saved = True
                on_iteration(metrics)
            if not saved:
                self._save_checkpoint(learner, lines, checkpoints)
        return learner

    def restore_learner(self, device: str = "cpu") -> Learner:
        """The learner in the state of the checkpoint, or at its start."""
        learner: Learner = self.algorithm.learner(self.settings, device)
        file = self.folder / CHECKPOINT
        if file.exists():
            arrays, metadata = load_checkpoint(file)
            check_checkpoint(file, learner, arrays, self.algorithm.stays_behind)
            learner.restore(arrays, metadata)
        return learner

    def metrics(self) -> list[dict[str, float]]:
        """The metrics written so far, by iteration."""
        return _lines(self.folder / METRICS)

    def _save_checkpoint(
        self, learner: Learner, lines: _LineBuffer, checkpoints: CheckpointWriter
    ) -> None:
        # Lines come first: a resumed run drops lines after the checkpoint, but cannot add any.
        lines.write(learner.iteration)
        checkpoints.write(*learner.state(), net=self._net(learner))

    def _save_net(self, learner: Learner, file: Path) -> None:
        net_files.save(self._net(learner), file)

    def _net(self, learner: Learner) -> net_files.Net:
        s = self.settings
        metadata = {"trained by": f"playproof train {self.preset}",
                    "iterations": learner.iteration, "seed": s.seed}  # fmt: skip
        return net_files.Net(
            learner.architecture, learner.weights.copy(), learner.game.spec, s.observation,
            metadata, win=s.win, family=s.family,
        )  # fmt: skip


def _find_algorithm(file: Path, name: str) -> AnyAlgorithm:
    """The algorithm of a run; a DataError if it is not installed here."""
    if name not in registry.names():
        raise DataError(
            f"{file}: there is no algorithm '{name[:80]}' here: one of your own needs --load FILE "
            "or the package that has it"
        )
    return registry.find(name)


def kept_net_path(folder: Path, iteration: int) -> Path:
    """The file of the net of an earlier iteration, which exists if that net is kept."""
    return folder / NETS / f"{iteration}.safetensors"


class _LineBuffer:
    """Metrics, games and times that are written together with the next checkpoint."""

    def __init__(self, folder: Path, iteration: int, device: str) -> None:
        self.folder, self.device, self.started = folder, device, time.perf_counter()
        self.events = open_events(folder, iteration)
        self._clear()

    def close(self) -> None:
        if self.events:
            self.events.close()

    def _clear(self) -> None:
        self.metrics: list[dict[str, Any]] = []
        self.games: list[dict[str, Any]] = []

    def add(self, metrics: dict[str, float], evaluation: Evaluation | None) -> None:
        self.metrics.append(metrics)
        for record in evaluation.records if evaluation else ():
            self.games.append({**json.loads(record.to_json()), "iteration": metrics["iteration"]})

    def write(self, iteration: int) -> None:
        now = time.perf_counter()
        times = {"iteration": iteration, "iterations": len(self.metrics),
                 "seconds": round(now - self.started, 3), "device": self.device}  # fmt: skip
        for name, lines in ((METRICS, self.metrics), (GAMES, self.games), (TIMES, [times])):
            with (self.folder / name).open("a", encoding="utf-8") as file:
                file.write("".join(f"{json.dumps(line)}\n" for line in lines))
        for metrics in self.metrics if self.events else ():
            self.events.add(metrics)  # type: ignore[union-attr]
        self.started = now
        self._clear()


def _lines(file: Path) -> list[dict[str, Any]]:
    """The lines of a file, without a last line that is incomplete."""
    lines: list[dict[str, Any]] = []
    try:
        for line in file.read_text(encoding="utf-8").splitlines():
            lines.append(json.loads(line))
    except (OSError, ValueError):
        pass
    return lines


def _drop_lines_after(file: Path, iteration: int) -> None:
    """Drop the lines after the checkpoint's iteration: the run will write them again."""
    lines = [line for line in _lines(file) if line["iteration"] <= iteration]
    write_atomically(file, "".join(json.dumps(line) + "\n" for line in lines).encode())
