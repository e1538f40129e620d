"""The yardstick's results drawn by the sizes of networks."""

from __future__ import annotations

import pytest

from playproof import UsageError
from playproof.arena.yardstick import curve
from playproof.arena.yardstick.measure import ALL, KeptShare, PhaseResult, YardstickReport
from playproof.arena.yardstick.sample import PHASES


def report(agent: str, kind: str, parameters: int | None, kept: int) -> YardstickReport:
    share = KeptShare(100, kept)
    none = KeptShare(0, 0)
    phases = {name: PhaseResult(share, share, none, 0.5) for name in (*PHASES, ALL)}
    return YardstickReport(agent, 1, phases, parameters, kind)


def test_agents_that_differ_in_their_net_alone_are_a_line_by_size() -> None:
    chart = curve.draw(
        "curve",
        [
            report("net:a", "net:NET", 4000, 80), report("net:b", "net:NET", 500, 60),
            report("random", "random", None, 50),
            report("mcts:net=b", "mcts:net=NET", 500, 90),
        ],
    )  # fmt: skip
    assert [panel.title for panel in chart.panels] == [*PHASES, ALL]
    for panel in chart.panels:
        first, second = panel.lines
        assert (first.name, second.name) == ("net:NET", "mcts:net=NET")
        assert list(first.x) == [500.0, 4000.0]  # type: ignore[arg-type]
        assert list(first.y) == [0.6, 0.8]  # type: ignore[arg-type]
        assert list(second.x) == [500.0]  # type: ignore[arg-type]
        assert panel.x_axis.share([500.0, 5000.0]).tolist() == [0.0, 1.0]
    assert "mcts:net=NET" in chart.svg()


def test_there_must_be_a_network() -> None:
    with pytest.raises(UsageError, match="none of the agents has a network"):
        curve.draw("curve", [report("random", "random", None, 50)])
