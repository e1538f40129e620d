"""``playproof plot``: draws the curves of training runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.output import JsonOption, emit, note
from playproof.core.errors import DataError, UsageError
from playproof.formats.svg.theme import PAPERS
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.charts import TrainingCurves

if TYPE_CHECKING:
    from playproof.learning.runs.charts import TrainingCurves
    from playproof.learning.runs.curves import Curve, Floats
    from playproof.learning.runs.log import RunLog

_BARS = "▁▂▃▄▅▆▇█"
_WIDE = 40  # characters of a sketch


def plot(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs, or of their seeds.")
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A metric to draw, as named in metrics.jsonl; may be repeated."
        ),
    ] = None,
    smooth: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Draw means over N iterations; 1: every iteration."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The picture: a file name in .svg or .png.")
    ] = None,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    as_json: JsonOption = False,
) -> None:
    """Draw the curves of runs; runs that differ in their seeds become their mean."""
    if theme not in PAPERS:
        raise UsageError(f"--theme {theme}: want light or dark")
    if out is not None and out.suffix.lower() not in (".svg", ".png"):
        raise UsageError(f"--out {out}: want a name that ends with .svg or .png")
    logs: list[RunLog] = []
    for folder in runs:
        paths = run_logs.find([folder])
        if not paths:
            raise DataError(f"{folder} holds no run: want a folder that playproof train wrote")
        logs += [run_logs.read(path) for path in paths]
    training = TrainingCurves.of(logs, metric or (), smooth)
    if out is not None or not as_json:
        file = out or (runs[0] if len(runs) == 1 else Path()) / "plot.svg"
        training.chart(theme).save(file)
        note(f"drew {file}")
    _note_short_seeds(training)
    if as_json:
        emit(_plot_data(training))
    else:
        _sketch(training)


def _note_short_seeds(training: TrainingCurves) -> None:
    """Print a note where the curve of a mean ends before its longest run does."""
    for group, name in zip(training.groups, training.names, strict=True):
        least, most = (pick(log.done for log in group) for pick in (min, max))
        if least < most:
            note(f"{name}: the mean ends at iteration {least:,}, where the shortest run ends")


def _plot_data(training: TrainingCurves) -> dict[str, object]:
    lines = [
        {"name": name, "folders": [str(log.folder) for log in group],
         "seeds": [log.seed for log in group]}
        for group, name in zip(training.groups, training.names, strict=True)
    ]  # fmt: skip
    curves = {m.name: [curve.to_json() for curve in m.curves] for m in training.metrics}
    return {"smooth": training.smooth, "lines": lines, "metrics": curves}


# A sketch for the terminal


def _sketch(training: TrainingCurves) -> None:
    """Print a row for each metric: its first value, a sparkline, its last value."""
    title_wide = max(len(metric.title) for metric in training.metrics)
    for place, name in enumerate(training.names):
        if len(training.names) > 1:
            print(name)
        for metric in training.metrics:
            curve = metric.curves[place]
            if len(curve):
                first, last = _ends(curve, metric.metric.percent)
                limits = (0.0, 1.0) if metric.metric.whole else None
                bars = sparkline(curve.iterations, curve.values, limits)
                print(f"{metric.title:<{title_wide}}  {first:>8}  {bars:<{_WIDE}}  {last}")


def _ends(curve: Curve, share: bool) -> tuple[str, str]:
    first, last = float(curve.values[0]), float(curve.values[-1])
    if not share:
        return f"{first:.3g}", f"{last:.3g}"
    return f"{100 * first:.1f} %", f"{100 * last:.1f} %"


def sparkline(x: Floats, y: Floats, limits: tuple[float, float] | None = None) -> str:
    """A curve as a row of bars, each the mean over a stretch of ``x``; at most one for each point.

    The scale goes from the lowest to the highest bar, or over ``limits``."""
    import numpy as np

    sound = np.isfinite(y)
    x, y = x[sound], y[sound]
    if not len(x):
        return ""
    wide = min(_WIDE, len(x))
    room = float(x[-1] - x[0]) or 1.0
    columns = np.round((x - x[0]) / room * (wide - 1)).astype(np.int64)
    filled, columns = np.unique(columns, return_inverse=True)
    means = np.bincount(columns, weights=y) / np.bincount(columns)
    low, high = limits or (means.min(), means.max())
    heights = np.clip((means - low) / ((high - low) or 1.0), 0.0, 1.0) * (len(_BARS) - 1)
    row = [" "] * wide
    for column, height in zip(filled.tolist(), heights.tolist(), strict=True):
        row[column] = _BARS[round(height)]
    return "".join(row)
