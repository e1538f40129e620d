"""The summary of a run as plain data, and the settings in which runs differ."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from playproof.learning.runs.curves import curve, evaluated_opponents
from playproof.learning.runs.log import CHECKPOINT, METRICS, SETTINGS, RunLog

_RESULTS = ("_wins", "_draws", "_losses")


class ScoreSummary(TypedDict):
    """The score against an opponent with its 95 % interval; None is not finite."""

    score: float | None
    interval: list[float | None]


class EvaluationSummary(TypedDict):
    """The last evaluation of a run: its iteration, and the scores by opponent."""

    iteration: int
    scores: dict[str, ScoreSummary]


class RunSummary(TypedDict):
    """A run at a glance, as ``playproof runs --json`` prints it."""

    run: str
    algorithm: str
    preset: str
    game: str
    seed: int | None
    state: str
    iterations: int
    of: int
    seconds_spent: float | None
    seconds_left: float | None
    seconds_since: float | None
    evaluation: EvaluationSummary | None
    figures: dict[str, float]
    fault: NotRequired[str]


def summarise_run(log: RunLog) -> RunSummary:
    """The summary of a run."""
    summary: RunSummary = {
        "run": str(log.folder), "algorithm": log.algorithm, "preset": log.preset,
        "game": log.game, "seed": log.seed, "state": log.state, "iterations": log.done,
        "of": log.iterations, "seconds_spent": log.seconds_spent,
        "seconds_left": log.seconds_left, "seconds_since": seconds_since(log),
        "evaluation": None, "figures": {},
    }  # fmt: skip
    if log.metrics:
        last = log.metrics[-1]
        summary["figures"] = {name: last[name] for name in last if name in _plain(last)}
    evaluated = next((line for line in reversed(log.metrics) if evaluated_opponents(line)), None)
    if evaluated is not None:
        summary["evaluation"] = {
            "iteration": int(evaluated["iteration"]),
            "scores": {name: _score(log, name) for name in evaluated_opponents(evaluated)},
        }
    if log.fault:
        summary["fault"] = log.fault
    return summary


def _plain(metrics: dict[str, float]) -> list[str]:
    """The names of metrics other than the iteration and results of games."""
    return [name for name in metrics if name != "iteration" and not name.endswith(_RESULTS)]


def _score(log: RunLog, opponent: str) -> ScoreSummary:
    """The score in the last evaluation, with its 95 % interval."""
    data = curve(log, f"{opponent}_score").to_json()
    return {"score": data["values"][-1], "interval": [data["lower"][-1], data["upper"][-1]]}


def seconds_since(log: RunLog) -> float | None:
    """Seconds since a file of the run was written: few for a run in progress."""
    stamps = []
    for name in (SETTINGS, METRICS, CHECKPOINT):
        try:
            stamps.append((log.folder / name).stat().st_mtime)
        except OSError:
            continue
    return max(0.0, round(time.time() - max(stamps), 1)) if stamps else None


def differences(logs: Sequence[RunLog]) -> dict[str, list[Any]]:
    """Settings that are not the same in all runs, by name; None where a run lacks one."""
    sides = [{"algorithm": log.algorithm, "preset": log.preset, **log.settings} for log in logs]
    names = dict.fromkeys(name for side in sides for name in side)
    columns = {name: [side.get(name) for side in sides] for name in names}
    return {name: values for name, values in columns.items() if any(v != values[0] for v in values)}
