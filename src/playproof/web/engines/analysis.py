"""What an agent thinks, in the thinker's process: a move for a seat, or reports for a page."""

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
    from playproof.agents.exact.tables import Tables
    from playproof.web.engines.worker import Stop

EVERY = 0.1  # seconds between two reports
_MOST_MOVES = 60  # in a report
_LONGEST_LINE = 24  # plies of it
_KEPT = 2  # agents, with their memory

Report = dict[str, Any]
_agents: dict[tuple[str, str, int], Agent] = {}
_tables: dict[bool, Tables | None] = {}  # of Choko, by its option lone_jump


def answer(
    job: dict[str, Any], stop: Stop, begin: Callable[[], None], tell: Callable[[Report], None]
) -> dict[str, Any]:
    """The end of a job: a move, or the last report."""
    if job["do"] == "warm":
        warm()
        return {}
    if job.get("file"):
        loading.load(job["file"])
    state = State.parse(job["state"])
    agent = _agent(state, job["agent"], job["seed"])
    if job["do"] == "move":
        begin()
        return {"action": _move(agent, state, stop, job)}
    begin()
    return _Thinking(agent, state, stop, job, tell).run()


def warm() -> None:
    """Compile, or load, what the usual agents need, so that the first move is quick."""
    for name in catalog.all_names():
        if catalog.is_offered(name):
            state = make(name).start()
            for spec in ("greedy", "alphabeta:depth=1", "mcts:simulations=1"):
                make_agent(spec, state.game).decide(state)


def _agent(state: State, spec: str, seed: int) -> Agent:
    key = state.game.spec, spec, seed
    found = _agents.pop(key, None)
    if found is None:
        found = make_agent(spec, state.game, seed=seed)
    _agents[key] = found
    while len(_agents) > _KEPT:
        del _agents[next(iter(_agents))]
    return found


def _move(agent: Agent, state: State, stop: Stop, job: dict[str, Any]) -> int:
    # Games of one seed differ by what was played, not by who asks.
    return agent.decide(state, seed=job["seed"], stop=stop.flag()).action


class _Thinking:
    """One look at a position, told as it grows."""

    def __init__(
        self,
        agent: Agent,
        state: State,
        stop: Stop,
        job: dict[str, Any],
        tell: Callable[[Report], None],
    ) -> None:
        self.agent, self.state, self.stop, self.job = agent, state, stop, job
        self.unit = values.unit(job["agent"])
        self.sign = -1.0 if state.current_player == 1 else 1.0
        self.truth = truth_of(state)
        self._tell = tell
        self._began = time.perf_counter()
        self._due = 0.0
        # Of several ways to click a move, the first one counts.
        self._clicks = {move.action: move.clicks for move in reversed(state.view().legal)}

    def run(self) -> Report:
        """The agent's decision as a report; reports of what it thinks until then are told."""
        limits = Limits(seconds=self.job["budget"], lines=self.job["lines"])
        decision = self.agent.decide(
            self.state, seed=self.job["seed"], limits=limits, stop=self.stop.flag(),
            on_progress=self._news,
        )  # fmt: skip
        return self._report(decision)

    def _news(self, decision: Decision) -> None:
        """Tell, but not too often."""
        now = time.perf_counter()
        if now >= self._due:
            self._due = now + EVERY
            self._tell(self._report(decision))

    # A decision as the page hears it

    def _report(self, decision: Decision) -> Report:
        state, facts = self.state, decision.statistics
        unit = "simulations" if "simulations" in facts else "depth"
        sims = facts.get(unit) or 0
        line = decision.line or (decision.action,)
        report = {
            "sims": sims,
            "of": self.agent.options.get(unit) or sims,
            "nodes": facts.get("nodes", 0),
            "seconds": round(time.perf_counter() - self._began, 3),
            "value": decision.value,
            "unit": self.unit,
            "words": self._words(
                decision, decision.value, decision.line, proven=bool(facts.get("proven"))
            ),
            "share": self._share(decision.value),
            "proven": bool(facts.get("proven", False)),
            "heat": self._heat(decision),
            "pv": state.said(*line[:_LONGEST_LINE]),
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
        known = "distance" in decision.statistics
        spec = self.job["agent"]
        return values.certain_words(
            self.state, value, spec, line, has_distance=known, is_proven=proven
        )

    def _row(self, move: MoveReport, decision: Decision) -> dict[str, Any]:
        name = self.state.said(move.action)[0]
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
            "line": self.state.said(*line[:_LONGEST_LINE]) if line else [],
            "actions": list(line[:_LONGEST_LINE]),
        }

    def _heat(self, decision: Decision) -> dict[str, float]:
        """How much of its attention each point gets, by the last click of the moves there."""
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
    """Shares that add up to one: of visits, of the policy, or by how good a move looks."""
    visits = [move.visits or 0 for move in moves]
    if sum(visits):
        return [n / sum(visits) for n in visits]
    if moves and all(move.prior is not None for move in moves):
        return [float(move.prior or 0.0) for move in moves]
    # A move that is a tenth of the point worse gets e times less.
    shares = [share(move.value) for move in moves]
    known = [sign * x for x in shares if x is not None]
    powers = [
        0.0 if x is None else math.exp(10.0 * (sign * x - max(known, default=0.0))) for x in shares
    ]
    return [power / (sum(powers) or 1.0) for power in powers]


def truth_of(state: State) -> str | None:
    """What tables say of a position, where they are built: ``Blue wins in 59``."""
    game = state.game
    if game.name != "choko" or state.is_terminal:
        return None
    tables = _open_tables(state)
    try:
        known = tables.decision(state, 0) if tables is not None else None
    except PlayproofError:
        return None
    if known is None or known.value is None:
        return None
    outcome = (known.value > 0) - (known.value < 0)
    if outcome == 0:
        return "draw with best play"
    return f"{game.result_name(outcome)} in {known.statistics.get('distance', '?')}"


def _open_tables(state: State) -> Tables | None:
    from playproof.agents.exact.tables import open_tables

    lone = bool(state.game.options["lone_jump"])
    if lone not in _tables:
        try:
            _tables[lone] = open_tables("lab", state.game, "")
        except PlayproofError:
            _tables[lone] = None
    return _tables[lone]
