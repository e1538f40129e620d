"""Laws of identity and symmetry: which positions are the same."""

from __future__ import annotations

import functools
import math
from itertools import combinations

import numpy as np

from playproof.core.conformance.laws import Law, holds, law, same
from playproof.core.conformance.random_games import Sampler, hash_of, snapshot, without_history
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.state import State

# Identity


@law(3)
def equal_positions(game: Game, sampler: Sampler) -> None:
    """A position is equal to itself, and has the same hash, however it was reached."""
    for state in sampler.track(sampler.states(game, 6)):
        for twin in (game.position(state.position), without_history(state)):
            same(twin, state, "the position without its past")
            same(hash(twin), hash(state), "hash() of the position without its past")
            same(hash_of(twin), hash_of(state), "the hash kernel's answer without the past")
            same(len({twin, state}), 1, "the number of different ones")
        holds(state != state.position, "a state equals a text")


@law(3)
def hashes(game: Game, sampler: Sampler) -> None:
    """The hash kernel distinguishes the same positions as position_mask."""
    for one, other in combinations(sampler.states(game, 12), 2):
        sampler.current = one
        masked = one.position_words == other.position_words
        same(one == other, masked, "whether two states are equal")
        if masked != (hash_of(one) == hash_of(other)):
            how = "different hashes, expected equal ones" if masked else "the same hash"
            same_bits = "in no bit" if masked else "in a bit"
            holds(
                False,
                f"this position and {other.position} differ {same_bits} of position_mask "
                f"and have {how}",
            )


@law(1)
def position_bits(game: Game, sampler: Sampler) -> None:
    """Changing a bit of position_mask gives another position with another hash, and changing any
    other bit of a row does not: not the ply, for instance, nor what follows from the position."""
    walk = sampler.walk(game)
    state = sampler.current = walk[len(walk) // 2]
    bits = [(w, np.uint64(1 << b)) for w in range(game.words) for b in range(64)]
    inside = [(w, bit) for w, bit in bits if game.position_mask[w] & bit]
    used = np.bitwise_or.reduce([state.row for state in walk])
    outside = [(w, bit) for w, bit in bits if used[w] & ~game.position_mask[w] & bit]

    def flipped(bit: tuple[int, np.uint64]) -> State:
        row = state.row.copy()
        row[bit[0]] ^= bit[1]
        return State(game, row)

    for bit in outside:
        other = flipped(bit)
        place = f"bit {int(bit[1]).bit_length() - 1} of word {bit[0]}"
        what = f"with {place}, which position_mask leaves out,"
        holds(other == state, f"{what} it is another position")
        holds(hash_of(other) == hash_of(state), f"{what} it has another hash")
        holds(hash(other) == hash(state), f"{what} it has another hash()")
    holds(
        all(flipped(bit) != state for bit in inside), "a bit of position_mask makes no difference"
    )
    # Change two bits as well: in a hash that is a plain sum they may cancel out.
    changes = np.zeros((len(inside) + 1, game.words), np.uint64)
    for number, (word, flip) in enumerate(inside, 1):
        changes[number, word] = flip
    first, second = np.triu_indices(len(changes), 1)
    others = state.row ^ changes[first] ^ changes[second]  # with no change: one bit
    hashes_so_far = {hash_of(state)}
    for pair, row in enumerate(others):
        value = int(game.kernels.hash(game.option_words, row))
        if value in hashes_so_far:
            both = [inside[i - 1] for i in (first[pair], second[pair]) if i]
            flips = " and ".join(f"bit {int(b).bit_length() - 1} of word {w}" for w, b in both)
            holds(False, f"with {flips} flipped the hash is that of another position")
        hashes_so_far.add(value)


# Symmetry


def _symmetries(game: Game) -> range:
    """The symmetries of the board, then the same with the sides swapped."""
    return range(game.symmetries * (2 if game.colour_symmetry else 1))


def _image(state: State, symmetry: int) -> State:
    return without_history(state).transformed(symmetry)


@functools.lru_cache(maxsize=256)
def _action_images(game: Game, symmetry: int) -> tuple[int, ...]:
    transform = game.kernels.transform_action
    return tuple(
        int(transform(game.option_words, action, symmetry)) for action in range(game.num_actions)
    )


@law(1)
def permutations(game: Game, sampler: Sampler) -> None:
    """A symmetry permutes the actions, and symmetry 0 leaves them unchanged."""
    actions = tuple(range(game.num_actions))
    for symmetry in _symmetries(game):
        images = tuple(sorted(_action_images(game, symmetry)))
        same(images, actions, f"the set of images under symmetry {symmetry}")
    same(_action_images(game, 0), actions, "the images under symmetry 0")


@law(3)
def symmetric_moves(game: Game, sampler: Sampler) -> None:
    """A symmetric position has the symmetric moves, and they lead to symmetric positions."""
    for state in sampler.track(map(without_history, sampler.states(game, 3))):
        for symmetry in _symmetries(game):
            to, image = _action_images(game, symmetry), _image(state, symmetry)
            expected = sorted(to[action] for action in state.legal_actions())
            same(image.legal_actions(), expected, f"what is legal under symmetry {symmetry}")
            for action in sampler.actions(state, 6):
                there = image.apply(to[action])
                here = _image(state.apply(action), symmetry)
                what = f"under symmetry {symmetry} the position after {state.name(action)}"
                same(there, here, what)
                same(snapshot(without_history(there)), snapshot(without_history(here)), what)


@law(3)
def stakes(game: Game, sampler: Sampler) -> None:
    """A symmetry keeps the outcome, the score and who moves; swapping the sides inverts them."""
    for state in sampler.track(map(without_history, sampler.states(game, 4))):
        for symmetry in _symmetries(game):
            image, swapped = _image(state, symmetry), symmetry >= game.symmetries
            sign, under = (-1 if swapped else 1), f"under symmetry {symmetry}"
            same(image.score, sign * state.score, f"the score {under}")
            value, expected = _evaluation(image), sign * _evaluation(state)
            close = math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-12)
            holds(close, f"the evaluation {under} is {value}, expected {expected}")
            outcome = None if state.outcome is None else sign * state.outcome
            same(image.outcome, outcome, f"the outcome {under}")
            mover = state.current_player
            mover = 1 - mover if swapped and mover in (0, 1) else mover  # type: ignore[operator]
            same(image.current_player, mover, f"who moves {under}")


def _evaluation(state: State) -> float:
    game = state.game
    evaluate = game.kernels.evaluate or game.kernels.score
    return float(evaluate(game.option_words, game.tables, state.row.copy(), state.history))


@law(3)
def group(game: Game, sampler: Sampler) -> None:
    """Two symmetries, one after the other, are a symmetry, and each has an inverse."""
    rows = [state.row for state in sampler.states(game, 3)]
    for row in rows:
        same(_transform(game, row, 0), row.tolist(), "the row under symmetry 0")
    for first in _symmetries(game):
        has_inverse = False
        for second in _symmetries(game):
            actions = _after(_action_images(game, second), _action_images(game, first))
            ends = [_transform(game, _transform(game, row, first), second) for row in rows]
            thirds = [
                third
                for third in _symmetries(game)
                if _action_images(game, third) == actions
                and [_transform(game, row, third) for row in rows] == ends
            ]
            holds(thirds, f"symmetry {first} and then {second} is none of the game's")
            has_inverse |= 0 in thirds
        holds(has_inverse, f"no symmetry undoes symmetry {first}")


def _transform(game: Game, row: list[int] | Words, symmetry: int) -> list[int]:
    out = np.empty(game.words, np.uint64)
    game.kernels.transform(game.option_words, np.array(row, np.uint64), symmetry, out)
    return [int(word) for word in out]


def _after(second: tuple[int, ...], first: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(second[image] for image in first)


@law(3)
def canonical_forms(game: Game, sampler: Sampler) -> None:
    """Symmetric positions have the same canonical form, which is one of them."""
    for state in sampler.track(sampler.states(game, 4)):
        images = [_image(state, symmetry) for symmetry in range(game.symmetries)]
        canonical = state.canonical()
        holds(canonical in images, "the canonical form is no image of the position")
        forms = {image.canonical() for image in images}
        same(len(forms), 1, "the number of canonical forms")
        same(forms, {canonical}, "the canonical form of an image")


@law(3)
def movers_side(game: Game, sampler: Sampler) -> None:
    """An observation is from the mover's side, so that swapping the sides does not change it."""
    if game.colour_symmetry:
        for state in sampler.track(map(without_history, sampler.states(game, 4))):
            for kind in game.observations:
                swapped = _image(state, game.symmetries).observation(kind)
                holds(
                    (swapped == state.observation(kind)).all(),
                    f"the observation {kind!r} changes when the sides are swapped",
                )


LAWS: tuple[Law, ...] = (
    equal_positions, hashes, position_bits, permutations, symmetric_moves, stakes, group,
    canonical_forms, movers_side,
)  # fmt: skip
