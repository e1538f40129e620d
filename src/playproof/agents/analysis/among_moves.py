"""``Limits.actions`` for agents that cannot exclude moves themselves (``Agent.takes_actions``).

The agent evaluates the position after each of the given moves, with an equal share of the limits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from playproof.agents.analysis.value_text import WON
from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.limits import Limits
from playproof.core.batch import Batch
from playproof.core.errors import UsageError

if TYPE_CHECKING:
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag


def choose_among(
    agent: Agent, batch: Batch, limits: Limits, stop: StopFlag | None
) -> list[Decision]:
    """Decisions among ``limits.actions``; at least one of them must be legal in every row."""
    words = batch.words(agent.seed)
    return [
        _choose(agent, batch[row], int(words[row]), int(batch.seeds[row]), limits, stop)
        for row in range(len(batch))
    ]


def _choose(
    agent: Agent, state: State, word: int, seed: int, limits: Limits, stop: StopFlag | None
) -> Decision:
    actions = [action for action in state.legal_actions() if action in limits.actions]
    if not actions:
        raise UsageError("none of the moves to choose from is legal here")
    seconds, nodes, depth = limits.thinking_seconds, limits.nodes, limits.depth
    share = replace(
        limits,
        actions=(),
        lines=1,
        clock=None,
        seconds=limits.seconds if seconds is None else seconds / len(actions),
        nodes=nodes and max(1, nodes // len(actions)),
        simulations=limits.simulations and max(1, limits.simulations // len(actions)),
        depth=depth and max(1, depth - 1),
    )
    sign = -1.0 if state.current_player == 1 else 1.0
    replies = [_evaluate(agent, state.apply(action), seed, share, stop) for action in actions]
    if all(reply.value is None for reply in replies):
        return Decision(actions[word % len(actions)])
    order = sorted(range(len(actions)), key=lambda k: -sign * (replies[k].value or 0.0))
    reports = tuple(
        MoveReport(actions[k], replies[k].value, line=(actions[k], *replies[k].line)) for k in order
    )
    best = replies[order[0]]
    statistics = {**best.statistics, "depth": 1 + int(best.statistics.get("depth") or 0)}
    return Decision(
        reports[0].action, best.value, reports[0].line, statistics, reports[: limits.lines]
    )


def _evaluate(
    agent: Agent, state: State, seed: int, limits: Limits, stop: StopFlag | None
) -> Decision:
    """An agent's decision in a position, which may also be over or chance's to play."""
    if state.is_terminal:
        win = 1.0 if agent.unit == "result" else WON
        return Decision(-1, win * (state.outcome or 0))
    if state.is_chance:
        outcomes = [
            (odds, _evaluate(agent, state.apply(action), seed, limits, stop))
            for action, odds in state.chance_outcomes()
        ]
        return Decision(-1, sum(odds * (reply.value or 0.0) for odds, reply in outcomes))
    return agent.decide(state, seed=seed, limits=limits, stop=stop)
