"""Turns training runs into the data of messages: their progress, and curves with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.core.jobs.store import to_plain_json
from playproof.core.registry import make
from playproof.learning.columns import Columns
from playproof.learning.registry import find_or_none
from playproof.learning.runs import curves
from playproof.learning.runs import summary as run_summaries
from playproof.learning.runs.curves import Curve
from playproof.learning.runs.log import RunLog
from playproof.web.catalog import listing as catalog
from playproof.web.pages.training.runs import NamedRun, kept_nets, state_of

MOST_POINTS = 240  # of a curve: more could not be told apart on the screen
MOST_LINES = 500  # of metrics in one message
_STRETCHES = 100  # a curve is smoothed over a hundredth of its run

Json = dict[str, Any]


def headline(run: NamedRun, log: RunLog) -> Json:
    """The progress of a run, as ``TrainingRun``; guests see it, so it must not contain paths."""
    summary = run_summaries.summarise_run(log)
    title, options, watchable = _game(log.game)
    algorithm = find_or_none(log.algorithm)
    columns = Columns([algorithm] if algorithm else [])
    scores = summary["evaluation"]["scores"] if summary["evaluation"] else {}
    data = {
        **summary,
        "id": run.id,
        "name": run.name,
        "state": state_of(run, log),
        # The settings may be damaged, and True is an int in Python.
        "seed": None if log.seed is None else int(log.seed),
        "of": int(log.iterations),
        "title": title,
        "options": options,
        "method": algorithm.summary if algorithm else "",  # empty: it is not installed here
        "opponents": {name: columns.opponent(name).title for name in scores},
        "job": run.job.id if run.job else None,
        "net": watchable and (run.folder / "net.safetensors").is_file(),
        "kept": kept_nets(run.folder),
        "updated": summary["seconds_since"],
    }
    del data["run"], data["seconds_since"]
    if log.fault:
        data["fault"] = log.fault.replace(str(run.folder), run.id)
    return dict(to_plain_json(data))  # a diverged net has metrics that are not finite


def _game(spec: str) -> tuple[str, Json, bool]:
    """(title, options, whether the lab offers it) of a game."""
    try:
        game = make(spec)
    except PlayproofError:
        return spec, {}, False
    if not catalog.is_offered(game.name):
        return game.title, game.options, False
    board = catalog.variant_label(game) or game.options.get("board", "")
    return f"{game.title}, {board}" if board else game.title, game.options, True


def message(run: NamedRun, log: RunLog, *, after: int | None = None) -> Json:
    """The message to subscribers of a run, with the metrics after an iteration."""
    return {
        "type": "metrics",
        "run": headline(run, log),
        "points": points(log, after)[-MOST_LINES:],
        "chart": chart([run], [log]),
    }


def points(log: RunLog, after: int | None) -> list[Json]:
    """The lines of metrics after an iteration, as they were written."""
    return [
        {name: _whole(value) for name, value in metrics.items() if math.isfinite(value)}
        for metrics in log.metrics
        if after is None or metrics["iteration"] > after
    ]


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def chart(runs: Sequence[NamedRun], logs: Sequence[RunLog], *, together: bool = False) -> Json:
    """The curves of runs; ``together`` draws runs that differ in their seeds as their mean."""
    started = [(run, log) for run, log in zip(runs, logs, strict=True) if log.metrics]
    if not started:
        return {"smooth": 1, "end": 0, "lines": [], "figures": []}
    ids = {log.folder: run.id for run, log in started}
    started_logs = [log for _, log in started]
    groups = curves.group_seeds(started_logs) if together else [[log] for log in started_logs]
    end = max(log.done for log in started_logs)
    smooth = max(1, end // _STRETCHES)
    columns = Columns.of(started_logs)
    names = columns.by_importance(curves.figure_names(started_logs))
    main = columns.main(names)
    figures = []
    for name in names:
        metric = columns[name]
        figures.append(
            {
                "name": name,
                "title": metric.title,
                "about": metric.meaning,
                "good": metric.good,
                "percent": metric.percent,
                "whole": metric.whole,  # from 0 to 100 %
                "main": name in main,
                "curves": [_curve(curves.mean_curve(group, name, smooth)) for group in groups],
            }
        )
    lines = [[ids[log.folder] for log in group] for group in groups]
    return {
        "smooth": smooth,
        "end": end,
        "lines": [{"runs": group, "name": _line_name(group)} for group in lines],
        "figures": figures,
    }


def _line_name(ids: list[str]) -> str:
    if len(ids) == 1:
        return ids[0]
    return f"{ids[0].rpartition('~')[0] or ids[0]} ({len(ids)} seeds)"


def _curve(curve: Curve) -> Json:
    """A curve as lists, thinned to what can be seen; the last point is always indices."""
    data = curve.to_json()
    count = len(data["iterations"])
    step = max(1, -(-count // MOST_POINTS))
    indices = list(range(count - 1, -1, -step))[::-1]
    return {
        "x": [int(data["iterations"][i]) for i in indices],
        **{
            name: [data[key][i] for i in indices]
            for name, key in (("y", "values"), ("lower", "lower"), ("upper", "upper"))
            if key in data
        },
    }


def compared(runs: Sequence[NamedRun], logs: Sequence[RunLog], *, together: bool) -> Json:
    """Several runs side by side, as ``ComparedRuns``: figures, settings that differ, curves."""
    return {
        "runs": [headline(run, log) for run, log in zip(runs, logs, strict=True)],
        "differ": to_plain_json(run_summaries.differences(logs)),
        "chart": chart(runs, logs, together=together),
    }
