"""Settings of a training: each says what it means and may be; rewards of one's own."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from playproof import Batch, UsageError, register_reward
from playproof.cli.main import main
from playproof.learning import rewards
from playproof.learning.algorithms.dql.learner import Dql, DqlSettings
from playproof.learning.algorithms.ppo.learner import Ppo, PpoSettings
from playproof.learning.presets import find, names
from playproof.learning.registry import available
from playproof.learning.rewards import Rewards
from playproof.learning.setting import apply_changes, check_ranges, describe_settings, setting_rules


@pytest.fixture(autouse=True)
def no_rewards(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(rewards, "_registered", {})


ALGORITHMS = {algorithm.name: algorithm for algorithm in available()}
FIXED = [name for name in names() if ":" not in name]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_setting_says_what_it_means_and_may_be(name: str) -> None:
    kind = ALGORITHMS[name].config
    assert set(setting_rules(kind)) == {field.name for field in fields(kind)}
    for one in describe_settings(kind()):
        assert one.meaning
        assert one.allowed


@pytest.mark.parametrize("name", [*FIXED, "alphazero:othello", "alphazero:chess"])
def test_presets_are_within_the_ranges(name: str) -> None:
    check_ranges(find(name).settings)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"gamma": 1.5}, "gamma=1.5: want a number from 0 to 1"),
        ({"rate": 0.0}, "rate=0.0: want more than 0"),
        ({"rate": float("nan")}, "rate=nan: want more than 0"),
        ({"seed": -1}, "seed=-1: want 0 or more"),
        ({"reward": "poinst"}, "no reward 'poinst'; did you mean points"),
    ],
)
def test_what_is_out_of_range_is_told_in_a_line(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        replace(PpoSettings(), **change).check()


def test_an_unknown_setting_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"did you mean gamma\? .*train PRESET --settings"):
        apply_changes(PpoSettings(), {"gama": "0.9"})


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "choko-ppo-v1", "--settings"]) == 0
    told = capsys.readouterr().out
    assert "Settings of choko-ppo-v1 (ppo)" in told
    for field in fields(PpoSettings):
        assert f"  {field.name} " in told
    assert main(["train", "--settings", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == set(ALGORITHMS)


# Rewards


def small(**more: Any) -> PpoSettings:
    return replace(
        find("choko-ppo-v1").settings, iterations=1, steps=64, games=8, evaluate_every=0, **more
    )  # type: ignore[return-value]


def test_a_reward_of_ones_own_is_paid() -> None:
    seen: list[tuple[int, int]] = []

    @register_reward("first")
    def first(before: Batch, after: Batch, movers: Any) -> Any:
        seen.append((int(before.plies[0]), int(after.plies[0])))
        return movers == 0

    found = Rewards(0.5, function=first)
    batch = Batch.start("choko", 4, seed=1)
    gained = found.play(batch, batch.random_actions(), batch.players())
    assert gained.tolist() == [0.5] * 4
    assert seen == [(0, 1)]
    assert batch.plies.tolist() == [1] * 4
    Ppo(small(reward="first")).iterate()
    Dql(DqlSettings(reward="first", steps=4, games=4, evaluate_every=0, minibatch=4)).iterate()
    assert len(seen) > 10


def test_another_reward_is_another_training() -> None:
    @register_reward("uneven")
    def uneven(before: Batch, after: Batch, movers: Any) -> Any:
        return (before.rows[:, :2] != after.rows[:, :2]).any(axis=1) * (after.plies % 3)

    one, other = Ppo(small(seed=3)), Ppo(small(seed=3, reward="uneven"))
    one.iterate()
    other.iterate()
    assert not np.array_equal(one.weights, other.weights)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda n: np.zeros(n + 1), r"shape \(9,\): want numbers, \(8,\)"),
        (lambda n: np.full(n, np.nan), "gave nan in row 0: want finite numbers"),
        (lambda n: None, "want numbers"),
    ],
)
def test_a_wrong_reward_is_named_in_a_line(given: Any, said: str) -> None:
    register_reward("wrong")(lambda before, after, movers: given(len(after)))
    with pytest.raises(UsageError, match=said):
        Ppo(small(reward="wrong")).iterate()


def test_a_reward_that_raises_is_named_with_its_place() -> None:
    @register_reward("broken")
    def broken(before: Batch, after: Batch, movers: Any) -> Any:
        return after.nothing  # type: ignore[attr-defined]

    said = r"the reward broken raised AttributeError: .* \(test_settings.py, line \d+\)"
    with pytest.raises(UsageError, match=said):
        Ppo(small(reward="broken")).iterate()


def test_a_reward_cannot_change_the_games() -> None:
    @register_reward("meddling")
    def meddling(before: Batch, after: Batch, movers: Any) -> Any:
        after.apply(after.random_actions())
        movers[:] = 1
        return np.zeros(len(after))

    batch = Batch.start("choko", 4, seed=1)
    movers = batch.players()
    Rewards(function=meddling).play(batch, batch.random_actions(), movers)
    assert batch.plies.tolist() == [1] * 4
    assert movers.tolist() == [0] * 4


@pytest.mark.parametrize("given", [lambda before, after: 0, 3])
def test_what_cannot_be_a_reward_is_refused_at_once(given: Any) -> None:
    with pytest.raises(UsageError, match=r"reward 'odd': want a function of \(before, after, mov"):
        register_reward("odd")(given)


def test_a_reward_without_its_name_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match=r'want @register_reward\("NAME"\) above the function'):
        register_reward(lambda before, after, movers: movers)  # type: ignore[arg-type]


def test_who_forgot_the_file_of_a_reward_is_told_how_to_bring_it() -> None:
    with pytest.raises(UsageError, match=r"no reward 'mine' .*playproof --load FILE\.py train"):
        replace(PpoSettings(), reward="mine").check()
