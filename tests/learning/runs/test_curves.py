"""Curves of runs: shares with intervals, means over seeds, smoothing, and what is drawn."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playproof import DataError, UsageError
from playproof.arena.statistics.score import wilson
from playproof.learning.columns import Columns
from playproof.learning.runs import curves
from playproof.learning.runs.charts import TrainingCurves
from playproof.learning.runs.curves import curve, figures, group_seeds, mean_curve
from playproof.learning.runs.log import RunLog, read
from tests.support.learning.run_folders import metrics, write_run

FOLDER = Path("run")


def log_of(values: list[float], *, seed: int = 1, name: str = "loss") -> RunLog:
    lines = tuple({"iteration": float(i + 1), name: value} for i, value in enumerate(values))
    return RunLog(FOLDER / f"seed-{seed}", "ppo", "choko-ppo-v3", {"seed": seed}, lines)


def evaluated(*results: tuple[int, int, int], seed: int = 1) -> RunLog:
    """A run with an evaluation every ten iterations."""
    names = ("random_wins", "random_draws", "random_losses")
    lines = tuple(
        {"iteration": 10.0 * (i + 1), **dict(zip(names, map(float, counts), strict=True))}
        for i, counts in enumerate(results)
    )
    return RunLog(FOLDER / f"seed-{seed}", "ppo", "choko-ppo-v3", {"seed": seed}, lines)


# One run


def test_evaluations_are_shares_of_games() -> None:
    told = figures({"iteration": 5, "entropy": 0.5, "earlier_wins": 10, "earlier_draws": 6,
                    "earlier_losses": 4, "odd_wins": 3})  # fmt: skip
    assert told == {
        "entropy": 0.5, "earlier_wins": 0.5, "earlier_draws": 0.3, "earlier_losses": 0.2,
        "earlier_score": 0.65, "odd_wins": 3,
    }  # fmt: skip
    none = figures({"iteration": 5, "random_wins": 0, "random_draws": 0, "random_losses": 0})
    assert math.isnan(none["random_score"])


def test_an_evaluation_has_wilsons_interval() -> None:
    log = evaluated((150, 20, 30), (200, 0, 0))
    made = curve(log, "random_score")
    assert made.iterations.tolist() == [10.0, 20.0]
    assert made.values.tolist() == [0.8, 1.0]
    assert made.lower is not None
    assert made.upper is not None
    assert (made.lower[0], made.upper[0]) == wilson(160, 200)
    assert made.lower[1] < made.upper[1] == 1.0
    assert curve(log, "random_draws").values.tolist() == [0.1, 0.0]


def test_a_figure_that_is_not_told_is_an_empty_curve() -> None:
    made = curve(log_of([1.0]), "entropy")
    assert len(made) == 0
    assert len(curve(log_of([1.0]), "random_score")) == 0


def test_a_name_like_a_result_that_is_none() -> None:
    assert curve(log_of([3.0, 4.0], name="aux_losses"), "aux_losses").values.tolist() == [3.0, 4.0]


# Smoothing


def plain_smooth(values: list[float], smooth: int) -> list[float]:
    """The mean over as many iterations before as after, the naive way."""
    found = []
    for i in range(len(values)):
        reach = min(smooth // 2, i, len(values) - 1 - i)
        part = [v for v in values[i - reach : i + reach + 1] if math.isfinite(v)]
        found.append(math.fsum(part) / len(part) if part else math.nan)
    return found


@given(
    st.lists(st.floats(-100, 100) | st.just(math.nan), min_size=1, max_size=40),
    st.integers(1, 50),
)
def test_smoothing_is_the_mean_around(values: list[float], smooth: int) -> None:
    made = curve(log_of(values), "loss", smooth)
    np.testing.assert_allclose(made.values, plain_smooth(values, smooth), atol=1e-9)


def test_a_line_stays_a_line() -> None:
    made = curve(log_of([float(n) for n in range(50)]), "loss", 11)
    np.testing.assert_allclose(made.values, range(50))


def test_smoothed_evaluations_pool_their_games() -> None:
    log = evaluated((10, 0, 10), (20, 0, 0), (10, 10, 0))
    made = curve(log, "random_score", 20)
    assert made.lower is not None
    assert made.upper is not None
    assert made.values[1] == pytest.approx(45 / 60)
    assert (made.lower[1], made.upper[1]) == wilson(45, 60)
    assert made.values[0] == 0.5


def test_smoothing_over_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="want 1 or more"):
        curve(log_of([1.0]), "loss", 0)


# Several seeds


def test_the_mean_over_seeds_has_students_interval() -> None:
    logs = [log_of([value, 7.0], seed=seed) for seed, value in enumerate((1.0, 2.0, 6.0))]
    made = mean_curve(logs, "loss")
    assert made.values.tolist() == [3.0, 7.0]
    assert made.runs == 3
    assert made.lower is not None
    assert made.upper is not None
    error = math.sqrt(((1 - 3) ** 2 + (2 - 3) ** 2 + (6 - 3) ** 2) / 2 / 3)
    assert made.upper[0] - 3.0 == pytest.approx(4.302653 * error, rel=1e-6)
    assert made.lower[1] == made.upper[1] == 7.0


def test_the_interval_of_means_covers_as_often_as_it_says() -> None:
    random = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        logs = [log_of([x], seed=i) for i, x in enumerate(random.normal(3.0, 2.0, 4).tolist())]
        made = mean_curve(logs, "loss")
        assert made.lower is not None
        assert made.upper is not None
        covered += bool(made.lower[0] <= 3.0 <= made.upper[0])
    assert 0.92 * 400 <= covered <= 0.98 * 400


def test_a_mean_ends_where_the_first_seed_ends() -> None:
    logs = [log_of([1.0] * 5, seed=1), log_of([2.0] * 3, seed=2), log_of([], seed=3)]
    made = mean_curve(logs, "loss")
    assert made.iterations.tolist() == [1.0, 2.0, 3.0]
    assert made.runs == 2


def test_seeds_that_agree_claim_no_more_than_their_games_tell() -> None:
    made = mean_curve([evaluated((20, 0, 0), seed=s) for s in (1, 2, 3)], "random_score")
    assert made.lower is not None
    assert made.upper is not None
    assert (made.lower[0], made.upper[0]) == wilson(60, 60)
    apart = mean_curve([evaluated((20, 0, 0)), evaluated((0, 0, 20), seed=2)], "random_score")
    assert apart.lower is not None
    assert apart.upper is not None
    assert (apart.lower[0], apart.upper[0]) == (0.0, 1.0)


def test_one_seed_is_itself() -> None:
    assert mean_curve([evaluated((15, 0, 5))], "random_score").runs == 1
    assert mean_curve([log_of([1.0])], "loss").lower is None


def test_seeds_of_the_same_thing_are_grouped(tmp_path: Path) -> None:
    def made(name: str, **settings: object) -> RunLog:
        return read(write_run(tmp_path / name, metrics(5), **settings))  # type: ignore[arg-type]

    one, two = made("a/seed-1", seed=1), made("a/seed-2", seed=2)
    other, copy = made("b", seed=1, rate=3e-4), made("copy", seed=1)
    assert group_seeds([one, other, two, copy]) == [[one, two], [other], [copy]]


# The picture


def panels(svg: str) -> str:
    ElementTree.fromstring(svg)
    return svg


def test_the_usual_panels_of_one_run(tmp_path: Path) -> None:
    log = read(write_run(tmp_path / "run", metrics(20), iterations=20))
    chart = TrainingCurves.of([log]).chart()
    assert [panel.title for panel in chart.panels] == [
        "Against itself 10 iterations earlier", "Score against a random player", "Entropy, nats",
        "Clipped ratios", "Policy loss", "Value loss",
    ]  # fmt: skip
    assert [line.name for line in chart.panels[0].lines] == ["won", "drawn", "lost"]
    assert {(panel.x_axis.low, panel.x_axis.high) for panel in chart.panels} == {(0.0, 20.0)}
    assert chart.title == "Training of choko-ppo-v3, seed 1"
    assert "Wilson" in chart.note
    assert "won" in panels(chart.svg())


def test_several_runs_are_several_lines_and_seeds_are_one(tmp_path: Path) -> None:
    logs = [
        read(write_run(tmp_path / "many" / f"seed-{s}", metrics(20, level=s), seed=s))
        for s in (1, 2, 3)
    ]
    logs.append(read(write_run(tmp_path / "other", metrics(15), rate=3e-4)))
    training = TrainingCurves.of(logs, ["entropy"])
    assert training.names == ("many (3 seeds)", "other")
    (panel,) = training.chart("dark").panels
    assert [line.name for line in panel.lines] == ["many (3 seeds)", "other"]
    assert panel.lines[0].band() is not None
    assert panel.lines[1].band() is None
    chart = TrainingCurves.of(logs).chart()
    assert "Student" in chart.note
    assert chart.panels[0].title == "Won against itself 10 iterations earlier"
    assert "many (3 seeds)" in panels(chart.svg())


def test_lines_are_named_by_what_tells_their_folders_apart(tmp_path: Path) -> None:
    folders = ("x/run", "y/run", "y/z")
    logs = [
        read(write_run(tmp_path / name, metrics(2), rate=float(i)))
        for i, name in enumerate(folders)
    ]
    assert TrainingCurves.of(logs).names == ("x/run", "y/run", "z")


def test_another_algorithm_tells_other_figures(tmp_path: Path) -> None:
    lines = [{"iteration": n, "loss": 1 / n, "value": 0.1, "goal": 0.2} for n in range(1, 9)]
    log = read(write_run(tmp_path / "run", lines, algorithm="dql", preset="choko-dql"))
    found = [metric.name for metric in TrainingCurves.of([log]).metrics]
    assert found == ["loss", "value", "goal"]
    assert Columns.of([log])["earlier_wins"].title == "Won against itself an iteration earlier"
    strange = read(write_run(tmp_path / "strange", [{"iteration": 1, "regret": 2.0}]))
    assert [metric.name for metric in TrainingCurves.of([strange]).metrics] == ["regret"]


def test_smoothing_follows_the_length_unless_told() -> None:
    assert TrainingCurves.of([log_of([1.0] * 500)]).smooth == 5
    assert TrainingCurves.of([log_of([1.0] * 50)]).smooth == 1
    assert TrainingCurves.of([log_of([1.0] * 500)], smooth=50).smooth == 50


def test_what_cannot_be_drawn_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no iteration is finished yet"):
        TrainingCurves.of([read(write_run(tmp_path / "run"))])
    with pytest.raises(UsageError, match="the runs have no 'speed': want loss"):
        TrainingCurves.of([log_of([1.0])], ["speed"])


def test_a_curve_as_plain_lists() -> None:
    facts = curves.curve(log_of([1.0, math.nan]), "loss").to_json()
    assert facts == {"runs": 1, "iterations": [1.0, 2.0], "values": [1.0, None]}
