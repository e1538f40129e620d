"""From a chain of least images to a game that can be replayed.

Backward search knows each position of the chain only up to symmetry.  Played from
the start, at each node some placement leads to an image of the next one, and the
game ends in an image of the target position.  If the variants match, that image
belongs to one of the four symmetries that keep the start, and applying the same
symmetry to every move gives a game to the target itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from playproof.core.errors import PlayproofError
from playproof.core.state import State
from playproof.games.othello.game import Othello
from playproof.games.othello.kernels import FLAGS, SIDE
from playproof.proofs.othello.constructible import centre
from playproof.proofs.othello.retrograde.canonical import canonical
from playproof.proofs.othello.retrograde.forward import START_STONES, ForwardTable
from playproof.proofs.othello.retrograde.kernels import before
from playproof.rules import othello as rules

Node = tuple[int, int, int]  # own, opponent and variant of a least image

_KEEPING_THE_START = (0, 3, 4, 7)  # of the board's eight symmetries


def split(state: State) -> Node:
    """(own, opponent, side to move) of a concrete position of Othello."""
    row = state.row
    side = int(row[FLAGS]) & SIDE
    return int(row[side]), int(row[1 - side]), side


def node_of(state: State, *, exact: bool) -> Node:
    """The least image of a concrete position, with its variant if ``exact``, else with 0."""
    own, opponent, side = split(state)
    size = int(state.game.options["size"])
    a, b, variant = canonical(np.uint64(own), np.uint64(opponent), side, size)
    return int(a), int(b), int(variant) if exact else 0


def path_from_start(node: Node, table: ForwardTable, *, exact: bool) -> list[Node]:
    """The nodes from the start to a node of the forward table, which comes last."""
    size = table.size
    squares, middle = np.uint64(rules.board(size)), np.uint64(centre(size))
    path = [node]
    for stones in range((node[0] | node[1]).bit_count() - 1, START_STONES - 1, -1):
        own, opponent, variant = path[-1]
        rows, n = before(np.uint64(own), np.uint64(opponent), squares, middle)
        for a, b, plies in rows[:n].tolist():
            side = variant ^ plies & 1
            x, y, v = canonical(np.uint64(a), np.uint64(b), side, size)
            mask = table.level(stones).mask(int(x), int(y))
            if (mask >> int(v) & 1) if exact else mask:
                path.append((int(x), int(y), int(v) if exact else 0))
                break
        else:
            raise PlayproofError("the forward table has a position without a predecessor")
    return path[::-1]


def play_along(game: Othello, path: Sequence[Node], *, exact: bool) -> State:
    """Play a game through images of all nodes of ``path``; returns its last state."""
    state = game.start()
    for node in path[1:]:
        state = _step(state, node, exact)
    return state


def _step(state: State, node: Node, exact: bool) -> State:
    for action in state.legal_actions():
        after = state.apply(action)
        if node_of(after, exact=exact) == node:
            return after
        if after.legal_names() == ["pass"]:
            after = after.apply("pass")
            if node_of(after, exact=exact) == node:
                return after
    raise PlayproofError("the path cannot be played forward: the search and the rules differ")


def transformed_to(image: State, target: State) -> State:
    """The game of ``image``, transformed by a symmetry so that it ends in ``target``."""
    game = image.game
    for symmetry in _KEEPING_THE_START:
        if image.transformed(symmetry) == target:
            transform = game.kernels.transform_action
            state = game.start()
            for action in image.actions:
                state = state.apply(int(transform(game.option_words, action, symmetry)))
            if state == target:
                return state
    raise PlayproofError("the record found does not lead to the position: the search is wrong")
