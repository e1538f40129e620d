"""Self-play, recorded: the same games told again by hand, decision by decision."""

from __future__ import annotations

import numpy as np
import pytest

from playproof import State, make
from playproof.learning.algorithms.ppo.rollout import BOTH, ITSELF, Rollout, _DecisionLog
from playproof.learning.rewards import Rewards
from playproof.nets.forward.mlp import Forward
from playproof.nets.mlp import Architecture, starting_weights

SIZES = Architecture(25, (16,), 2625)
REWARDS = Rewards(point=0.1, win=2.0, loss=-2.0)


def step(rollout: Rollout, players: list[Forward], made: _DecisionLog, last: np.ndarray) -> None:
    """The learner first, then its pool."""
    rollout._step(Forward.stack(players), REWARDS, made, last)


def net(seed: int) -> Forward:
    return Forward(SIZES, starting_weights(SIZES, seed))


def told(
    rollout: Rollout, pool: list[Forward], steps: int
) -> tuple[_DecisionLog, list[list[float]]]:
    """What was recorded, and for each decision (timeline, reward, ended) as the game's own State
    tells it."""
    made, last = _DecisionLog(), np.full(2 * len(rollout.batch), -1, np.int64)
    states = [rollout.batch[row] for row in range(len(rollout.batch))]
    expected: list[list[float]] = []
    latest: dict[tuple[int, int], int] = {}
    learner = net(1)
    while len(made) < steps:
        sides, first = rollout.sides.copy(), len(made)
        step(rollout, [learner, *pool], made, last)
        new = iter(range(first, len(made)))
        lines = np.concatenate(made.timelines)
        for row, state in enumerate(states):
            mover = state.current_player
            if not rollout.ancestors or mover == sides[row]:
                number = next(new)
                assert lines[number] == 2 * row + mover
                action = _action(made, number)
                after = state.apply(action)  # raises if it is not legal
                gained = (after.score - state.score) * (1 if mover == 0 else -1)
                expected.append([2 * row + mover, 0.1 * max(gained, 0.0), 0.0])
                latest[row, mover] = number
            else:
                after = None
            states[row] = _continued(rollout, row, state, after, latest, expected)
    return made, expected


def _action(made: _DecisionLog, number: int) -> int:
    counts, actions = np.concatenate(made.counts), np.concatenate(made.actions)
    start = int(counts[:number].sum())
    return int(actions[start + int(np.concatenate(made.chosen)[number])])


def _continued(
    rollout: Rollout, row: int, state: State, after: State | None,
    latest: dict[tuple[int, int], int], expected: list[list[float]],
) -> State:  # fmt: skip
    """The state to go on with; results of a game that has ended are entered."""
    now = rollout.batch[row]
    if after is None:  # the opponent's action is not recorded: it is the one that leads here
        found = [state.apply(action) for action in state.legal_actions()]
        ended = [one for one in found if one.is_terminal]
        after = next((one for one in found if one == now and not one.is_terminal), None)
        after = after or ended[0]
    if not after.is_terminal:
        assert after == now
        return now
    for player in (0, 1):
        number = latest.pop((row, player), None)
        if number is not None:
            result = (after.outcome or 0) * (1 if player == 0 else -1)
            if result > 0:
                expected[number][1] += 2.0
            elif result < 0:
                expected[number][1] = -2.0
            expected[number][2] = 1.0
    return now


def test_every_reward_is_the_one_that_the_game_gives() -> None:
    rollout = Rollout(make("choko"), "paper-25", 6, ancestors=False, seed=5)
    made, expected = told(rollout, [], 1500)
    assert np.concatenate(made.timelines).tolist() == [line for line, _, _ in expected]
    assert np.allclose(made.rewards, [reward for _, reward, _ in expected])
    assert made.ended == [bool(ended) for _, _, ended in expected]
    assert 2.0 <= max(made.rewards) <= 2.2
    assert min(made.rewards) == -2.0
    assert sum(made.ended) > 10


def test_against_ancestors_one_side_is_recorded_and_sides_alternate() -> None:
    rollout = Rollout(make("choko"), "paper-25", 6, ancestors=True, seed=5)
    pool = [net(2), net(3)]
    made, last = _DecisionLog(), np.full(12, -1, np.int64)
    seen = set()
    for _ in range(400):
        sides, opponents = rollout.sides.copy(), rollout.opponents.copy()
        movers = rollout.batch.players()
        first = len(made)
        step(rollout, [net(1), *pool], made, last)
        assert len(made) - first == int((movers == sides).sum())
        over = np.flatnonzero(rollout.batch.plies == 0)
        assert (rollout.sides[over] == 1 - sides[over]).all()
        seen |= set(rollout.opponents[over].tolist())
        untouched = rollout.batch.plies > 0
        assert (rollout.opponents[untouched] == opponents[untouched]).all()
    assert seen == {0, 1}
    assert not (
        Rollout(make("choko"), "paper-25", 4, ancestors=True, seed=1).opponents - ITSELF
    ).any()


def test_an_ancestor_plays_by_its_own_policy() -> None:
    """With a pool of the learner itself nothing changes but who is recorded."""
    alone = Rollout(make("choko"), "paper-25", 8, ancestors=True, seed=9)
    company = Rollout(make("choko"), "paper-25", 8, ancestors=True, seed=9)
    company.opponents[:] = 0
    for _ in range(60):
        for rollout, pool in ((alone, []), (company, [net(1)])):
            step(rollout, [net(1), *pool], _DecisionLog(), np.full(16, -1, np.int64))
        assert (alone.batch.rows == company.batch.rows).all()
    other = Rollout(make("choko"), "paper-25", 8, ancestors=True, seed=9)
    other.opponents[:] = 0
    for _ in range(60):
        step(other, [net(1), net(7)], _DecisionLog(), np.full(16, -1, np.int64))
    assert (other.batch.rows != company.batch.rows).any()


@pytest.mark.parametrize("ancestors", [False, True])
def test_samples_are_what_the_update_asks_for(ancestors: bool) -> None:
    rollout = Rollout(make("choko"), "paper-25", 8, ancestors=ancestors, seed=2)
    learner = net(1)
    samples = rollout.collect(learner, [], 500, REWARDS, gamma=0.99, decay=0.95)
    samples.check(SIZES)
    assert len(samples) >= 500
    assert abs(float(samples.advantages.mean())) < 1e-5
    assert abs(float(samples.advantages.std()) - 1.0) < 1e-3
    # The log-probabilities are those of the policy that played.
    policy = learner.policy(samples.observations, samples.legal).policy
    places = samples.legal.offsets[:-1] + samples.chosen
    assert np.allclose(np.exp(samples.old), policy[places], atol=1e-6)


def test_advantages_may_stay_as_they_are() -> None:
    """Then they are the returns without the values, which the net itself tells."""
    learner = net(1)
    plain, scaled = (
        Rollout(make("choko"), "paper-25", 8, ancestors=False, seed=2).collect(
            learner, [], 500, REWARDS, gamma=0.99, decay=0.95, normalise=normalise
        )
        for normalise in (False, True)
    )
    values = learner.logits(plain.observations, plain.legal).values
    assert np.allclose(plain.advantages, plain.returns - values, atol=1e-5)
    assert np.array_equal(plain.returns, scaled.returns)
    gains = plain.advantages.astype(np.float64)
    assert abs(gains.std() - 1.0) > 0.1
    assert np.allclose(scaled.advantages, (gains - gains.mean()) / gains.std(), atol=1e-5)


def test_games_go_on_from_their_state() -> None:
    one = Rollout(make("choko"), "paper-25", 8, ancestors=True, seed=4)
    learner, pool = net(1), [net(2), net(3)]
    one.collect(learner, pool, 600, REWARDS, gamma=0.99, decay=0.95)
    arrays, random_state = one.state()
    arrays = {name: array.copy() for name, array in arrays.items()}
    two = Rollout(make("choko"), "paper-25", 8, ancestors=True, seed=77)
    two.restore(arrays, dict(random_state))
    a, b = (r.collect(learner, pool, 600, REWARDS, gamma=0.99, decay=0.95) for r in (one, two))
    assert np.array_equal(a.observations, b.observations)
    assert np.array_equal(a.returns, b.returns)


def test_some_games_are_against_itself_and_teach_both_sides() -> None:
    rollout = Rollout(make("choko"), "paper-25", 16, ancestors=True, itself=0.5, seed=3)
    assert (rollout.sides == BOTH).all()  # as long as there is nobody else
    made, last, both, apart = _DecisionLog(), np.full(32, -1, np.int64), 0, 0
    for _ in range(500):
        sides, movers, first = rollout.sides.copy(), rollout.batch.players(), len(made)
        step(rollout, [net(1), net(2)], made, last)
        assert len(made) - first == int(((movers == sides) | (sides == BOTH)).sum())
        over = np.flatnonzero(rollout.batch.plies == 0)
        alone = rollout.sides[over] == BOTH
        assert ((rollout.opponents[over] == ITSELF) == alone).all()
        both, apart = both + int(alone.sum()), apart + int((~alone).sum())
    assert 0.35 < both / (both + apart) < 0.65


def test_turned_positions_are_images_and_games_still_end_as_they_should() -> None:
    rollout = Rollout(make("choko"), "planes", 6, ancestors=False, symmetries=True, seed=5)
    sizes = Architecture(150, (16,), 2625)
    learner = Forward(sizes, starting_weights(sizes, 1))
    plain = Rollout(make("choko"), "planes", 6, ancestors=False, seed=5)
    made = rollout.collect(learner, [], 800, REWARDS, gamma=0.99, decay=0.95)
    made.check(sizes)
    other = plain.collect(learner, [], 800, REWARDS, gamma=0.99, decay=0.95)
    assert (made.observations[:12] != other.observations[:12]).any()
    # The empty board is its own image; later there is a piece on every part of the board.
    assert (made.observations[:6] == other.observations[:6]).all()


def test_a_draw_has_its_own_reward() -> None:
    rewards = Rewards(point=0.0, win=2.0, loss=-2.0, draw=-0.5)
    rollout = Rollout(make("choko:cap=6"), "paper-25", 4, ancestors=False, seed=5)
    made, last = _DecisionLog(), np.full(8, -1, np.int64)
    for _ in range(12):
        rollout._step(Forward.stack([net(1)]), rewards, made, last)
    assert sorted(set(made.rewards)) == [-0.5, 0.0]
    assert made.rewards.count(-0.5) == sum(made.ended) == 16
