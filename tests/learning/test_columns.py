"""The columns of metrics: declared once by each algorithm, read by lines, lists, charts, pages."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from playproof.learning import registry
from playproof.learning.algorithms.imitation.held_out import HeldOutReport, Reliability
from playproof.learning.algorithms.ppo.settings import PpoSettings
from playproof.learning.columns import Columns, headline_figure
from playproof.learning.metrics import KEPT, parse_result_name
from playproof.learning.presets import find
from playproof.learning.runs.log import read
from tests.support.cli.running import environment
from tests.support.learning.run_folders import metrics, write_run

ALGORITHMS = list(registry.available())


def columns(*names: str) -> Columns:
    return Columns(registry.find(name) for name in names)


# Of each algorithm


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda one: one.name)
def test_every_figure_is_explained(algorithm: registry.AnyAlgorithm) -> None:
    scores = [opponent.metric("score") for opponent in algorithm.opponents]
    for metric in [*algorithm.metrics, *scores]:
        assert len(metric.meaning) > 25, metric.name
        assert metric.title[0].isupper()
        assert "_" not in metric.title
    assert any(metric.main for metric in algorithm.metrics)
    assert algorithm.listed
    assert algorithm.summary


def declared(name: str) -> set[str]:
    return {"iteration", *(metric.name for metric in registry.find(name).metrics)}


@pytest.mark.parametrize(
    ("preset", "small"),
    [
        ("choko-ppo-v1", {"steps": 64, "games": 8, "hidden": (8,), "evaluation_games": 2}),
        ("choko-dql", {"steps": 4, "games": 4, "buffer": 64, "hidden": (8,),
                       "evaluation_games": 2}),
        ("alphazero:othello:size=4", {
            "positions": 40, "games": 8, "simulations": 4, "fast_simulations": 2, "hidden": (8,),
            "minibatch": 16, "evaluation_games": 2, "evaluation_simulations": 2,
        }),
    ],
)  # fmt: skip
def test_all_that_an_iteration_tells_is_declared(preset: str, small: dict[str, object]) -> None:
    preset = find(preset)
    if preset.algorithm.needs_torch:
        pytest.importorskip("torch", reason="PyTorch is not installed: it cannot be trained")
    settings = replace(preset.settings, evaluate_every=1, **small)  # type: ignore[arg-type]
    metrics = preset.algorithm.learner(settings).iterate()
    assert metrics is not None
    opponents = {opponent.name for opponent in preset.algorithm.opponents}
    results = {name for name in metrics if (of := parse_result_name(name)) and of[0] in opponents}
    assert {name.rpartition("_")[0] for name in results} == opponents
    # Choko has a yardstick, Othello has none.
    kept = {metric.name for metric in KEPT} if "othello" in settings.game else set()
    assert set(metrics) - results == declared(preset.algorithm.name) - kept


def test_held_out_figures_are_declared() -> None:
    import numpy as np

    none = Reliability(np.ones(1), np.zeros(1), np.zeros(1))
    report = HeldOutReport(1, 0.5, 0.75, 1.0, 0.1, none, none)
    metrics = {**report.metrics("test"), **report.metrics("label"), "rate": 1.0}
    assert set(metrics) | {"iteration", "policy_loss", "value_loss"} == declared("imitation")


def test_algorithms_are_listed_without_pytorch_and_compiled_code() -> None:
    script = """if True:
        import sys
        from playproof.learning import columns, presets, registry
        from playproof.learning.setting import describe_settings
        assert len([list(describe_settings(one.config())) for one in registry.available()]) == 5
        assert presets.names()
        print([name for name in sys.modules if name in ("torch", "numba")])
        assert presets.find("alphazero:othello").settings.architecture().parameters
        print([name for name in sys.modules if name == "torch" or "kernels" in name])
    """
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(), capture_output=True, text=True
    )
    assert done.stdout == "[]\n[]\n", done.stdout + done.stderr


# One algorithm, or several


def test_who_the_earlier_net_is_depends_on_the_algorithm() -> None:
    titles = {
        "ppo": "Won against itself 10 iterations earlier",
        "dql": "Won against itself an iteration earlier",
        "alphazero": "Won against the best net so far",
    }
    for name, title in titles.items():
        assert columns(name)["earlier_wins"].title == title
    assert columns("ppo", "dql")["earlier_wins"].title == "Won against an earlier net"
    assert columns("ppo", "dql")["random_score"] == columns("ppo")["random_score"]


def test_only_what_algorithms_agree_on_is_said() -> None:
    one, other = columns("ppo")["policy_loss"], columns("alphazero")["policy_loss"]
    assert one.meaning != other.meaning
    both = columns("ppo", "alphazero")["policy_loss"]
    assert (both.title, both.line) == (one.title, one.line)
    assert (both.meaning, both.good) == ("", "")
    assert columns("imitation", "alphazero")["policy_loss"] == other


def test_what_nobody_has_declared_is_shown_by_its_name(tmp_path: Path) -> None:
    lines = [{"iteration": n, "side_effect": 1.0, "aux_losses": 2.0, "me_wins": 1, "me_draws": 0,
              "me_losses": 1} for n in (1, 2)]  # fmt: skip
    log = read(write_run(tmp_path, lines, algorithm="nobodys", preset="nobodys"))
    preset = Columns.of([log])
    assert (preset["side_effect"].title, preset["side_effect"].percent) == ("Side effect", False)
    assert preset["aux_losses"].title == "Aux losses"  # no games: there are no wins and draws
    assert preset["me_losses"].title == "Lost against me"
    assert preset["me_score"].whole
    assert preset.main(["side_effect", "aux_losses"]) == ["side_effect", "aux_losses"]
    assert headline_figure("nobodys", {"side_effect": 1.0}) == "side_effect"
    assert headline_figure("nobodys", {}) == ""


# Lines and orders


def test_the_line_of_an_evaluation() -> None:
    line = metrics(5)[-1]
    assert columns("ppo").evaluation_line(line) == (
        "iteration     5  against earlier      10/5/5  random    20/0/0  "
        "policy loss -0.0500  value loss 0.200  entropy 0.40  clipped 5.0%"
    )
    assert columns("ppo").is_evaluated(line)
    assert not columns("ppo").is_evaluated(metrics(4)[-1])
    held_out = {"iteration": 25, "policy_loss": 2.1, "test_top1": 0.25, "test_top3": 0.5}
    assert columns("imitation").is_evaluated(held_out)
    assert columns("imitation").evaluation_line(held_out) == (
        "iteration    25  policy loss 2.1000  held out 25.00%  50.00%"
    )


def test_a_page_shows_what_matters_first() -> None:
    names = ["gradient_norm", "unheard", "clipped", "entropy", "policy_loss", "earlier_wins",
             "earlier_score", "random_score"]  # fmt: skip
    preset = columns("ppo")
    assert preset.by_importance(names) == [
        "random_score", "earlier_score", "policy_loss", "entropy", "clipped", "gradient_norm",
        "unheard", "earlier_wins",
    ]  # fmt: skip
    assert set(preset.main(names)) == {"random_score", "earlier_score", "policy_loss", "entropy"}
    assert columns("imitation").by_importance(["policy_loss", "test_top3", "test_top1"]) == [
        "test_top1", "policy_loss", "test_top3",
    ]  # fmt: skip


def test_a_list_shows_one_figure_of_each() -> None:
    assert headline_figure("ppo", {"policy_loss": 1.0, "entropy": 2.0}) == "entropy"
    assert headline_figure("dql", {"value": 1.0, "loss": 2.0}) == "loss"
    assert headline_figure("imitation", {"rate": 0.1, "policy_loss": 1.0}) == "policy_loss"


def test_settings_say_how_many_steps_go_by() -> None:
    assert PpoSettings(steps=512).steps_per_iteration == 512
    assert find("imitation").settings.steps_per_iteration == 100 * 1024
    assert find("alphazero:othello").settings.steps_per_iteration == 0
