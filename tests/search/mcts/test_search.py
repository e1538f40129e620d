"""Tree search over a forest: right, repeatable, and well behaved at its limits."""

from __future__ import annotations

import random
import threading
import time

import numba
import numpy as np
import pytest

import playproof
from playproof import Batch, State, UsageError
from playproof.core.batch import LegalLists
from playproof.core.stopping import stop_flag
from playproof.search.evaluators import Evaluation, material, playout, uniform_priors
from playproof.search.mcts import UNKNOWN, Root, SearchConfig, TreeSearch
from tests.support.search.positions import random_position, random_positions
from tests.support.toys import reference
from tests.support.toys.coin import Coin


def grown(states: list[State], evaluator=None, **config) -> TreeSearch:  # type: ignore[no-untyped-def]
    trees = TreeSearch.from_states(states, SearchConfig(**config), evaluator)
    trees.run()
    return trees


def same(a: Root, b: Root) -> bool:
    return a.line == b.line and a.value == b.value and np.array_equal(a.visits, b.visits)


@pytest.mark.parametrize("evaluator", [None, material, playout(material)])
def test_it_finds_the_value_of_the_game_with_a_coin(evaluator) -> None:  # type: ignore[no-untyped-def]
    game = Coin()
    exact = reference.values(game.start())
    root = grown([game.start()], evaluator, simulations=6000, seed=3).root(0)
    assert game.action_name(root.best()) == "toss"
    for action, value in zip(root.actions, root.values, strict=True):
        if game.action_name(int(action)) == "toss":
            assert value == pytest.approx(exact[int(action)], abs=0.05)
    # A step back loses by force, and that is proven, not estimated.
    back = list(root.actions).index(game.parse_action("west"))
    assert root.proven[back] == -1


def test_it_solves_othello_on_the_smallest_board_near_the_end() -> None:
    game = playproof.make("othello", size=4)
    for state in random_positions(game, 12, 1, (5, 9)):
        root = grown([state], simulations=20_000, seed=1).root(0)
        assert root.result == reference.value(state)
        after = reference.value(state.apply(root.best()))
        assert after == root.result


@pytest.mark.parametrize("evaluator", [None, material])
def test_the_same_seed_grows_the_same_trees_on_any_number_of_cores(evaluator) -> None:  # type: ignore[no-untyped-def]
    game = playproof.make("choko")
    states = random_positions(game, 6, 4, (4, 30))
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = grown(states, evaluator, simulations=150, seed=9, leaves=2)
        numba.set_num_threads(min(2, before))
        together = grown(states, evaluator, simulations=150, seed=9, leaves=2)
    finally:
        numba.set_num_threads(before)
    assert all(same(alone.root(i), together.root(i)) for i in range(len(states)))
    other = grown(states, None, simulations=150, seed=10)
    if evaluator is None:
        assert not all(same(alone.root(i), other.root(i)) for i in range(len(states)))


def test_visits_add_up() -> None:
    game = playproof.make("othello")
    trees = grown([game.start()] * 3, simulations=500, seed=2)
    for tree in range(3):
        root = trees.root(tree)
        assert root.simulations == 500
        assert root.visits.sum() == 499  # the first simulation values the root itself
        assert -1.0 <= root.value <= 1.0


def test_several_leaves_at_once_leave_no_visit_under_way() -> None:
    game = playproof.make("othello")
    trees = grown([game.start()] * 4, material, simulations=203, leaves=8, policy="puct")
    assert (trees._forest.virtual == 0).all()
    assert all(trees.root(i).simulations >= 203 for i in range(4))


def test_an_evaluator_sees_all_leaves_as_one_batch() -> None:
    game, sizes = playproof.make("othello"), []

    def watched(batch: Batch, legal: LegalLists) -> Evaluation:
        sizes.append(len(batch))
        assert not batch.finished().any()
        return Evaluation(uniform_priors(legal), np.zeros(len(batch)))

    grown([game.start()] * 10, watched, simulations=40, leaves=4, policy="puct")
    assert sizes[0] == 10  # the roots
    assert max(sizes) == 40  # four leaves of each tree
    assert len(sizes) < 40


def test_priors_lead() -> None:
    game = playproof.make("othello")
    preferred = game.parse_action("c4")

    def biased(batch: Batch, legal: LegalLists) -> Evaluation:
        weights = np.where(legal.actions == preferred, 1000.0, 1.0)
        sums = np.add.reduceat(weights, legal.offsets[:-1])
        priors = (weights / np.repeat(sums, np.diff(legal.offsets))).astype(np.float32)
        return Evaluation(priors, np.zeros(len(batch)))

    assert grown([game.start()], biased, simulations=60, policy="puct").root(0).best() == preferred


def test_noise_is_repeatable_and_changes_the_priors() -> None:
    game = playproof.make("othello")
    settings = {"simulations": 30, "policy": "puct", "noise": 0.5}
    first, again = (grown([game.start()], material, seed=1, **settings).root(0) for _ in range(2))
    assert np.array_equal(first.priors, again.priors)
    assert not np.allclose(first.priors, 0.25)
    assert first.priors.sum() == pytest.approx(1.0, abs=1e-5)


def test_temperature_draws_by_visits() -> None:
    root = grown([playproof.make("othello").start()], simulations=400, seed=1).root(0)
    chooser = np.random.default_rng(1)
    drawn = {root.best(temperature=1.0, chooser=chooser) for _ in range(200)}
    assert len(drawn) > 1
    assert root.best() == root.actions[int(np.argmax(root.visits))]


@pytest.mark.parametrize("evaluator", [None, material])
def test_what_is_known_is_kept_after_a_move(evaluator) -> None:  # type: ignore[no-untyped-def]
    game = playproof.make("choko")
    states = [random_position(game, 10, random.Random(k)) for k in range(3)]
    trees = grown(states, evaluator, simulations=300, seed=5)
    moves = [trees.root(i).best() for i in range(3)]
    chosen = [list(trees.root(i).actions).index(move) for i, move in enumerate(moves)]
    visits = [int(trees.root(i).visits[k]) for i, k in enumerate(chosen)]
    trees.advance(moves)
    for i, move in enumerate(moves):
        kept = trees.root(i)
        assert sorted(kept.actions.tolist()) == states[i].apply(move).legal_actions()
        assert kept.visits.sum() in (visits[i] - 1, visits[i])
    trees.run()
    for i in range(3):
        assert trees.root(i).simulations == 300
        assert trees.root(i).visits.sum() >= 300


def test_a_tree_for_a_move_it_never_tried_begins_anew() -> None:
    game = playproof.make("othello")
    trees = grown([game.start()], simulations=1, seed=1)
    trees.advance([game.parse_action("f5")])
    trees.run()
    assert trees.root(0).best() in game.start().apply("f5").legal_actions()


def test_another_thread_stops_it() -> None:
    game, flag = playproof.make("othello"), stop_flag()
    trees = TreeSearch.from_states([game.start()], SearchConfig(simulations=2_000_000))
    threading.Timer(0.2, lambda: flag.fill(1)).start()
    trees.run(stop=flag)
    assert 0 < trees.root(0).simulations < 2_000_000


def test_time_is_up_at_once() -> None:
    game = playproof.make("choko")
    trees = TreeSearch.from_states([game.start()], SearchConfig(simulations=100_000))
    started = time.perf_counter()
    trees.run(seconds=0.0)
    assert time.perf_counter() - started < 5.0
    assert trees.root(0).best() in game.start().legal_actions()


def test_finished_games_among_others() -> None:
    game = playproof.make("othello", size=4)
    over = game.start()
    while not over.is_terminal:
        over = over.apply(over.legal_actions()[0])
    trees = grown([over, game.start()], simulations=50)
    assert trees.root(0).result == over.outcome
    assert len(trees.root(0).actions) == 0
    assert trees.root(1).simulations == 50


def test_one_move_is_the_move() -> None:
    game = playproof.make("othello")
    single = [s for s in random_positions(game, 300, 2, (30, 58)) if len(s.legal_actions()) == 1]
    trees = grown(single[:10], simulations=20)
    for i, state in enumerate(single[:10]):
        assert [trees.root(i).best()] == state.legal_actions()


def test_a_table_of_solved_positions_is_believed() -> None:
    from playproof.core.compiling import kernel
    from playproof.core.kernels import OUTCOME_SIGNATURE

    @kernel(OUTCOME_SIGNATURE)
    def second_player_wins(options, tables, state, history):  # type: ignore[no-untyped-def]
        return -1

    game = type(playproof.make("othello"))(size=4)
    game.__dict__["kernels"] = game.kernels._replace(probe=second_player_wins)
    assert grown([game.start()], simulations=10).root(0).result == -1


def test_wrong_settings_are_refused() -> None:
    for wrong in (
        {"simulations": 0},
        {"leaves": 0},
        {"noise": 1.5},
        {"noise_alpha": 0.0},
        {"policy": "ucb"},
        {"considered": 0},
        {"policy": "gumbel", "leaves": 2},
    ):
        with pytest.raises(UsageError, match="mcts"):
            SearchConfig(**wrong)


def test_unknown_is_not_a_result() -> None:
    assert UNKNOWN not in (-1, 0, 1)
