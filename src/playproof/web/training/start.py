"""Runs that can be started from the page: small ones, which a CPU ends within minutes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.learning import run_logs
from playproof.learning.run_logs import RunLog
from playproof.nets import run_nets
from playproof.web.messages import Refusal, text, whole

MOST_SEED = 2**31 - 1
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_TAKEN = ("compare",)  # names that mean something else in addresses
_MOST_OF_A_KIND = 10_000


@dataclass(frozen=True)
class Recipe:
    """A preset with settings that make it small; metrics are told every ``checkpoint``
    iterations, nets kept every ``keep``.  ``seconds`` of one iteration were measured on two
    cores of a server: what is said before anybody has trained here."""

    id: str
    title: str
    about: str
    preset: str
    iterations: int
    most: int
    seconds: float
    checkpoint: int
    keep: int
    changes: dict[str, str] = field(default_factory=dict)

    @property
    def needs_torch(self) -> bool:
        return self.preset.startswith("alphazero:")


def has_torch() -> bool:
    return find_spec("torch") is not None


_X = "\N{MULTIPLICATION SIGN}"
_ZERO = "It plays itself, looking ahead before each move, and learns what the looking finds."
RECIPES = (
    Recipe(
        "othello-4x4",
        f"Othello on a tiny board, 4 {_X} 4",
        f"{_ZERO} After 12 iterations it has about 78 % of the points against random moves; "
        "perfect play would have 81 %, since test games begin with four random moves.",
        "alphazero:othello:size=4",
        iterations=12, most=60, seconds=0.8, checkpoint=1, keep=4,
        changes={"evaluate_every": "2", "evaluation_games": "60"},
    ),
    Recipe(
        "go-3x3",
        f"Go on a tiny board, 3 {_X} 3",
        f"{_ZERO} Black, who begins, has to take the whole board.",
        "alphazero:go:board=3x3,komi=8.5",
        iterations=12, most=60, seconds=1.0, checkpoint=1, keep=4,
        changes={"evaluate_every": "2", "evaluation_games": "60"},
    ),
    Recipe(
        "othello-6x6",
        f"Othello, 6 {_X} 6",
        f"{_ZERO} A small net, so that a minute or two already shows.",
        "alphazero:othello:size=6",
        iterations=40, most=200, seconds=1.0, checkpoint=1, keep=10,
        changes={
            "blocks": "0", "hidden": "128/128", "games": "128", "positions": "1500",
            "simulations": "32", "replay": "30000", "minibatch": "256",
            "evaluate_every": "4", "evaluation_games": "60", "evaluation_simulations": "16",
        },
    ),
    Recipe(
        "choko",
        "Choko, from wins and losses alone",
        "It plays itself without looking ahead, and makes moves that led to a win likelier "
        "(proximal policy optimisation).",
        "choko-ppo-v1",
        iterations=300, most=5000, seconds=0.15, checkpoint=10, keep=50,
        changes={"evaluate_every": "10", "evaluation_games": "100"},
    ),
)  # fmt: skip
BY_ID = {recipe.id: recipe for recipe in RECIPES}


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


def read(fields: Mapping[str, Any], data: Path) -> Wanted:
    """What was posted, checked; a name is made up where none is given."""
    unknown = set(fields) - {"recipe", "name", "seed", "iterations"}
    if unknown:
        raise Refusal("bad", f"a run has no {min(unknown)[:40]!r}: want recipe, iterations, seed")
    kind = text(40)("recipe", fields.get("recipe"))
    if kind not in BY_ID:
        raise Refusal("bad", f"there is no recipe {kind!r}: want {', '.join(BY_ID)}")
    recipe = BY_ID[kind]
    if recipe.needs_torch and not has_torch():
        raise Refusal("bad", "this run needs PyTorch: pip install 'playproof[learn]'")
    iterations = whole(1, recipe.most)("iterations", fields.get("iterations", recipe.iterations))
    seed = whole(0, MOST_SEED)("seed", fields.get("seed", 1))
    name = text(40)("name", fields.get("name") or _free_name(recipe, data))
    if not _NAME.fullmatch(name) or name in _TAKEN or name.startswith(run_nets.JOB):
        raise Refusal("bad", "a run's name has small letters, digits, - and _, 40 at most")
    return Wanted(recipe, name, seed, iterations)


def _free_name(recipe: Recipe, data: Path) -> str:
    names = (f"{recipe.id}-{number}" for number in range(1, _MOST_OF_A_KIND))
    return next(name for name in names if not (data / run_nets.RUNS / name).exists())


def begin(wanted: Wanted, data: Path) -> Path:
    """Write the run down, so that it is there before its process is; its folder."""
    from playproof.learning.runs import Run

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
    here = {recipe.id: _seconds(recipe, logs) for recipe in RECIPES}
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
        for recipe in RECIPES
        if has_torch() or not recipe.needs_torch
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
