"""``playproof plot``: how runs of training went, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.output import JsonOption, emit, note
from playproof.core.errors import DataError, UsageError
from playproof.formats.svg.theme import PAPERS
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.charts import Training

if TYPE_CHECKING:
    from playproof.learning.runs.charts import Training
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
        typer.Option(metavar="NAME", help="A figure to show, as metrics.jsonl names it; repeat."),
    ] = None,
    smooth: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Means over N iterations; 1 for every one."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The picture: a name in .svg or .png.")
    ] = None,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    as_json: JsonOption = False,
) -> None:
    """Draw the curves of runs; seeds of the same run become their mean in its interval."""
    if theme not in PAPERS:
        raise UsageError(f"--theme {theme}: want light or dark")
    if out is not None and out.suffix.lower() not in (".svg", ".png"):
        raise UsageError(f"--out {out}: want a name that ends with .svg or .png")
    logs: list[RunLog] = []
    for folder in runs:
        found = run_logs.find([folder])
        if not found:
            raise DataError(f"{folder} holds no run: want a folder that playproof train wrote")
        logs += [run_logs.read(path) for path in found]
    training = Training.of(logs, metric or (), smooth)
    if out is not None or not as_json:
        file = out or (runs[0] if len(runs) == 1 else Path()) / "plot.svg"
        training.chart(theme).save(file)
        note(f"drew {file}")
    _tell_short_seeds(training)
    if as_json:
        emit(_facts(training))
    else:
        _sketch(training)


def _tell_short_seeds(training: Training) -> None:
    """A mean ends where the first seed ends: nobody should look for the rest in vain."""
    for group, name in zip(training.groups, training.names, strict=True):
        least, most = (pick(log.done for log in group) for pick in (min, max))
        if least < most:
            note(f"{name}: the mean ends at iteration {least:,}, where the shortest run ends")


def _facts(training: Training) -> dict[str, object]:
    lines = [
        {"name": name, "folders": [str(log.folder) for log in group],
         "seeds": [log.seed for log in group]}
        for group, name in zip(training.groups, training.names, strict=True)
    ]  # fmt: skip
    curves = {m.name: [curve.to_json() for curve in m.curves] for m in training.metrics}
    return {"smooth": training.smooth, "lines": lines, "metrics": curves}


# A sketch for the terminal


def _sketch(training: Training) -> None:
    """A row a figure: where it began, its course, and where it is."""
    title_wide = max(len(metric.title) for metric in training.metrics)
    for place, name in enumerate(training.names):
        if len(training.names) > 1:
            print(name)
        for metric in training.metrics:
            curve = metric.curves[place]
            if len(curve):
                begin, end = _ends(curve, metric.metric.percent)
                limits = (0.0, 1.0) if metric.metric.whole else None
                bars = sparkline(curve.iterations, curve.values, limits)
                print(f"{metric.title:<{title_wide}}  {begin:>8}  {bars:<{_WIDE}}  {end}")


def _ends(curve: Curve, share: bool) -> tuple[str, str]:
    first, last = float(curve.values[0]), float(curve.values[-1])
    if not share:
        return f"{first:.3g}", f"{last:.3g}"
    return f"{100 * first:.1f} %", f"{100 * last:.1f} %"


def sparkline(x: Floats, y: Floats, limits: tuple[float, float] | None = None) -> str:
    """A curve as a row of bars, at most one a point, each the mean of a stretch of ``x``;
    from the lowest to the highest of them, or between ``limits``."""
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
