"""Tests whether a board can follow another: Algorithm 3 of *Reinforcement Learning in Chess*
(Chu, Li and Loh).

The paper has no moves, only boards: a proposed board is valid if it is among the successors of its
parent.  Two moves never lead to the same board, so this is equivalent to the legality of moves.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from playproof.core.state import State

OBSERVATION = "paper-13"


def successors(parent: State) -> list[npt.NDArray[np.float32]]:
    """The boards after each legal move, (13, 8, 8) each, from the side to move then."""
    return [parent.apply(action).observation(OBSERVATION) for action in parent.legal_actions()]


def is_successor(parent: State, proposed: npt.NDArray[np.float32]) -> bool:
    """Whether one legal move leads from ``parent`` to the proposed board."""
    return any(np.array_equal(board, proposed) for board in successors(parent))
