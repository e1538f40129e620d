"""From a chain of least images back to a game that can be replayed.

Backward search knows each position on the way only up to symmetry.  Playing
from the start, at each node some placement leads to an image of the next one;
at the end stands an image of the position that was asked for.  With variants
kept, that image is one of the four that leave the start alone, and the same
symmetry applied to every move gives the position itself.
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
from playproof.proofs.othello.retrograde.forward import FIRST, ForwardTable
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
    """The least image of a concrete position, with its variant if ``exact``."""
    own, opponent, side = split(state)
    size = int(state.game.options["size"])
    a, b, variant = canonical(np.uint64(own), np.uint64(opponent), side, size)
    return int(a), int(b), int(variant) if exact else 0


def down_the_table(node: Node, table: ForwardTable, *, exact: bool) -> list[Node]:
    """The way from the start to a node of the table, which is the last."""
    size = table.size
    squares, middle = np.uint64(rules.board(size)), np.uint64(centre(size))
    way = [node]
    for stones in range((node[0] | node[1]).bit_count() - 1, FIRST - 1, -1):
        own, opponent, variant = way[-1]
        rows, n = before(np.uint64(own), np.uint64(opponent), squares, middle)
        for a, b, plies in rows[:n].tolist():
            side = variant ^ plies & 1
            x, y, v = canonical(np.uint64(a), np.uint64(b), side, size)
            mask = table.level(stones).mask(int(x), int(y))
            if (mask >> int(v) & 1) if exact else mask:
                way.append((int(x), int(y), int(v) if exact else 0))
                break
        else:
            raise PlayproofError("the forward table has a position without a way to it")
    return way[::-1]


def play_along(game: Othello, way: Sequence[Node], *, exact: bool) -> State:
    """A state whose game passes through images of all nodes of ``way``."""
    state = game.start()
    for node in way[1:]:
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
    raise PlayproofError("the way back is not a way forward: the search and the rules differ")


def turned_to(played: State, wanted: State) -> State:
    """The game of ``played`` turned so that it ends in ``wanted`` itself."""
    game = played.game
    for symmetry in _KEEPING_THE_START:
        if played.transformed(symmetry) == wanted:
            turn = game.kernels.transform_action
            state = game.start()
            for action in played.actions:
                state = state.apply(int(turn(game.option_words, action, symmetry)))
            if state == wanted:
                return state
    raise PlayproofError("the record found does not lead to the position: the search is wrong")
