"""ChokoZero's Figures 1 to 3 over several runs: the median and the range at each point, and in how
many runs a statement of section 4.2 holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.formats.chart.chart import Chart, Panel, Series
from playproof.papers.chokozero.curves import RESULTS, EvaluatedRun, title_of
from playproof.papers.chokozero.seeds.agents import TRAINED
from playproof.papers.chokozero.trends import FIGURES, check_trends

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SeedCurve:
    """The evaluations of an agent's runs.

    ``iterations`` has shape (points,): the middle of each part of a run.  ``shares`` has shape
    (runs, points, 3): games won, drawn and lost, 0..1."""

    preset: str
    seeds: tuple[int, ...]
    whole: int  # iterations of a run
    iterations: Floats
    shares: Floats

    @property
    def title(self) -> str:
        return title_of(self.preset)

    @property
    def median(self) -> Floats:
        """Over the runs, shape (points, 3)."""
        return np.median(self.shares, axis=0)

    @property
    def range(self) -> tuple[Floats, Floats]:
        """The lowest and the highest run at each point, each of shape (points, 3)."""
        return self.shares.min(axis=0), self.shares.max(axis=0)

    def to_json(self) -> dict[str, Any]:
        low, high = self.range
        columns = {}
        for n, name in enumerate(RESULTS.values()):
            ends = {"median": self.median, "lowest": low, "highest": high}
            columns[name] = {end: values[:, n].round(5).tolist() for end, values in ends.items()}
        return {
            "preset": self.preset, "seeds": self.seeds, "iterations": self.iterations.tolist(),
            **columns,
        }  # fmt: skip


def curves(runs: Sequence[EvaluatedRun]) -> list[SeedCurve]:
    """One curve for each agent, in the order of Table 1, from condensed runs."""
    by_preset: dict[str, list[EvaluatedRun]] = {}
    for run in runs:
        by_preset.setdefault(run.preset, []).append(run)
    presets = [agent.preset for agent in TRAINED if agent.preset in by_preset]
    return [_curve(preset, by_preset[preset]) for preset in presets]


def _curve(preset: str, runs: Sequence[EvaluatedRun]) -> SeedCurve:
    """The curve up to the last point that all runs have."""
    shared = sorted(set.intersection(*({row["iteration"] for row in r.log.metrics} for r in runs)))
    shares = []
    for run in runs:
        rows = {row["iteration"]: row for row in run.log.metrics}
        counts = np.array([[rows[point][name] for name in RESULTS] for point in shared])
        shares.append(counts / counts.sum(axis=1, keepdims=True))
    ends = np.array([0.0, *shared])
    return SeedCurve(
        preset, tuple(run.log.seed or 0 for run in runs), runs[0].log.done,
        (ends[1:] + ends[:-1]) / 2, np.stack(shares),
    )  # fmt: skip


def chart(runs: Sequence[EvaluatedRun], theme: str = "light") -> Chart:
    """One panel for each agent: the medians of won, drawn and lost, shaded from lowest to
    highest."""
    panels = []
    for curve in curves(runs):
        low, high = curve.range
        lines = tuple(
            Series(word, curve.iterations, curve.median[:, n], low[:, n], high[:, n], n)
            for n, word in enumerate(RESULTS.values())
        )
        count = len(curve.seeds)
        figure = f"Figure {FIGURES[curve.preset]}, " if curve.preset in FIGURES else ""
        panels.append(
            Panel(f"{curve.title} ({figure}{count} run{'s' if count > 1 else ''})", lines,
                  "iteration", percent=True, low=0.0, high=1.0, x_low=0.0,
                  x_high=float(curve.whole))
        )  # fmt: skip
    note = (
        "Games against itself 10 iterations earlier (DQL: 200 gradient steps). Lines: the median "
        "of the runs in each 20th of the training. Shaded: from the lowest run to the highest."
    )
    return Chart("ChokoZero: training with several seeds", tuple(panels), note, theme)


@dataclass(frozen=True)
class TrendCount:
    """A statement of section 4.2, and in how many runs it holds.

    Of ``runs``, it holds in ``holds`` and does not in ``fails``; the others do not decide."""

    text: str
    holds: int
    fails: int
    runs: int

    @property
    def result(self) -> str:
        open_runs = self.runs - self.holds - self.fails
        parts = ((self.holds, "holds"), (self.fails, "does not hold"), (open_runs, "not decided"))
        texts = [f"{text} in {count}" for count, text in parts if count]
        return f"{', '.join(texts)} of {self.runs}"

    def to_json(self) -> dict[str, Any]:
        return {"says": self.text, "holds": self.holds, "fails": self.fails, "runs": self.runs}


def count_trends(runs: Sequence[EvaluatedRun]) -> list[TrendCount]:
    """The statements of section 4.2 over runs; runs of two agents with one seed are compared.

    Statements that only give figures, without a claim, are left out."""
    verdicts: dict[str, Counter[bool | None]] = {}
    for seed in sorted({run.log.seed or 0 for run in runs}):
        for trend in check_trends([run for run in runs if run.log.seed == seed]):
            if trend.is_claim:
                verdicts.setdefault(trend.text, Counter())[trend.holds] += 1
    return [
        TrendCount(text, counts[True], counts[False], counts.total())
        for text, counts in verdicts.items()
    ]
