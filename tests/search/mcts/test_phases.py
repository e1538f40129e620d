"""The phases apart, and the root policies: right at the root, the same on any number of cores."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import playproof
from playproof import UsageError
from playproof.core.batch import Batch, LegalLists
from playproof.core.kernels import CHANCE
from playproof.nets import architectures, resnet
from playproof.nets.evaluators.device import DeviceEvaluator, DeviceNet, network_speed
from playproof.nets.evaluators.leaves import NetEvaluator
from playproof.search.evaluators import Evaluation, material
from playproof.search.mcts import RootPolicies, SearchConfig, TreeSearch, simulate
from playproof.search.mcts.gumbel import halving_schedule
from tests.support.search.positions import random_positions
from tests.support.toys import reference


def search_policies(
    batch: Batch, config: SearchConfig, *, exploring: float = 0.0, temperature: float = 0.0
) -> RootPolicies:
    n = len(batch)
    trees = TreeSearch(batch.game, n, config, material)
    trees.reset_roots(batch, seed=7, exploring=np.full(n, exploring))
    simulate([trees])
    return trees.policies(np.full(n, temperature))


@pytest.mark.parametrize("policy", ["puct", "gumbel"])
def test_near_the_end_it_proves_and_teaches_nothing_else(policy: str) -> None:
    game = playproof.make("othello", size=4)
    states = random_positions(game, 40, 1, (5, 9))
    config = SearchConfig(simulations=4000, policy=policy, considered=8, exploration=20.0)
    policies = search_policies(Batch.of(states), config)
    assert policies.proven.all()
    refuted = 0
    for i, state in enumerate(states):
        value = reference.value(state)
        assert policies.values[i] == value
        part = slice(policies.legal.offsets[i], policies.legal.offsets[i + 1])
        for action, share in zip(policies.legal.actions[part], policies.policy[part], strict=True):
            right = reference.value(state.apply(int(action))) == value
            assert right or share == 0
            refuted += not right
        assert reference.value(state.apply(int(policies.chosen[i]))) == value
    assert refuted > 20


@pytest.mark.parametrize("game", ["othello:size=4", "quantum-go:board=3x3", "chess"])
@pytest.mark.parametrize("policy", ["puct", "gumbel"])
def test_policies_are_whole_and_cores_do_not_matter(game: str, policy: str) -> None:
    made = playproof.make(game)
    batch = Batch.of(random_positions(made, 5, 2, (2, 6)))
    config = SearchConfig(simulations=24, policy=policy, considered=4, noise=0.25)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = search_policies(batch, config, exploring=1.0, temperature=1.0)
        numba.set_num_threads(min(2, before))
        together = search_policies(batch, config, exploring=1.0, temperature=1.0)
    finally:
        numba.set_num_threads(before)
    for one, two in zip([*alone.legal, *alone[1:]], [*together.legal, *together[1:]], strict=True):
        np.testing.assert_array_equal(one, two)
    sums = np.add.reduceat(alone.policy, alone.legal.offsets[:-1])
    np.testing.assert_allclose(sums, 1.0, atol=1e-5)
    legal = batch.legal_lists()
    for i in range(len(batch)):
        assert alone.chosen[i] in legal.of(i)
        assert sorted(alone.legal.of(i)) == sorted(legal.of(i))


def test_halving_visits_every_action_in_question_as_often() -> None:
    table = halving_schedule(8, 24)
    # Eight once, the better four twice more, the last two with what is left.
    assert table[8].tolist()[:8] == [0] * 8
    assert table[8].tolist()[8:16] == [1] * 4 + [2] * 4
    assert table[8].tolist()[16:] == [3, 3, 4, 4, 5, 5, 6, 6]
    assert table[1].tolist() == list(range(24))
    assert all((np.diff(np.sort(row)) <= 1).all() for row in table)  # none is left out


def test_noise_is_for_exploring_roots_alone() -> None:
    batch = Batch.of([playproof.make("othello").start()] * 3)
    noisy = SearchConfig(simulations=60, policy="puct", noise=0.25)
    quiet = search_policies(batch, noisy, exploring=0.0)
    exploring = search_policies(batch, noisy, exploring=1.0)
    still = search_policies(batch, SearchConfig(simulations=60, policy="puct"), exploring=1.0)
    np.testing.assert_array_equal(quiet.policy, still.policy)
    assert not np.array_equal(exploring.policy, still.policy)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 5.0])
def test_noise_has_the_moments_of_a_dirichlet_distribution(alpha: float) -> None:
    batch = Batch.start("othello", 4000, seed=3)
    config = SearchConfig(simulations=1, policy="puct", noise=1.0, noise_alpha=alpha)
    trees = TreeSearch.from_states(batch, config, material)
    trees.run()
    shares = np.stack([trees.root(i).priors for i in range(len(batch))])  # of four moves
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(shares.mean(axis=0), 0.25, atol=0.02)
    exact = (0.25 * 0.75) / (4 * alpha + 1)
    np.testing.assert_allclose(shares.var(axis=0), exact, rtol=0.1)


def test_a_network_on_a_device_says_the_same_in_two_forests() -> None:
    game = playproof.make("othello", size=6)
    architecture = resnet.architecture_for(game, "planes", 1, 8)
    weights = architectures.starting_weights(architecture, 3)
    batch = Batch.of(random_positions(game, 7, 3, (2, 12)))
    config = SearchConfig(simulations=12, policy="gumbel", considered=4)
    parts = [batch.take(np.arange(4)), batch.take(np.arange(4, 7))]
    # The same memory as on a GPU, filled by the CPU.
    net = DeviceNet(architecture, architectures.starting_weights(architecture, 1), "cpu")
    net.load_weights(weights)
    evaluators = [DeviceEvaluator(net, len(part), "planes") for part in parts]
    halves = [
        TreeSearch(game, len(part), config, evaluator)
        for part, evaluator in zip(parts, evaluators, strict=True)
    ]
    whole = TreeSearch(
        game, 7, config, NetEvaluator(architectures.forward_of(architecture, weights), "planes")
    )
    for trees, part in zip([*halves, whole], [*parts, batch], strict=True):
        trees.reset_roots(part, seed=5)
    simulate(halves)
    simulate([whole])
    at_once = whole.policies()
    two = [trees.policies() for trees in halves]
    np.testing.assert_array_equal(np.concatenate([part.chosen for part in two]), at_once.chosen)
    policy = np.concatenate([part.policy for part in two])
    np.testing.assert_allclose(policy, at_once.policy, atol=1e-3)
    assert network_speed(evaluators, 0.05) > 0
    with pytest.raises(UsageError, match="this evaluator is for 4 leaves of"):
        TreeSearch(game, 5, config, evaluators[0])


@pytest.mark.parametrize("name", ["othello:size=6", "chess"])
def test_several_leaves_of_a_tree_in_a_round(name: str) -> None:
    """As many simulations in fewer rounds; what a leaf sees does not depend on how it was met."""
    game = playproof.make(name)
    observation = "full" if name == "chess" else "planes"
    architecture = resnet.architecture_for(game, observation, 1, 8)
    ready = architectures.forward_of(architecture, architectures.starting_weights(architecture, 3))
    batch = Batch.of(random_positions(game, 6, 3, (4, 12)))
    rounds = {}
    for leaves in (1, 4):
        config = SearchConfig(simulations=60, policy="puct", leaves=leaves)
        evaluator, rounds[leaves] = NetEvaluator(ready, observation), 0
        trees = TreeSearch(game, 6, config, evaluator)
        trees.reset_roots(batch, seed=5)
        while trees.needs_simulations:
            selected = trees.select()
            if not len(selected.present):
                continue
            # As positions with their past: made anew from the paths.
            leaf_batch = selected.batch_of(selected.present)
            np.testing.assert_array_equal(
                selected.observations[selected.present],
                leaf_batch.observe(observation).reshape(len(leaf_batch), -1),
            )
            legal = leaf_batch.legal_lists()
            np.testing.assert_array_equal(selected.present_legal.offsets, legal.offsets)
            np.testing.assert_array_equal(selected.present_legal.actions, legal.actions)
            evaluator.submit(selected)
            trees.backup(evaluator.result())
            rounds[leaves] += 1
        assert trees.simulations_done.tolist() == [60] * 6
        forest = trees._forest
        assert not forest.virtual[:, : int(forest.edges_used.max())].any()
        for tree in range(6):
            root = trees.root(tree)
            assert root.visits.sum() == root.simulations - 1 == 59
    assert rounds[1] >= 59
    assert rounds[4] < rounds[1] / 2.5


def test_a_search_has_room_for_so_much_and_no_more() -> None:
    game = playproof.make("othello")
    trees = TreeSearch(game, 2, SearchConfig(simulations=10), material)
    with pytest.raises(UsageError, match="room for 2 trees of 10 simulations, not for 3 of 10"):
        trees.reset_roots(Batch.start(game, 3))
    with pytest.raises(UsageError, match="room for 2 trees of 10 simulations, not for 2 of 11"):
        trees.reset_roots(Batch.start(game, 2), simulations=11)


def test_inactive_trees_do_not_grow() -> None:
    game = playproof.make("othello")
    trees = TreeSearch(game, 3, SearchConfig(simulations=10, policy="puct"), material)
    trees.reset_roots(Batch.start(game, 3), active=np.array([True, False, True]))
    trees.run()
    assert [trees.root(i).visits.sum() for i in range(3)] == [9, 0, 9]


@pytest.mark.parametrize("policy", ["puct", "gumbel"])
def test_chance_is_never_asked_about(policy: str) -> None:
    """A network has no policy for a coin: its outcomes have their odds."""
    game = playproof.make("quantum-go", board="3x3", collapse="born")
    evaluated = 0

    def watched(batch: Batch, legal: LegalLists) -> Evaluation:
        nonlocal evaluated
        evaluated += len(batch)
        assert (batch.players() != CHANCE).all()
        return material(batch, legal)

    states = [s for s in random_positions(game, 20, 4, (4, 12)) if not s.is_chance][:8]
    config = SearchConfig(simulations=150, policy=policy, considered=4)
    trees = TreeSearch.from_states(states, config, watched)
    trees.run()
    f = trees._forest
    used = np.arange(f.visits.shape[1]) < f.nodes_used[:, None]
    assert (used & (f.movers == CHANCE)).any()
    assert evaluated > 400


@pytest.mark.parametrize("policy", ["uct", "puct", "gumbel"])
def test_kept_trees_explore_anew(policy: str) -> None:
    game = playproof.make("othello")
    config = SearchConfig(simulations=40, policy=policy, considered=4, noise=0.5, seed=3)
    trees = TreeSearch.from_states([game.start()] * 3, config, material)
    trees.run()
    chosen = trees.policies().chosen
    trees.advance(chosen)
    kept = [trees.root(i) for i in range(3)]
    assert all(root.visits.sum() > 0 for root in kept)
    if policy != "gumbel":  # material's priors are equal, those with noise are not
        assert all(np.ptp(root.priors) > 0.01 for root in kept)
    trees.run()
    after = trees.policies()
    for i in range(3):
        root, state = trees.root(i), game.start().apply(int(chosen[i]))
        assert root.simulations == 40
        assert sorted(after.legal.of(i)) == state.legal_actions()
        assert after.chosen[i] in state.legal_actions()


def test_lines_begin_with_their_action_and_can_be_played() -> None:
    game = playproof.make("othello")
    trees = TreeSearch.from_states([game.start()], SearchConfig(simulations=300, seed=1))
    trees.run()
    root = trees.root(0, lines=3)
    assert list(root.lines) == [int(root.actions[i]) for i in root.order()[:3]]
    visits = root.visits[root.order()].tolist()
    assert visits == sorted(visits, reverse=True)
    assert root.lines[root.best()] == root.line
    for action, line in root.lines.items():
        assert line[0] == action
        assert len(line) > 1
        state = game.start()
        for move in line:
            state = state.apply(move)
