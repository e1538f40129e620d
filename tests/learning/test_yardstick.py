"""The yardstick in runs: a network is measured by its likeliest moves; training is untouched."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof import make
from playproof.arena.yardstick.measure import measure
from playproof.arena.yardstick.positions import find_shipped, shipped
from playproof.core.batch import LegalLists
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.algorithms.dql.learner import Dql
from playproof.learning.algorithms.dql.settings import DqlSettings
from playproof.learning.algorithms.ppo.learner import Ppo
from playproof.learning.algorithms.ppo.settings import PpoSettings
from playproof.learning.columns import Columns
from playproof.learning.metrics import KEPT
from playproof.learning.runs.log import read
from playproof.learning.runs.run import METRICS, NET, Run
from playproof.learning.settings import RunSettings
from playproof.learning.yardstick import PolicyYardstick, measure_policy
from playproof.nets.forward.mlp import NetOutput
from tests.support.learning.run_folders import write_run

CHOKO = make("choko")
NAMES = [metric.name for metric in KEPT]
PPO = PpoSettings(
    iterations=2, steps=64, epochs=1, games=8, hidden=(8,), evaluate_every=1, evaluation_games=2,
    yardstick_positions=30,
)  # fmt: skip
ZERO = AlphaZeroSettings(
    game="choko", blocks=1, filters=4, policy_rank=2, iterations=2, games=4, positions=20,
    simulations=4, fast_simulations=2, replay=200, minibatch=8, evaluate_every=1,
    evaluation_games=2, evaluation_simulations=2, yardstick_positions=30,
)  # fmt: skip
DQL = DqlSettings(
    iterations=1, steps=4, games=4, buffer=64, hidden=(8,), evaluation_games=2,
    yardstick_positions=30,
)  # fmt: skip


class Knowing:
    """A network that prefers the moves that keep the value, or the others."""

    def __init__(self, yardstick: PolicyYardstick, sign: float) -> None:
        self._logits = (sign * yardstick.keeps).astype(np.float32)

    def logits(self, observations: Any, legal: LegalLists) -> NetOutput:
        return NetOutput(self._logits, np.zeros(len(observations), np.float32))

    def policy(self, observations: Any, legal: LegalLists, *, temperature: float = 1) -> NetOutput:
        raise NotImplementedError


def test_what_keeps_the_value_is_found_among_the_legal_moves() -> None:
    yardstick = shipped(CHOKO)
    positions = yardstick.positions[::14]
    sample = PolicyYardstick.of(yardstick.game, positions, "planes")
    for row, one in enumerate(positions):  # lists of moves need not be in order
        actions, keeps = sample.legal.of(row), sample.keeps[sample.legal.offsets[row] :]
        right = {int(action) for action, kept in zip(actions, keeps, strict=False) if kept}
        legal = yardstick.game.position(one.position).legal_actions()
        assert right == {action for move, action in enumerate(legal) if one.keeps(move)}
    best, worst = (sample.metrics(Knowing(sample, sign)) for sign in (1.0, -1.0))
    assert best == dict.fromkeys(NAMES, 1.0)
    assert worst == dict.fromkeys(NAMES, 0.0)


def test_an_evaluation_says_what_the_command_says(tmp_path: Path) -> None:
    few = ("iterations", "steps", "epochs", "games", "evaluate_every", "evaluation_games")
    changes = {name: str(getattr(PPO, name)) for name in few}
    changes |= {"hidden": "8", "yardstick_positions": "60"}
    run = Run.create(tmp_path, "choko-ppo-v3", changes)
    run.resume()
    last = run.metrics()[-1]
    report = measure(shipped(CHOKO), f"net:{tmp_path / NET},greedy=true", seed=1, limit=60)
    assert report.phases["all"].kept.positions == 60
    shares = {phase: result.kept.mean for phase, result in report.phases.items()}
    assert [last[name] for name in NAMES] == [
        shares[phase] for phase in ("all", "opening", "middle", "end")
    ]


@pytest.mark.parametrize("algorithm", [Ppo, Dql, AlphaZero])
def test_all_algorithms_have_it_and_weights_do_not_depend_on_it(algorithm: Any) -> None:
    settings = {Ppo: PPO, Dql: DQL, AlphaZero: ZERO}[algorithm]
    measured = algorithm(settings)
    plain = algorithm(replace(settings, yardstick_positions=0))
    for _ in range(settings.iterations):
        metrics, others = measured.iterate(), plain.iterate()
        assert set(NAMES) <= set(metrics)
        assert not set(NAMES) & set(others)
        assert {name: metrics[name] for name in others} == others
    (arrays, metadata), (other_arrays, other_metadata) = measured.state(), plain.state()
    assert metadata == other_metadata  # the states of all random numbers among them
    assert all(array.tobytes() == other_arrays[name].tobytes() for name, array in arrays.items())


def test_self_play_measures_the_latest_net_and_not_the_best() -> None:
    """The best one may be iterations old, and a curve of it would stand still."""
    learner = AlphaZero(replace(ZERO, iterations=1, confidence=0.999999))
    metrics = learner.iterate()
    assert metrics is not None
    assert not metrics["promoted"]
    networks = [
        learner._cpu_evaluator(weights)._network
        for weights in (learner.trainer.weights, learner.best)
    ]
    latest, best = (measure_policy(CHOKO, ZERO, network) for network in networks)  # type: ignore[arg-type]
    assert {name: metrics[name] for name in NAMES} == latest
    assert latest != best


@pytest.mark.parametrize("spec", ["othello:size=4", "choko:lone_jump=on"])
def test_a_game_without_a_set_has_no_yardstick(spec: str) -> None:
    assert find_shipped(make(spec)) is None
    learner = Ppo(replace(PPO, game=spec, observation="planes", iterations=1))
    assert not set(NAMES) & set(learner.iterate())


def test_a_run_of_an_earlier_version_goes_on(tmp_path: Path) -> None:
    changes = {"iterations": "1", "steps": "64", "hidden": "8", "evaluation_games": "2"}
    run = Run.create(tmp_path, "choko-ppo-v3", changes)
    file = tmp_path / "settings.json"
    data = json.loads(file.read_text())
    for name in ("yardstick_positions", "normalise", "reward"):  # settings of three classes
        del data["settings"][name]
    file.write_text(json.dumps(data))
    assert Run.open(tmp_path).settings == run.settings
    del data["settings"]["rate"]
    file.write_text(json.dumps(data))
    with pytest.raises(Exception, match="is not the settings of a run"):
        Run.open(tmp_path)


def test_names_of_added_settings_come_from_all_classes() -> None:
    assert RunSettings.optional_names() == {"yardstick_positions"}
    assert PpoSettings.optional_names() == {"yardstick_positions", "reward", "normalise"}
    assert AlphaZeroSettings.optional_names() == {"yardstick_positions", "policy_rank"}


def test_an_algorithm_that_does_not_declare_it_shows_it_with_its_title(tmp_path: Path) -> None:
    log = read(write_run(tmp_path, [{"iteration": 1, "kept": 0.5}], algorithm="not-installed"))
    metric = Columns.of([log])["kept"]
    assert metric.title == "Value kept without looking ahead"
    assert (metric.percent, metric.whole, metric.good) == (True, True, "up")
    assert (tmp_path / METRICS).exists()
