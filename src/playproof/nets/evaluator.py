"""A network as the evaluator of a tree search: priors and values of its leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.core.kernels import CHANCE
from playproof.nets.files import Net
from playproof.nets.kinds import forward
from playproof.search.evaluators import Evaluation, Evaluator

if TYPE_CHECKING:
    import numpy.typing as npt

    from playproof.core.batch import Batch, LegalLists
    from playproof.core.game import Game


def evaluator(net: Net, game: Game, *, device: str = "cpu") -> Evaluator:
    """Priors by the network's softmax over legal actions, and its values.

    ``device`` is cpu, cuda or auto; a GPU computes in 16 bits."""
    net.check(game)
    ready = forward(net, device=device, half=True)

    def evaluate(batch: Batch, legal: LegalLists) -> Evaluation:
        priors, values = ready.policy(batch.observe(net.observation), legal)
        return Evaluation(priors, for_first_player(batch, values, net.win))

    return evaluate


def for_first_player(
    batch: Batch, values: npt.NDArray[np.float32], win: float
) -> npt.NDArray[np.float64]:
    """Values of the movers, turned to the first player's side; ``win`` is worth 1.

    A linear head learns returns that rewards on the way may carry beyond a win
    or a loss: they are cut to -1 ... 1.  Chance is nobody's side, and no network is
    trained on its turns: 0.
    """
    players = batch.players()
    signs = np.where(players == CHANCE, 0.0, np.where(players == 1, -1.0, 1.0))
    return np.clip(values.astype(np.float64) / win, -1.0, 1.0) * signs
