"""The curves of training runs as a chart, such as ChokoZero's Figures 1 to 3.

Runs that differ only in their seed are one line, their mean with its interval; other runs are
separate lines.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core.errors import DataError, UsageError
from playproof.formats.chart.chart import Chart, Panel, Series
from playproof.learning.columns import Columns
from playproof.learning.metrics import RESULTS, Metric, parse_result_name
from playproof.learning.runs import curves
from playproof.learning.runs.curves import Curve
from playproof.learning.runs.log import RunLog

_SHARE_OF_RUN = 100  # by default curves are smoothed over a hundredth of the run


@dataclass(frozen=True)
class MetricCurves:
    """A metric with its curves, one for each group of runs."""

    metric: Metric
    curves: tuple[Curve, ...]

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def title(self) -> str:
        return self.metric.title


@dataclass(frozen=True)
class TrainingCurves:
    """The curves of some runs: groups of runs with names, and curves by metric."""

    groups: tuple[tuple[RunLog, ...], ...]
    names: tuple[str, ...]
    metrics: tuple[MetricCurves, ...]
    smooth: int
    columns: Columns

    @classmethod
    def of(
        cls, logs: Sequence[RunLog], metrics: Sequence[str] = (), smooth: int | None = None
    ) -> TrainingCurves:
        """The curves of the given metrics, or of those that the algorithm shows by default.

        They are smoothed over ``smooth`` iterations, by default a hundredth of the longest run."""
        started = [log for log in logs if log.metrics]
        if not started:
            raise DataError(f"{_all(logs)}: no iteration is finished yet")
        names = curves.figure_names(started)
        for name in metrics:
            if name not in names:
                raise UsageError(f"the runs have no '{name}': want {', '.join(names)}")
        if smooth is None:
            smooth = max(1, max(log.done for log in started) // _SHARE_OF_RUN)
        groups = curves.group_seeds(started)
        columns = Columns.of(started)
        chosen = tuple(metrics) or columns.panels(names)
        metric_curves = tuple(
            MetricCurves(columns[name], tuple(curves.mean_curve(g, name, smooth) for g in groups))
            for name in dict.fromkeys(chosen)
        )
        return cls(tuple(map(tuple, groups)), _names(groups), metric_curves, smooth, columns)

    def chart(self, theme: str = "light") -> Chart:
        """All figures as small panels in one picture."""
        panels, left = [], list(self.metrics)
        while left:
            count = 3 if len(self.groups) == 1 and _are_results(left[:3]) else 1
            part, left = left[:count], left[count:]
            panels.append(self._results_panel(part) if count > 1 else self._panel(part[0]))
        return Chart(self._title(), tuple(panels), self._note(), theme)

    def _repr_svg_(self) -> str:
        """The chart, as notebooks show it."""
        return self.chart().svg()

    def _results_panel(self, three: list[MetricCurves]) -> Panel:
        """Wins, draws and losses of one run, or one mean, in one panel."""
        opponent = self.columns.opponent(three[0].name.rpartition("_")[0])
        lines = tuple(
            _line(word, metric.curves[0], style)
            for style, (metric, word) in enumerate(zip(three, RESULTS.values(), strict=True))
        )
        return Panel(
            f"Against {opponent.title}", lines, "iteration", percent=True,
            low=0.0, high=1.0, x_low=0.0, x_high=self._end(),
        )  # fmt: skip

    def _panel(self, one: MetricCurves) -> Panel:
        alone, metric = len(self.groups) == 1, one.metric
        lines = tuple(
            _line("" if alone else name, curve, style)
            for style, (name, curve) in enumerate(zip(self.names, one.curves, strict=True))
            if len(curve)
        )
        # Results of games get the whole axis to 100 %; clipped ratios are only a few percent.
        return Panel(
            metric.title, lines, "iteration", percent=metric.percent,
            low=0.0 if metric.percent else None, high=1.0 if metric.whole else None,
            x_low=0.0, x_high=self._end(),
        )  # fmt: skip

    def _end(self) -> float:
        """The end of the axis of iterations, the same for every panel."""
        return float(max(log.done for group in self.groups for log in group))

    def _title(self) -> str:
        logs = [log for group in self.groups for log in group]
        presets = list(dict.fromkeys(log.preset for log in logs))
        kind = "seeds" if len(self.groups) == 1 else "runs"
        runs = f"{len(logs)} {kind}" if len(logs) > 1 else f"seed {logs[0].seed}"
        return f"Training of {', '.join(presets)}, {runs}"

    def _note(self) -> str:
        drawn = [curve for metric in self.metrics for curve in metric.curves if len(curve)]
        shaded = []
        if any(curve.runs > 1 for curve in drawn):
            shaded.append("of the mean over seeds (Student)")
        if any(curve.runs == 1 and curve.lower is not None for curve in drawn):
            shaded.append("of one run's evaluations (Wilson)")
        sentences = [] if self.smooth == 1 else [f"Means over {self.smooth} iterations."]
        if shaded:
            sentences.append(f"Shaded: 95 % intervals {' or '.join(shaded)}.")
        return " ".join(sentences)


def _are_results(metrics: Sequence[MetricCurves]) -> bool:
    """Whether these are the wins, draws and losses against one opponent."""
    results = [parse_result_name(metric.name) for metric in metrics]
    opponents = {result[0] for result in results if result}
    kinds = [result[1] for result in results if result]
    return len(opponents) == 1 and kinds == list(RESULTS)


def _line(name: str, curve: Curve, style: int) -> Series:
    return Series(name, curve.iterations, curve.values, curve.lower, curve.upper, style)


def _all(logs: Sequence[RunLog]) -> str:
    return ", ".join(str(log.folder) for log in logs) or "no runs"


def _names(groups: Sequence[Sequence[RunLog]]) -> tuple[str, ...]:
    """The names of the lines: the shortest ends of their folders' paths that differ."""
    folders = []
    for group in groups:
        paths = [os.path.abspath(log.folder) for log in group]
        folders.append(os.path.commonpath(paths))
    names = []
    for group, folder in zip(groups, folders, strict=True):
        parts = folder.split(os.sep)
        ends = (os.sep.join(parts[-count:]) for count in range(1, len(parts) + 1))
        others = [other for other in folders if other != folder]
        name = next(
            (end for end in ends if not any(o.endswith(os.sep + end) for o in others)), folder
        )
        names.append(name if len(group) == 1 else f"{name} ({len(group)} seeds)")
    return tuple(names)
