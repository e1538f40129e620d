"""Training from Python: what ``playproof train`` does, for one run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from playproof.core.errors import UsageError
from playproof.core.stopping import StopFlag
from playproof.learning.learner import Learner
from playproof.learning.presets import find
from playproof.learning.runs.log import is_run
from playproof.learning.runs.run import NET, Run, changed
from playproof.learning.setting import text_of
from playproof.nets.files import Net
from playproof.nets.files import load as load_file

SettingValue = str | int | float | tuple[int, ...]
Metrics = Mapping[str, float]


@dataclass(frozen=True)
class TrainingResult:
    """Where a run stands: its folder, the iterations it has done, and what the last one of this
    call told."""

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
        """The network as it is now: ``net:PATH`` plays it."""
        return self.folder / NET

    def net(self) -> Net:
        return load_file(self.net_path)


class TimeBudget:
    """Seconds that runs have together, from the first iteration on; None is for ever."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end: float | None = None

    def start(self) -> None:
        """What came before, such as compiling and recording graphs, does not count."""
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
    """Train a network in the folder ``out``; a run that was stopped, even killed, goes on with
    ``resume``.

    ``preset`` is a name that ``playproof train --presets`` lists, or ``alphazero:GAME``;
    ``settings`` change some of its settings, ``seed`` its seed.  The run ends after its
    iterations, ``seconds`` after its first one began, or when ``stop[0]`` is raised, in the
    middle of an iteration too: all of its state is kept.  A checkpoint is written every
    ``checkpoint_every`` iterations, and the network of every ``keep_every``-th one is kept.
    ``on_iteration`` hears the metrics of each.

    >>> import playproof, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     small = {"iterations": 2, "steps": 256, "hidden": (16,), "evaluate_every": 0}
    ...     result = playproof.train("choko-ppo-v1", folder, settings=small, seed=1)
    ...     print(result.iterations, result.net().game)
    2 choko
    """
    folder = Path(out)
    given = {name: text_of(value) for name, value in (settings or {}).items()}
    if seed is not None:
        given["seed"] = str(seed)
    run = run_to_resume(folder, preset, given) if resume else Run.begin(folder, preset, given)
    budget, last = TimeBudget(seconds), dict[str, float]()

    def start(learner: Learner) -> None:
        if on_start is not None:
            on_start(learner)
        budget.start()

    def hear(metrics: Metrics) -> None:
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
        on_iteration=hear,
    )
    return TrainingResult(folder, run.preset, learner.iteration, run.settings.iterations, last)


def run_to_resume(folder: Path, preset: str, given: Mapping[str, str]) -> Run:
    """The run in a folder, begun if there is none: one call for both.  A UsageError if it is
    another one than the preset and settings say."""
    if not is_run(folder):
        return Run.begin(folder, preset, given)
    run = Run.open(folder)
    if (run.preset, run.settings) != (preset, changed(find(preset).settings, given)):
        raise UsageError(
            f"{folder} holds another run, of {run.preset} or with other settings: --resume alone "
            "goes on with it"
        )
    return run
