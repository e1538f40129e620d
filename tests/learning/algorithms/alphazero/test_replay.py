"""The replay of self-play: what goes in comes out, also as an image of itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import playproof
from playproof.core.batch import Batch
from playproof.core.kernels import CHANCE
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.replay import SearchReplay, Trajectories
from tests.learning.algorithms.alphazero.test_learner import TINY
from tests.support.learning import exact_play


def trajectories_of(
    game: str, observation: str = "planes", **changes: object
) -> tuple[AlphaZero, Trajectories]:
    settings = replace(
        TINY,
        game=game,
        observation=observation,
        ply_limit=40,
        **changes,  # type: ignore[arg-type]
    )
    run = AlphaZero(settings)
    return run, run.play.collect(30)


@pytest.mark.parametrize(
    "game",
    [
        "othello:size=4",
        "go:board=3x3",
        "quantum-go:board=3x3",
        "quantum-go:board=3x3,collapse=born",
        "choko:cap=20",
    ],
)
@pytest.mark.parametrize("root", ["gumbel", "dirichlet"])
def test_every_position_has_its_legal_actions_and_a_whole_policy(game: str, root: str) -> None:
    run, trajectories = trajectories_of(game, root=root)
    assert trajectories.learned.sum() >= 30
    drawn = 0
    begins = np.flatnonzero(trajectories.firsts == np.arange(len(trajectories)))
    np.testing.assert_array_equal(
        trajectories.rows[begins], np.tile(run.game.start_row(), (len(begins), 1))
    )
    for begin, end in zip(begins, [*begins[1:], len(trajectories)], strict=True):
        batch = Batch(run.game, trajectories.rows[begin : begin + 1].copy())
        for at in range(begin, end):
            mine = slice(trajectories.offsets[at], trajectories.offsets[at + 1])
            np.testing.assert_array_equal(batch.rows[0], trajectories.rows[at])
            if batch.players()[0] == CHANCE:  # nobody's decision: kept for the past it makes
                assert len(trajectories.policy[mine]) == 0
                assert not trajectories.learned[at]
                drawn += 1
                batch.apply(
                    [_led(run.game, batch, trajectories.rows[at + 1])] if at + 1 < end else [-1]
                )
                continue
            # With the past of the game, which superko looks at.
            assert sorted(trajectories.actions[mine]) == sorted(batch.legal_lists().of(0))
            assert trajectories.policy[mine].sum() == pytest.approx(1.0, abs=1e-5)
            assert (trajectories.policy[mine] >= 0).all()
            assert -1.0 <= trajectories.values[at] <= 1.0
            if at + 1 < end:
                batch.apply([_led(run.game, batch, trajectories.rows[at + 1])])
    assert (drawn > 0) == run.game.has_chance


def _led(game: playproof.Game, batch: Batch, row: np.ndarray) -> int:
    """The action that leads to a row."""
    for action in batch.legal_lists().of(0).tolist():
        after = batch.copy()
        after.apply([action])
        if np.array_equal(after.rows[0] & game.position_mask, row & game.position_mask):
            return action
    raise AssertionError("the game has a hole")


def test_values_are_the_movers() -> None:
    run, trajectories = trajectories_of(
        "othello:size=4", search_value=0.0, full_share=1.0, opening_plies=0
    )
    solved = exact_play.solve(run.game)
    movers = Batch(run.game, trajectories.rows).players()
    first = np.where(
        movers == 1, -trajectories.values, trajectories.values
    )  # from the first player's side
    certain = solved.lower[solved.of(trajectories.rows)]
    for begin in np.flatnonzero(trajectories.firsts == np.arange(len(trajectories))):
        game = trajectories.firsts == begin
        # The last position is proven, and its value the result of the game: what a position
        # is worth is that, or what is proven of it.
        result = first[game][-1]
        assert result == certain[game][-1]
        assert ((first[game] == result) | (first[game] == certain[game])).all()


@pytest.mark.parametrize("game", ["othello:size=4", "go:board=3x3", "quantum-go:board=3x3"])
def test_images_are_what_playing_the_image_of_the_game_shows(game: str) -> None:
    run, trajectories = trajectories_of(game)
    replay = SearchReplay(run.game, 10_000, "planes")
    replay.add(trajectories)
    made, options = run.game, run.game.option_words
    rng = np.random.default_rng(1)
    for at in rng.integers(0, len(trajectories), 12).tolist():
        symmetry = int(rng.integers(0, made.symmetries))
        minibatch = replay.images(np.array([at]), np.array([symmetry]))
        # Play the image of the game up to there.
        begin = int(trajectories.firsts[at])
        batch = Batch(made, trajectories.rows[begin : begin + 1].copy())
        batch.rows[0] = image(made, trajectories.rows[begin], symmetry)
        for k in range(begin, at):
            batch.apply([_led(made, batch, image(made, trajectories.rows[k + 1], symmetry))])
        np.testing.assert_array_equal(minibatch.observations, batch.observe("planes"))
        n = int(minibatch.counts[0])
        assert sorted(minibatch.actions[0, :n]) == sorted(batch.legal_lists().of(0))
        mine = slice(trajectories.offsets[at], trajectories.offsets[at + 1])
        mapped = {
            made.kernels.transform_action(options, int(action), symmetry): float(share)
            for action, share in zip(
                trajectories.actions[mine], trajectories.policy[mine], strict=True
            )
        }
        shares = dict(
            zip(minibatch.actions[0, :n].tolist(), minibatch.policy[0, :n].tolist(), strict=True)
        )
        assert shares == mapped
        assert minibatch.values[0] == trajectories.values[at]


def image(game: playproof.Game, row: np.ndarray, symmetry: int) -> np.ndarray:
    out = np.empty_like(row)
    game.kernels.transform(game.option_words, row, symmetry, out)
    return out


def test_the_oldest_games_make_room_whole() -> None:
    run, trajectories = trajectories_of("othello:size=4", full_share=1.0)
    replay = SearchReplay(run.game, 25, "planes")
    replay.add(trajectories)
    assert 0 < len(replay) <= 25
    before_adding = replay.trajectories
    assert before_adding.firsts[0] == 0
    assert before_adding.offsets[0] == 0
    np.testing.assert_array_equal(before_adding.rows, trajectories.rows[-len(before_adding) :])
    np.testing.assert_array_equal(
        before_adding.policy, trajectories.policy[-len(before_adding.policy) :]
    )
    before = len(before_adding)
    replay.add(trajectories)
    np.testing.assert_array_equal(replay.trajectories.rows, before_adding.rows)
    assert len(replay.trajectories) == before
    other = SearchReplay(run.game, 25, "planes")
    other.restore(replay.state())
    one, two = (
        source.sample(np.random.default_rng(3), 8, images=True) for source in (replay, other)
    )
    np.testing.assert_array_equal(one.observations, two.observations)
    np.testing.assert_array_equal(one.policy, two.policy)
