"""What an engine process computes: a move for a seat, or reports for the analysis page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playproof.agents.analysis import value_text as values
from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.limits import Limits
from playproof.agents.registry import make_agent
from playproof.core import plugins as loading
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.web.catalog import listing as catalog

if TYPE_CHECKING:
    from playproof.agents.exact.tables import SolvedTables
    from playproof.web.engines.worker import Stop

EVERY = 0.1  # seconds between two reports
_MOST_MOVES = 60  # in a report
_LONGEST_LINE = 24  # plies of it
_MOST_CACHED = 2  # agents, with their memory

AnalysisReport = dict[str, Any]
_agents: dict[tuple[str, str, int], Agent] = {}
_tables: dict[bool, SolvedTables | None] = {}  # of Choko, by its option lone_jump


def run_job(
    job: dict[str, Any],
    stop: Stop,
    on_start: Callable[[], None],
    on_report: Callable[[AnalysisReport], None],
) -> dict[str, Any]:
    """The result of a job: a move, or the last report.

    ``on_start`` is called when everything is loaded and the time limit starts to count.
    """
    if job["do"] == "warm":
        warm()
        return {}
    if job.get("file"):
        loading.load(job["file"])
    state = State.parse(job["state"])
    agent = _agent(state, job["agent"], job["seed"])
    if job["do"] == "move":
        on_start()
        return {"action": _move(agent, state, stop, job)}
    on_start()
    return _Analysis(agent, state, stop, job, on_report).run()


def warm() -> None:
    """Compile or load what the usual agents need, so that the first move is quick."""
    for name in catalog.all_names():
        if catalog.is_offered(name):
            state = make(name).start()
            for spec in ("greedy", "alphabeta:depth=1", "mcts:simulations=1"):
                make_agent(spec, state.game).decide(state)


def _agent(state: State, spec: str, seed: int) -> Agent:
    key = state.game.spec, spec, seed
    agent = _agents.pop(key, None)
    if agent is None:
        agent = make_agent(spec, state.game, seed=seed)
    _agents[key] = agent
    while len(_agents) > _MOST_CACHED:
        del _agents[next(iter(_agents))]
    return agent


def _move(agent: Agent, state: State, stop: Stop, job: dict[str, Any]) -> int:
    # Two games with the same seed differ by their moves; who asks makes no difference.
    return agent.decide(state, seed=job["seed"], stop=stop.flag()).action


class _Analysis:
    """The analysis of one position, reported as it progresses."""

    def __init__(
        self,
        agent: Agent,
        state: State,
        stop: Stop,
        job: dict[str, Any],
        on_report: Callable[[AnalysisReport], None],
    ) -> None:
        self.agent, self.state, self.stop, self.job = agent, state, stop, job
        self.unit = values.unit(job["agent"])
        self.sign = -1.0 if state.current_player == 1 else 1.0
        self.truth = truth_of(state)
        self._on_report = on_report
        self._start = time.perf_counter()
        self._due = 0.0
        # Where several ways to click lead to one move, the first counts.
        self._clicks = {move.action: move.clicks for move in reversed(state.view().legal)}

    def run(self) -> AnalysisReport:
        """The agent's decision as a report; interim reports go to ``on_report``."""
        limits = Limits(seconds=self.job["budget"], lines=self.job["lines"])
        decision = self.agent.decide(
            self.state, seed=self.job["seed"], limits=limits, stop=self.stop.flag(),
            on_progress=self._on_progress,
        )  # fmt: skip
        return self._report(decision)

    def _on_progress(self, decision: Decision) -> None:
        """Report, at most once every EVERY seconds."""
        now = time.perf_counter()
        if now >= self._due:
            self._due = now + EVERY
            self._on_report(self._report(decision))

    # Reports, in the fields of the message ``think``

    def _report(self, decision: Decision) -> AnalysisReport:
        state, statistics = self.state, decision.statistics
        unit = "simulations" if "simulations" in statistics else "depth"
        sims = statistics.get(unit) or 0
        line = decision.line or (decision.action,)
        report = {
            "sims": sims,
            "of": self.agent.options.get(unit) or sims,
            "nodes": statistics.get("nodes", 0),
            "seconds": round(time.perf_counter() - self._start, 3),
            "value": decision.value,
            "unit": self.unit,
            "words": self._words(
                decision, decision.value, decision.line, proven=bool(statistics.get("proven"))
            ),
            "share": self._share(decision.value),
            "proven": bool(statistics.get("proven", False)),
            "heat": self._heat(decision),
            "pv": state.display_names(*line[:_LONGEST_LINE]),
            "actions": list(line[:_LONGEST_LINE]),
            "top": [self._row(move, decision) for move in decision.moves[:_MOST_MOVES]],
        }
        if self.truth is not None:
            report["truth"] = self.truth
        return report

    def _share(self, value: float | None) -> float | None:
        return catalog.share(self.state.game.name, value, self.unit)

    def _words(
        self,
        decision: Decision,
        value: float | None,
        line: tuple[int, ...],
        *,
        proven: bool = False,
    ) -> str:
        has_distance = "distance" in decision.statistics
        spec = self.job["agent"]
        return values.certain_words(
            self.state, value, spec, line, has_distance=has_distance, is_proven=proven
        )

    def _row(self, move: MoveReport, decision: Decision) -> dict[str, Any]:
        name = self.state.display_names(move.action)[0]
        line = decision.line if move.action == decision.action else move.line
        return {
            "c": list(self._clicks.get(move.action, (name,))),
            "n": name,
            "visits": move.visits,
            "prior": move.prior,
            "value": move.value,
            "words": self._words(decision, move.value, line),
            "share": self._share(move.value),
            "action": move.action,
            "line": self.state.display_names(*line[:_LONGEST_LINE]) if line else [],
            "actions": list(line[:_LONGEST_LINE]),
        }

    def _heat(self, decision: Decision) -> dict[str, float]:
        """The share of attention that each point gets, by the last click of the moves there."""
        moves = decision.moves
        heat: dict[str, float] = {}
        for move, weight in zip(moves, _weights(moves, self.sign, self._share), strict=True):
            clicks = self._clicks.get(move.action, ())
            points = [click for click in clicks if ":" not in click]
            if points and weight > 0.0005:
                heat[points[-1]] = round(heat.get(points[-1], 0.0) + weight, 4)
        return heat


def _weights(
    moves: tuple[MoveReport, ...], sign: float, share: Callable[[float | None], float | None]
) -> list[float]:
    """Shares that add up to one: by visits, else by the policy, else by the moves' values."""
    visits = [move.visits or 0 for move in moves]
    if sum(visits):
        return [n / sum(visits) for n in visits]
    if moves and all(move.prior is not None for move in moves):
        return [float(move.prior or 0.0) for move in moves]
    # A move whose share of the point is 0.1 lower gets a weight e times smaller.
    shares = [share(move.value) for move in moves]
    own_shares = [sign * x for x in shares if x is not None]
    best = max(own_shares, default=0.0)
    powers = [0.0 if x is None else math.exp(10.0 * (sign * x - best)) for x in shares]
    return [power / (sum(powers) or 1.0) for power in powers]


def truth_of(state: State) -> str | None:
    """The value of a position by the tables of Choko, where built: ``Blue wins in 59``."""
    game = state.game
    if game.name != "choko" or state.is_terminal:
        return None
    tables = _open_tables(state)
    try:
        decision = tables.decision(state, 0) if tables is not None else None
    except PlayproofError:
        return None
    if decision is None or decision.value is None:
        return None
    outcome = (decision.value > 0) - (decision.value < 0)
    if outcome == 0:
        return "draw with best play"
    return f"{game.result_name(outcome)} in {decision.statistics.get('distance', '?')}"


def _open_tables(state: State) -> SolvedTables | None:
    from playproof.agents.exact.tables import open_tables

    lone_jump = bool(state.game.options["lone_jump"])
    if lone_jump not in _tables:
        try:
            _tables[lone_jump] = open_tables("lab", state.game, "")
        except PlayproofError:
            _tables[lone_jump] = None
    return _tables[lone_jump]
