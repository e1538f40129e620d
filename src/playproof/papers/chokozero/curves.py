"""ChokoZero's Figures 1 to 3: each net against itself ten iterations earlier (deep Q-learning:
200 gradient steps), throughout its training, and the share of PPO's ratios that were clipped.

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
from playproof.papers.chokozero.players import BY_NAME, LITERAL, PRESETS

FORMAT = "playproof chokozero curves 1"
CLIPPED = {"choko-ppo-v1": 0.0341, "choko-ppo-v2": 0.041}  # the paper's means
RESULTS = {"earlier_wins": "won", "earlier_draws": "drawn", "earlier_losses": "lost"}


class ResultCounts(NamedTuple):
    """The number of evaluation games with each result."""

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
class EvaluatedRun:
    """A training run of one preset, reduced to its evaluations.

    ``clipped`` in the log is the mean over the iterations since the evaluation before."""

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
        shares = [row["clipped"] for row in self.log.metrics if "clipped" in row]
        return math.fsum(shares) / len(shares) if shares else None

    def results_between(self, start: float, end: float) -> ResultCounts:
        """The evaluation games in a part of the run, given by two shares of it, 0..1."""
        last = self.log.done
        rows = [row for row in self.log.metrics if start * last < row["iteration"] <= end * last]
        wins, draws, losses = (sum(int(row.get(name, 0)) for row in rows) for name in RESULTS)
        return ResultCounts(wins, draws, losses)

    def to_json(self) -> dict[str, Any]:
        return {
            "preset": self.preset, "seed": self.log.seed, "iterations": self.log.done,
            "of": self.log.iterations, "clipped": self.clipped,
            "paper_clipped": CLIPPED.get(self.preset),
            "tenths": [self.results_between(i / 10, (i + 1) / 10)._asdict() for i in range(10)],
        }  # fmt: skip


def title_of(preset: str) -> str:
    """The name of the agent that plays with this net alone."""
    agents = (*BY_NAME.values(), LITERAL)
    return next(a.title for a in agents if a.preset == preset and a.stochastic)


# Reading


def shipped() -> list[EvaluatedRun]:
    """The curves of the nets that come with the package."""
    return read(_shipped_data())


def training_seconds() -> dict[str, dict[str, float | None]]:
    """Seconds of training of each shipped net by machine; None where they were not measured."""
    seconds: dict[str, dict[str, float | None]] = _shipped_data()["training_seconds"]
    return seconds


def _shipped_data() -> dict[str, Any]:
    file = resources.files("playproof.papers") / "data" / "chokozero_curves.json"
    data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return data


def read(data: dict[str, Any]) -> list[EvaluatedRun]:
    """The runs in the data that ``as_data`` returns."""
    if data.get("format") != FORMAT:
        raise DataError("not curves of ChokoZero: want a file that --make-curves wrote")
    return read_runs(data["runs"])


def read_runs(entries: Sequence[dict[str, Any]]) -> list[EvaluatedRun]:
    """The runs that ``run_data`` returned."""
    runs = []
    for run in entries:
        metrics = []
        for iteration, clipped, earlier, random in run["evaluations"]:
            row: dict[str, float] = {"iteration": iteration}
            row |= dict(zip(RESULTS, earlier, strict=True))
            names = (name.replace("earlier", "random") for name in RESULTS)
            row |= dict(zip(names, random, strict=True))
            metrics.append(row if clipped is None else row | {"clipped": clipped})
        settings = {"seed": run["seed"], "iterations": run["of"], "game": run["game"]}
        log = RunLog(Path(run["preset"]), run["algorithm"], run["preset"], settings, tuple(metrics))
        runs.append(EvaluatedRun(log))
    return runs


def of_runs(folder: Path) -> list[EvaluatedRun]:
    """The runs of ChokoZero's presets in a folder and the folders below it."""
    logs = [run_logs.read(path) for path in run_logs.find([folder])]
    evaluated = [
        log for log in logs if log.preset in PRESETS and any(map(_is_evaluation, log.metrics))
    ]
    if not evaluated:
        raise DataError(
            f"{folder} holds no run of ChokoZero with evaluations: want a folder with runs of "
            f"{', '.join(PRESETS)}"
        )
    return sorted(
        (of_log(log) for log in evaluated),
        key=lambda r: PRESETS.index(r.preset),
    )


def of_log(log: RunLog) -> EvaluatedRun:
    """A run reduced to its evaluations."""
    return EvaluatedRun(_evaluations_only(log))


def condense(run: EvaluatedRun, parts: int) -> EvaluatedRun:
    """The run in ``parts`` parts of equal length, the evaluations of each added up.

    The iteration of a part is its last one."""
    last, rows = run.log.done, []
    for part in range(parts):
        start, end = (last * bound / parts for bound in (part, part + 1))
        group = [row for row in run.log.metrics if start < row["iteration"] <= end]
        if not group:
            continue
        names = [name for name in group[0] if curves.is_result(name)]
        sums = {name: math.fsum(row.get(name, 0.0) for row in group) for name in names}
        clipped = [row["clipped"] for row in group if "clipped" in row]
        mean = {"clipped": math.fsum(clipped) / len(clipped)} if clipped else {}
        rows.append({"iteration": round(end)} | sums | mean)
    log = run.log
    return EvaluatedRun(
        RunLog(log.folder, log.algorithm, log.preset, log.settings, tuple(rows), log.times)
    )


def _is_evaluation(metrics: dict[str, float]) -> bool:
    return "earlier" in curves.evaluated_opponents(metrics)


def _evaluations_only(log: RunLog) -> RunLog:
    rows, clipped = [], []
    for metrics in log.metrics:
        if "clipped" in metrics:
            clipped.append(metrics["clipped"])
        if _is_evaluation(metrics):
            mean = {"clipped": math.fsum(clipped) / len(clipped)} if clipped else {}
            results = {name: metrics[name] for name in metrics if curves.is_result(name)}
            rows.append({"iteration": metrics["iteration"]} | results | mean)
            clipped = []
    return RunLog(log.folder, log.algorithm, log.preset, log.settings, tuple(rows), log.times)


# Writing


def as_data(runs: Sequence[EvaluatedRun]) -> dict[str, Any]:
    """The runs as the data that comes with the package; one run of each preset.

    The seconds of training are copied from the shipped data, since they were measured by hand."""
    seen: set[str] = set()
    entries = []
    for run in runs:
        if run.preset in seen:
            raise DataError(f"there are two runs of {run.preset}: want one of each preset")
        seen.add(run.preset)
        entries.append(run_data(run.log))
    return {"format": FORMAT, "runs": entries, "training_seconds": training_seconds()}


def run_data(log: RunLog) -> dict[str, Any]:
    """A run as plain data; ``read_runs`` reads it again."""

    def counts(metrics: dict[str, float], opponent: str) -> list[int]:
        return [int(metrics.get(f"{opponent}_{r}", 0)) for r in ("wins", "draws", "losses")]

    rows = [
        [int(metrics["iteration"]), round(metrics["clipped"], 5) if "clipped" in metrics else None,
         counts(metrics, "earlier"), counts(metrics, "random")]
        for metrics in log.metrics
    ]  # fmt: skip
    return {
        "preset": log.preset, "algorithm": log.algorithm, "game": log.game, "seed": log.seed,
        "of": log.iterations, "evaluations": rows,
    }  # fmt: skip


def as_text(data: dict[str, Any]) -> str:
    """The data as JSON with one evaluation per line, so that differences are readable."""
    parts = [f'{{"format": {json.dumps(data["format"])}, "runs": [']
    for number, run in enumerate(data["runs"]):
        head = {key: value for key, value in run.items() if key != "evaluations"}
        rows = ",\n".join(map(json.dumps, run["evaluations"]))
        comma = "," if number else ""
        parts.append(f'{comma}{json.dumps(head)[:-1]}, "evaluations": [\n{rows}\n]}}')
    seconds = ",\n".join(
        f"{json.dumps(preset)}: {json.dumps(durations)}"
        for preset, durations in data["training_seconds"].items()
    )
    return "\n".join([*parts, f'], "training_seconds": {{\n{seconds}\n}}}}', ""])
