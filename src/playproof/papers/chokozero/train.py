"""ChokoZero's nets and ours trained from scratch, one run after the other, each in its own folder.

An existing run is resumed, so a killed command can simply be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from playproof.core.errors import UsageError
from playproof.learning.presets import find
from playproof.learning.runs.run import NET, Run
from playproof.learning.runs.run import SETTINGS as SETTINGS_FILE
from playproof.learning.setting import apply_changes
from playproof.learning.settings import RunSettings
from playproof.papers.chokozero.players import PRESETS

_SMALL_DIVISOR = 100  # a small version has a hundredth of the iterations

OnIteration = Callable[[Run, dict[str, float]], None]


def training_order() -> list[str]:
    """The presets; one that starts from another preset's net comes after it."""
    ordered: list[str] = []

    def add(preset: str) -> None:
        start = find(preset).settings.start
        if start in PRESETS and start not in ordered:
            add(start)
        if preset not in ordered:
            ordered.append(preset)

    for preset in PRESETS:
        add(preset)
    return ordered


def settings(preset: str, folder: Path, *, small: bool, seed: int | None) -> dict[str, str]:
    """The changes to the preset's settings, as text."""
    usual = find(preset).settings
    changes = {} if seed is None else {"seed": str(seed)}
    if usual.start in PRESETS:
        changes["start"] = str(folder / usual.start / NET)
    if small:
        iterations = max(2, usual.iterations // _SMALL_DIVISOR)
        changes |= {"iterations": str(iterations), "evaluate_every": str(iterations // 2)}
    return changes


def runs(folder: Path, *, small: bool = False, seed: int | None = None) -> Iterator[Run]:
    """The runs in training order; those that do not exist yet are created."""
    for preset in training_order():
        changes = settings(preset, folder, small=small, seed=seed)
        if not (folder / preset / SETTINGS_FILE).exists():
            yield Run.create(folder / preset, preset, changes)
            continue
        run = Run.open(folder / preset)
        expected = apply_changes(find(preset).settings, changes)
        if _without_start(run.settings) != _without_start(expected):
            raise UsageError(
                f"{run.folder} holds a run with other settings than these (iterations, seed or "
                "preset): name another folder"
            )
        yield run


def _without_start(settings: RunSettings) -> RunSettings:
    """The settings without the path of the first net, since the folder may have been moved."""
    return replace(settings, start="")


def train(
    folder: Path,
    *,
    small: bool = False,
    seed: int | None = None,
    device: str = "cpu",
    on_iteration: OnIteration = lambda run, metrics: None,
) -> None:
    """Train all nets to the end, on ``device`` where the algorithm supports it, else on the CPU."""
    # All at once: wrong settings raise before hours of work.
    all_runs = list(runs(folder, small=small, seed=seed))
    for run in all_runs:
        chosen = device if run.algorithm.runs_on(device) else "cpu"

        def report(metrics: dict[str, float], run: Run = run) -> None:
            on_iteration(run, metrics)

        run.resume(device=chosen, on_iteration=report)
