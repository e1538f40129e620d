"""Symmetry and identity: which positions are the same, for every game."""

from __future__ import annotations

import functools
from itertools import combinations

import numpy as np
import pytest

from conformance.playing import (
    GAMES,
    Dice,
    every_game,
    everything,
    games_of_each,
    hash_of,
    without_past,
)
from longer import longer
from playproof import Game, State

# Identity


@games_of_each(3)
def test_equal_positions_are_equal_however_they_came_about(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 6):
        for twin in (game.position(state.position), without_past(state)):
            assert twin == state
            assert hash(twin) == hash(state)
            assert hash_of(twin) == hash_of(state)
            assert len({twin, state}) == 1
        assert state != state.position


@every_game
def test_games_with_other_rules_have_no_state_in_common(game: Game) -> None:
    others = [other for other in GAMES if other != game]
    assert len(others) == len(GAMES) - 1
    assert all(other.start() != game.start() for other in others)


@games_of_each(3)
def test_states_and_kernels_tell_positions_apart_alike(game: Game, dice: Dice) -> None:
    for one, other in combinations(dice.some(game, 12), 2):
        assert (one == other) == (hash_of(one) == hash_of(other))
        assert (one == other) == (one.position_words == other.position_words)


@every_game
@pytest.mark.parametrize("seed", longer([1], [1, 2, 3]))
def test_the_bits_of_the_position_tell_it_apart_and_no_others_do(game: Game, seed: int) -> None:
    """Not the ply, for instance, nor what follows from the position."""
    walk = Dice([], seed).walk(game)
    state = walk[len(walk) // 2]
    bits = [(w, np.uint64(1 << b)) for w in range(game.words) for b in range(64)]
    inside = [(w, bit) for w, bit in bits if game.position_mask[w] & bit]
    used = np.bitwise_or.reduce([state.row for state in walk])
    outside = [(w, bit) for w, bit in bits if used[w] & ~game.position_mask[w] & bit]

    def flipped(bit: tuple[int, np.uint64]) -> State:
        row = state.row.copy()
        row[bit[0]] ^= bit[1]
        return State(game, row)

    assert all(flipped(bit) == state for bit in outside)
    assert {hash_of(flipped(bit)) for bit in outside} <= {hash_of(state)}
    assert {hash(flipped(bit)) for bit in outside} <= {hash(state)}
    assert all(flipped(bit) != state for bit in inside)
    # Two bits at a time as well: a hash that is a plain sum lets them cancel out.
    changes = np.zeros((len(inside) + 1, game.words), np.uint64)
    for place, (w, bit) in enumerate(inside, 1):
        changes[place, w] = bit
    first, second = np.triu_indices(len(changes), 1)
    others = state.row ^ changes[first] ^ changes[second]  # with no change: one bit
    hashes = {int(game.kernels.hash(game.option_words, row)) for row in others}
    assert len(hashes | {hash_of(state)}) == len(others) + 1


# Symmetry


def _symmetries(game: Game) -> range:
    """All of them: those of the board, then the same with the sides swapped."""
    return range(game.symmetries * (2 if game.colour_symmetry else 1))


def _image(state: State, symmetry: int) -> State:
    return without_past(state).transformed(symmetry)


@functools.cache
def _action_images(game: Game, symmetry: int) -> tuple[int, ...]:
    transform = game.kernels.transform_action
    return tuple(
        int(transform(game.option_words, action, symmetry)) for action in range(game.num_actions)
    )


@every_game
def test_a_symmetry_permutes_the_actions(game: Game) -> None:
    for symmetry in _symmetries(game):
        assert sorted(_action_images(game, symmetry)) == list(range(game.num_actions))
    assert _action_images(game, 0) == tuple(range(game.num_actions))


@games_of_each(3)
def test_a_symmetric_position_has_the_symmetric_moves(game: Game, dice: Dice) -> None:
    for state in map(without_past, dice.some(game, 3)):
        for symmetry in _symmetries(game):
            to, image = _action_images(game, symmetry), _image(state, symmetry)
            assert image.legal_actions() == sorted(to[a] for a in state.legal_actions())
            for action in dice.actions(state, 6):
                there = image.apply(to[action])
                here = _image(state.apply(action), symmetry)
                assert here == there
                assert everything(without_past(there)) == everything(without_past(here))


@games_of_each(3)
def test_a_symmetry_keeps_the_stakes_and_a_swap_of_sides_turns_them(game: Game, dice: Dice) -> None:
    for state in map(without_past, dice.some(game, 4)):
        for symmetry in _symmetries(game):
            image, swapped = _image(state, symmetry), symmetry >= game.symmetries
            sign = -1 if swapped else 1
            assert image.score == sign * state.score
            assert _evaluation(image) == pytest.approx(sign * _evaluation(state))
            assert image.outcome == (None if state.outcome is None else sign * state.outcome)
            if state.current_player in (0, 1):
                assert image.current_player == (
                    1 - state.current_player if swapped else state.current_player
                )
            else:
                assert image.current_player == state.current_player


def _evaluation(state: State) -> float:
    game = state.game
    evaluate = game.kernels.evaluate or game.kernels.score
    return float(evaluate(game.option_words, game.tables, state.row.copy(), state.history))


@games_of_each(3)
def test_the_symmetries_are_a_group(game: Game, dice: Dice) -> None:
    """Any two, one after the other, are a third; so each can be undone and loses nothing."""
    rows = [state.row for state in dice.some(game, 3)]
    assert all(_transform(game, row, 0) == row.tolist() for row in rows)
    for first in _symmetries(game):
        composed = []
        for second in _symmetries(game):
            actions = _after(_action_images(game, second), _action_images(game, first))
            ends = [_transform(game, _transform(game, row, first), second) for row in rows]
            same = [
                third
                for third in _symmetries(game)
                if _action_images(game, third) == actions
                and [_transform(game, row, third) for row in rows] == ends
            ]
            assert same, f"{first} then {second} is no symmetry of {game.spec}"
            composed.append(same)
        assert any(0 in same for same in composed), f"nothing undoes {first}"


def _transform(game: Game, row: list[int] | np.ndarray, symmetry: int) -> list[int]:
    out = np.empty(game.words, np.uint64)
    game.kernels.transform(game.option_words, np.array(row, np.uint64), symmetry, out)
    return [int(word) for word in out]


def _after(second: tuple[int, ...], first: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(second[image] for image in first)


@games_of_each(3)
def test_symmetric_positions_have_one_canonical_form(game: Game, dice: Dice) -> None:
    for state in dice.some(game, 4):
        images = [_image(state, symmetry) for symmetry in range(game.symmetries)]
        canonical = state.canonical()
        assert canonical in images
        assert {image.canonical() for image in images} == {canonical}


@games_of_each(3)
def test_an_observation_is_from_the_movers_side(game: Game, dice: Dice) -> None:
    if game.colour_symmetry:
        for state in map(without_past, dice.some(game, 4)):
            for kind in game.observations:
                swapped = _image(state, game.symmetries).observation(kind)
                assert (swapped == state.observation(kind)).all()
