"""Training from Python: ``playproof.train`` does what the command does, for one run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from playproof.core.errors import UsageError
from playproof.core.stopping import StopFlag
from playproof.learning.learner import Learner
from playproof.learning.presets import find
from playproof.learning.runs.log import is_run
from playproof.learning.runs.run import NET, Run
from playproof.learning.setting import apply_changes, format_setting
from playproof.nets.files import Net
from playproof.nets.files import load as load_file

SettingValue = str | int | float | tuple[int, ...]
Metrics = Mapping[str, float]


@dataclass(frozen=True)
class TrainingResult:
    """The progress of a run: its folder, its finished iterations ``of`` those it is to have, and
    the metrics of the last iteration of this call."""

    folder: Path
    preset: str
    iterations: int
    of: int
    metrics: Metrics

    @property
    def is_finished(self) -> bool:
        return self.iterations >= self.of

    @property
    def net_path(self) -> Path:
        """The file of the latest network, which the agent ``net:PATH`` plays."""
        return self.folder / NET

    def net(self) -> Net:
        return load_file(self.net_path)


class TimeBudget:
    """A time limit shared by several runs, counted from the first iteration; None is no limit."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end: float | None = None

    def start(self) -> None:
        """Start the clock, once.  Compiling and recording graphs come before and do not count."""
        if self._end is None and self._seconds is not None:
            self._end = time.monotonic() + self._seconds

    def is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end


def train(
    preset: str,
    out: str | os.PathLike[str],
    *,
    settings: Mapping[str, SettingValue] | None = None,
    seed: int | None = None,
    resume: bool = False,
    seconds: float | None = None,
    checkpoint_every: int = 25,
    keep_every: int = 0,
    device: str = "cpu",
    stop: StopFlag | None = None,
    on_start: Callable[[Learner], None] | None = None,
    on_iteration: Callable[[Metrics], None] | None = None,
) -> TrainingResult:
    """Train a network in the folder ``out``; ``resume`` continues a run that was stopped or killed.

    ``preset`` is a name that ``playproof train --presets`` lists, or ``alphazero:GAME``;
    ``settings`` change some of its settings, ``seed`` changes its seed.  The run ends after its
    iterations, ``seconds`` after the first one began, or when ``stop[0]`` is set.  It may stop in
    the middle of an iteration; its whole state is saved.  A checkpoint is written every
    ``checkpoint_every`` iterations, and the network of every ``keep_every``-th iteration is kept.
    ``on_start`` is called with the learner before its first iteration, ``on_iteration`` with the
    metrics of every iteration.

    >>> import playproof, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     small = {"iterations": 2, "steps": 256, "hidden": (16,), "evaluate_every": 0}
    ...     result = playproof.train("choko-ppo-v1", folder, settings=small, seed=1)
    ...     print(result.iterations, result.net().game)
    2 choko
    """
    folder = Path(out)
    changes = {name: format_setting(value) for name, value in (settings or {}).items()}
    if seed is not None:
        changes["seed"] = str(seed)
    run = open_or_create(folder, preset, changes) if resume else Run.create(folder, preset, changes)
    budget, last = TimeBudget(seconds), dict[str, float]()

    def start(learner: Learner) -> None:
        if on_start is not None:
            on_start(learner)
        budget.start()

    def record(metrics: Metrics) -> None:
        last.clear()
        last.update(metrics)
        if on_iteration is not None:
            on_iteration(metrics)

    learner = run.resume(
        checkpoint_every=checkpoint_every,
        stopped=lambda: budget.is_over() or bool(stop is not None and stop[0]),
        device=device,
        keep_every=keep_every,
        on_start=start,
        on_iteration=record,
    )
    return TrainingResult(folder, run.preset, learner.iteration, run.settings.iterations, last)


def open_or_create(folder: Path, preset: str, changes: Mapping[str, str]) -> Run:
    """Open the run in a folder, or create it if there is none.

    A UsageError if the folder holds a run with another preset or other settings.  Unless
    ``changes`` say how often to evaluate, the run goes on with its own answer: presets once
    evaluated less often."""
    if not is_run(folder):
        return Run.create(folder, preset, changes)
    run = Run.open(folder)
    expected = apply_changes(find(preset).settings, changes)
    if "evaluate_every" not in changes:
        expected = replace(expected, evaluate_every=run.settings.evaluate_every)
    if (run.preset, run.settings) != (preset, expected):
        raise UsageError(
            f"{folder} holds another run, of {run.preset} or with other settings: --resume alone "
            "goes on with it"
        )
    return run
