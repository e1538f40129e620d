"""Policy-guided search: minimax over the moves that a policy likes."""

from __future__ import annotations

import numpy as np
import pytest

import playproof
from playproof import CHANCE, Batch, State, UsageError
from playproof.core.batch import LegalLists
from playproof.search.evaluators import Evaluation, material, uniform_priors
from playproof.search.policy_guided import PAPER_WIDTHS, search
from tests.support.search.positions import random_positions
from tests.support.toys import reference
from tests.support.toys.coin import Coin

EVERYTHING = (1000,) * 4


def full_width(state: State, depth: int) -> float:
    """Minimax with the material value of ``evaluators.material`` at the horizon."""
    if state.is_terminal:
        return float(state.outcome or 0)
    if depth == 0:
        return float(np.tanh(state.score / 6.0))
    if state.current_player == CHANCE:
        return sum(p * full_width(state.apply(a), depth - 1) for a, p in state.chance_outcomes())
    best = max if state.current_player == 0 else min
    return best(full_width(state.apply(a), depth - 1) for a in state.legal_actions())


@pytest.mark.parametrize("spec", ["othello", "othello:size=4", "choko"])
def test_with_every_move_it_is_minimax(spec: str) -> None:
    game = playproof.make(spec)
    states = random_positions(game, 5, 1, (2, 9))
    for state, result in zip(states, search(Batch.of(states), material, (1000, 1000)), strict=True):
        assert result.value == pytest.approx(full_width(state, 2))
        after = full_width(state.apply(result.action), 1)
        assert after == pytest.approx(result.value)


def test_it_solves_the_game_with_double_turns_a_coin_and_repetition() -> None:
    game = Coin()
    (result,) = search(Batch.of([game.start()]), material, (10,) * 12)
    assert result.value == pytest.approx(reference.value(game.start()))
    assert game.action_name(result.action) == "toss"


def _shares(legal: LegalLists, weights: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    sums = np.add.reduceat(weights, legal.offsets[:-1])
    return weights / np.repeat(sums, np.diff(legal.offsets))


def test_only_the_likeliest_moves_are_followed() -> None:
    game = playproof.make("othello")
    preferred = {game.parse_action("c4"), game.parse_action("e6")}

    def biased(batch: Batch, legal: LegalLists) -> Evaluation:
        priors = np.where(np.isin(legal.actions, list(preferred)), 0.4, 0.1).astype(np.float32)
        return Evaluation(_shares(legal, priors), np.tanh(batch.score()))

    (result,) = search(Batch.of([game.start()]), biased, (2, 1))
    assert set(result.actions.tolist()) == preferred
    assert result.action in preferred


def test_every_ply_is_one_batch() -> None:
    game, sizes = playproof.make("choko"), []

    def watched(batch: Batch, legal: LegalLists) -> Evaluation:
        sizes.append(len(batch))
        return Evaluation(uniform_priors(legal), np.zeros(len(batch)))

    search(Batch.start(game, 2), watched)
    assert PAPER_WIDTHS == (12, 6, 3, 3, 3)
    assert sizes == [2, 24, 144, 432, 1296, 3888]


def test_the_line_is_legal_and_the_same_seed_gives_it_again() -> None:
    game = playproof.make("choko")
    states = random_positions(game, 4, 2, (4, 40))
    first = search(Batch.of(states), material, salt=3)
    again = search(Batch.of(states), material, salt=3)
    for state, a, b in zip(states, first, again, strict=True):
        assert (a.line, a.value) == (b.line, b.value)
        assert a.line[0] == a.action
        for action in a.line:
            state = state.apply(action)


def test_a_win_is_taken() -> None:
    game = playproof.make("choko")
    state = game.position("5/5/5/r4/br3 b 0 0 - 60")
    (result,) = search(Batch.of([state]), material)
    assert result.value == 1.0


def test_widths_must_be_widths() -> None:
    batch = Batch.start(playproof.make("othello"), 1)
    for wrong in ((), (0,), (3, -1)):
        with pytest.raises(UsageError, match="widths"):
            search(batch, material, wrong)
