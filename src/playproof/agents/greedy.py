"""The agent ``greedy``: the move that scores most at once (discs in Othello, captures in Choko).

It prefers a win to everything else and breaks ties at random.  Its value is the score after the
move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.agents.base import Agent, Decision, OnProgress
from playproof.agents.limits import Limits

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.stopping import StopFlag


class Greedy(Agent):
    name = "greedy"
    summary = "the move with the most points at once"
    unit = "points"

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        from playproof.search.one_ply import best_actions

        actions, values = best_actions(batch, salt=self.seed)
        return [
            Decision(action, value, (action,))
            for action, value in zip(actions.tolist(), values.tolist(), strict=True)
        ]
