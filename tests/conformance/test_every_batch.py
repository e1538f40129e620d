"""Many games at once: batches, random games and perft play by the same rules as a State."""

from __future__ import annotations

import pickle

import numba
import numpy as np
import pytest

from conformance.playing import Dice, every_game, everything, games_of_each, listed
from playproof import Batch, Game, IllegalAction, PlayproofError, State, perft, playouts
from playproof.core import perft as perft_module
from playproof.core.bits import advance, below, mix
from playproof.core.kernels import ONGOING
from playproof.core.playouts import Playouts
from toys.coin import Coin

# Many games at once


def _batch(game: Game, dice: Dice) -> tuple[list[State], Batch]:
    states = [*dice.some(game, 8), game.start()]
    return states, Batch.of(states)


@games_of_each(2)
def test_a_batch_says_of_every_row_what_its_state_says(game: Game, dice: Dice) -> None:
    states, batch = _batch(game, dice)
    lists, masks = batch.legal_lists(), batch.legal_mask()
    used = np.full((len(states), game.num_actions), 255, np.uint8)
    assert (batch.legal_mask(out=used) == masks).all()
    ends = [ONGOING if state.outcome is None else state.outcome for state in states]
    assert batch.outcome().tolist() == ends
    assert batch.finished().tolist() == [state.is_terminal for state in states]
    assert batch.score().tolist() == [state.score for state in states]
    players = batch.players().tolist()
    for i, state in enumerate(states):
        assert lists.of(i).tolist() == listed(state)
        assert (masks[i] == state.legal_mask()).all()
        assert state.is_terminal or players[i] == state.current_player
        assert batch.plies[i] == len(state.actions)
        assert batch[i] == state
        assert batch[i].outcome == state.outcome
        assert batch[i].history.tolist() == state.history.tolist()
    for kind, shape in game.observations.items():
        used = np.full((len(states), *shape), np.nan, np.float32)
        expected = np.stack([state.observation(kind) for state in states])
        assert (batch.observe(kind) == expected).all()
        assert (batch.observe(kind, out=used) == expected).all()


@games_of_each(2)
def test_a_large_batch_is_many_small_ones(game: Game, dice: Dice) -> None:
    """More rows than one task takes are cut into tasks and come back in order."""
    states, small = _batch(game, dice)
    times = 20
    large = Batch.of(states * times)
    n = len(states)
    assert (large.legal_mask() == np.tile(small.legal_mask(), (times, 1))).all()
    assert (large.legal_lists().actions == np.tile(small.legal_lists().actions, times)).all()
    assert (large.outcome() == np.tile(small.outcome(), times)).all()
    assert (large.score() == np.tile(small.score(), times)).all()
    assert (large.players() == np.tile(small.players(), times)).all()
    assert (large.observe().reshape(times, -1) == small.observe().reshape(1, -1)).all()
    chosen = small.random_actions()
    wrong = np.tile(chosen, times)
    wrong[[7 * n, 15 * n]] = -2
    with pytest.raises(IllegalAction, match=rf"row {7 * n}\b"):
        large.apply(wrong)
    small.apply(chosen)
    large.apply(np.tile(chosen, times))
    assert (large.rows == np.tile(small.rows, (times, 1))).all()
    assert (large.known == np.tile(small.known, times)).all()


@games_of_each(2)
def test_rows_taken_out_are_a_batch_of_their_own(game: Game, dice: Dice) -> None:
    states, batch = _batch(game, dice)
    part = batch.take([8, 2, 3])
    assert [part[i] for i in range(3)] == [states[8], states[2], states[3]]
    assert (part.random_actions() == batch.random_actions()[[8, 2, 3]]).all()
    assert (part.outcome() == batch.outcome()[[8, 2, 3]]).all()
    assert (part.plies == batch.plies[[8, 2, 3]]).all()
    before = [state.row.tobytes() for state in states]
    for own in (part, batch.copy()):
        own.apply(own.random_actions())
        own.reset_finished()
    assert [row.tobytes() for row in batch.rows] == before


@games_of_each(2)
def test_a_row_of_a_batch_is_a_state_like_any_other(game: Game, dice: Dice) -> None:
    """It does not know its moves, but what it knows it keeps."""
    _, batch = _batch(game, dice)
    for state in (batch[i] for i in range(len(batch))):
        assert everything(pickle.loads(pickle.dumps(state))) == everything(state)
        for action in dice.actions(state, 2):
            assert everything(state.apply(action).before()) == everything(state)


@games_of_each(2)
def test_a_batch_plays_every_row_as_its_state_is_played(game: Game, dice: Dice) -> None:
    states, batch = _batch(game, dice)
    while not batch.finished().all():
        chosen = batch.random_actions()
        assert ((chosen == -1) == batch.finished()).all()
        batch.apply(chosen)
        states = [s if a < 0 else s.apply(int(a)) for s, a in zip(states, chosen, strict=True)]
        for i, state in enumerate(states):
            assert (batch.rows[i] == state.row).all()
            assert (batch.pasts[i, : batch.known[i]] == state.history).all()
            assert batch.known[i] == len(state.history)
            assert batch.plies[i] == len(state.actions)


@games_of_each(2)
def test_what_a_row_draws_is_its_own_affair(game: Game, dice: Dice) -> None:
    """Its seed and its ply decide, not its place or its neighbours."""
    states, batch = _batch(game, dice)
    drawn = batch.random_actions()
    backwards = Batch.of(states[::-1])
    backwards.seeds[:] = batch.seeds[::-1]
    assert (backwards.random_actions() == drawn[::-1]).all()
    assert len(set(batch.seeds.tolist())) == len(batch)
    assert (batch.words() != batch.words(salt=1)).all()
    assert (batch.words() != Batch.of(states, seed=1).words()).all()


@games_of_each(2)
def test_a_batch_refuses_an_illegal_action_and_changes_no_row(game: Game, dice: Dice) -> None:
    states, batch = _batch(game, dice)
    good = batch.random_actions()
    parts = (batch.rows, batch.plies, batch.known, batch.pasts)
    before = [part.copy() for part in parts]
    for i, state in enumerate(states):
        wrong = sorted({0, game.num_actions - 1} - set(state.legal_actions()))
        for action in [*wrong, -2, game.num_actions, 2**40]:
            chosen = good.copy()
            chosen[i] = action
            with pytest.raises(IllegalAction, match=rf"row {i}\b") as refused:
                batch.apply(chosen)
            assert "\n" not in str(refused.value)
    with pytest.raises(PlayproofError):
        batch.apply(good[:-1])
    after = (batch.rows, batch.plies, batch.known, batch.pasts)
    for old, new in zip(before, after, strict=True):
        assert (old == new).all()


@games_of_each(2)
def test_finished_rows_start_anew_and_the_others_go_on(game: Game, dice: Dice) -> None:
    states, batch = _batch(game, dice)
    over = [i for i, state in enumerate(states) if state.is_terminal]
    assert over
    seeds = batch.seeds.copy()
    assert batch.reset_finished().tolist() == over
    assert np.flatnonzero(batch.seeds != seeds).tolist() == over, "a new game, new luck"
    for i, state in enumerate(states):
        expected = game.start() if i in over else state
        assert (batch.rows[i] == expected.row).all()
        assert batch[i].history.tolist() == expected.history.tolist()
        assert batch.plies[i] == len(expected.actions)
    assert not batch.finished().any()
    assert batch.reset_finished().tolist() == []


# Random games


@every_game
def test_playouts_depend_on_the_seed_and_on_nothing_else(game: Game) -> None:
    threads = numba.get_num_threads()
    runs = []
    try:
        for number in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(number)
            runs.append(_arrays(playouts(game, 200, seed=5)))
    finally:
        numba.set_num_threads(threads)
    assert (runs[0] == runs[1]).all()
    assert (_arrays(playouts(game, 50, seed=5, first=150)) == runs[0][:, 150:]).all()
    assert (_arrays(playouts(game, 200, seed=6)) != runs[0]).any()


def _arrays(played: Playouts) -> np.ndarray:
    return np.array([played.results, played.lengths, played.choices, played.widest])


@games_of_each(2)
def test_a_playout_is_the_game_that_its_random_numbers_give(game: Game, dice: Dice) -> None:
    start = dice.one(game)
    played = _arrays(playouts(start, 3, seed=dice.seed))
    for number in range(3):
        word = mix(int(mix(dice.seed)) + number & 2**64 - 1)
        state, seen = start, [0]
        while not state.is_terminal:
            word = advance(word)
            if state.is_chance:
                state = state.apply(_fall(state, int(mix(word))))
            else:
                legal = listed(state)
                seen.append(len(legal))
                state = state.apply(legal[below(mix(word), len(legal))])
        length = len(state.actions) - len(start.actions)
        assert played[:, number].tolist() == [state.outcome, length, sum(seen), max(seen)]


def _fall(state: State, word: int) -> int:
    """The outcome that a random word falls on, with the chances laid end to end."""
    actions, odds = zip(*state.chance_outcomes(), strict=True)
    point = (word >> 11) * 2.0**-53
    return actions[min(int(np.searchsorted(np.cumsum(odds), point, "right")), len(actions) - 1)]


@every_game
def test_a_playout_that_is_cut_short_has_no_result(game: Game) -> None:
    played = playouts(game, 20, seed=1, limit=1)
    assert (played.lengths == 1).all()
    assert set(played.results) <= {
        ONGOING,
        game.start().apply(game.start().legal_actions()[0]).outcome,
    }


# Counting move sequences


@games_of_each(2)
def test_perft_counts_what_playing_every_move_counts(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 2):
        expected = _leaves(state, 2)
        assert perft(state, 2) == expected
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(perft_module, "_TASKS", 1)  # compiled from the first ply on
            assert perft(state, 2) == expected


def _leaves(state: State, depth: int) -> int:
    state = state.game.perft_root(state)
    if depth == 0:
        return 1
    if state.is_terminal:
        return int(state.game.perft_counts_finished)
    return sum(_leaves(state.apply(action), depth - 1) for action in state.legal_actions())


@pytest.mark.parametrize("depth", [0, 1, 5, 8, 9, 12])
def test_perft_minds_the_past(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deep enough for positions to occur again."""
    start = Coin(cells=7).start().play("toss tails")
    expected = _leaves(start, depth)
    assert perft(start, depth) == expected
    monkeypatch.setattr(perft_module, "_TASKS", 1)
    assert perft(start, depth) == expected
