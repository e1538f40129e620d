"""A run in a folder: settings, metrics, and a checkpoint from which it goes on.

``settings.json``           what is run: the preset, every setting, versions
``metrics.jsonl``           one line an iteration
``checkpoint.safetensors``  weights, optimiser, opponents, games and random state
``net.safetensors``         the network as ``net:PATH`` plays it

A checkpoint is written aside and moved into place, and metrics after it are
dropped when a run goes on, so that a run killed at any moment ends with the
same files as one left alone.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof import __version__
from playproof.core.errors import DataError, UsageError, one_line
from playproof.core.whole_files import write_whole
from playproof.learning.ppo import PRESETS, Ppo, PpoSettings
from playproof.nets import files as net_files

SETTINGS, METRICS, CHECKPOINT, NET = (
    "settings.json", "metrics.jsonl", "checkpoint.safetensors", "net.safetensors",
)  # fmt: skip
_FORMAT = "playproof-run"

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Run:
    """A folder and what is run in it."""

    folder: Path
    preset: str
    settings: PpoSettings

    @classmethod
    def begin(cls, folder: Path, preset: str, changes: Mapping[str, str]) -> Run:
        """A new run; the folder must not hold one yet."""
        if preset not in PRESETS:
            raise UsageError(f"there is no preset '{preset}': want {', '.join(PRESETS)}")
        if (folder / SETTINGS).exists():
            raise UsageError(f"{folder} holds a run already: go on with --resume, or name another")
        settings = changed(PRESETS[preset], changes)
        settings.check()
        run = cls(folder, preset, settings)
        facts = {
            "format": _FORMAT, "algorithm": "ppo", "preset": preset,
            "settings": asdict(settings),
            "versions": {
                "playproof": __version__, "python": platform.python_version(),
                "numpy": np.__version__,
            },
        }  # fmt: skip
        write_whole(folder / SETTINGS, json.dumps(facts, indent=1).encode() + b"\n")
        return run

    @classmethod
    def open(cls, folder: Path) -> Run:
        """The run in a folder."""
        file = folder / SETTINGS
        try:
            facts = json.loads(file.read_text(encoding="utf-8"))
            if facts["format"] != _FORMAT:
                raise ValueError
            given = facts["settings"]
            names = {field.name for field in fields(PpoSettings)}
            if set(given) != names:
                raise ValueError
            settings = PpoSettings(**{**given, "hidden": tuple(given["hidden"])})
            return cls(folder, str(facts["preset"]), settings)
        except OSError as error:
            raise DataError(f"{folder} holds no run: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{file} is not the settings of a run: begin a new one") from None

    def go_on(
        self,
        *,
        checkpoint_every: int = 25,
        until: float | None = None,
        each: Callable[[dict[str, float]], None] = lambda facts: None,
    ) -> Ppo:
        """Run to the end, from the checkpoint if there is one.

        After ``until`` (a monotonic clock) no further iteration begins; what was
        done is kept."""
        ppo = self.restored()
        self._cut_metrics(ppo.iteration)
        waiting: list[str] = []
        while ppo.iteration < self.settings.iterations:
            if until is not None and time.monotonic() >= until:
                break
            facts = ppo.iterate()
            waiting.append(json.dumps(facts))
            if ppo.iteration % checkpoint_every == 0:
                self._keep(ppo, waiting)
            each(facts)
        self._keep(ppo, waiting)
        return ppo

    def restored(self) -> Ppo:
        """The run as its checkpoint has it, or at its start."""
        ppo = Ppo(self.settings)
        file = self.folder / CHECKPOINT
        if file.exists():
            arrays, facts = _load(file)
            _check(file, ppo.state()[0], arrays)
            ppo.restore(arrays, facts)
        return ppo

    def metrics(self) -> list[dict[str, float]]:
        try:
            lines = (self.folder / METRICS).read_text(encoding="utf-8").splitlines()
        except OSError:
            return []
        found = []
        for number, line in enumerate(lines, 1):
            try:
                found.append(json.loads(line))
            except ValueError:
                raise DataError(f"{self.folder / METRICS}: line {number} is no JSON") from None
        return found

    def _cut_metrics(self, iteration: int) -> None:
        """Drop what came after the checkpoint: it will come again."""
        kept = [facts for facts in self._sound_metrics() if facts["iteration"] <= iteration]
        text = "".join(json.dumps(facts) + "\n" for facts in kept)
        write_whole(self.folder / METRICS, text.encode())

    def _sound_metrics(self) -> list[dict[str, float]]:
        """Up to a line that a kill cut short."""
        try:
            return self.metrics()
        except DataError:
            found = []
            for line in (self.folder / METRICS).read_text(encoding="utf-8").splitlines():
                try:
                    found.append(json.loads(line))
                except ValueError:
                    break
            return found

    def _keep(self, ppo: Ppo, waiting: list[str]) -> None:
        """Metrics first: those beyond the checkpoint are dropped, missing ones are lost."""
        if waiting:
            with (self.folder / METRICS).open("a", encoding="utf-8") as file:
                file.write("".join(f"{line}\n" for line in waiting))
            waiting.clear()
        arrays, facts = ppo.state()
        _save(self.folder / CHECKPOINT, arrays, facts)
        facts_of_net = {"trained by": f"playproof train {self.preset}",
                        "iterations": ppo.iteration, "seed": self.settings.seed}  # fmt: skip
        net = net_files.Net(
            ppo.architecture, ppo.weights.copy(), ppo.game.spec, self.settings.observation,
            facts_of_net,
        )  # fmt: skip
        net_files.save(net, self.folder / NET)


def changed(settings: PpoSettings, changes: Mapping[str, str]) -> PpoSettings:
    """Settings with some given as text, such as ``rate=3e-4`` or ``hidden=64/64``."""
    given = asdict(settings)
    for name, text in changes.items():
        if name not in given:
            raise UsageError(f"there is no setting '{name}': want {', '.join(given)}")
        try:
            given[name] = _read(given[name], text)
        except ValueError:
            raise UsageError(
                f"{name}={text}: want {_example(given[name])}, as in {name}={_text(given[name])}"
            ) from None
    return PpoSettings(**{**given, "hidden": tuple(given["hidden"])})


def _read(now: Any, text: str) -> Any:
    if isinstance(now, (tuple, list)):
        return tuple(int(part) for part in text.split("/"))
    return type(now)(text)


def _example(now: Any) -> str:
    if isinstance(now, (tuple, list)):
        return "whole numbers with / between them"
    return {int: "a whole number", float: "a number", str: "a name"}[type(now)]


def _text(now: Any) -> str:
    return "/".join(map(str, now)) if isinstance(now, (tuple, list)) else str(now)


def _save(path: Path, arrays: Arrays, facts: dict[str, Any]) -> None:
    from safetensors.numpy import save

    header = {"format": _FORMAT, "facts": json.dumps(facts)}
    copies = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_whole(path, save(copies, metadata=header))


def _load(path: Path) -> tuple[Arrays, dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            header = dict(file.metadata() or {})
            if header.get("format") != _FORMAT:
                raise ValueError("it is no checkpoint")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return arrays, json.loads(header["facts"])
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path} is damaged: {one_line(error)}; delete it to begin anew") from None


def _check(
    path: Path, own: dict[str, npt.NDArray[Any]], given: dict[str, npt.NDArray[Any]]
) -> None:
    """Refuse a checkpoint of another run before anything is taken from it."""
    if set(own) != set(given):
        raise DataError(f"{path} is a checkpoint of another kind of run")
    for name, array in own.items():
        # Opponents, past nets and histories grow along their first or last axis.
        fixed = name not in ("pool", "past", "games.pasts")
        if given[name].dtype != array.dtype or (fixed and given[name].shape != array.shape):
            raise DataError(
                f"{path}: {name} has shape {given[name].shape} and type {given[name].dtype}, "
                f"but these settings make it {array.shape} and {array.dtype}"
            )
    if not np.isfinite(given["weights"]).all():
        raise DataError(f"{path} holds weights that are not finite: delete it to begin anew")
