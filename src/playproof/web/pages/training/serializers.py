"""A run as the page hears of it: how it stands, its curves with their intervals."""

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
from playproof.learning.runs import summary as run_facts
from playproof.learning.runs.curves import Curve
from playproof.learning.runs.log import RunLog
from playproof.web.catalog import listing as catalog
from playproof.web.pages.training.runs import Known, kept_nets, state_of

MOST_POINTS = 240  # of a curve: more cannot be seen apart
MOST_LINES = 500  # of metrics in one message
_STRETCHES = 100  # a curve is smoothed over a hundredth of its run

Json = dict[str, Any]


def headline(known: Known, log: RunLog) -> Json:
    """How a run stands; nothing in it says where on the disk it lies."""
    facts = run_facts.facts_of(log)
    title, options, watchable = _game(log.game)
    algorithm = find_or_none(log.algorithm)
    columns = Columns([algorithm] if algorithm else [])
    scores = facts["evaluation"]["scores"] if facts["evaluation"] else {}
    found = {
        **facts,
        "id": known.id,
        "name": known.name,
        "state": state_of(known, log),
        # To Python true is a number as well, and settings may be damaged.
        "seed": None if log.seed is None else int(log.seed),
        "of": int(log.iterations),
        "title": title,
        "options": options,
        "method": algorithm.summary if algorithm else "",  # empty: not installed here
        "opponents": {name: columns.opponent(name).title for name in scores},
        "job": known.job.id if known.job else None,
        "net": watchable and (known.folder / "net.safetensors").is_file(),
        "kept": kept_nets(known.folder),
        "updated": facts["seconds_since"],
    }
    del found["run"], found["seconds_since"]
    if log.fault:
        found["fault"] = log.fault.replace(str(known.folder), known.id)
    return dict(to_plain_json(found))  # a net that has gone wild tells what is no number


def _game(spec: str) -> tuple[str, Json, bool]:
    """(what it is called, its options, whether it can be played in the lab)."""
    try:
        game = make(spec)
    except PlayproofError:
        return spec, {}, False
    if not catalog.is_offered(game.name):
        return game.title, game.options, False
    board = catalog.variant_label(game) or game.options.get("board", "")
    return f"{game.title}, {board}" if board else game.title, game.options, True


def message(known: Known, log: RunLog, *, after: int | None = None) -> Json:
    """What is said to who watches a run; ``points`` are the lines after an iteration."""
    return {
        "type": "metrics",
        "run": headline(known, log),
        "points": points(log, after)[-MOST_LINES:],
        "chart": chart([known], [log]),
    }


def points(log: RunLog, after: int | None) -> list[Json]:
    """The lines of metrics, as they were written."""
    return [
        {name: _whole(value) for name, value in facts.items() if math.isfinite(value)}
        for facts in log.metrics
        if after is None or facts["iteration"] > after
    ]


def _whole(value: float) -> float | int:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def chart(known: Sequence[Known], logs: Sequence[RunLog], *, together: bool = False) -> Json:
    """The curves of runs; ``together``: seeds of the same thing as one line, their mean."""
    told = [(one, log) for one, log in zip(known, logs, strict=True) if log.metrics]
    if not told:
        return {"smooth": 1, "end": 0, "lines": [], "figures": []}
    ids = {log.folder: one.id for one, log in told}
    alone = [log for _, log in told]
    groups = curves.groups(alone) if together else [[log] for log in alone]
    end = max(log.done for log in alone)
    smooth = max(1, end // _STRETCHES)
    columns = Columns.of(alone)
    names = columns.by_weight(curves.names(alone))
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
                "curves": [_curve(curves.together(group, name, smooth)) for group in groups],
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
    """Plain lists, thinned to what can be seen; the last point is always there."""
    found = curve.to_json()
    count = len(found["iterations"])
    step = max(1, -(-count // MOST_POINTS))
    kept = list(range(count - 1, -1, -step))[::-1]
    return {
        "x": [int(found["iterations"][i]) for i in kept],
        **{
            name: [found[key][i] for i in kept]
            for name, key in (("y", "values"), ("lower", "lower"), ("upper", "upper"))
            if key in found
        },
    }


def compared(known: Sequence[Known], logs: Sequence[RunLog], *, together: bool) -> Json:
    """Several runs beside each other: figures, settings that differ, curves."""
    return {
        "runs": [headline(one, log) for one, log in zip(known, logs, strict=True)],
        "differ": to_plain_json(run_facts.differences(logs)),
        "chart": chart(known, logs, together=together),
    }
