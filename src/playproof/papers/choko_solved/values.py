"""Exact values of chosen positions of Choko that come with the package.

They cover the empty board, every first placement and every reply to it, the best line, the
longest win for each size of hand, endings against the odds, and an early jump that gives the
win away; and the eight symmetric images of each.  They need no tables.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from playproof.core.registry import make
from playproof.core.state import State
from playproof.papers.choko_solved import truth as choko_truth

# By action; values are numbers of actions from the mover's side, as everywhere in the data.
Moves = dict[int, int]


@dataclass(frozen=True)
class ShippedValue:
    """The value of a position.

    ``moves`` holds all legal actions or none; ``line`` is best play as far as it was stored.
    If ``exact`` is false, only the sign of ``value`` is known.
    """

    value: int
    moves: Moves
    line: tuple[int, ...] = ()
    exact: bool = True


def find(state: State) -> ShippedValue | None:
    """The shipped value of a position of the usual rules; None if there is none."""
    if state.game.options["lone_jump"]:
        return None
    return _all().get(state.position_words)


@functools.cache
def _all() -> dict[tuple[int, ...], ShippedValue]:
    """All values by the words of the position; of two for one position, the one with moves."""
    values: dict[tuple[int, ...], ShippedValue] = {}
    for state, shipped in _positions():
        for symmetry in range(state.game.symmetries):
            key = state.transformed(symmetry).position_words
            if not (key in values and values[key].moves):
                values[key] = _image(state, shipped, symmetry)
    return values


def _image(state: State, shipped: ShippedValue, symmetry: int) -> ShippedValue:
    turn = state.game.kernels.transform_action
    options = state.game.option_words

    def image(action: int) -> int:
        return int(turn(options, action, symmetry))

    moves = {image(action): value for action, value in shipped.moves.items()}
    line = tuple(image(action) for action in shipped.line)
    return replace(shipped, moves=moves, line=line)


def _positions() -> Iterator[tuple[State, ShippedValue]]:
    """The positions with their values; those with all their moves come first."""
    truth = choko_truth.shipped()
    game = make("choko")
    start = game.start()
    line = start.play(list(truth.line)).actions
    first = {start.find(name): value for name, value in truth.off.first.items()}
    yield start, ShippedValue(truth.off.value, first, line)
    for name, replies in truth.replies.items():
        state = start.play(name)
        values = {state.find(reply): value for reply, value in replies.items()}
        yield state, ShippedValue(max(values.values(), key=preference), values)
    position, moves = truth.early_capture
    early = game.position(position)
    yield (
        early,
        ShippedValue(
            max(moves.values(), key=preference), {early.find(n): v for n, v in moves.items()}
        ),
    )
    for name, replies in truth.replies.items():
        for reply, value in replies.items():
            yield start.play([name, reply]), ShippedValue(-value - 1, {})  # all replies lose
    state = start
    for ply, action in enumerate(line):
        remaining = len(line) - ply
        yield state, ShippedValue(remaining if remaining % 2 else -remaining, {}, line[ply:])
        state = state.apply(action)
    for actions, position in truth.longest.values():
        yield game.position(position), ShippedValue(actions, {})
    for upset in truth.upsets:
        # The side with fewer pieces wins, or the one with more loses, as slowly as it can.
        _, own, other = (int(n) for n in re.findall(r"\d+", upset.slice))
        loss = truth.off.slices[upset.slice].longest_loss
        shipped = ShippedValue(1, {}, exact=False) if own < other else ShippedValue(-loss, {})
        yield game.position(upset.example), shipped


def preference(value: int) -> tuple[int, int]:
    """A sort key: the larger, the better for the mover (quick wins, slow wins, draws, losses)."""
    sign = (value > 0) - (value < 0)
    return sign, -value
