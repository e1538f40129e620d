"""Starts training runs from the page: small ones, which a CPU finishes within minutes."""

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
from playproof.learning.setting import format_setting
from playproof.nets import run_nets
from playproof.web.protocol.bodies import StartRun
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.requests import value_or_none

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_RESERVED = ("compare",)  # names with another meaning in URLs
_MOST_OF_A_KIND = 10_000


def has_torch() -> bool:
    return find_spec("torch") is not None


def recipes() -> dict[str, tuple[Recipe, bool]]:
    """The small runs of all algorithms by id, the shortest first: (recipe, needs PyTorch)."""
    by_id: dict[str, tuple[Recipe, bool]] = {}
    for algorithm in available():
        for recipe in algorithm.recipes:  # the first algorithm with an id keeps it
            by_id.setdefault(recipe.id, (recipe, algorithm.needs_torch))
    ordered = sorted(by_id.values(), key=lambda one: one[0].iterations * one[0].seconds)
    return {recipe.id: (recipe, needs_torch) for recipe, needs_torch in ordered}


@dataclass(frozen=True)
class RunRequest:
    """A checked request of the page for a run."""

    recipe: Recipe
    name: str
    seed: int
    iterations: int

    def changes(self) -> dict[str, str]:
        """The changes to the preset's settings."""
        own = {**self.recipe.changes, "iterations": str(self.iterations)}
        return {**own, "seed": str(self.seed)}

    def command(self, folder: Path) -> list[str]:
        """The arguments of ``playproof`` that train the run, and that resume it."""
        settings = {**self.recipe.changes, "iterations": str(self.iterations)}
        sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        return [
            "train", self.recipe.preset, "--out", str(folder), "--seed", str(self.seed), *sets,
            "--checkpoint", str(self.recipe.checkpoint), "--keep", str(self.recipe.keep),
            "--resume",
        ]  # fmt: skip


def check(fields: StartRun, data: Path) -> RunRequest:
    """Check a posted request against the recipe and the existing runs; a Refusal if it is wrong.

    If no name is given, a free one is chosen."""
    id, by_id = fields.recipe, recipes()
    if id not in by_id:
        raise Refusal("bad", f"there is no recipe {id!r}: want {', '.join(by_id)}")
    recipe, needs_torch = by_id[id]
    if needs_torch and not has_torch():
        raise Refusal("bad", "this run needs PyTorch: pip install 'playproof[learn]'")
    iterations = value_or_none(fields.iterations) or recipe.iterations
    if iterations > recipe.most:
        raise Refusal("bad", f"iterations must be a whole number from 1 to {recipe.most}")
    name = fields.name or _free_name(recipe, data)
    if not _NAME.fullmatch(name) or name in _RESERVED or name.startswith(run_nets.JOB):
        raise Refusal("bad", "a run's name has small letters, digits, - and _, 40 at most")
    return RunRequest(recipe, name, fields.seed, iterations)


def _free_name(recipe: Recipe, data: Path) -> str:
    names = (f"{recipe.id}-{number}" for number in range(1, _MOST_OF_A_KIND))
    return next(name for name in names if not (data / run_nets.RUNS / name).exists())


def create_run(request: RunRequest, data: Path) -> Path:
    """Create the run, so that it exists before its process does; returns its folder."""
    from playproof.learning.runs.run import Run

    folder = data / run_nets.RUNS / request.name
    if folder.exists() and not run_logs.is_abandoned(folder):
        raise Refusal("bad", f"there is a run {request.name} already: choose another name")
    try:
        Run.create(folder, request.recipe.preset, request.changes())
    except PlayproofError as error:
        raise Refusal("bad", str(error).replace(str(folder), request.name)) from None
    return folder


def remove_run(folder: Path) -> None:
    """Remove a run that could not be started."""
    shutil.rmtree(folder, ignore_errors=True)


def list_recipes(logs: Sequence[RunLog]) -> list[dict[str, Any]]:
    """The recipes with the seconds that an iteration takes, as ``RunRecipe``.

    ``here``: they were measured in the latest run of the recipe; else on another machine."""
    offered = recipes().values()
    here = {recipe.id: _seconds(recipe, logs) for recipe, _ in offered}
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
        for recipe, needs_torch in offered
        if has_torch() or not needs_torch
    ]


def _seconds(recipe: Recipe, logs: Sequence[RunLog]) -> float | None:
    """The seconds of an iteration in the latest run of a recipe; None before the first run."""
    for log in logs:
        mine = log.preset == recipe.preset and all(
            _same(log.settings.get(key), value) for key, value in recipe.changes.items()
        )
        if mine and log.done and log.seconds_spent:
            return round(log.seconds_spent / log.done, 2)
    return None


def _same(setting: Any, value: str) -> bool:
    return format_setting(setting) == value
