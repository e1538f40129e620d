"""The readings of the Choko paper's two searches, by naive recursion over ``State``.

They are written from the paper's text, and from a description of what its authors' code does, not
from the searches that they check.
"""

from __future__ import annotations

import numpy as np

from playproof import Batch, State
from playproof.search.alphabeta.search import WIN
from playproof.search.evaluators import Evaluator, evaluate

LOST = -100.0


def _sign(player: int | None) -> int:
    return -1 if player == 1 else 1


def _capped(state: State) -> bool:
    left = state.game.actions_left(state)
    return left is not None and left <= 0


def _reward(before: State, after: State, point: float, win: float) -> float:
    """What the player who moved gets for the move."""
    mover = _sign(before.current_player)
    won = after.outcome is not None and mover * after.outcome > 0
    return point * mover * (after.score - before.score) + (win if won else 0.0)


def minimax(state: State, depth: int, ends: str, root: int) -> float:
    """The value of ``state`` for the side ``root``, after ``depth`` more plies."""
    material = _sign(root) * state.score
    if ends == "known" and state.is_terminal:
        return _sign(root) * (state.outcome or 0) * WIN + material
    if ends == "points" and state.is_terminal:
        return material
    if ends == "published":
        if _capped(state):
            return 0.0
        if depth > 0 and not state.legal_actions():
            return 0.0
    if depth == 0:
        return material
    values = []
    for action in state.legal_actions():
        after = state.apply(action)
        value = minimax(after, depth - 1, ends, root)
        if ends == "published":
            value += _reward(state, after, 0.1, 2.0)
        values.append(value)
    return max(values) if state.current_player == root else min(values)


def root_values(state: State, depth: int, ends: str) -> dict[int, float]:
    """The value of every move of ``state`` for the side to move."""
    root = state.current_player
    assert root is not None
    values = {}
    for action in state.legal_actions():
        after = state.apply(action)
        values[action] = minimax(after, depth - 1, ends, root)
        if ends == "published":
            values[action] += _reward(state, after, 0.1, 2.0)
    return values


class Pgts:
    """Policy-guided search of one position, for the side to move there."""

    def __init__(self, state: State, evaluator: Evaluator, backup: str) -> None:
        self.evaluator, self.backup, self.root = evaluator, backup, state.current_player

    def moves(self, state: State, widths: tuple[int, ...]) -> dict[int, float]:
        """The moves that the policy follows, and the value of each for the mover."""
        values = {}
        for action in self._top(state, widths[0]):
            after = state.apply(action)
            value = self._value(after, widths[1:])
            if self.backup in ("minimax", "published"):  # that was for the other side
                value = -value
            if self.backup == "published":
                reward = _reward(state, after, 0.05, 1.0)
                value += reward if state.current_player == self.root else -reward
            values[action] = value
        return values

    def _top(self, state: State, width: int) -> list[int]:
        batch = Batch.of([state])
        legal = batch.legal_lists()
        priors = evaluate(self.evaluator, batch, legal).priors
        return [int(legal.actions[i]) for i in np.argsort(-priors, kind="stable")[:width]]

    def _value(self, state: State, widths: tuple[int, ...]) -> float:
        """Of ``state``: for its mover, or as the reading takes it."""
        if self.backup == "published" and widths and state.is_terminal:
            return 0.0 if _capped(state) else LOST
        if self.backup == "published" and _capped(state):
            return 0.0
        if state.is_terminal or not widths:
            return self._leaf(state)
        return max(self.moves(state, widths).values())

    def _leaf(self, state: State) -> float:
        mover = int(state.row[2]) & 1  # of Choko; also when the game is over
        batch = Batch.of([state])
        if state.is_terminal:
            value = float(state.outcome or 0)
        else:
            value = float(evaluate(self.evaluator, batch, batch.legal_lists()).values[0])
        return value * _sign(self.root if self.backup == "largest" else mover)
