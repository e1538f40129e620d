"""Games of a network against itself from the empty board, move by move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from playproof.agents.registry import make_agent
from playproof.core.batch import Batch
from playproof.core.kernels import Words
from playproof.papers.chokozero.claims.nets import PaperNet


@dataclass(frozen=True)
class OwnGames:
    """All positions of some games of a network against itself, and the moves played in them.

    rows     (n, words) the positions
    actions  (n,) the moves
    games    (n,) the number of the game that each position comes from
    plies    (n,) how many actions were played before it
    """

    net: PaperNet
    count: int
    rows: Words
    actions: npt.NDArray[np.int64]
    games: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]


def play(net: PaperNet, count: int, seed: int) -> OwnGames:
    """Play ``count`` games; moves are drawn from the policy."""
    player = make_agent(net.spec, net.game, seed=seed)
    batch = Batch.start(net.game, count, seed=seed)
    rows, actions, games, plies = [], [], [], []
    ply = 0
    while len(running := np.flatnonzero(~batch.finished())):
        part = batch.take(running)
        chosen = np.array([decision.action for decision in player.choose(part)], np.int64)
        rows.append(part.rows)
        actions.append(chosen)
        games.append(running)
        plies.append(np.full(len(running), ply))
        every = np.full(count, -1, np.int64)
        every[running] = chosen
        batch.apply(every)
        ply += 1
    return OwnGames(
        net, count, np.concatenate(rows), np.concatenate(actions), np.concatenate(games),
        np.concatenate(plies),
    )  # fmt: skip
