"""The perfect move near the end of Othello, and the exact values of the other moves.

Values are in the unit of ``alphabeta``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playproof.agents.base import Decision, MoveReport
from playproof.search.alphabeta.search import WIN
from playproof.search.othello_endgame.solver import solve

if TYPE_CHECKING:
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag

_MEGABYTES = 16


def endgame_decision(
    state: State, lines: int, seconds: float | None, stop: StopFlag | None
) -> Decision | None:
    """The decision by exact solving; None if the position was not solved in time."""
    solution = solve(state, megabytes=_MEGABYTES, seconds=seconds, stop=stop)
    score = solution.first_player_score
    if score is None or solution.best_move is None:
        return None
    moves: tuple[MoveReport, ...] = ()
    if lines > 1:
        left = None if seconds is None else seconds - solution.seconds
        best = MoveReport(solution.best_move, _value(score), line=solution.line)
        moves = (best, *_others(state, solution.best_move, left, stop))[:lines]
    statistics = {"nodes": solution.nodes, "seconds": solution.seconds, "proven": True}
    return Decision(solution.best_move, _value(score), solution.line, {**statistics}, moves)


def _others(
    state: State, best: int, seconds: float | None, stop: StopFlag | None
) -> list[MoveReport]:
    """Reports on the other moves, best first, as many as there is time for."""
    reports, started = [], time.perf_counter()
    for action in state.legal_actions():
        if action == best:
            continue
        after = state.apply(action)
        if after.is_terminal:
            reports.append(MoveReport(action, _value(after.score), line=(action,)))
            continue
        left = None if seconds is None else seconds - (time.perf_counter() - started)
        if (left is not None and left <= 0.0) or (stop is not None and stop[0]):
            break
        solution = solve(after, megabytes=_MEGABYTES, seconds=left, stop=stop)
        score = solution.first_player_score
        if score is not None:
            reports.append(MoveReport(action, _value(score), line=(action, *solution.line)))
    sign = -1.0 if state.current_player == 1 else 1.0
    return sorted(reports, key=lambda move: -sign * (move.value or 0.0))


def _value(score: float) -> float:
    return score + WIN * ((score > 0) - (score < 0))
