"""The laws that every game keeps, whatever its rules; a new game is held to them unasked."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from conformance import view_contract
from conformance.playing import (
    Dice,
    every_game,
    everything,
    games_of_each,
    hash_of,
    listed,
    without_past,
)
from playproof import CHANCE, Game, IllegalAction, PlayproofError, State, make
from playproof.core.kernels import no_count

# Playing


@games_of_each(3)
def test_legal_actions_are_a_sorted_list_and_a_mask(game: Game, dice: Dice) -> None:
    for state in dice.walk(game):
        legal = state.legal_actions()
        assert legal == sorted(set(legal)) == sorted(listed(state))
        assert all(type(action) is int and 0 <= action < game.num_actions for action in legal)
        assert state.legal_mask().dtype == np.bool_
        assert np.flatnonzero(state.legal_mask()).tolist() == legal


@games_of_each(3)
def test_the_room_for_legal_actions_is_never_overrun(game: Game, dice: Dice) -> None:
    """Kernels write unchecked, so one action too many would be somebody else's memory."""
    for state in dice.walk(game):
        out = np.full(game.max_actions + 8, -7, np.int32)
        n = game.kernels.actions(
            game.option_words, game.tables, state.row.copy(), state.history, out
        )
        assert 0 <= n <= game.max_actions
        assert (out[game.max_actions :] == -7).all()


@games_of_each(3)
def test_counting_agrees_with_listing(game: Game, dice: Dice) -> None:
    for state in dice.walk(game):
        count = game.kernels.count(game.option_words, game.tables, state.row.copy(), state.history)
        unable = game.kernels.count is no_count
        assert count == (-1 if unable else len(state.legal_actions()))


@games_of_each(3)
def test_a_game_goes_on_as_long_as_there_is_a_legal_action(game: Game, dice: Dice) -> None:
    *earlier, last = dice.walk(game)
    for state in earlier:
        assert state.legal_actions()
        assert state.outcome is None
        assert state.current_player in (0, 1, CHANCE)
        assert state.returns() == (0.0, 0.0)
    assert last.is_terminal
    assert last.legal_actions() == []
    assert not last.legal_mask().any()
    assert last.current_player is None
    assert not last.is_chance


@games_of_each(3)
def test_what_one_side_wins_the_other_loses(game: Game, dice: Dice) -> None:
    end = dice.walk(game)[-1]
    first, second = end.returns()
    assert first + second == 0.0
    assert first == end.outcome
    assert first in (1.0, 0.0, -1.0)
    assert np.isfinite(end.score)


@games_of_each(3)
def test_playing_leaves_the_state_before_as_it_was(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 8):
        before = everything(state)
        children = [state.apply(action) for action in state.legal_actions()]
        assert everything(state) == before
        assert all(child.actions[:-1] == state.actions for child in children)
        with pytest.raises(ValueError, match="read-only"):
            state.row[0] = 0


@games_of_each(3)
def test_undo_is_replay_without_the_last_moves(game: Game, dice: Dice) -> None:
    walk = dice.walk(game)
    end = walk[-1]
    for plies in {1, 2, len(walk) // 2, len(walk) - 1}:
        assert everything(end.before(plies)) == everything(walk[-1 - plies])
    assert everything(end.before(len(walk) + 5)) == everything(game.start())
    assert everything(end.start) == everything(game.start())


@games_of_each(3)
def test_the_past_is_kept_by_the_games_that_use_it(game: Game, dice: Dice) -> None:
    walk = dice.walk(game)
    for ply, state in enumerate(walk):
        past = [hash_of(earlier) for earlier in walk[:ply]] if game.uses_history else []
        assert state.history.tolist() == past


@games_of_each(3)
def test_chance_has_odds_that_add_up_and_players_have_none(game: Game, dice: Dice) -> None:
    for state in dice.walk(game):
        odds = dict(state.chance_outcomes())
        if state.is_chance:
            assert sorted(odds) == state.legal_actions()
            assert min(odds.values()) > 0.0
            assert sum(odds.values()) == pytest.approx(1.0, abs=1e-12)
        else:
            assert odds == {}


@games_of_each(3)
def test_what_a_search_asks_for_fits_the_position(game: Game, dice: Dice) -> None:
    """Noisy moves are legal ones, an evaluation is a number, and no game outlasts its cap."""
    walk = dice.walk(game)
    for ply, state in enumerate(walk):
        arguments = game.option_words, game.tables, state.row.copy(), state.history
        out = np.empty(game.max_actions, np.int32)
        noisy = out[: game.kernels.noisy(*arguments, out)].tolist()
        assert len(set(noisy)) == len(noisy)
        assert set(noisy) <= set(state.legal_actions())
        assert np.isfinite((game.kernels.evaluate or game.kernels.score)(*arguments))
        left = game.actions_left(state)
        assert left is None or left >= len(walk) - 1 - ply


# What is refused


@games_of_each(3)
def test_an_illegal_action_is_one_line_and_changes_nothing(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 2):
        before = everything(state)
        wrong = set(np.random.default_rng(dice.seed).integers(0, game.num_actions, 40).tolist())
        wrong -= set(state.legal_actions())
        for action in [*wrong, -1, -(2**70), game.num_actions, 2**31, 2**63, 10**30]:
            with pytest.raises(IllegalAction) as refused:
                state.apply(action)
            assert game.title in str(refused.value)
            assert "\n" not in str(refused.value)
        assert everything(state) == before


@games_of_each(3)
def test_nothing_can_be_played_after_the_end(game: Game, dice: Dice) -> None:
    end = dice.walk(game)[-1]
    for action in [*end.actions[-5:], 0, game.num_actions - 1]:
        with pytest.raises(IllegalAction, match="over"):
            end.apply(action)
        with pytest.raises(IllegalAction, match="over"):
            end.apply(end.moves[-1])


@every_game
@pytest.mark.parametrize("text", ["", "no such move", "é", "a1\na2", "99", "a1a1a1", "[]"])
def test_a_name_that_is_no_move_is_one_line(game: Game, text: str) -> None:
    state = game.start()
    with pytest.raises(PlayproofError) as refused:
        state.apply(text)
    assert str(refused.value)
    assert "\n" not in str(refused.value)
    assert everything(state) == everything(game.start())


@every_game
@pytest.mark.parametrize("text", ["", "x", "--\n--", "5/5/5/5/5", "\N{SNOWMAN}" * 65, "o" * 200])
def test_a_text_that_is_no_position_is_one_line(game: Game, text: str) -> None:
    with pytest.raises(PlayproofError) as refused:
        game.position(text)
    assert str(refused.value)
    assert "\n" not in str(refused.value)


# Text


@every_game
def test_a_game_is_known_by_its_spec(game: Game) -> None:
    assert make(game.spec) == game
    assert hash(make(game.spec)) == hash(game)
    assert make(game.name, **game.options) is make(game.spec)
    assert pickle.loads(pickle.dumps(game)) == game


@games_of_each(3)
def test_a_serialised_state_comes_back_whole(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 4):
        text = state.serialize()
        assert "\n" not in text
        back = State.parse(text)
        assert back == state
        assert everything(back) == everything(state)
        assert everything(pickle.loads(pickle.dumps(state))) == everything(state)


@games_of_each(3)
def test_so_does_one_that_began_in_a_set_up_position(game: Game, dice: Dice) -> None:
    state = game.position(dice.one(game).position)
    while not state.is_terminal and len(state.actions) < 3:
        state = state.apply(dice.actions(state, 1)[0])
    assert everything(State.parse(state.serialize())) == everything(state)
    assert everything(state.before(3)) == everything(state.start)


@games_of_each(3)
def test_a_position_is_one_line_that_reads_back(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 8):
        assert "\n" not in state.position
        back = game.position(state.position)
        assert back == state
        assert back.position == state.position
        assert everything(back.start) == everything(back)
        # The line tells all that the rules ask for, except the past.
        bare = without_past(state)
        assert back.legal_actions() == bare.legal_actions()
        assert (back.outcome, back.score) == (bare.outcome, bare.score)
        assert back.current_player == bare.current_player


@games_of_each(3)
def test_a_move_has_a_name_of_its_own(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 8):
        legal, names = state.legal_actions(), state.legal_names()
        assert len(set(names)) == len(names) == len(legal)
        if not state.is_terminal:
            assert [state.find(name) for name in names] == legal
            assert [state.find(f" {name} ") for name in names] == legal
        for action in dice.actions(state, 3):
            assert everything(state.apply(state.name(action))) == everything(state.apply(action))


@games_of_each(3)
def test_a_transcript_replays_to_the_same_state(game: Game, dice: Dice) -> None:
    walk = dice.walk(game)
    end = walk[-1]
    names = end.moves
    assert names == [state.name(a) for state, a in zip(walk, end.actions, strict=False)]
    assert everything(game.start().play(names)) == everything(end)
    assert everything(game.start().play(" ".join(names))) == everything(end)
    assert everything(game.start().play(game.join_moves(names))) == everything(end)


# What networks and people see


@games_of_each(3)
def test_an_observation_has_its_shape_and_fills_it(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 4):
        for number, (kind, shape) in enumerate(game.observations.items()):
            seen = state.observation(kind)
            assert seen.shape == shape
            assert seen.dtype == np.float32
            assert np.isfinite(seen).all()
            assert (state.observation(kind) == seen).all()
            # A batch hands in used memory: every entry must be written.
            out = np.full(seen.size, np.nan, np.float32)
            row = state.row.copy()
            game.kernels.observe(game.option_words, game.tables, row, state.history, number, out)
            assert (out.reshape(shape) == seen).all()
        assert (state.observation() == state.observation(next(iter(game.observations)))).all()
    with pytest.raises(PlayproofError, match="no such thing"):
        state.observation("no such thing")


@games_of_each(3)
def test_a_view_keeps_the_contract_and_shows_every_move(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 6):
        view = state.view().to_json()
        view_contract.check(view, game.colours)
        assert (view["game"], view["title"]) == (game.name, game.title)
        shown = [move["n"] for move in view["legal"]] + [b["id"] for b in view["actions"]]
        if view["lazy"]:
            assert len(state.legal_actions()) > view_contract.LIST_LIMIT
        else:
            # A move may have several clicks, such as any cell of a column.
            assert sorted(set(map(state.find, shown))) == state.legal_actions()
        assert (view["over"] is not None) == state.is_terminal
        mover = state.current_player
        assert view["turn"]["c"] == (game.colours[mover] if mover in (0, 1) else "")
