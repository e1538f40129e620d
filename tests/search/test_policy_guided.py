"""Policy-guided search: minimax over the moves that a policy likes."""

from __future__ import annotations

import numpy as np
import pytest

import playproof
from playproof import CHANCE, Batch, State, UsageError
from playproof.agents.pgts import PolicyGuided
from playproof.agents.registry import make_agent
from playproof.core.batch import LegalLists
from playproof.nets import shipped
from playproof.nets.evaluators.network import evaluator
from playproof.search.evaluators import Evaluation, material, uniform_priors
from playproof.search.policy_guided import BACKUPS, PAPER_WIDTHS, search
from tests.support.search.positions import random_positions
from tests.support.search.readings import Pgts
from tests.support.toys import reference
from tests.support.toys.coin import Coin
from tests.support.toys.tree import Tree

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


# The readings of "the largest observed value"

# Of each node, for the first player.  The first player moves at 1 and at 4 to 7.
BY_NODE = {4: 0.0, 5: 0.5, 6: 0.4, 7: -0.1,
           8: 0.1, 9: 0.6, 10: 0.2, 11: 0.3, 12: 0.9, 13: 0.0, 14: -0.5, 15: -0.8}  # fmt: skip


def by_node(batch: Batch, legal: LegalLists) -> Evaluation:
    values = np.array([BY_NODE.get(int(row[0]), 0.0) for row in batch.rows])
    return Evaluation(uniform_priors(legal), values)


@pytest.mark.parametrize(
    ("backup", "plies", "value", "line"),
    [
        # Three plies: 2 is worth min(0.6, 0.3), 3 is worth min(0.9, -0.5).
        ("minimax", 3, 0.3, (0, 1, 1)),
        ("largest", 3, 0.9, (1, 0, 0)),
        # At the leaves the second player is to move: 0.8 for that side is the largest of all.
        ("largest-leaf", 3, 0.8, (1, 1, 1)),
        # Two plies: the first player is to move at the leaves, so both readings agree.
        ("minimax", 2, 0.0, (0, 0)),
        ("largest", 2, 0.5, (0, 1)),
        ("largest-leaf", 2, 0.5, (0, 1)),
    ],
)
def test_a_tree_by_hand(backup: str, plies: int, value: float, line: tuple[int, ...]) -> None:
    start = Tree({}, {}).start()
    (result,) = search(Batch.of([start]), by_node, (2,) * plies, backup=backup)
    assert (result.value, result.line) == (pytest.approx(value), line)


def test_rewards_on_the_way_by_hand() -> None:
    # Going to 2 wins four points, and 5 loses two of them again: the published code counts both in
    # favour of the root's side, 0.05 each, while the points are the second player's gain.
    game = Tree({2: 4, 4: 4, 5: 2}, over={6: 1})
    (result,) = search(Batch.of([game.start()]), by_node, (2, 2), backup="published")
    after = dict(zip(result.actions.tolist(), result.values.tolist(), strict=True))
    assert after[0] == pytest.approx(0.05 * 4 + min(0.0, 0.5 + 0.05 * 2))
    # 6 is a loss of the second player, who prefers 7.
    assert after[1] == pytest.approx(-0.1)
    # Above the last ply a finished game is lost for the side to move: beyond all values.
    over = Tree({}, over={2: -1})
    (result,) = search(Batch.of([over.start()]), by_node, (2, 2), backup="published")
    assert result.action == 0
    assert result.value == 1.0


@pytest.mark.parametrize("backup", BACKUPS)
def test_each_reading_is_its_naive_recursion(backup: str) -> None:
    game = playproof.make("choko")
    net = evaluator(shipped.find("choko-ppo-v3", game), game)

    def critic(batch: Batch, legal: LegalLists) -> Evaluation:
        """The net's values, with priors of which no two are nearly equal."""
        weights = np.empty(len(legal.actions))
        for row in range(len(batch)):
            part = slice(legal.offsets[row], legal.offsets[row + 1])
            ranks = np.argsort(np.argsort(legal.actions[part] * 7919 % 2657))
            weights[part] = 1.0 / (1.0 + ranks)
        return Evaluation(_shares(legal, weights).astype(np.float32), net(batch, legal).values)

    widths = (4, 3, 2)
    texts = ("5/5/5/1r3/br3 b 0 0 - 60", "5/5/5/1r3/br3 b 0 0 - 98", "5/5/5/1b3/rb3 r 0 0 - 99",
             "5/5/b4/bb3/r1b2 b 0 0 - 60")  # fmt: skip
    states = [game.position(text) for text in texts]
    states += random_positions(game, 12, 4, (4, 99)) + random_positions(game, 8, 5, (90, 99))
    results = search(Batch.of(states), critic, widths, backup=backup)
    for state, result in zip(states, results, strict=True):
        want = Pgts(state, critic, backup).moves(state, widths)
        sign = -1.0 if state.current_player == 1 else 1.0
        got = dict(zip(result.actions.tolist(), sign * result.values, strict=True))
        assert got == pytest.approx({a: np.clip(v, -1.0, 1.0) for a, v in want.items()}, abs=1e-6)
        assert want[result.action] == pytest.approx(max(want.values()), abs=1e-6)


def test_the_agent_takes_a_reading() -> None:
    game = playproof.make("choko")
    state = random_positions(game, 1, 6, (30, 30))[0]
    (option,) = (o for o in PolicyGuided.option_fields if o.name == "backup")
    assert option.choices == BACKUPS
    for backup in BACKUPS:
        agent = make_agent(f"pgts:net=choko-ppo-v3,backup={backup}", game, seed=1)
        critic = evaluator(shipped.find("choko-ppo-v3", game), game)
        (want,) = search(Batch.of([state]), critic, salt=1, backup=backup)
        decision = agent.decide(state)
        assert (decision.action, decision.value) == (want.action, pytest.approx(want.value))
    assert make_agent("pgts:backup=minimax", game).spec == make_agent("pgts", game).spec
    with pytest.raises(UsageError, match="backup=best is not minimax, largest, largest-leaf or"):
        make_agent("pgts:backup=best", game)
    with pytest.raises(UsageError, match="pgts: backup 'best' is not minimax"):
        search(Batch.start(game, 1), material, backup="best")


def test_widths_must_be_widths() -> None:
    batch = Batch.start(playproof.make("othello"), 1)
    for wrong in ((), (0,), (3, -1)):
        with pytest.raises(UsageError, match="widths"):
            search(batch, material, wrong)
