"""What an agent thinks, in the thinker's process: a move for a seat, or reports for a page."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playproof.agents import values
from playproof.agents.alphabeta import AlphaBetaAgent, Minimax
from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.mcts import MonteCarlo
from playproof.agents.registry import make_agent
from playproof.core import loading
from playproof.core.errors import PlayproofError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.search.alphabeta import AlphaBeta, Result
from playproof.web import catalog

if TYPE_CHECKING:
    from playproof.agents.tables import Tables
    from playproof.core.stopping import StopFlag
    from playproof.search.mcts import Root
    from playproof.web.thinker import Stop

EVERY = 0.1  # seconds between two reports
_MOST_MOVES = 60  # in a report
_LONGEST_LINE = 24  # plies of it
_KEPT = 2  # agents, with their memory
_MAIN = 0.6  # of the time goes to the position itself, the rest to its moves one by one

Report = dict[str, Any]
_agents: dict[tuple[str, str, int], Agent] = {}
_tables: dict[bool, Tables | None] = {}  # of Choko, by its option lone_jump


class Hurried(AlphaBeta):
    """A search that stops and reports as a page wants, whoever starts it."""

    flag: StopFlag | None = None
    told: Callable[[Result], None] | None = None

    def search(
        self,
        state: State,
        *,
        stop: StopFlag | None = None,
        report: Callable[[Result], None] | None = None,
    ) -> Result:
        return super().search(state, stop=stop or self.flag, report=report or self.told)


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
        if isinstance(found, AlphaBetaAgent | Minimax):
            found.search = Hurried(found.search.game, found.search.settings)
    _agents[key] = found
    while len(_agents) > _KEPT:
        del _agents[next(iter(_agents))]
    return found


def _move(agent: Agent, state: State, stop: Stop, job: dict[str, Any]) -> int:
    agent.stop = stop.flag()
    search = getattr(agent, "search", None)
    if isinstance(search, Hurried):
        search.flag, search.told = stop.flag(), None
    # Games of one seed differ by what was played, not by who asks.
    return agent.decide(state, seed=job["seed"]).action


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
        # Of several clicks that make a move, the first is where it goes.
        self._clicks = {move.name: move.clicks for move in reversed(state.view().legal)}

    def run(self) -> Report:
        if isinstance(self.agent, AlphaBetaAgent | Minimax):
            return self._alphabeta(self.agent)
        if isinstance(self.agent, MonteCarlo) and self.agent.tables is None:
            return self._tree(self.agent)
        self.agent.stop = self.stop.flag()
        return self._report(self.agent.analyse(self.state, seed=self.job["seed"]))

    def _news(self, decision: Callable[[], Decision], of: float | None) -> None:
        """Tell, but not too often."""
        now = time.perf_counter()
        if now >= self._due:
            self._due = now + EVERY
            self._tell(self._report(decision(), of))

    # Alpha-beta: the position first, then each move with a share of the rest

    def _alphabeta(self, agent: AlphaBetaAgent | Minimax) -> Report:
        state, own = self.state, agent.search.settings
        seconds = min(own.seconds or self.job["seconds"], self.job["seconds"])
        searcher = AlphaBeta(agent.search.game, replace(own, seconds=_MAIN * seconds))
        found = searcher.search(
            state,
            stop=self.stop.flag(),
            report=lambda result: self._news(lambda: self._decision(result, []), own.depth),
        )
        legal = state.legal_actions()
        share = max(0.01, (1.0 - _MAIN) * seconds / max(1, len(legal)))
        settings = replace(own, seconds=share, depth=max(1, own.depth - 1))
        searcher = AlphaBeta(agent.search.game, settings)
        ranked: list[tuple[int, Result]] = []
        for action in legal:
            if self.stop.raised:
                break
            ranked.append((action, searcher.search(state.apply(action), stop=self.stop.flag())))
            self._news(lambda: self._decision(found, ranked), own.depth)
        return self._report(self._decision(found, ranked), own.depth)

    def _decision(self, found: Result, ranked: list[tuple[int, Result]]) -> Decision:
        # The deeper look goes first, and is there before any other.
        best = () if found.action is None else (MoveReport(found.action, found.value),)
        others = [
            MoveReport(a, after.value, line=(a, *after.line))
            for a, after in ranked
            if a != found.action
        ]
        others.sort(key=lambda move: -self.sign * (move.value or 0.0))
        moves = (*best, *others)
        facts = {"nodes": found.nodes, "depth": found.depth, "proven": found.proven}
        return Decision(found.action or 0, found.value, found.line, facts, moves)

    # Tree search

    def _tree(self, agent: MonteCarlo) -> Report:
        from playproof.core.batch import Batch

        options = agent.options
        seconds = min(options["time"] or self.job["seconds"], self.job["seconds"])
        search, _ = agent._search(self.state.game, 1)
        search.reset_roots(Batch.of([self.state], seed=self.job["seed"]), seed=agent.seed)
        goal = options["simulations"]
        search.run(
            seconds=seconds,
            stop=self.stop.flag(),
            on_progress=lambda: self._news(lambda: _of_root(search.root(0)), goal),
            every=EVERY,
        )
        return self._report(_of_root(search.root(0)), goal)

    # A decision as the page hears it

    def _report(self, decision: Decision, of: float | None = None) -> Report:
        state, facts = self.state, decision.statistics
        sims = facts.get("simulations", facts.get("depth", 0)) or 0
        line = decision.line or (decision.action,)
        report = {
            "sims": sims,
            "of": of or sims,
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
            "c": list(self._clicks.get(name, (name,))),
            "n": name,
            "visits": move.visits,
            "prior": move.prior,
            "value": move.value,
            "words": self._words(decision, move.value, line),
            "share": self._share(move.value),
        }

    def _heat(self, decision: Decision) -> dict[str, float]:
        """How much of its attention each point gets, by the last click of the moves there."""
        moves = decision.moves
        heat: dict[str, float] = {}
        for move, weight in zip(moves, _weights(moves, self.sign, self._share), strict=True):
            clicks = self._clicks.get(self.state.said(move.action)[0], ())
            points = [click for click in clicks if ":" not in click]
            if points and weight > 0.0005:
                heat[points[-1]] = round(heat.get(points[-1], 0.0) + weight, 4)
        return heat


def _of_root(root: Root) -> Decision:
    order = sorted(range(len(root.actions)), key=lambda i: -int(root.visits[i]))
    moves = tuple(
        MoveReport(
            int(root.actions[i]), root.value_of(i), int(root.visits[i]), float(root.priors[i])
        )
        for i in order
    )
    value = float(root.result) if root.is_proven else root.value
    facts = {"simulations": root.simulations, "nodes": root.nodes, "proven": root.is_proven}
    return Decision(root.best(), value, root.line, facts, moves)


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
    from playproof.agents.tables import open_tables

    lone = bool(state.game.options["lone_jump"])
    if lone not in _tables:
        try:
            _tables[lone] = open_tables("lab", state.game, "")
        except PlayproofError:
            _tables[lone] = None
    return _tables[lone]
