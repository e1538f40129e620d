"""Games between weak and middling players, whose positions are learned from.

Perfect players would leave out most of what happens on a board, so all players err now and then.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.nets.architectures import ForwardPass, forward
from playproof.nets.files import Net
from playproof.nets.forward.mlp import choose_actions
from playproof.search.one_ply import best_actions

_RANDOM, _GREEDY, _NET = range(3)
_ODDS = (0.25, 0.35, 0.4)  # how often a side is played by each
_ERRORS = (0.05, 0.15, 0.35)  # shares of moves that a player makes at random
_PLIES = 100  # of a game, at most


class Players:
    """Plays many games at once; each side of a game has a player of its own.

    ``net`` plays some of the sides; without one its games go to the greedy player."""

    def __init__(self, net: Net | None) -> None:
        self._net = net
        self._forward: ForwardPass | None = None if net is None else forward(net)

    def play(self, game: Game, rows: Words, seed: int) -> Words:
        """The positions of games that start from ``rows``, finished ones left out, (n, words)."""
        rng = np.random.default_rng(seed)
        batch = Batch(game, rows, seed=seed)
        kinds = rng.choice(len(_ODDS), (len(batch), 2), p=_ODDS)
        if self._forward is None:
            kinds[kinds == _NET] = _GREEDY
        errors = rng.choice(_ERRORS, (len(batch), 2))
        positions = [np.empty((0, game.words), np.uint64)]
        for _ in range(_PLIES):
            active = np.flatnonzero(~batch.finished())
            if not len(active):
                break
            batch, kinds, errors = batch.take(active), kinds[active], errors[active]
            positions.append(batch.rows.copy())
            batch.apply(self._choose(batch, kinds, errors, rng), check=False)
        return np.concatenate(positions)

    def _choose(
        self,
        batch: Batch,
        kinds: npt.NDArray[np.int64],
        errors: npt.NDArray[np.float64],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """The next action in every game."""
        index, sides = np.arange(len(batch)), batch.players()
        kind = np.where(rng.random(len(batch)) < errors[index, sides], _RANDOM, kinds[index, sides])
        actions = batch.random_actions()
        greedy, by_net = (np.flatnonzero(kind == one) for one in (_GREEDY, _NET))
        if len(greedy):
            actions[greedy] = best_actions(batch.take(greedy))[0]
        if len(by_net) and self._net is not None and self._forward is not None:
            part = batch.take(by_net)
            legal = part.legal_lists()
            policy = self._forward.policy(part.observe(self._net.observation), legal).policy
            actions[by_net] = choose_actions(legal, policy, part.words())
        return actions
