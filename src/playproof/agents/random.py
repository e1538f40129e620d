"""The agent ``random``: every legal action with the same probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.agents.base import Agent, Decision, OnProgress
from playproof.agents.limits import Limits

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.stopping import StopFlag


class Uniform(Agent):
    name = "random"
    summary = "any legal move, each with the same probability"

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        return [Decision(action) for action in batch.random_actions(self.seed).tolist()]
