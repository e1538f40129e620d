"""ChokoZero's Figures 1 to 3: a net against itself ten iterations earlier (deep Q-learning:
200 gradient steps), all through its training; and how many of PPO's ratios were clipped.

The curves of the shipped nets come with the package.  Those of other runs are read
from their folders.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from playproof.core.errors import DataError
from playproof.learning.runs import curves
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.log import RunLog
from playproof.papers.chokozero.players import BY_NAME, PRESETS

FORMAT = "playproof chokozero curves 1"
CLIPPED = {"choko-ppo-v1": 0.0341, "choko-ppo-v2": 0.041}  # the paper's means
RESULTS = {"earlier_wins": "won", "earlier_draws": "drawn", "earlier_losses": "lost"}


class Share(NamedTuple):
    """Games of evaluations, by result."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    def percent(self) -> str:
        """``won/drawn/lost``."""
        if not self.games:
            return "-"
        return "/".join(f"{100 * count / self.games:.0f}" for count in self)


@dataclass(frozen=True)
class Course:
    """How the training of one preset went: its log, evaluations alone, with ``clipped``
    meaned over the iterations between two of them."""

    log: RunLog

    @property
    def preset(self) -> str:
        return self.log.preset

    @property
    def title(self) -> str:
        return title_of(self.preset)

    @property
    def clipped(self) -> float | None:
        """The mean over the whole run, 0..1."""
        told = [facts["clipped"] for facts in self.log.metrics if "clipped" in facts]
        return math.fsum(told) / len(told) if told else None

    def part(self, begin: float, end: float) -> Share:
        """The games of the evaluations between two shares, 0..1, of the run."""
        last = self.log.done
        inside = [
            facts for facts in self.log.metrics if begin * last < facts["iteration"] <= end * last
        ]
        wins, draws, losses = (sum(int(facts.get(name, 0)) for facts in inside) for name in RESULTS)
        return Share(wins, draws, losses)

    def to_json(self) -> dict[str, Any]:
        return {
            "preset": self.preset, "seed": self.log.seed, "iterations": self.log.done,
            "of": self.log.iterations, "clipped": self.clipped,
            "paper_clipped": CLIPPED.get(self.preset),
            "tenths": [self.part(i / 10, (i + 1) / 10)._asdict() for i in range(10)],
        }  # fmt: skip


def title_of(preset: str) -> str:
    """The name of the agent that plays with this net alone."""
    return next(a.title for a in BY_NAME.values() if a.preset == preset and a.chance)


# Reading


def shipped() -> list[Course]:
    """The curves of the nets that come with the package."""
    return read(_shipped_data())


def training_seconds() -> dict[str, dict[str, float | None]]:
    """What the training of each shipped net took, by where it ran; None: not measured."""
    found: dict[str, dict[str, float | None]] = _shipped_data()["training_seconds"]
    return found


def _shipped_data() -> dict[str, Any]:
    file = resources.files("playproof.papers") / "data" / "chokozero_curves.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def read(data: dict[str, Any]) -> list[Course]:
    """What ``as_data`` made."""
    if data.get("format") != FORMAT:
        raise DataError("these are no curves of ChokoZero: want what --make-curves wrote")
    found = []
    for run in data["runs"]:
        metrics = []
        for iteration, clipped, earlier, random in run["evaluations"]:
            facts: dict[str, float] = {"iteration": iteration}
            facts |= dict(zip(RESULTS, earlier, strict=True))
            names = (name.replace("earlier", "random") for name in RESULTS)
            facts |= dict(zip(names, random, strict=True))
            metrics.append(facts if clipped is None else facts | {"clipped": clipped})
        settings = {"seed": run["seed"], "iterations": run["of"], "game": run["game"]}
        log = RunLog(Path(run["preset"]), run["algorithm"], run["preset"], settings, tuple(metrics))
        found.append(Course(log))
    return found


def of_runs(folder: Path) -> list[Course]:
    """The curves of the runs in a folder and those below it, ChokoZero's presets alone."""
    logs = [run_logs.read(path) for path in run_logs.find([folder])]
    told = [log for log in logs if log.preset in PRESETS and any(map(_evaluated, log.metrics))]
    if not told:
        raise DataError(
            f"{folder} holds no run of ChokoZero that was evaluated: want a folder with runs of "
            f"{', '.join(PRESETS)}"
        )
    return sorted((Course(_thinned(log)) for log in told), key=lambda c: PRESETS.index(c.preset))


def _evaluated(facts: dict[str, float]) -> bool:
    return "earlier" in curves.evaluated_opponents(facts)


def _thinned(log: RunLog) -> RunLog:
    kept, clipped = [], []
    for facts in log.metrics:
        if "clipped" in facts:
            clipped.append(facts["clipped"])
        if _evaluated(facts):
            mean = {"clipped": math.fsum(clipped) / len(clipped)} if clipped else {}
            results = {name: facts[name] for name in facts if curves.is_result(name)}
            kept.append({"iteration": facts["iteration"]} | results | mean)
            clipped = []
    return RunLog(log.folder, log.algorithm, log.preset, log.settings, tuple(kept), log.times)


# Writing


def as_data(courses: Sequence[Course]) -> dict[str, Any]:
    """The courses, small enough to come with the package; one of each preset.

    The seconds of training are kept as they are: they were measured by hand."""
    seen: set[str] = set()
    runs = []
    for course in courses:
        if course.preset in seen:
            raise DataError(f"there are two runs of {course.preset}: want one of each preset")
        seen.add(course.preset)
        runs.append(_run_data(course.log))
    return {"format": FORMAT, "runs": runs, "training_seconds": training_seconds()}


def _run_data(log: RunLog) -> dict[str, Any]:
    def counts(facts: dict[str, float], opponent: str) -> list[int]:
        return [int(facts.get(f"{opponent}_{r}", 0)) for r in ("wins", "draws", "losses")]

    rows = [
        [int(facts["iteration"]), round(facts["clipped"], 5) if "clipped" in facts else None,
         counts(facts, "earlier"), counts(facts, "random")]
        for facts in log.metrics
    ]  # fmt: skip
    return {
        "preset": log.preset, "algorithm": log.algorithm, "game": log.game, "seed": log.seed,
        "of": log.iterations, "evaluations": rows,
    }  # fmt: skip


def as_text(data: dict[str, Any]) -> str:
    """JSON with an evaluation a line, so that changes can be read."""
    parts = [f'{{"format": {json.dumps(data["format"])}, "runs": [']
    for number, run in enumerate(data["runs"]):
        facts = {key: value for key, value in run.items() if key != "evaluations"}
        rows = ",\n".join(map(json.dumps, run["evaluations"]))
        comma = "," if number else ""
        parts.append(f'{comma}{json.dumps(facts)[:-1]}, "evaluations": [\n{rows}\n]}}')
    seconds = ",\n".join(
        f"{json.dumps(preset)}: {json.dumps(spent)}"
        for preset, spent in data["training_seconds"].items()
    )
    return "\n".join([*parts, f'], "training_seconds": {{\n{seconds}\n}}}}', ""])
