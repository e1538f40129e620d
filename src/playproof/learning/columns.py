"""How metrics are shown: as their algorithms declare them, with defaults for undeclared ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields

from playproof.learning.algorithm import AnyAlgorithm
from playproof.learning.metrics import (
    EARLIER,
    ITERATION,
    KEPT,
    RANDOM,
    RESULTS,
    SCORE,
    Metric,
    Opponent,
    parse_result_name,
)
from playproof.learning.registry import find_or_none
from playproof.learning.runs.curves import evaluated_opponents
from playproof.learning.runs.log import RunLog

_WELL_KNOWN_METRICS = {metric.name: metric for metric in KEPT}
_WELL_KNOWN = {opponent.name: opponent for opponent in (RANDOM, EARLIER)}
_WIDTHS = (11, 9)  # of the won/drawn/lost counts in a line: the first opponent's, the others'


class Columns:
    """The columns of one algorithm, or of several whose runs are shown together.

    Where their declarations of a column differ, the parts that differ take their defaults."""

    def __init__(
        self, algorithms: Iterable[AnyAlgorithm], opponent_names: Iterable[str] = ()
    ) -> None:
        """``opponent_names`` are opponents that the runs have played, declared or not."""
        self._algorithms = tuple(algorithms)
        self._metrics: dict[str, list[Metric]] = {}
        self._opponents: dict[str, list[Opponent]] = {}
        for algorithm in self._algorithms:
            for metric in algorithm.metrics:
                self._metrics.setdefault(metric.name, []).append(metric)
            for opponent in algorithm.opponents:
                self._opponents.setdefault(opponent.name, []).append(opponent)
        for name in opponent_names:
            self._opponents.setdefault(name, [])

    @classmethod
    def of(cls, logs: Sequence[RunLog]) -> Columns:
        """The columns of some runs.  If an algorithm is not installed here, defaults are used."""
        names = dict.fromkeys(log.algorithm for log in logs)
        algorithms = [algorithm for name in names if (algorithm := find_or_none(name)) is not None]
        lines = {tuple(line): line for log in logs for line in log.metrics}.values()
        opponent_names = dict.fromkeys(name for line in lines for name in evaluated_opponents(line))
        return cls(algorithms, opponent_names)

    def __getitem__(self, name: str) -> Metric:
        """The column called ``name``, declared or not."""
        if name in self._metrics:
            return _common_metric(self._metrics[name])
        result = parse_result_name(name)
        if result is not None and result[0] in self._opponents:
            return self.opponent(result[0]).metric(result[1])
        return _WELL_KNOWN_METRICS.get(name) or Metric(name)

    def opponent(self, name: str) -> Opponent:
        """The opponent called ``name``, declared or not."""
        declared = dict.fromkeys(self._opponents.get(name, ()))
        if len(declared) == 1:
            return next(iter(declared))
        return _WELL_KNOWN.get(name) or Opponent(name)

    # Choice and order

    def by_importance(self, names: Iterable[str]) -> list[str]:
        """Sort names as a page shows them: scores, main metrics, then the order of declaration."""
        scores = [f"{name}_{SCORE}" for name in self._opponents]
        order = {name: place for place, name in enumerate([*scores, *self._metrics])}

        def rank(name: str) -> tuple[bool, bool, int]:
            if name not in order:
                return True, True, len(order)
            metric = self[name]
            return not metric.main, not metric.evaluation, order[name]

        return sorted(names, key=rank)

    def main(self, names: Iterable[str]) -> list[str]:
        """The names of the main metrics, which a page shows first; all names if none is main."""
        everything = list(names)
        return [name for name in everything if self[name].main] or everything

    def panels(self, names: Sequence[str]) -> tuple[str, ...]:
        """The panels of a chart by default, out of the figures that the runs have."""
        chosen: dict[str, None] = {}
        for algorithm in self._algorithms:
            chosen |= dict.fromkeys(algorithm.panels or _all_but_counts(names))
        return tuple(name for name in chosen if name in names) or tuple(_all_but_counts(names))

    # One iteration in a line

    def is_evaluated(self, metrics: Mapping[str, float]) -> bool:
        """Whether the network was evaluated in this iteration."""
        return bool(evaluated_opponents(metrics)) or any(self[name].evaluation for name in metrics)

    def line(self, metrics: Mapping[str, float]) -> str:
        """An iteration in one line, such as ``policy loss 2.1034  entropy 1.52``."""
        declared = (self[name] for name in self._metrics if name in metrics)
        return "  ".join(m.line.format(metrics[m.name]) for m in declared if m.line)

    def evaluation_line(self, metrics: Mapping[str, float]) -> str:
        """An iteration with an evaluation in one line: won/drawn/lost by opponent, then metrics."""
        parts = [f"iteration {int(metrics[ITERATION]):>5}"]
        for place, name in enumerate(evaluated_opponents(metrics)):
            games = "/".join(str(int(metrics[f"{name}_{result}"])) for result in RESULTS)
            before = "" if place else "against "
            parts.append(f"{before}{name} {games:>{_WIDTHS[min(place, 1)]}}")
        return "  ".join([*parts, self.line(metrics)])


def headline_figure(algorithm_name: str, figures: Mapping[str, float]) -> str:
    """The name of the figure that a list of runs shows; "" if there are no figures.

    It is the one that the algorithm names, else its first metric, else the first figure."""
    algorithm = find_or_none(algorithm_name)
    declared = [algorithm.listed, *(m.name for m in algorithm.metrics)] if algorithm else []
    return next((name for name in declared if name in figures), next(iter(figures), ""))


def _all_but_counts(names: Sequence[str]) -> list[str]:
    """The names without wins, draws and losses where there is a score, which sums them up."""
    scored = {name.rpartition("_")[0] for name in names if name.endswith(f"_{SCORE}")}

    def is_count(name: str) -> bool:
        opponent, kind = parse_result_name(name) or ("", "")
        return opponent in scored and kind in RESULTS

    return [name for name in names if not is_count(name)]


def _common_metric(metrics: Sequence[Metric]) -> Metric:
    """What all declarations of a column have in common, with defaults where they differ."""
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
