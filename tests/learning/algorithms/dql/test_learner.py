"""Deep Q-learning: its gradient beside autograd's, experience told again by hand, and it learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from playproof import PlayproofError, State, UsageError, make
from playproof.core.batch import Batch, LegalLists
from playproof.learning.algorithms.dql import kernels as compiled
from playproof.learning.algorithms.dql.learner import Dql, DqlSettings
from playproof.learning.algorithms.dql.replay import Decisions, Replay, play
from playproof.learning.optim.trunk import scratch_length
from playproof.learning.rewards import Rewards
from playproof.learning.runs.checkpoint import load_checkpoint
from playproof.learning.runs.run import CHECKPOINT, METRICS, Run
from playproof.learning.setting import apply_changes
from playproof.nets.mlp import Architecture, parts_of, starting_weights
from tests.support.longer import longer

SIZES = Architecture(25, (32, 16), 300, False)
SMALL = {
    "iterations": "4", "steps": "20", "games": "4", "hidden": "16", "buffer": "400",
    "evaluate_every": "2", "evaluation_games": "8", "sync": "7", "seed": "5",
}  # fmt: skip


def torch_values(vector: np.ndarray, observations: np.ndarray) -> object:
    """(n, actions) by PyTorch, and the leaves to differentiate by."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: no autograd")
    leaves = {
        name: torch.tensor(part, requires_grad=True)
        for name, part in parts_of(SIZES, vector).items()
    }
    hidden = torch.tensor(observations)
    for layer in range(2):
        hidden = torch.relu(
            torch.nn.functional.linear(
                hidden, leaves[f"hidden.{layer}.weight"], leaves[f"hidden.{layer}.bias"]
            )
        )
    out = torch.nn.functional.linear(hidden, leaves["actions.weight"], leaves["actions.bias"])
    return out, leaves


@pytest.mark.parametrize(("kind", "bound"), [(np.float32, 1e-6), (np.float64, 1e-13)])
@pytest.mark.parametrize("seed", range(4))
def test_the_gradient_is_autograds(kind: type, bound: float, seed: int) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: no autograd")
    chooser = np.random.default_rng(seed)
    vector = starting_weights(SIZES, seed).astype(kind)
    seen = chooser.integers(0, 3, (50, 25)).astype(kind)
    chosen, goals = chooser.integers(0, 300, 50), (2 * chooser.normal(size=33)).astype(kind)
    picked = chooser.permutation(50)[:33]
    gradient, told = np.empty_like(vector), np.zeros(4)
    scratch = np.empty(scratch_length(SIZES.widths, 300, 33), kind)
    compiled.gradient_of(
        vector, np.array(SIZES.widths), 300, seen, chosen, picked, goals, scratch, gradient, told
    )
    values, leaves = torch_values(vector, seen[picked])  # type: ignore[misc]
    mine = values.gather(1, torch.tensor(chosen[picked])[:, None])[:, 0]
    loss = torch.nn.functional.smooth_l1_loss(mine, torch.tensor(goals))
    slopes = torch.autograd.grad(loss, list(leaves.values()))
    expected = np.concatenate([slope.numpy().ravel() for slope in slopes])
    assert np.linalg.norm(gradient - expected) / np.linalg.norm(expected) < bound
    assert told[compiled.LOSS] == pytest.approx(loss.item(), rel=1e-5)
    assert told[compiled.VALUE] == pytest.approx(mine.mean().item(), rel=1e-4, abs=1e-6)


def test_goals_are_the_best_legal_value_of_the_frozen_copy() -> None:
    chooser, n = np.random.default_rng(3), 40
    weights, target = starting_weights(SIZES, 1), starting_weights(SIZES, 2)
    seen, later = (chooser.integers(0, 3, (n, 25)).astype(np.float32) for _ in range(2))
    counts = chooser.integers(0, 9, n)
    legal = chooser.integers(0, 300, (n, 9)).astype(np.int32)
    chosen, rewards = chooser.integers(0, 300, n), chooser.normal(size=n).astype(np.float32)
    values, _ = torch_values(target, later)  # type: ignore[misc]
    best = [
        values[i, legal[i, : counts[i]].tolist()].max().item() if counts[i] else 0.0
        for i in range(n)
    ]
    mine, _ = torch_values(weights, seen)  # type: ignore[misc]
    expected = np.mean(rewards + 0.9 * np.array(best))
    moments = [np.zeros_like(weights), np.zeros_like(weights)]
    told, means = np.zeros(4), np.zeros(4)
    done = compiled.updates(
        weights.copy(), target, *moments, np.zeros(1, np.int64), np.array(SIZES.widths), 300,
        seen, chosen, rewards, later, counts, legal, np.arange(n), n, 100,
        np.array([0.9, 1e-3, 0.9, 0.999, 1e-8, np.inf]),
        np.empty(scratch_length(SIZES.widths, 300, n), np.float32), np.empty_like(weights),
        np.empty(n, np.float32), told, means,
    )  # fmt: skip
    assert done == 1
    assert means[compiled.GOAL] == pytest.approx(float(expected), rel=1e-4)
    own = mine[np.arange(n), chosen].mean()
    assert means[compiled.VALUE] == pytest.approx(own.item(), rel=1e-3, abs=1e-5)


REWARDS = Rewards(point=0.1, win=2.0, loss=-2.0, draw=-0.25)
AHEAD = 3


def least_or_most(batch: Batch, seen: np.ndarray, legal: LegalLists) -> np.ndarray:
    """A player that can be told again: the least or the greatest legal action by the ply."""
    least = np.minimum.reduceat(legal.actions, legal.offsets[:-1])
    most = np.maximum.reduceat(legal.actions, legal.offsets[:-1])
    return np.where(batch.plies % 3 == 0, most, least).astype(np.int64)


def by_hand(state: State) -> list[tuple[list[float], int, float, list[float] | None, list[int]]]:
    """(seen, chosen, rewards, seen later, legal there) of the first player's decisions."""
    line: list[tuple[State, int, float]] = []
    while not state.is_terminal:
        legal = state.legal_actions()
        action = max(legal) if state.ply % 3 == 0 else min(legal)
        after, player = state.apply(action), state.current_player
        if player == 0:
            line.append((state, action, 0.1 * max(after.score - state.score, 0.0)))
        state = after
    got = [reward for _, _, reward in line]
    outcome = state.outcome or 0
    got[-1] = -2.0 if outcome < 0 else got[-1] + (2.0 if outcome > 0 else -0.25)
    told = []
    for i, (here, action, _) in enumerate(line):
        there = line[i + AHEAD][0] if i + AHEAD < len(line) else None
        told.append(
            (
                here.observation("paper-25").tolist(),
                action,
                sum(got[i : i + AHEAD]),
                there.observation("paper-25").tolist() if there else None,
                sorted(there.legal_actions()) if there else [],
            )
        )
    return told


@pytest.mark.parametrize("spec", ["choko", "choko:cap=30"])
def test_experience_is_what_the_game_gives(spec: str) -> None:
    game = make(spec)
    made = play(game, "paper-25", 2, least_or_most, REWARDS, AHEAD, seed=1)
    expected = by_hand(game.start())
    for i, (seen, action, reward, later, legal) in enumerate(expected):
        assert made.observations[i].tolist() == seen
        assert made.chosen[i] == action
        assert made.rewards[i] == pytest.approx(reward, abs=1e-6)
        assert made.counts[i] == len(legal)
        assert sorted(made.legal[i, : len(legal)].tolist()) == legal
        if later is not None:
            assert made.later[i].tolist() == later


def decisions(numbers: list[int], wide: int) -> Decisions:
    n = len(numbers)
    return Decisions(
        np.array(numbers, np.float32)[:, None], np.array(numbers), np.zeros(n, np.float32),
        np.zeros((n, 1), np.float32), np.full(n, wide), np.full((n, wide), 7, np.int32),
    )  # fmt: skip


def test_new_decisions_take_the_place_of_the_oldest() -> None:
    replay = Replay(5, 1)
    replay.add(decisions([1, 2, 3], 2))
    assert (len(replay), replay.full) == (3, False)
    replay.add(decisions([4, 5, 6, 7], 4))
    assert (len(replay), replay.full) == (5, True)
    assert sorted(replay.decisions.chosen.tolist()) == [3, 4, 5, 6, 7]
    assert replay.decisions.legal.shape == (5, 4)
    replay.add(decisions(list(range(10, 30)), 1))
    assert sorted(replay.decisions.chosen.tolist()) == [25, 26, 27, 28, 29]
    assert (replay.decisions.legal[:, 0] == 7).all()


@pytest.mark.slow
def test_it_learns_to_beat_a_random_player() -> None:
    dql = Dql(DqlSettings(evaluate_every=0, seed=1))
    before = dql.evaluation()["random_wins"]
    for _ in range(longer(8, 25)):
        dql.iterate()
    wins = dql.evaluation()["random_wins"]
    assert wins > longer(0.6, 0.9) * dql.settings.evaluation_games > before


@pytest.mark.slow
def test_evaluations_change_nothing_of_what_is_learned() -> None:
    settings = apply_changes(DqlSettings(), SMALL)
    often, never = (Dql(replace(settings, evaluate_every=every)) for every in (1, 0))
    for _ in range(settings.iterations):
        assert "earlier_wins" in often.iterate()
        assert "earlier_wins" not in never.iterate()
    (arrays, facts), (others, other_facts) = often.state(), never.state()
    assert facts == other_facts  # the state of all random numbers among them
    assert all(array.tobytes() == others[name].tobytes() for name, array in arrays.items())


def test_a_run_cut_into_legs_is_the_run_left_alone(tmp_path: Path) -> None:
    alone = Run.create(tmp_path / "alone", "choko-dql", SMALL)
    alone.resume(checkpoint_every=1)
    legs = Run.create(tmp_path / "legs", "choko-dql", SMALL)
    for _ in range(4):

        def stop(metrics: dict[str, float]) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Run.open(legs.folder).resume(checkpoint_every=1, on_iteration=stop)
    Run.open(legs.folder).resume()
    (arrays, metrics), (others, other_facts) = (
        load_checkpoint(run.folder / CHECKPOINT) for run in (alone, legs)
    )
    assert metrics == other_facts
    assert arrays.keys() == others.keys()
    assert all(array.tobytes() == others[name].tobytes() for name, array in arrays.items())
    assert (alone.folder / METRICS).read_bytes() == (legs.folder / METRICS).read_bytes()


def test_a_loss_that_is_no_number_keeps_the_last_good_state(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "nan", "choko-dql", SMALL)

    def spoil(metrics: dict[str, float]) -> None:
        if metrics["iteration"] == 2:
            run.__dict__["settings"].__dict__["win_reward"] = float("nan")

    with pytest.raises(PlayproofError, match="is not finite"):
        run.resume(checkpoint_every=1, on_iteration=spoil)
    decisions = Run.open(run.folder).restore_learner()
    assert decisions.iteration == 2
    assert np.isfinite(decisions.weights).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"buffer": 10}, "a buffer of a minibatch"),
        ({"steps": 30}, "steps that games divide"),
        ({"explore": 1.5}, "explore=1.5: want a number from 0 to 1"),
        ({"ahead": 0}, "ahead=0: want 1 or more"),
    ],
)
def test_wrong_settings_are_told_in_a_line(changes: dict[str, float], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        replace(DqlSettings(), **changes).check()  # type: ignore[arg-type]
