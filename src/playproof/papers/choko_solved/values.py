"""Values of Choko that come with the package: what a full solve said of chosen positions.

The empty board, every first placement and every reply to it, the best line, the longest
win for each size of hand, endings against the odds, and an early jump that gives the win
away: these are answered without any tables.  What is true of a position is true of its eight
images.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from playproof.core.registry import make
from playproof.core.state import State
from playproof.papers.choko_solved import truth as choko_truth

# Values are whole numbers of actions from the side of who moves, as everywhere in the data.
Moves = dict[int, int]


@dataclass(frozen=True)
class Known:
    """``moves`` holds all legal actions or none, ``line`` best play as far as it was kept.

    Where ``exact`` is false only the sign of ``value`` is known.
    """

    value: int
    moves: Moves
    line: tuple[int, ...] = ()
    exact: bool = True


def find(state: State) -> Known | None:
    """What is known of a position of the usual rules."""
    if state.game.options["lone_jump"]:
        return None
    return _all().get(state.position_words)


@functools.cache
def _all() -> dict[tuple[int, ...], Known]:
    """By what makes a position; where two say something, the one with moves."""
    found: dict[tuple[int, ...], Known] = {}
    for state, known in _positions():
        for symmetry in range(state.game.symmetries):
            key = state.transformed(symmetry).position_words
            if not (key in found and found[key].moves):
                found[key] = _image(state, known, symmetry)
    return found


def _image(state: State, known: Known, symmetry: int) -> Known:
    turn = state.game.kernels.transform_action
    options = state.game.option_words

    def image(action: int) -> int:
        return int(turn(options, action, symmetry))

    moves = {image(action): value for action, value in known.moves.items()}
    line = tuple(image(action) for action in known.line)
    return replace(known, moves=moves, line=line)


def _positions() -> Iterator[tuple[State, Known]]:
    """Those with all their moves come first."""
    truth = choko_truth.shipped()
    game = make("choko")
    start = game.start()
    line = start.play(list(truth.line)).actions
    first = {start.find(name): value for name, value in truth.off.first.items()}
    yield start, Known(truth.off.value, first, line)
    for name, replies in truth.replies.items():
        state = start.play(name)
        values = {state.find(reply): value for reply, value in replies.items()}
        yield state, Known(max(values.values(), key=goodness), values)
    position, moves = truth.early_capture
    early = game.position(position)
    yield (
        early,
        Known(max(moves.values(), key=goodness), {early.find(n): v for n, v in moves.items()}),
    )
    for name, replies in truth.replies.items():
        for reply, value in replies.items():
            yield start.play([name, reply]), Known(-value - 1, {})  # all replies lose
    state = start
    for ply, action in enumerate(line):
        left = len(line) - ply
        yield state, Known(left if left % 2 else -left, {}, line[ply:])
        state = state.apply(action)
    for actions, position in truth.longest.values():
        yield game.position(position), Known(actions, {})
    for upset in truth.upsets:
        # The side with fewer pieces wins, or the one with more loses, as slowly as it can.
        _, own, other = (int(n) for n in re.findall(r"\d+", upset.slice))
        loss = truth.off.slices[upset.slice].longest_loss
        known = Known(1, {}, exact=False) if own < other else Known(-loss, {})
        yield game.position(upset.example), known


def goodness(value: int) -> tuple[int, int]:
    """Quick wins before slow ones before draws before losses."""
    sign = (value > 0) - (value < 0)
    return sign, -value
