"""The learning curve of a run's nets as a chart: value kept by iteration, minute and phase."""

from __future__ import annotations

import math

from playproof.arena.yardstick.curve import line_of_shares
from playproof.arena.yardstick.measure import ALL
from playproof.arena.yardstick.sample import PHASES
from playproof.formats.chart.chart import Chart, Panel, Series
from playproof.learning.net_curve.measure import POLICY
from playproof.learning.net_curve.report import NetCurveReport, NetResult, player_name


def chart(report: NetCurveReport, theme: str = "light") -> Chart:
    """Panels of the share of value kept, and of the score against each opponent."""
    results, curve = report.results, report.curve
    players = list(curve.kept)
    iterations = [float(result.iteration) for result in results]
    minutes = [_number(r.minutes) for r in results]
    panels = [
        _panel("Value kept", "iteration", _kept_lines(results, iterations, players)),
    ]
    timed = [place for place, minute in enumerate(minutes) if math.isfinite(minute)]
    if timed:
        of_time = [results[place] for place in timed]
        lines = _kept_lines(of_time, [minutes[place] for place in timed], players)
        panels.append(_panel("Value kept, by minutes of training", "minutes", lines))
    for player in players:
        lines = tuple(
            _kept_series(phase, results, iterations, player, phase, len(players) + style)
            for style, phase in enumerate(PHASES)
            if results[0].kept[player][phase].kept.positions
        )
        name = "the policy alone" if player == POLICY else player_name(player)
        panels.append(_panel(f"By phase, {name}", "iteration", lines))
    for opponent in curve.matches:
        panels.append(_score_panel(opponent, results, len(players) + len(PHASES)))
    head = f"Training of {curve.log.preset}, seed {curve.log.seed}"
    note = f"{len(curve.positions):,} critical positions. Shaded: 95 % intervals."
    return Chart(head, tuple(panels), note, theme)


def _kept_lines(results: list[NetResult], x: list[float], players: list[int]) -> tuple[Series, ...]:
    return tuple(
        _kept_series(player_name(player), results, x, player, ALL, style)
        for style, player in enumerate(players)
    )


def _kept_series(
    name: str, results: list[NetResult], x: list[float], player: int, phase: str, style: int
) -> Series:
    shares = [result.kept[player][phase].kept for result in results]
    return line_of_shares(name, x, shares, style)


def _score_panel(opponent: str, results: list[NetResult], style: int) -> Panel:
    played = [(r.iteration, r.scores[opponent]) for r in results if opponent in r.scores]
    ends = [score.interval() for _, score in played]
    line = Series(
        "score",
        [float(iteration) for iteration, _ in played],
        [_number(score.mean) for _, score in played],
        [_number(low) for low, _ in ends],
        [_number(high) for _, high in ends],
        style,
    )
    return _panel(f"Against {opponent}", "iteration", (line,))


def _number(value: float | None) -> float:
    """A value as charts take it: NaN is unknown."""
    return math.nan if value is None else value


def _panel(title: str, x_name: str, lines: tuple[Series, ...]) -> Panel:
    return Panel(title, lines, x_name, percent=True, low=0.0, high=1.0, x_low=0.0)
