"""What there is to tell about a run at a glance, and how runs differ."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from playproof.learning.runs.curves import curve, opponents
from playproof.learning.runs.log import CHECKPOINT, METRICS, SETTINGS, RunLog

_RESULTS = ("_wins", "_draws", "_losses")


def facts_of(log: RunLog) -> dict[str, Any]:
    """All that is told about a run, plain."""
    found: dict[str, Any] = {
        "run": str(log.folder), "algorithm": log.algorithm, "preset": log.preset,
        "game": log.game, "seed": log.seed, "state": log.state, "iterations": log.done,
        "of": log.iterations, "seconds_spent": log.seconds_spent,
        "seconds_left": log.seconds_left, "seconds_since": seconds_since(log),
        "evaluation": None, "figures": {},
    }  # fmt: skip
    if log.metrics:
        last = log.metrics[-1]
        found["figures"] = {name: last[name] for name in last if name in _plain(last)}
    evaluated = next((facts for facts in reversed(log.metrics) if opponents(facts)), None)
    if evaluated is not None:
        found["evaluation"] = {
            "iteration": int(evaluated["iteration"]),
            "scores": {name: _score(log, name) for name in opponents(evaluated)},
        }
    if log.fault:
        found["fault"] = log.fault
    return found


def _plain(facts: dict[str, float]) -> list[str]:
    """Figures that are told at every iteration."""
    return [name for name in facts if name != "iteration" and not name.endswith(_RESULTS)]


def _score(log: RunLog, opponent: str) -> dict[str, Any]:
    """Of the last evaluation, with its 95 % interval."""
    found = curve(log, f"{opponent}_score").to_json()
    return {"score": found["values"][-1], "interval": [found["lower"][-1], found["upper"][-1]]}


def seconds_since(log: RunLog) -> float | None:
    """Seconds since something was written: what is going on at this moment has few."""
    stamps = []
    for name in (SETTINGS, METRICS, CHECKPOINT):
        try:
            stamps.append((log.folder / name).stat().st_mtime)
        except OSError:
            continue
    return max(0.0, round(time.time() - max(stamps), 1)) if stamps else None


def differences(logs: Sequence[RunLog]) -> dict[str, list[Any]]:
    """Settings that are not the same in all runs, by name; None where a run has none such."""
    sides = [{"algorithm": log.algorithm, "preset": log.preset, **log.settings} for log in logs]
    names = dict.fromkeys(name for side in sides for name in side)
    found = {name: [side.get(name) for side in sides] for name in names}
    return {name: values for name, values in found.items() if any(v != values[0] for v in values)}
