"""Many trees, a leaf at a time: right at the root, and the same on any number of cores."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import playproof
from playproof import UsageError
from playproof.core.batch import Batch
from playproof.nets import kinds, resnet
from playproof.nets.device_judge import DeviceJudge, DeviceNet
from playproof.nets.judges import EvaluatorJudge, NetJudge, grow
from playproof.search.evaluators import material
from playproof.search.many_trees import Found, Growth, ManyTrees, considered_visits
from search.positions import random_positions
from toys import reference


def found(batch: Batch, growth: Growth, *, loud: float = 0.0, temperature: float = 0.0) -> Found:
    n = len(batch)
    trees = ManyTrees(batch.game, n, growth)
    trees.plant(batch, growth.simulations, 7, np.full(n, loud))
    grow([trees], [EvaluatorJudge(material)])
    return trees.found(np.full(n, temperature))


@pytest.mark.parametrize("considered", [0, 8])
def test_near_the_end_it_proves_and_teaches_nothing_else(considered: int) -> None:
    game = playproof.make("othello", size=4)
    states = random_positions(game, 40, 1, (5, 9))
    growth = Growth(simulations=4000, considered=considered, noise=0.0, exploration=20.0)
    said = found(Batch.of(states), growth)
    assert said.proven.all()
    refuted = 0
    for i, state in enumerate(states):
        value = reference.value(state)
        assert said.values[i] == value
        mine = slice(said.legal.offsets[i], said.legal.offsets[i + 1])
        for action, share in zip(said.legal.actions[mine], said.policy[mine], strict=True):
            right = reference.value(state.apply(int(action))) == value
            assert right or share == 0
            refuted += not right
        assert reference.value(state.apply(int(said.chosen[i]))) == value
    assert refuted > 20


@pytest.mark.parametrize("game", ["othello:size=4", "quantum-go:board=3x3", "chess"])
@pytest.mark.parametrize("considered", [0, 4])
def test_policies_are_whole_and_cores_do_not_matter(game: str, considered: int) -> None:
    made = playproof.make(game)
    batch = Batch.of(random_positions(made, 5, 2, (2, 6)))
    growth = Growth(simulations=24, considered=considered)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = found(batch, growth, loud=1.0, temperature=1.0)
        numba.set_num_threads(min(2, before))
        together = found(batch, growth, loud=1.0, temperature=1.0)
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
    table = considered_visits(8, 24)
    # Eight once, the better four twice more, the last two with what is left.
    assert table[8].tolist()[:8] == [0] * 8
    assert table[8].tolist()[8:16] == [1] * 4 + [2] * 4
    assert table[8].tolist()[16:] == [3, 3, 4, 4, 5, 5, 6, 6]
    assert table[1].tolist() == list(range(24))
    assert all((np.diff(np.sort(row)) <= 1).all() for row in table)  # none is left out


def test_noise_is_for_loud_roots_alone() -> None:
    batch = Batch.of([playproof.make("othello").start()] * 3)
    quiet = found(batch, Growth(simulations=60), loud=0.0)
    loud = found(batch, Growth(simulations=60), loud=1.0)
    still = found(batch, Growth(simulations=60, noise=0.0), loud=1.0)
    np.testing.assert_array_equal(quiet.policy, still.policy)
    assert not np.array_equal(loud.policy, still.policy)


def test_a_network_on_a_device_says_the_same_in_two_forests() -> None:
    game = playproof.make("othello", size=6)
    architecture = resnet.architecture_for(game, "planes", 1, 8)
    weights = kinds.starting_weights(architecture, 3)
    batch = Batch.of(random_positions(game, 7, 3, (2, 12)))
    growth = Growth(simulations=12, considered=4)
    parts = [batch.take(np.arange(4)), batch.take(np.arange(4, 7))]
    # The same slots as on a GPU, filled by the CPU.
    judge = DeviceJudge(
        DeviceNet(architecture, kinds.starting_weights(architecture, 1), "cpu"), [4, 3]
    )
    judge.net.exchange(weights)
    halves = [
        ManyTrees(game, len(part), growth, "planes", judge.planes(slot))
        for slot, part in enumerate(parts)
    ]
    whole = ManyTrees(game, 7, growth, "planes")
    for trees, part in zip([*halves, whole], [*parts, batch], strict=True):
        trees.plant(part, 12, 5, np.ones(len(part)))
    grow(halves, [judge, judge])
    grow([whole], [NetJudge(kinds.ready(architecture, weights))])
    at_once = whole.found(np.zeros(7))
    two = [trees.found(np.zeros(len(trees))) for trees in halves]
    np.testing.assert_array_equal(np.concatenate([part.chosen for part in two]), at_once.chosen)
    policy = np.concatenate([part.policy for part in two])
    np.testing.assert_allclose(policy, at_once.policy, atol=1e-3)
    assert judge.bare_speed(0.05) > 0


@pytest.mark.parametrize("name", ["othello:size=6", "chess"])
def test_several_leaves_of_a_tree_in_a_round(name: str) -> None:
    """As many simulations in fewer rounds; what a leaf sees does not depend on how it was met."""
    game = playproof.make(name)
    observation = "full" if name == "chess" else "planes"
    architecture = resnet.architecture_for(game, observation, 1, 8)
    ready = kinds.ready(architecture, kinds.starting_weights(architecture, 3))
    batch = Batch.of(random_positions(game, 6, 3, (4, 12)))
    rounds = {}
    for leaves in (1, 4):
        growth = Growth(simulations=60, noise=0.0, leaves=leaves)
        trees = ManyTrees(game, 6, growth, observation)
        trees.plant(batch, 60, 5, np.zeros(6))
        judge, rounds[leaves] = NetJudge(ready), 0
        while trees.wants_more and trees.look():
            states = trees._forest.states
            for tree in range(6):
                for k in range(leaves):
                    row, depth = tree * leaves + k, int(trees._depths[tree, k])
                    assert (depth >= 0) == (trees.counts[row] > 0)
                    if depth >= 0 and name != "chess":  # which has a past that is not there
                        leaf = trees._paths[tree, k, 0, depth]
                        alone = Batch(game, states[tree, leaf : leaf + 1].copy())
                        np.testing.assert_array_equal(
                            trees.planes[row], alone.observe(observation).ravel()
                        )
                        mine = slice(trees.legal.offsets[row], trees.legal.offsets[row + 1])
                        legal = alone.legal_lists().actions
                        np.testing.assert_array_equal(trees.legal.actions[mine], legal)
            judge.begin(0, trees)
            trees.back_up(*judge.finish(0, trees))
            rounds[leaves] += 1
        assert trees.done.tolist() == [60] * 6
        assert not trees._forest.virtual[:, : int(trees._forest.edges.max())].any()
        for tree in range(6):
            root = trees.root(tree)
            assert root.visits.sum() == root.simulations - 1 == 59
    assert rounds[1] >= 59
    assert rounds[4] < rounds[1] / 2.5


def test_bad_growth_is_refused() -> None:
    with pytest.raises(UsageError, match="want leaves from 1, and 1 where a root halves"):
        Growth(leaves=2, considered=4)
    trees = ManyTrees(playproof.make("othello"), 2, Growth(leaves=2))
    with pytest.raises(UsageError, match="the pasts are not kept: want one a round"):
        trees.leaf_batch()
    with pytest.raises(UsageError, match="1 simulations: want 2 or more"):
        Growth(simulations=1)
    with pytest.raises(UsageError, match="noise from 0 to 1"):
        Growth(noise=2.0)
    game = playproof.make("quantum-go", board="3x3", collapse="born")
    with pytest.raises(UsageError, match="moves of chance"):
        ManyTrees(game, 2, Growth())
