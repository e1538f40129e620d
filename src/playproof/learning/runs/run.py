"""A run in a folder: settings, metrics, and a checkpoint from which it goes on.

``settings.json``           what is run: the preset, every setting, versions
``metrics.jsonl``           one line an iteration
``times.jsonl``             one line a checkpoint: what it took, and where
``games.jsonl``             games of the evaluations, as records
``checkpoint.safetensors``  weights, optimiser, opponents, games and random state
``net.safetensors``         the network as ``net:PATH`` plays it
``nets/N.safetensors``      the network after iteration N, where earlier ones are kept

A checkpoint is written aside and moved into place, and what was written down
after it is dropped when a run goes on, so that a run killed at any moment ends
with the same files as one left alone, but for times.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof import __version__
from playproof.core.errors import DataError, UsageError, one_line, one_of
from playproof.core.files.atomic_write import write_atomically
from playproof.learning import registry
from playproof.learning.algorithm import AnyAlgorithm
from playproof.learning.learner import Arrays, Learner, Stopped, never
from playproof.learning.metrics import plain_numbers
from playproof.learning.presets import find
from playproof.learning.runs.tensorboard import open_events
from playproof.learning.setting import text_of
from playproof.learning.settings import RunSettings
from playproof.nets import files as net_files

if TYPE_CHECKING:
    from playproof.learning.evaluation import Evaluation

SETTINGS, METRICS, TIMES, GAMES, CHECKPOINT, NET = (
    "settings.json", "metrics.jsonl", "times.jsonl", "games.jsonl", "checkpoint.safetensors",
    "net.safetensors",
)  # fmt: skip
NETS = "nets"
_FORMAT = "playproof-run"


@dataclass(frozen=True)
class Run:
    """A folder and what is run in it."""

    folder: Path
    preset: str
    algorithm: AnyAlgorithm
    settings: RunSettings

    @classmethod
    def begin(cls, folder: Path, preset: str, changes: Mapping[str, str]) -> Run:
        """A new run; the folder must not hold one yet."""
        chosen = find(preset)
        if (folder / SETTINGS).exists():
            raise UsageError(f"{folder} holds a run already: go on with --resume, or name another")
        settings = changed(chosen.settings, changes)
        settings.check()
        run = cls(folder, preset, chosen.algorithm, settings)
        facts = {
            "format": _FORMAT, "algorithm": chosen.algorithm.name, "preset": preset,
            "settings": asdict(settings),
            "versions": {
                "playproof": __version__, "python": platform.python_version(),
                "numpy": np.__version__,
            },
        }  # fmt: skip
        write_atomically(folder / SETTINGS, json.dumps(facts, indent=1).encode() + b"\n")
        return run

    @classmethod
    def open(cls, folder: Path) -> Run:
        """The run in a folder."""
        file = folder / SETTINGS
        try:
            facts = json.loads(file.read_text(encoding="utf-8"))
            if facts["format"] != _FORMAT:
                raise ValueError
            algorithm = _algorithm(file, str(facts["algorithm"]))
            given, kind = facts["settings"], algorithm.config
            missing = {field.name for field in fields(kind)} - set(given)
            if not missing <= set(kind.added_later):
                raise ValueError
            settings = kind(**_as_given(given))
            return cls(folder, str(facts["preset"]), algorithm, settings)
        except OSError as error:
            raise DataError(f"{folder} holds no run: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{file} is not the settings of a run: begin a new one") from None

    @classmethod
    def begin_all(
        cls, folder: Path, preset: str, changes: Mapping[str, str], seeds: int
    ) -> list[Run]:
        """Runs that differ by their seeds, in sub-folders."""
        if (folder / SETTINGS).exists():
            raise UsageError(f"{folder} holds a run already: name another folder")
        first = changed(find(preset).settings, changes).seed
        return [
            cls.begin(folder / f"seed-{seed}", preset, {**changes, "seed": str(seed)})
            for seed in range(first, first + seeds)
        ]

    @classmethod
    def begin_folds(cls, folder: Path, preset: str, changes: Mapping[str, str]) -> list[Run]:
        """Runs that differ by the fold of their data that is held out, in sub-folders."""
        if (folder / SETTINGS).exists():
            raise UsageError(f"{folder} holds a run already: name another folder")
        chosen = find(preset)
        folds = chosen.algorithm.folds
        if folds is None:
            able = [algorithm.name for algorithm in registry.available() if algorithm.folds]
            raise UsageError(f"{preset} has no folds: they are for {one_of(able)}")
        return [
            cls.begin(folder / f"fold-{fold}", preset, {**changes, folds.setting: str(fold)})
            for fold in range(folds.count(changed(chosen.settings, changes)))
        ]

    @classmethod
    def open_all(cls, folder: Path) -> list[Run]:
        """The run in a folder, or those of several seeds or folds in it."""
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

        Once ``stopped`` says so it ends, in the middle of an iteration too, and all of its
        state is kept.  The net of every ``keep_every``-th iteration is kept too, the one that
        knows nothing among them; 0 keeps the latest alone.  ``on_start`` is called with the
        learner before it begins, ``on_iteration`` with the metrics of every iteration."""
        made = self.restored(device)
        for name in (METRICS, TIMES, GAMES):
            _cut(self.folder / name, made.iteration)
        if keep_every and made.iteration == 0:
            self._save_net(made, earlier_net(self.folder, 0))
        on_start(made)
        with (
            closing(_Waiting(self.folder, made.iteration, device)) as waiting,
            closing(_Checkpoints(self.folder)) as checkpoints,
        ):
            kept = (self.folder / CHECKPOINT).exists()
            while made.iteration < self.settings.iterations and not stopped():
                told = made.iterate(stopped)
                kept = False
                if told is None:
                    break
                facts = plain_numbers(told)
                waiting.add(facts, made.evaluated)
                if keep_every and made.iteration % keep_every == 0:
                    self._save_net(made, earlier_net(self.folder, made.iteration))
                if made.iteration % checkpoint_every == 0:
                    self._keep(made, waiting, checkpoints)
                    kept = True
                on_iteration(facts)
            if not kept:
                self._keep(made, waiting, checkpoints)
        return made

    def restored(self, device: str = "cpu") -> Learner:
        """The run as its checkpoint has it, or at its start."""
        made: Learner = self.algorithm.learner(self.settings, device)
        file = self.folder / CHECKPOINT
        if file.exists():
            arrays, facts = load_checkpoint(file)
            _check(file, made, arrays, self.algorithm.stays_behind)
            made.restore(arrays, facts)
        return made

    def metrics(self) -> list[dict[str, float]]:
        """What was written down, but for a line that a kill cut short."""
        return _lines(self.folder / METRICS)

    def _keep(self, made: Learner, waiting: _Waiting, checkpoints: _Checkpoints) -> None:
        """Lines first: those beyond the checkpoint are dropped, missing ones are lost."""
        waiting.write(made.iteration)
        checkpoints.write(*made.state(), net=self._net(made))

    def _save_net(self, made: Learner, file: Path) -> None:
        net_files.save(self._net(made), file)

    def _net(self, made: Learner) -> net_files.Net:
        facts_of_net = {"trained by": f"playproof train {self.preset}",
                        "iterations": made.iteration, "seed": self.settings.seed}  # fmt: skip
        return net_files.Net(
            made.architecture, made.weights.copy(), made.game.spec, self.settings.observation,
            facts_of_net, win=self.settings.win, family=self.settings.family,
        )  # fmt: skip


def _algorithm(file: Path, name: str) -> AnyAlgorithm:
    """The algorithm of a run, which need not be one of ours."""
    if name not in registry.names():
        raise DataError(
            f"{file}: there is no algorithm '{name[:80]}' here: one of your own needs --load FILE "
            "or the package that has it"
        )
    return registry.find(name)


def earlier_net(folder: Path, iteration: int) -> Path:
    """Where the net of an iteration is kept, if it is."""
    return folder / NETS / f"{iteration}.safetensors"


class _Checkpoints:
    """Checkpoints written in a thread of their own: a replay is gigabytes, and games go on.

    What the state was is copied at once.  One is written at a time; an error of the last one
    is raised by the next, or at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def write(self, arrays: Arrays, facts: dict[str, Any], *, net: net_files.Net) -> None:
        self._wait()
        copies = {name: np.array(array, order="C") for name, array in arrays.items()}
        self._last = self._pool.submit(self._write, copies, facts, net)

    def _write(self, arrays: Arrays, facts: dict[str, Any], net: net_files.Net) -> None:
        write_atomically(self._folder / CHECKPOINT, pack_checkpoint(arrays, facts))
        net_files.save(net, self._folder / NET)

    def _wait(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def close(self) -> None:
        self._pool.shutdown()
        self._wait()


class _Waiting:
    """Lines that are written down with the next checkpoint."""

    def __init__(self, folder: Path, iteration: int, device: str) -> None:
        self.folder, self.device, self.began = folder, device, time.perf_counter()
        self.events = open_events(folder, iteration)
        self._clear()

    def close(self) -> None:
        if self.events:
            self.events.close()

    def _clear(self) -> None:
        self.metrics: list[dict[str, Any]] = []
        self.games: list[dict[str, Any]] = []

    def add(self, facts: dict[str, float], evaluated: Evaluation | None) -> None:
        self.metrics.append(facts)
        for record in evaluated.records if evaluated else ():
            self.games.append({**json.loads(record.to_json()), "iteration": facts["iteration"]})

    def write(self, iteration: int) -> None:
        now = time.perf_counter()
        took = {"iteration": iteration, "iterations": len(self.metrics),
                "seconds": round(now - self.began, 3), "device": self.device}  # fmt: skip
        for name, lines in ((METRICS, self.metrics), (GAMES, self.games), (TIMES, [took])):
            with (self.folder / name).open("a", encoding="utf-8") as file:
                file.write("".join(f"{json.dumps(line)}\n" for line in lines))
        for facts in self.metrics if self.events else ():
            self.events.add(facts)  # type: ignore[union-attr]
        self.began = now
        self._clear()


def _lines(file: Path) -> list[dict[str, Any]]:
    """The lines of a file, up to one that a kill cut short."""
    found: list[dict[str, Any]] = []
    try:
        for line in file.read_text(encoding="utf-8").splitlines():
            found.append(json.loads(line))
    except (OSError, ValueError):
        pass
    return found


def _cut(file: Path, iteration: int) -> None:
    """Drop what came after the checkpoint: it will come again."""
    kept = [facts for facts in _lines(file) if facts["iteration"] <= iteration]
    write_atomically(file, "".join(json.dumps(facts) + "\n" for facts in kept).encode())


def changed(settings: RunSettings, changes: Mapping[str, str]) -> RunSettings:
    """Settings with some given as text, such as ``rate=3e-4`` or ``hidden=64/64``."""
    given = asdict(settings)
    for name, text in changes.items():
        if name not in given:
            near = get_close_matches(name, given, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise UsageError(
                f"there is no setting '{name}'{hint} ('playproof train PRESET --settings' "
                "lists them all)"
            )
        try:
            given[name] = _read(given[name], text)
        except ValueError:
            raise UsageError(
                f"{name}={text}: want {_example(given[name])}, as in {name}={text_of(given[name])}"
            ) from None
    return type(settings)(**_as_given(given))


def _as_given(facts: dict[str, Any]) -> dict[str, Any]:
    """JSON's lists as the tuples that they were."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in facts.items()
    }


def _read(now: Any, text: str) -> Any:
    if isinstance(now, (tuple, list)):
        return tuple(int(part) for part in text.split("/"))
    return type(now)(text)


def _example(now: Any) -> str:
    if isinstance(now, (tuple, list)):
        return "whole numbers with / between them"
    return {int: "a whole number", float: "a number", str: "a name"}[type(now)]


def pack_checkpoint(arrays: Arrays, facts: dict[str, Any]) -> bytes:
    """The arrays and facts of a state as the bytes of a file."""
    from safetensors.numpy import save

    copies = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    packed: bytes = save(copies, metadata={"format": _FORMAT, "facts": json.dumps(facts)})
    return packed


def load_checkpoint(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and facts of a state from a file."""
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


def _check(path: Path, made: Learner, given: Arrays, stays_behind: tuple[str, ...]) -> None:
    """Refuse a checkpoint of another run before anything is taken from it."""
    own = made.state()[0]
    needed = {name for name in own if not name.startswith(stays_behind)}
    if set(given) not in (set(own), needed):
        raise DataError(f"{path} is a checkpoint of another kind of run")
    for name, array in given.items():
        fixed = name not in made.growing
        if own[name].dtype != array.dtype or (fixed and own[name].shape != array.shape):
            raise DataError(
                f"{path}: {name} has shape {array.shape} and type {array.dtype}, "
                f"but these settings make it {own[name].shape} and {own[name].dtype}"
            )
    if "weights" in given and not np.isfinite(given["weights"]).all():
        raise DataError(f"{path} holds weights that are not finite: delete it to begin anew")
