"""What a player gets for what it does and for how a game ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rewards:
    """Points are the game's own, gained by the player's action; a loss takes the place of
    what the last action gained."""

    point: float = 0.1
    win: float = 2.0
    loss: float = -2.0
    draw: float = 0.0

    def of_points(self, before: Scores, after: Scores, movers: npt.NDArray[np.int64]) -> Scores:
        """For the points that the movers gained; the scores are the first player's lead."""
        gained: Scores = (after - before) * np.where(movers == 0, 1.0, -1.0)
        return self.point * np.maximum(gained, 0.0)
