"""Runs of several seeds: found by their settings, trained, resumed, and played with."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from playproof.arena.database import GameDatabase
from playproof.arena.tournament import MatchConfig
from playproof.core.errors import UsageError
from playproof.nets import files
from playproof.papers.chokozero import train as chokozero_train
from playproof.papers.chokozero.seeds import agents, recorded, runs, tournament, train
from tests.support.learning.run_folders import metrics, write_run
from tests.support.papers.tiny_training import tiny, tiny_run

CONFIG = MatchConfig(pairs=1, seed=1, openings="random:plies=4", workers=1)


@pytest.fixture(autouse=True)
def tiny_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chokozero_train, "settings", tiny)


def test_runs_are_found_by_their_settings_and_not_by_their_names(tmp_path: Path) -> None:
    tiny_run(tmp_path / "a", "choko-ppo-v1", 3)
    tiny_run(tmp_path / "b" / "c", "choko-ppo-v1", 2)
    tiny_run(tmp_path / "d", "choko-ppo-v3-literal", 1)
    tiny_run(tmp_path / "again", "choko-ppo-v1", 3)
    tiny_run(tmp_path / "often", "choko-ppo-v1", 4, evaluate_every="2")  # touches no weights
    tiny_run(tmp_path / "other", "choko-ppo-v1", 5, rate="0.5")
    begun = tiny_run(tmp_path / "begun", "choko-ppo-v1", 6)
    (begun / "net.safetensors").unlink()
    write_run(tmp_path / "somebody", metrics(5), preset="of-somebody")
    found = runs.find(tmp_path)
    assert [run.title for run in found.runs] == [
        "PPO V3 literal, seed 1", "PPO V1, seed 2", "PPO V1, seed 3", "PPO V1, seed 4",
    ]  # fmt: skip
    left_out = "\n".join(found.left_out)
    assert "rate=0.5 instead of 0.0001" in left_out
    assert "begun: at iteration 0 of 2, not finished" in left_out
    assert "PPO V1, seed 3 is there already" in left_out
    assert len(found.left_out) == 3


def test_a_net_behind_its_metrics_is_not_finished(tmp_path: Path) -> None:
    folder = tiny_run(tmp_path / "a", "choko-ppo-v1", 3)
    net = files.load(folder / "net.safetensors")
    files.save(
        files.Net(net.architecture, net.weights, net.game, net.observation, {"iterations": 1}),
        folder / "net.safetensors",
    )
    assert "at iteration 1 of 2" in runs.find(tmp_path).left_out[0]


def test_shipped_nets_stand_for_their_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    found = runs.find(tmp_path)
    assert [(run.title, run.net) for run in found.runs] == [
        ("PPO V3, seed 1", "choko-ppo-v3"), ("PPO V2, seed 1", "choko-ppo-v2"),
        ("PPO V1, seed 1", "choko-ppo-v1"), ("DQL, seed 1", "choko-dql"),
    ]  # fmt: skip
    assert all(len(run.evaluations.log.metrics) == runs.CURVE_PARTS for run in found.runs)
    # Tiny runs are not mixed with them.
    monkeypatch.setattr(chokozero_train, "settings", tiny)
    assert runs.find(tmp_path).runs == ()


def test_all_runs_meet_and_later_ones_add_only_their_games(tmp_path: Path) -> None:
    chosen = agents.select(["v1", "v3-literal", "minimax"])
    for seed in (1, 2):
        tiny_run(tmp_path / "runs" / f"v1-{seed}", "choko-ppo-v1", seed)
    tiny_run(tmp_path / "runs" / "literal", "choko-ppo-v3-literal", 1)
    played: list[list[int]] = []

    def play() -> recorded.SeedRecord:
        entries = runs.entries(runs.find(tmp_path / "runs").runs, chosen)
        steps: list[int] = []
        event = tournament.prepare(database, entries, CONFIG)
        event.run(lambda done, total: steps.append(done))
        played.append([steps[0], steps[-1]])
        return recorded.trained_runs(
            tournament.results(event, entries),
            [run.evaluations for run in runs.find(tmp_path / "runs").runs],
        )

    with GameDatabase(tmp_path / "games.sqlite") as database:
        first = play()
        assert [entry.title for entry in first.results.entries] == [
            "PPO V3 literal, seed 1", "PPO V1, seed 1", "PPO V1, seed 2", "Minimax",
        ]  # fmt: skip
        assert play().results == first.results
        shutil.move(tmp_path / "runs" / "v1-2", tmp_path / "runs" / "moved")
        tiny_run(tmp_path / "runs" / "v1-3", "choko-ppo-v1", 3)
        third = play()
    assert played == [[0, 10], [10, 10], [10, 14]]
    assert third.results.compare("v3-literal", "v1").seeds == (1, 3)  # type: ignore[union-attr]
    assert {run.log.seed for run in third.curves} == {1, 2, 3}
    assert recorded.read(recorded.as_text(third)).results.kinds == third.results.kinds


def test_one_net_twice_is_refused(tmp_path: Path) -> None:
    for seed in (1, 2):
        tiny_run(tmp_path / f"v1-{seed}", "choko-ppo-v1", seed, noise=7)
    entries = runs.entries(runs.find(tmp_path).runs, agents.select(["v1", "minimax"]))
    with (
        GameDatabase(tmp_path / "games.sqlite") as database,
        pytest.raises(UsageError, match="PPO V1, seed 1 and PPO V1, seed 2 are one net"),
    ):
        tournament.prepare(database, entries, CONFIG)


# Training


def test_a_run_that_exists_is_resumed_wherever_it_is(tmp_path: Path) -> None:
    tiny_run(tmp_path / "mine", "choko-ppo-v1", 2)
    chosen = agents.select(["v1", "dql"])
    planned = list(train.runs(tmp_path, 2, agents=chosen))
    assert [(run.preset, run.settings.seed) for run in planned] == [
        ("choko-dql", 1), ("choko-ppo-v1", 1), ("choko-dql", 2), ("choko-ppo-v1", 2),
    ]  # fmt: skip
    assert planned[3].folder == tmp_path / "mine"
    assert planned[0].folder == tmp_path / "choko-dql" / "seed-1"
    assert [run.folder for run in train.runs(tmp_path, 2, agents=chosen)] == [
        run.folder for run in planned
    ]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_several_seeds_are_trained(tmp_path: Path, workers: int) -> None:
    planned = list(train.runs(tmp_path, 2, agents=agents.select(["v1", "dql"])))
    reports: dict[Path, int] = {}
    train.train_all(
        planned, workers=workers, on_progress=lambda run, done: reports.update({run.folder: done})
    )
    assert reports == {run.folder: 2 for run in planned}
    assert len(runs.find(tmp_path).runs) == 4
    weights = [files.load(run.folder / "net.safetensors").weights for run in planned[1::2]]
    assert not np.array_equal(*weights)
    reports.clear()
    train.train_all(planned, workers=workers)
    assert reports == {}
