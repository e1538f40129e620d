"""ChokoZero's nets and ours from nothing, one run after the other, each in its own folder.

A run that is there goes on, so that a killed command is simply given again.
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

_LITTLE = 100  # a small version has a hundredth of the iterations

Each = Callable[[Run, dict[str, float]], None]


def order() -> list[str]:
    """The presets; one whose net begins with another's comes after it."""
    found: list[str] = []

    def put(preset: str) -> None:
        start = find(preset).settings.start
        if start in PRESETS and start not in found:
            put(start)
        if preset not in found:
            found.append(preset)

    for preset in PRESETS:
        put(preset)
    return found


def settings(preset: str, folder: Path, *, little: bool, seed: int | None) -> dict[str, str]:
    """What differs from the preset, as text."""
    usual = find(preset).settings
    changes = {} if seed is None else {"seed": str(seed)}
    if usual.start in PRESETS:
        changes["start"] = str(folder / usual.start / NET)
    if little:
        iterations = max(2, usual.iterations // _LITTLE)
        changes |= {"iterations": str(iterations), "evaluate_every": str(iterations // 2)}
    return changes


def runs(folder: Path, *, little: bool = False, seed: int | None = None) -> Iterator[Run]:
    """The runs in their order, begun where they are not there yet."""
    for preset in order():
        changes = settings(preset, folder, little=little, seed=seed)
        if not (folder / preset / SETTINGS_FILE).exists():
            yield Run.create(folder / preset, preset, changes)
            continue
        run = Run.open(folder / preset)
        wanted = apply_changes(find(preset).settings, changes)
        if _plain(run.settings) != _plain(wanted):
            raise UsageError(
                f"{run.folder} holds a run with other settings than these (iterations, seed or "
                "preset): name another folder"
            )
        yield run


def _plain(one: RunSettings) -> RunSettings:
    """Without paths: a folder may have been moved."""
    return replace(one, start="")


def train(
    folder: Path,
    *,
    little: bool = False,
    seed: int | None = None,
    device: str = "cpu",
    each: Each = lambda run, facts: None,
) -> None:
    """Train all of them to the end; ``device`` is for those that run on it, the CPU for others."""
    everything = list(runs(folder, little=little, seed=seed))  # refused before hours of work
    for run in everything:
        where = device if run.algorithm.runs_on(device) else "cpu"
        run.resume(device=where, on_iteration=lambda facts, run=run: each(run, facts))  # type: ignore[misc]
