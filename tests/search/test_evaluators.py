"""What an evaluator answers is checked before a tree believes it: one line says what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import playproof
from playproof import Batch, UsageError
from playproof.core.batch import LegalLists
from playproof.search.evaluators import Evaluation, evaluate, material, uniform_priors
from playproof.search.mcts import SearchConfig, TreeSearch
from playproof.search.policy_guided import search
from tests.support.toys.coin import Coin

GAME = playproof.make("othello:size=4")  # four legal moves at the start, 17 actions


def values(legal: LegalLists, *given: float) -> tuple[Any, Any]:
    n = len(legal.offsets) - 1
    return uniform_priors(legal), np.resize(np.array(given, np.float64), n)


def priors(legal: LegalLists, *given: float) -> tuple[Any, Any]:
    flat = np.resize(np.array(given, np.float32), len(legal.actions))
    return flat, np.zeros(len(legal.offsets) - 1)


def dense(legal: LegalLists, fill: float, actions: int = GAME.num_actions) -> tuple[Any, Any]:
    n = len(legal.offsets) - 1
    return np.full((n, actions), fill), np.zeros(n)


WRONG: dict[str, tuple[Callable[[LegalLists], Any], str]] = {
    "nothing": (lambda legal: None, r"gave None: want a pair \(priors, values\)"),
    "one array": (lambda legal: uniform_priors(legal), r"want a pair \(priors, values\)"),
    "three": (lambda legal: (1, 2, 3), r"gave a tuple of 3: want a pair \(priors, values\)"),
    "text": (lambda legal: (uniform_priors(legal), "good"), r"values are no numbers: want "),
    "ragged": (lambda legal: ([[1.0], [1.0, 2.0]], [0.0]), r"priors are no numbers: want "),
    "flags": (lambda legal: (uniform_priors(legal), np.array([True] * 3)), r"no numbers"),
    "too many values": (
        lambda legal: (uniform_priors(legal), np.zeros((3, 2))),
        r"values have shape \(3, 2\): want \(3,\), one for each position",
    ),
    "one value": (
        lambda legal: (uniform_priors(legal), 0.5),
        r"values have shape \(\): want \(3,\)",
    ),
    "a value that is none": (
        lambda legal: values(legal, 0.0, np.nan),
        r"values have nan in row 1: want numbers from -1 \(.*\) to 1",
    ),
    "an infinite value": (lambda legal: values(legal, 0.0, 0.0, np.inf), r"inf in row 2"),
    "a value in discs": (
        lambda legal: values(legal, 0.0, 12.0),
        r"values have 12 in row 1: want numbers from -1 \(the second player wins\) to 1",
    ),
    "priors of another shape": (
        lambda legal: (np.ones(5), np.zeros(3)),
        r"priors have shape \(5,\): want \(12,\), one for each legal action, or \(3, 17\)",
    ),
    "priors of another game": (lambda legal: dense(legal, 0.1, 65), r"shape \(3, 65\): want \(12,"),
    "a prior that is none": (lambda legal: priors(legal, 0.5, np.nan), r"nan in row 0"),
    "a negative prior": (
        lambda legal: priors(legal, 2.0, -1.0, 0.5, -0.5),
        r"priors have -1 in row 0: want probabilities .*network_evaluator",
    ),
    "priors that are no shares": (
        lambda legal: priors(legal, 1.0),
        r"priors of row 0 add up to 4: want 1 .*network_evaluator",
    ),
    "no prior at all": (lambda legal: dense(legal, 0.0), r"priors of row 0 are all 0"),
    "negative, of all actions": (lambda legal: dense(legal, -3.0), r"-3 in row 0"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_answer_is_named_in_one_line(kind: str) -> None:
    answer, words = WRONG[kind]
    trees = TreeSearch.from_states(
        [GAME.start()] * 3,
        SearchConfig(simulations=8, policy="puct"),
        lambda b, legal: answer(legal),
    )
    with pytest.raises(UsageError, match=words) as error:
        trees.run()
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("the evaluator")


def test_every_search_that_takes_an_evaluator_checks_it() -> None:
    def in_discs(batch: Batch, legal: LegalLists) -> Evaluation:
        return Evaluation(uniform_priors(legal), np.full(len(batch), 7.0))

    with pytest.raises(UsageError, match="values have 7 in row 0"):
        search(Batch.of([GAME.start()]), in_discs, (2,))
    trees = TreeSearch.from_states([GAME.start()] * 2, SearchConfig(simulations=4), in_discs)
    with pytest.raises(UsageError, match="values have 7 in row 0"):
        trees.run()


def test_what_is_right_is_taken_as_it_is() -> None:
    batch = Batch.of([GAME.start()] * 3)
    legal = batch.legal_lists()
    own, checked = material(batch, legal), evaluate(material, batch, legal)
    assert np.array_equal(own.priors, checked.priors)
    assert np.array_equal(own.values, checked.values)
    assert checked.priors.dtype == np.float32
    assert checked.values.dtype == np.float64


def test_priors_of_all_actions_keep_the_legal_ones() -> None:
    batch = Batch.of([GAME.start()])
    legal = batch.legal_lists()
    weights = np.zeros((1, GAME.num_actions))
    weights[0, legal.actions] = [0.4, 0.2, 0.1, 0.1]
    weights[0, -1] = 0.2  # a pass, which is not legal here
    evaluation = evaluate(lambda b, lists: (weights, [[0.5]]), batch, legal)
    assert evaluation.priors == pytest.approx([0.5, 0.25, 0.125, 0.125])
    assert evaluation.values == pytest.approx([0.5])


def test_tensors_are_taken_as_arrays() -> None:
    torch = pytest.importorskip("torch")
    batch = Batch.of([GAME.start()] * 2)

    def tensors(batch: Batch, legal: LegalLists) -> Any:
        shares = torch.tensor(uniform_priors(legal), requires_grad=True)
        return shares, torch.full((2, 1), 0.25, dtype=torch.bfloat16)

    evaluation = evaluate(tensors, batch, batch.legal_lists())
    assert evaluation.values.tolist() == [0.25, 0.25]
    assert evaluation.priors == pytest.approx(0.25)


def test_chance_has_its_own_odds_whatever_the_priors() -> None:
    """Nobody needs a policy for a coin."""

    def zeros_at_chance(batch: Batch, legal: LegalLists) -> Any:
        deciding = np.repeat(batch.players() >= 0, np.diff(legal.offsets))
        return np.where(deciding, uniform_priors(legal), 0.0), np.zeros(len(batch))

    trees = TreeSearch.from_states(
        [Coin().start()], SearchConfig(simulations=200, policy="puct"), zeros_at_chance
    )
    trees.run()
    assert trees.root(0).simulations > 1
