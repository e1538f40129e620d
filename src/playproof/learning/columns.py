"""How the metrics of runs are shown: what their algorithms declare, and defaults for the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from playproof.learning.algorithm import AnyAlgorithm
from playproof.learning.metrics import (
    EARLIER,
    ITERATION,
    RANDOM,
    RESULTS,
    SCORE,
    Metric,
    Opponent,
    result_of,
)
from playproof.learning.registry import find_or_none
from playproof.learning.runs.curves import opponents
from playproof.learning.runs.log import RunLog

_WELL_KNOWN = {opponent.name: opponent for opponent in (RANDOM, EARLIER)}
_WIDTHS = (11, 9)  # of won/drawn/lost in a line: against the first opponent, and the others


class Columns:
    """The columns of runs, of one algorithm or of several beside each other.

    Where algorithms differ about a column, only what they agree on is said."""

    def __init__(self, algorithms: Iterable[AnyAlgorithm], played: Iterable[str] = ()) -> None:
        """``played`` are opponents that the runs have met, declared or not."""
        self._algorithms = tuple(algorithms)
        self._metrics: dict[str, list[Metric]] = {}
        self._opponents: dict[str, list[Opponent]] = {}
        for algorithm in self._algorithms:
            for metric in algorithm.metrics:
                self._metrics.setdefault(metric.name, []).append(metric)
            for opponent in algorithm.opponents:
                self._opponents.setdefault(opponent.name, []).append(opponent)
        for name in played:
            self._opponents.setdefault(name, [])

    @classmethod
    def of(cls, logs: Sequence[RunLog]) -> Columns:
        """Those of runs as their folders have them; an algorithm that is not installed here
        leaves all to the defaults."""
        names = dict.fromkeys(log.algorithm for log in logs)
        algorithms = (find_or_none(name) for name in names)
        lines = {tuple(line): line for log in logs for line in log.metrics}.values()
        played = dict.fromkeys(name for line in lines for name in opponents(line))
        return cls((found for found in algorithms if found is not None), played)

    def __getitem__(self, name: str) -> Metric:
        """The column of a name, whether anybody has declared it or not."""
        if name in self._metrics:
            return _agreed(self._metrics[name])
        result = result_of(name)
        if result is not None and result[0] in self._opponents:
            return self.opponent(result[0]).metric(result[1])
        return Metric(name)

    def opponent(self, name: str) -> Opponent:
        """Who the opponent of an evaluation is."""
        declared = dict.fromkeys(self._opponents.get(name, ()))
        if len(declared) == 1:
            return next(iter(declared))
        return _WELL_KNOWN.get(name) or Opponent(name)

    # Orders

    def by_weight(self, names: Iterable[str]) -> list[str]:
        """As a page shows them: scores, what matters most, the rest as it was declared."""
        scores = [f"{name}_{SCORE}" for name in self._opponents]
        order = {name: place for place, name in enumerate([*scores, *self._metrics])}

        def weight(name: str) -> tuple[bool, bool, int]:
            if name not in order:
                return True, True, len(order)
            metric = self[name]
            return not metric.main, not metric.evaluation, order[name]

        return sorted(names, key=weight)

    def main(self, names: Iterable[str]) -> list[str]:
        """What a page shows at first; all, if nothing is said to matter more."""
        listed = list(names)
        return [name for name in listed if self[name].main] or listed

    def panels(self, names: Sequence[str]) -> tuple[str, ...]:
        """What a picture shows unless others are asked for, of what runs tell."""
        wanted: dict[str, None] = {}
        for algorithm in self._algorithms:
            wanted |= dict.fromkeys(algorithm.panels or _all_but_counts(names))
        return tuple(name for name in wanted if name in names) or tuple(_all_but_counts(names))

    # One iteration in a line

    def is_evaluated(self, metrics: Mapping[str, float]) -> bool:
        """Whether the network was evaluated in this iteration."""
        return bool(opponents(metrics)) or any(self[name].evaluation for name in metrics)

    def line(self, metrics: Mapping[str, float]) -> str:
        """``policy loss 2.1034  entropy 1.52``: what an iteration tells, in short."""
        told = (self[name] for name in self._metrics if name in metrics)
        return "  ".join(m.line.format(metrics[m.name]) for m in told if m.line)

    def evaluation_line(self, metrics: Mapping[str, float]) -> str:
        """The line that stays for an evaluation: won/drawn/lost against each, and the rest."""
        parts = [f"iteration {int(metrics[ITERATION]):>5}"]
        for place, name in enumerate(opponents(metrics)):
            games = "/".join(str(int(metrics[f"{name}_{result}"])) for result in RESULTS)
            before = "" if place else "against "
            parts.append(f"{before}{name} {games:>{_WIDTHS[min(place, 1)]}}")
        return "  ".join([*parts, self.line(metrics)])


def listed(algorithm: str, figures: Mapping[str, float]) -> str:
    """The name of the figure that a list of runs shows; the first there is, if nobody says."""
    found = find_or_none(algorithm)
    named = [found.listed, *(metric.name for metric in found.metrics)] if found else []
    return next((name for name in named if name in figures), next(iter(figures), ""))


def _all_but_counts(names: Sequence[str]) -> list[str]:
    """A score says what wins, draws and losses say together."""
    scores = {name.rpartition("_")[0] for name in names if name.endswith(f"_{SCORE}")}
    return [
        name
        for name in names
        if not ((result := result_of(name)) and result[0] in scores and result[1] in RESULTS)
    ]


def _agreed(metrics: Sequence[Metric]) -> Metric:
    """What all declarations of a column say alike; the rest as if nobody had declared it."""
    first, plain = metrics[0], Metric(metrics[0].name)
    if all(metric == first for metric in metrics):
        return first
    return Metric(
        **{
            one.name: getattr(
                first if len({getattr(m, one.name) for m in metrics}) == 1 else plain, one.name
            )
            for one in fields(Metric)
        }
    )
