"""Runs that can be started from the page: small ones, which a CPU ends within minutes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.learning.algorithm import Recipe
from playproof.learning.registry import available
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.log import RunLog
from playproof.nets import run_nets
from playproof.web.protocol.bodies import StartRun
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.requests import value_or_none

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_TAKEN = ("compare",)  # names that mean something else in addresses
_MOST_OF_A_KIND = 10_000


def has_torch() -> bool:
    return find_spec("torch") is not None


def recipes() -> dict[str, tuple[Recipe, bool]]:
    """The small runs of all algorithms by id, the shortest first; whether each needs PyTorch."""
    known: dict[str, tuple[Recipe, bool]] = {}
    for algorithm in available():
        for recipe in algorithm.recipes:  # nobody takes the id of another, least of all ours
            known.setdefault(recipe.id, (recipe, algorithm.needs_torch))
    ordered = sorted(known.values(), key=lambda one: one[0].iterations * one[0].seconds)
    return {recipe.id: (recipe, needs_torch) for recipe, needs_torch in ordered}


@dataclass(frozen=True)
class Wanted:
    """A run as the page asks for it."""

    recipe: Recipe
    name: str
    seed: int
    iterations: int

    def changes(self) -> dict[str, str]:
        """Other settings than the preset's."""
        own = {**self.recipe.changes, "iterations": str(self.iterations)}
        return {**own, "seed": str(self.seed)}

    def command(self, folder: Path) -> list[str]:
        """What follows ``playproof``; the same command goes on with it."""
        settings = {**self.recipe.changes, "iterations": str(self.iterations)}
        sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        return [
            "train", self.recipe.preset, "--out", str(folder), "--seed", str(self.seed), *sets,
            "--checkpoint", str(self.recipe.checkpoint), "--keep", str(self.recipe.keep),
            "--resume",
        ]  # fmt: skip


def check(fields: StartRun, data: Path) -> Wanted:
    """What was posted, as far as it depends on the recipe and on the runs that are there; a
    name is made up where none is given."""
    kind, known = fields.recipe, recipes()
    if kind not in known:
        raise Refusal("bad", f"there is no recipe {kind!r}: want {', '.join(known)}")
    recipe, needs_torch = known[kind]
    if needs_torch and not has_torch():
        raise Refusal("bad", "this run needs PyTorch: pip install 'playproof[learn]'")
    iterations = value_or_none(fields.iterations) or recipe.iterations
    if iterations > recipe.most:
        raise Refusal("bad", f"iterations must be a whole number from 1 to {recipe.most}")
    name = fields.name or _free_name(recipe, data)
    if not _NAME.fullmatch(name) or name in _TAKEN or name.startswith(run_nets.JOB):
        raise Refusal("bad", "a run's name has small letters, digits, - and _, 40 at most")
    return Wanted(recipe, name, fields.seed, iterations)


def _free_name(recipe: Recipe, data: Path) -> str:
    names = (f"{recipe.id}-{number}" for number in range(1, _MOST_OF_A_KIND))
    return next(name for name in names if not (data / run_nets.RUNS / name).exists())


def begin(wanted: Wanted, data: Path) -> Path:
    """Write the run down, so that it is there before its process is; its folder."""
    from playproof.learning.runs.run import Run

    folder = data / run_nets.RUNS / wanted.name
    if folder.exists() and not run_logs.is_left_empty(folder):
        raise Refusal("bad", f"there is a run {wanted.name} already: choose another name")
    try:
        Run.begin(folder, wanted.recipe.preset, wanted.changes())
    except PlayproofError as error:
        raise Refusal("bad", str(error).replace(str(folder), wanted.name)) from None
    return folder


def undo(folder: Path) -> None:
    """A run that could not be started is not there."""
    shutil.rmtree(folder, ignore_errors=True)


def offered(logs: Sequence[RunLog]) -> list[dict[str, Any]]:
    """The recipes, with what an iteration takes: ``here``, by the latest run of each, or as
    it was measured."""
    known = recipes().values()
    here = {recipe.id: _seconds(recipe, logs) for recipe, _ in known}
    return [
        {
            "id": recipe.id,
            "title": recipe.title,
            "about": recipe.about,
            "iterations": recipe.iterations,
            "most": recipe.most,
            "seconds": here[recipe.id] or recipe.seconds,
            "here": here[recipe.id] is not None,
        }
        for recipe, needs_torch in known
        if has_torch() or not needs_torch
    ]


def _seconds(recipe: Recipe, logs: Sequence[RunLog]) -> float | None:
    """Of one iteration, measured; None before the first run."""
    for log in logs:
        mine = log.preset == recipe.preset and all(
            _same(log.settings.get(key), value) for key, value in recipe.changes.items()
        )
        if mine and log.done and log.seconds_spent:
            return round(log.seconds_spent / log.done, 2)
    return None


def _same(setting: Any, value: str) -> bool:
    told = "/".join(map(str, setting)) if isinstance(setting, list) else str(setting)
    return told == value
