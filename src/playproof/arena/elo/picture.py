"""A rating as a picture: the scores at the levels, and the expected curve of the fitted rating."""

from __future__ import annotations

import numpy as np

from playproof.arena.elo.run import EloReport
from playproof.arena.statistics.score import score_of_elo
from playproof.formats.chart.chart import Chart, Panel, Series

_MARGIN = 150.0  # Elo points drawn beyond the levels


def render(report: EloReport, *, theme: str = "light") -> str:
    """The picture as SVG text."""
    nominal = [float(level.nominal) for level in report.levels]
    ends = [level.score.interval() for level in report.levels]
    lines = [
        Series(
            "score at each level, 95 % interval",
            nominal,
            [level.score.mean or 0.0 for level in report.levels],
            [low or 0.0 for low, _ in ends],
            [high or 0.0 for _, high in ends],
        )
    ]
    rating = report.rating
    if rating.elo is not None:
        x = np.linspace(min(nominal) - _MARGIN, max(nominal) + _MARGIN, 61)
        expected = [score_of_elo(rating.elo - level) for level in x]
        lines.append(Series(f"expected of {rating.elo:.0f}", x, expected, style=1))
    panel = Panel("score", tuple(lines), "nominal level (UCI_Elo)", percent=True)
    note = f"{report.opponent.title}, {report.opponent.limits} a move; a nominal scale"
    return Chart(f"{report.player} at {report.game}", (panel,), note, theme).svg()
