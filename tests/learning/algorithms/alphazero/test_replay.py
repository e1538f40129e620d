"""The replay of self-play: what goes in comes out, also as an image of itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import playproof
from playproof.core.batch import Batch
from playproof.core.kernels import CHANCE
from playproof.learning.algorithms.alphazero.learner import AlphaZero
from playproof.learning.algorithms.alphazero.replay import SearchReplay, Shown
from tests.learning.algorithms.alphazero.test_learner import TINY
from tests.support.learning import exact


def shown_by(game: str, observation: str = "planes", **changes: object) -> tuple[AlphaZero, Shown]:
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
    run, shown = shown_by(game, root=root)
    assert shown.learned.sum() >= 30
    drawn = 0
    begins = np.flatnonzero(shown.firsts == np.arange(len(shown)))
    np.testing.assert_array_equal(
        shown.rows[begins], np.tile(run.game.start_row(), (len(begins), 1))
    )
    for begin, end in zip(begins, [*begins[1:], len(shown)], strict=True):
        batch = Batch(run.game, shown.rows[begin : begin + 1].copy())
        for at in range(begin, end):
            mine = slice(shown.offsets[at], shown.offsets[at + 1])
            np.testing.assert_array_equal(batch.rows[0], shown.rows[at])
            if batch.players()[0] == CHANCE:  # nobody's decision: kept for the past it makes
                assert len(shown.policy[mine]) == 0
                assert not shown.learned[at]
                drawn += 1
                batch.apply([_led(run.game, batch, shown.rows[at + 1])] if at + 1 < end else [-1])
                continue
            # With the past of the game, which superko looks at.
            assert sorted(shown.actions[mine]) == sorted(batch.legal_lists().of(0))
            assert shown.policy[mine].sum() == pytest.approx(1.0, abs=1e-5)
            assert (shown.policy[mine] >= 0).all()
            assert -1.0 <= shown.values[at] <= 1.0
            if at + 1 < end:
                batch.apply([_led(run.game, batch, shown.rows[at + 1])])
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
    run, shown = shown_by("othello:size=4", search_value=0.0, full_share=1.0, opening_plies=0)
    solved = exact.solve(run.game)
    movers = Batch(run.game, shown.rows).players()
    first = np.where(movers == 1, -shown.values, shown.values)  # from the first player's side
    certain = solved.lower[solved.of(shown.rows)]
    for begin in np.flatnonzero(shown.firsts == np.arange(len(shown))):
        game = shown.firsts == begin
        # The last position is proven, and its value the result of the game: what a position
        # is worth is that, or what is proven of it.
        result = first[game][-1]
        assert result == certain[game][-1]
        assert ((first[game] == result) | (first[game] == certain[game])).all()


@pytest.mark.parametrize("game", ["othello:size=4", "go:board=3x3", "quantum-go:board=3x3"])
def test_images_are_what_playing_the_image_of_the_game_shows(game: str) -> None:
    run, shown = shown_by(game)
    replay = SearchReplay(run.game, 10_000, "planes")
    replay.add(shown)
    made, options = run.game, run.game.option_words
    chooser = np.random.default_rng(1)
    for at in chooser.integers(0, len(shown), 12).tolist():
        symmetry = int(chooser.integers(0, made.symmetries))
        lessons = replay.images(np.array([at]), np.array([symmetry]))
        # Play the image of the game up to there.
        begin = int(shown.firsts[at])
        batch = Batch(made, shown.rows[begin : begin + 1].copy())
        batch.rows[0] = image(made, shown.rows[begin], symmetry)
        for k in range(begin, at):
            batch.apply([_led(made, batch, image(made, shown.rows[k + 1], symmetry))])
        np.testing.assert_array_equal(lessons.observations, batch.observe("planes"))
        n = int(lessons.counts[0])
        assert sorted(lessons.actions[0, :n]) == sorted(batch.legal_lists().of(0))
        mine = slice(shown.offsets[at], shown.offsets[at + 1])
        mapped = {
            made.kernels.transform_action(options, int(action), symmetry): float(share)
            for action, share in zip(shown.actions[mine], shown.policy[mine], strict=True)
        }
        told = dict(
            zip(lessons.actions[0, :n].tolist(), lessons.policy[0, :n].tolist(), strict=True)
        )
        assert told == mapped
        assert lessons.values[0] == shown.values[at]


def image(game: playproof.Game, row: np.ndarray, symmetry: int) -> np.ndarray:
    out = np.empty_like(row)
    game.kernels.transform(game.option_words, row, symmetry, out)
    return out


def test_the_oldest_games_make_room_whole() -> None:
    run, shown = shown_by("othello:size=4", full_share=1.0)
    replay = SearchReplay(run.game, 25, "planes")
    replay.add(shown)
    assert 0 < len(replay) <= 25
    kept = replay.shown
    assert kept.firsts[0] == 0
    assert kept.offsets[0] == 0
    np.testing.assert_array_equal(kept.rows, shown.rows[-len(kept) :])
    np.testing.assert_array_equal(kept.policy, shown.policy[-len(kept.policy) :])
    before = len(kept)
    replay.add(shown)
    np.testing.assert_array_equal(replay.shown.rows, kept.rows)
    assert len(replay.shown) == before
    other = SearchReplay(run.game, 25, "planes")
    other.restore(replay.state())
    one, two = (each.lessons(np.random.default_rng(3), 8, images=True) for each in (replay, other))
    np.testing.assert_array_equal(one.observations, two.observations)
    np.testing.assert_array_equal(one.policy, two.policy)
