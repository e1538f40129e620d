"""The curves of runs as a chart: what ChokoZero's Figures 1 to 3 show, and the rest.

Runs that are seeds of the same thing are one line, their mean, in its interval;
other runs are lines beside each other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from playproof.core.errors import DataError, UsageError
from playproof.formats.chart import Chart, Line, Panel
from playproof.learning import curves
from playproof.learning.curves import Curve
from playproof.learning.run_logs import RunLog

# Shown unless others are asked for, as far as a run tells them.
USUAL = ("entropy", "clipped", "policy_loss", "value_loss", "loss", "value", "goal")
RESULTS = ("earlier_wins", "earlier_draws", "earlier_losses")
_EARLIER = {
    "ppo": "10 iterations earlier", "dql": "an iteration earlier", "alphazero": "the best so far",
}  # fmt: skip
_TITLES = {
    "entropy": "Entropy, nats",
    "clipped": "Clipped ratios",
    "loss": "Loss of the values",
    "value": "Value of chosen actions",
    "goal": "Value to learn",
    "divergence": "Divergence of an update, nats",
    "gradient_norm": "Norm of the gradient",
}
_WORDS = {"wins": "won", "draws": "drawn", "losses": "lost", "score": "score"}
_SHARE_OF_RUN = 100  # smoothing unless told: over a hundredth of the run


@dataclass(frozen=True)
class Metric:
    """A figure with the curves of all groups of runs, in their order."""

    name: str
    title: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Training:
    """Runs made ready to be drawn: groups with names, and their figures."""

    groups: tuple[tuple[RunLog, ...], ...]
    names: tuple[str, ...]
    metrics: tuple[Metric, ...]
    smooth: int

    @classmethod
    def of(
        cls, logs: Sequence[RunLog], metrics: Sequence[str] = (), smooth: int | None = None
    ) -> Training:
        """The figures named, or the usual ones; smoothed over a hundredth of the longest
        run unless ``smooth`` says over how many iterations."""
        told = [log for log in logs if log.metrics]
        if not told:
            raise DataError(f"{_all(logs)}: no iteration is finished yet")
        known = curves.names(told)
        for name in metrics:
            if name not in known:
                raise UsageError(f"the runs tell no '{name}': want {', '.join(known)}")
        if smooth is None:
            smooth = max(1, max(log.done for log in told) // _SHARE_OF_RUN)
        found = curves.groups(told)
        wanted = tuple(metrics) or _usual(known)
        made = tuple(
            Metric(name, title(name, told), tuple(curves.together(g, name, smooth) for g in found))
            for name in dict.fromkeys(wanted)
        )
        return cls(tuple(map(tuple, found)), _names(found), made, smooth)

    def chart(self, theme: str = "light") -> Chart:
        """All figures as small panels in one picture."""
        alone = len(self.groups) == 1
        panels, metrics = [], list(self.metrics)
        if alone and [m.name for m in metrics[:3]] == list(RESULTS):
            panels.append(self._results(metrics[:3]))
            del metrics[:3]
        panels += [self._panel(metric) for metric in metrics]
        return Chart(self._title(), tuple(panels), self._note(), theme)

    def _repr_svg_(self) -> str:
        """A notebook shows the curves."""
        return self.chart().svg()

    def _results(self, three: list[Metric]) -> Panel:
        """Wins, draws and losses of one run, or one mean, over the same axes."""
        lines = tuple(
            _line(_WORDS[metric.name.rpartition("_")[2]], metric.curves[0], style)
            for style, metric in enumerate(three)
        )
        return Panel(
            f"Against itself {_earlier(self.groups[0])}", lines, "iteration", percent=True,
            low=0.0, high=1.0, x_low=0.0, x_high=self._end(),
        )  # fmt: skip

    def _panel(self, metric: Metric) -> Panel:
        alone = len(self.groups) == 1
        lines = tuple(
            _line("" if alone else name, curve, style)
            for style, (name, curve) in enumerate(zip(self.names, metric.curves, strict=True))
            if len(curve)
        )
        share = curves.is_share(metric.name)
        # Evaluations over all that is possible; clipped ratios are a matter of a few percent.
        high = 1.0 if curves.is_result(metric.name) else None
        return Panel(
            metric.title, lines, "iteration", percent=share, low=0.0 if share else None,
            high=high, x_low=0.0, x_high=self._end(),
        )  # fmt: skip

    def _end(self) -> float:
        """The same axis for every panel."""
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
        said = [] if self.smooth == 1 else [f"Means over {self.smooth} iterations."]
        if shaded:
            said.append(f"Shaded: 95 % intervals {' or '.join(shaded)}.")
        return " ".join(said)


def title(name: str, logs: Sequence[RunLog]) -> str:
    """A figure in words."""
    opponent, _, kind = name.rpartition("_")
    if opponent in ("earlier", "random") and kind in _WORDS:
        other = "a random player" if opponent == "random" else f"itself {_earlier(logs)}"
        return f"{_WORDS[kind]} against {other}".capitalize()
    return _TITLES.get(name, name.replace("_", " ").capitalize())


def _earlier(logs: Sequence[RunLog]) -> str:
    found = {_EARLIER.get(log.algorithm, "earlier") for log in logs}
    return found.pop() if len(found) == 1 else "earlier"


def _usual(known: list[str]) -> tuple[str, ...]:
    wanted = [*RESULTS, "random_score", *USUAL]
    return tuple(name for name in wanted if name in known) or tuple(known)


def _line(name: str, curve: Curve, style: int) -> Line:
    return Line(name, curve.iterations, curve.values, curve.lower, curve.upper, style)


def _all(logs: Sequence[RunLog]) -> str:
    return ", ".join(str(log.folder) for log in logs) or "no runs"


def _names(groups: Sequence[Sequence[RunLog]]) -> tuple[str, ...]:
    """What lines are called: the end of their folders' paths that tells them apart."""
    folders = []
    for group in groups:
        paths = [os.path.abspath(log.folder) for log in group]
        folders.append(os.path.commonpath(paths))
    found = []
    for group, folder in zip(groups, folders, strict=True):
        parts = folder.split(os.sep)
        ends = (os.sep.join(parts[-count:]) for count in range(1, len(parts) + 1))
        others = [other for other in folders if other != folder]
        name = next(
            (end for end in ends if not any(o.endswith(os.sep + end) for o in others)), folder
        )
        found.append(name if len(group) == 1 else f"{name} ({len(group)} seeds)")
    return tuple(found)
