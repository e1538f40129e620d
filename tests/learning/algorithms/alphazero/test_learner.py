"""Self-play learns, goes on where it was stopped, and refuses what it cannot do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import playproof
from playproof import Batch, PlayproofError, UsageError
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.presets import PRESETS, preset_for
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.presets import find
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.run import NET, Run
from playproof.nets import architectures
from playproof.nets.files import load
from tests.support.learning import exact_play
from tests.support.toys import reference
from tests.support.toys.coin import Coin

TINY = AlphaZeroSettings(
    game="othello:size=4", hidden=(16,), iterations=3, games=6, positions=40, simulations=8,
    fast_simulations=4, full_share=0.6, opening_plies=2, replay=300, minibatch=16, reuse=2.0,
    evaluate_every=2, evaluation_games=4, evaluation_simulations=4, evaluation_plies=2,
)  # fmt: skip


def changes(settings: AlphaZeroSettings) -> dict[str, str]:
    """As ``--set`` would have them, but for those that the preset has."""
    usual = preset_for(settings.game)
    told = {}
    for name, value in vars(settings).items():
        if value != getattr(usual, name):
            told[name] = "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return told


@pytest.mark.slow
def test_from_nothing_to_perfect_play() -> None:  # and in Go: `make verify self-play`
    before, after, took = exact_play.learn("othello:size=4", (0, 1), 20)
    assert before > 20  # what is known at the start does not do
    assert after == [], f"after {took} iterations"


def test_the_same_seed_makes_the_same_run_however_often_it_is_cut(tmp_path: Path) -> None:
    whole = Run.create(tmp_path / "whole", "alphazero:othello:size=4", changes(TINY))
    whole.resume(checkpoint_every=10)
    cut = Run.create(tmp_path / "cut", "alphazero:othello:size=4", changes(TINY))
    for _ in range(TINY.iterations):

        class Killed(Exception):
            pass

        def kill(metrics: dict[str, float]) -> None:
            raise Killed

        with pytest.raises(Killed):  # after the iteration's checkpoint
            Run.open(cut.folder).resume(checkpoint_every=1, on_iteration=kill)
    done = Run.open(cut.folder).resume(checkpoint_every=1)
    alone = whole.restore_learner()
    arrays, metrics = alone.state()
    again, told = done.state()
    assert metrics == told
    assert set(arrays) == set(again)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, again[name], err_msg=name)
    lines = [run_logs.read(run.folder).metrics for run in (whole, cut)]
    assert lines[0] == lines[1]
    assert len(lines[0]) == TINY.iterations
    net = load(cut.folder / NET, playproof.make("othello", size=4))
    np.testing.assert_array_equal(net.weights, done.weights)


def test_numbers_that_are_none_stop_a_run_and_leave_the_last_good_state() -> None:
    run = AlphaZero(replace(TINY, rate=1e30, norm=1e30, reuse=8.0, evaluate_every=0))
    before = run.trainer.state()
    with pytest.raises(PlayproofError, match="not finite; the last checkpoint is kept"):
        run.iterate()
    for name, array in run.trainer.state().items():
        np.testing.assert_array_equal(array, before[name])


def test_a_game_with_chance_is_learned_and_its_matches_are_whole_games() -> None:
    game = "quantum-go:board=3x3,collapse=born"
    run = AlphaZero(replace(TINY, game=game, ply_limit=60, evaluate_every=1))
    before = run.trainer.weights
    metrics = run.iterate()
    assert metrics is not None
    assert metrics["positions"] >= TINY.positions
    assert not np.array_equal(run.trainer.weights, before)
    assert run.evaluated is not None
    drawn = 0
    for record in run.evaluated.records:
        state = playproof.make(game).start()
        for action in record.replay().actions:  # chance's among them, all legal
            drawn += state.is_chance
            state = state.apply(action)
        assert not state.is_chance
    assert drawn > 0


def test_it_learns_when_to_toss_a_coin() -> None:
    playproof.register(Coin)
    game, settings = Coin(), replace(TINY, game="coin", observation="track", symmetries=0, seed=4)
    run = AlphaZero(replace(settings, iterations=24, games=16, simulations=24, evaluate_every=0))
    while run.iteration < run.settings.iterations:
        run.iterate()
    values = reference.values(game.start())
    best = max(values, key=lambda action: values[action])
    assert game.action_name(best) == "toss"
    network = architectures.forward_of(run.architecture, run.trainer.weights)
    start = Batch.start(game, 1)
    legal = start.legal_lists()
    policy, value = network.policy(start.observe("track"), legal)
    assert policy[legal.actions.tolist().index(best)] > 0.5  # 0.3 before
    assert value[0] == pytest.approx(values[best], abs=0.35)


def test_only_a_better_net_becomes_the_best() -> None:
    run = AlphaZero(replace(TINY, confidence=0.999999, evaluate_every=1))
    start = run.best.copy()
    metrics = run.iterate()
    assert metrics["promoted"] == 0.0  # two pairs of games cannot make anybody so sure
    np.testing.assert_array_equal(run.best, start)
    sure = AlphaZero(replace(TINY, confidence=1e-9, evaluate_every=1))
    assert sure.iterate()["promoted"] == float(not np.array_equal(sure.best, start))
    played = sure.evaluated
    assert played is not None
    assert sum(played.results["earlier"]) == sum(played.results["random"]) == 4
    assert len(played.records) == 4


@pytest.mark.parametrize("changed", [{"root": "dirichlet"}, {"gate": 1}, {"resign": 0.9}])
def test_its_other_ways_run(changed: dict[str, object]) -> None:
    run = AlphaZero(replace(TINY, iterations=2, **changed))  # type: ignore[arg-type]
    for _ in range(2):
        metrics = run.iterate()
        assert metrics["positions"] >= 40
        assert np.isfinite(list(metrics.values())).all()


@pytest.mark.parametrize("mode", ["value", "paper"])
@pytest.mark.parametrize(
    ("game", "observation"),
    [("chess", "paper-13"), ("quantum-go:board=3x3", "planes"), ("choko:cap=20", "planes")],
)
def test_any_game_runs_in_both_modes(mode: str, game: str, observation: str) -> None:
    run = AlphaZero(
        replace(
            TINY, game=game, observation=observation, mode=mode, iterations=1, games=2,
            positions=4, simulations=4, cycles=24, leaves=4, state_visits=2, ply_limit=12,
            evaluation_games=2, opening_plies=0,
        )
    )  # fmt: skip
    metrics = run.iterate()
    assert metrics["positions"] > 0
    assert np.isfinite(run.weights).all()


def test_what_cannot_be_run_is_refused_in_a_line() -> None:
    for changed, words in (
        ({"mode": "fast"}, "mode=fast: want value or paper"),
        ({"root": "none"}, "root=none: want gumbel or dirichlet"),
        ({"full_share": 0.0}, "full_share=0"),
        ({"simulations": 1}, "simulations=1: want 2 or more"),
        ({"evaluation_games": 3}, "evaluation_games=3: want an even number"),
        ({"observation": "none"}, "no observation 'none'"),
        ({"replay": 3}, "replay=3: want minibatch=16 or more"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            AlphaZero(replace(TINY, **changed))  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)


def test_presets_by_the_name_of_any_game(tmp_path: Path) -> None:
    for name in ("alphazero:othello", "alphazero:go:board=9x9", "alphazero:chess", "rl-chess"):
        found = find(name)
        assert found.algorithm.name == "alphazero"
        found.settings.check()
    paper = PRESETS["rl-chess"]
    assert (paper.cycles, paper.cycles * paper.iterations) == (50_000, 1_000_000)
    run = Run.create(tmp_path, "alphazero:othello:size=4", {"iterations": "3"})
    metrics = json.loads((tmp_path / "settings.json").read_text())
    assert (metrics["algorithm"], metrics["settings"]["game"]) == ("alphazero", "othello:size=4")
    assert Run.open(tmp_path).settings == run.settings
