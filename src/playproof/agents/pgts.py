"""The agent ``pgts``: the policy-guided tree search of the Choko paper.

It uses a network's policy and values, or a uniform policy and material.  The value is between -1
and 1.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport, OnProgress
from playproof.agents.limits import Limits
from playproof.agents.net import NET, custom_evaluator, net_evaluator, spec_with_evaluator
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.stopping import StopFlag
    from playproof.search.policy_guided import GuidedResult


class PolicyGuided(Agent):
    name = "pgts"
    summary = "a policy's best moves to a fixed depth, as in the Choko paper"
    option_fields = (
        Option("widths", "12/6/3/3/3", "moves to follow at each ply, as in 12/6/3"),
        NET,
        Option(
            "backup", "minimax", "how values are backed up",
            choices=("minimax", "largest", "largest-leaf", "published"),
        ),
    )  # fmt: skip
    takes_evaluator = True

    def __init__(
        self, game: Game, *, seed: int = 0, evaluator: object | None = None, **options: Any
    ) -> None:
        from playproof.search.evaluators import material

        super().__init__(game, seed=seed, **options)
        self.widths = _read_widths(self.options["widths"])
        self._custom = evaluator
        net = self.options["net"]
        if evaluator is not None:
            self.evaluator = custom_evaluator(self.name, game, evaluator, net)
        else:
            self.evaluator = net_evaluator(self.name, game, net) if net else material

    @property
    def spec(self) -> str:
        return spec_with_evaluator(super().spec, self._custom)

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        from playproof.search import policy_guided

        started = time.perf_counter()
        widths = self.widths[: limits.depth]
        results = policy_guided.search(
            batch, self.evaluator, widths, salt=self.seed, backup=self.options["backup"]
        )
        seconds = time.perf_counter() - started
        players = batch.players()
        return [
            Decision(
                guided.action,
                guided.value,
                guided.line,
                {"depth": len(widths), "nodes": guided.positions, "seconds": seconds},
                _reports(guided, -1.0 if players[row] == 1 else 1.0, limits.lines),
            )
            for row, guided in enumerate(results)
        ]


def _reports(guided: GuidedResult, sign: float, lines: int) -> tuple[MoveReport, ...]:
    order = sorted(range(len(guided.actions)), key=lambda i: -sign * float(guided.values[i]))
    return tuple(
        MoveReport(
            int(guided.actions[i]), float(guided.values[i]), prior=float(guided.priors[i]),
            line=guided.line_of(i) if 1 < lines > place else (),
        )
        for place, i in enumerate(order)
    )  # fmt: skip


def _read_widths(text: str) -> tuple[int, ...]:
    try:
        widths = tuple(int(part) for part in str(text).split("/"))
    except ValueError:
        widths = ()
    if not widths or not all(1 <= width <= 1000 for width in widths) or len(widths) > 12:
        raise UsageError(f"pgts: widths={text} is not a list such as 12/6/3/3/3 (1 to 12 numbers)")
    return widths
