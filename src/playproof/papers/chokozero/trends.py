"""ChokoZero's Figures 1 to 3 drawn from our runs, and the statements of section 4.2 about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.arena.statistics.score import wilson
from playproof.formats.chart.chart import Chart, Panel, Series
from playproof.learning.runs import curves
from playproof.papers.chokozero.curves import CLIPPED, RESULTS, EvaluatedRun, ResultCounts

FIGURES = {"choko-ppo-v1": 1, "choko-ppo-v2": 2, "choko-ppo-v3": 3}
_PARTS = 20  # of a run: means are over one of them


def chart(runs: Sequence[EvaluatedRun], theme: str = "light") -> Chart:
    """One panel per run: the shares won, drawn and lost over its iterations."""
    panels = []
    for run in runs:
        smooth = max(1, run.log.done // _PARTS)
        lines = []
        for style, (name, word) in enumerate(RESULTS.items()):
            line = curves.curve(run.log, name, smooth)
            lines.append(Series(word, line.iterations, line.values, line.lower, line.upper, style))
        figure = f" (Figure {FIGURES[run.preset]})" if run.preset in FIGURES else ""
        panels.append(
            Panel(f"{run.title}{figure}", tuple(lines), "iteration", percent=True, low=0.0,
                  high=1.0, x_low=0.0, x_high=float(run.log.done))
        )  # fmt: skip
    note = (
        "Games against itself 10 iterations earlier (DQL: 200 gradient steps), means over a "
        f"{_PARTS}th of the run. Shaded: 95 % intervals (Wilson)."
    )
    return Chart("ChokoZero: training against an earlier self", tuple(panels), note, theme)


@dataclass(frozen=True)
class Trend:
    """A statement of section 4.2 and our figures for it.

    ``holds`` is None where our games do not decide, or where the statement is no claim."""

    text: str
    result: str
    holds: bool | None
    is_claim: bool = True

    @property
    def verdict(self) -> str:
        return {True: "holds", False: "does not hold", None: "-"}[self.holds]


def check_trends(runs: Sequence[EvaluatedRun]) -> list[Trend]:
    """The statements about those presets that have a run; of several runs the first counts."""
    by_preset = {run.preset: run for run in reversed(runs)}
    trends: list[Trend] = []
    if (v1 := by_preset.get("choko-ppo-v1")) is not None:
        trends += [
            _more_won("V1: wins stay ahead of losses", v1.results_between(0.0, 1.0)),
            _changes("V1: the win rate falls, first to last quarter",
                     v1.results_between(0.0, 0.25), v1.results_between(0.75, 1.0), up=False),
        ]  # fmt: skip
    if (v2 := by_preset.get("choko-ppo-v2")) is not None:
        trends += [
            _changes("V2: the win rate grows slightly, second to last quarter",
                     v2.results_between(0.25, 0.5), v2.results_between(0.75, 1.0), up=True),
            _final("V2: at the end 140 % more wins than losses", v2.results_between(0.9, 1.0)),
        ]  # fmt: skip
    if (v3 := by_preset.get("choko-ppo-v3")) is not None:
        trends += [
            _changes("V3: the win rate rises, second to third quarter",
                     v3.results_between(0.25, 0.5), v3.results_between(0.5, 0.75), up=True),
            _final("V3: at the end 44 % and 42 %, near an equilibrium",
                   v3.results_between(0.9, 1.0)),
        ]  # fmt: skip
    one, two = (by_preset[name].clipped if name in by_preset else None for name in CLIPPED)
    if one is not None and two is not None:
        result = f"{100 * one:.2f} % and {100 * two:.2f} %"
        trends.append(Trend("V1 is clipped less than V2: 3.41 % and 4.1 %", result, one < two))
    return trends


def _changes(text: str, before: ResultCounts, after: ResultCounts, *, up: bool) -> Trend:
    """Whether the share of wins rises, or falls; undecided while the two intervals overlap."""
    (low, high), (least, most) = (wilson(counts.wins, counts.games) for counts in (before, after))
    result = f"{_win_rate(before)} [{100 * low:.1f}, {100 * high:.1f}], then "
    result += f"{_win_rate(after)} [{100 * least:.1f}, {100 * most:.1f}]"
    rises, falls = least > high, most < low
    return Trend(text, result, rises == up if rises or falls else None)


def _win_rate(counts: ResultCounts) -> str:
    return f"{100 * counts.wins / counts.games:.1f} %" if counts.games else "-"


def _more_won(text: str, counts: ResultCounts) -> Trend:
    """Whether more games are won than lost."""
    low, high = wilson(counts.wins, counts.wins + counts.losses)
    result = f"{counts.percent()} % won, drawn and lost"
    return Trend(text, result, True if low > 0.5 else False if high < 0.5 else None)


def _final(text: str, counts: ResultCounts) -> Trend:
    """The last tenth of a run, without a verdict: the paper gives figures, not a claim."""
    more = f"{100 * (counts.wins / counts.losses - 1):+.0f} %" if counts.losses else "no losses"
    return Trend(text, f"{counts.percent()} % won, drawn and lost: {more}", None, is_claim=False)
