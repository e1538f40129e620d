"""The yardstick's results by the sizes of networks, as a chart with a panel for each phase."""

from __future__ import annotations

import math
from collections.abc import Sequence

from playproof.arena.yardstick.measure import ALL, KeptShare, YardstickReport
from playproof.arena.yardstick.sample import PHASES
from playproof.core.errors import UsageError
from playproof.formats.chart.chart import Chart, Panel, Series

NO_NETWORK = (
    "none of the agents has a network whose size could be drawn: want some such as net:NAME"
)


def draw(title: str, reports: Sequence[YardstickReport], theme: str = "light") -> Chart:
    """The share of positions whose value is kept, against the number of parameters.

    Agents that differ only in their network are one line: ``net:A`` and ``net:B``, and
    ``mcts:net=A`` and ``mcts:net=B``.  Agents without a network are left out.
    """
    with_net = [report for report in reports if report.parameters is not None]
    if not with_net:
        raise UsageError(NO_NETWORK)
    kinds = list(dict.fromkeys(report.kind for report in with_net))
    panels = tuple(
        Panel(
            phase,
            tuple(
                _line(kind, phase, [one for one in with_net if one.kind == kind], style)
                for style, kind in enumerate(kinds)
            ),
            "parameters of the network", percent=True, x_logarithmic=True,
        )
        for phase in (*PHASES, ALL)
    )  # fmt: skip
    return Chart(title, panels, "Shaded: 95 % intervals (Wilson).", theme)


def _line(kind: str, phase: str, reports: Sequence[YardstickReport], style: int) -> Series:
    """One kind of agent in one phase, from the smallest network to the largest."""
    ordered = sorted(reports, key=lambda report: report.parameters or 0)
    sizes = [float(report.parameters or 0) for report in ordered]
    return line_of_shares(kind, sizes, [report.phases[phase].kept for report in ordered], style)


def line_of_shares(
    name: str, x: Sequence[float], shares: Sequence[KeptShare], style: int
) -> Series:
    """A line of shares with their intervals, for a chart; a share of no positions is a gap."""
    intervals = [share.interval for share in shares]
    return Series(
        name,
        x,
        [math.nan if share.mean is None else share.mean for share in shares],
        [low for low, _ in intervals],
        [high for _, high in intervals],
        style,
    )
