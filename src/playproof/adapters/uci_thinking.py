"""One search for a UCI controller: limits in, lines of thinking and a decision out."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from playproof.agents.alphabeta import AlphaBetaAgent, Minimax, decision_of
from playproof.agents.base import Agent, Decision
from playproof.core.spec import Option
from playproof.core.state import State
from playproof.core.stopping import StopFlag, stop_flag
from playproof.search.alphabeta_settings import MAX_DEPTH

_IN_POINTS = ("alphabeta", "minimax", "greedy", "uci")  # whose value is in pawns
_PROVEN = 5_000.0  # pawns: beyond, a value says who wins
_MOST = 100_000  # centipawns
_FROM_TABLES = 20_000  # centipawns: an ending that is won
_CERTAIN = 0.9999  # of a result between -1 and 1

Say = Callable[[str], None]


@dataclass(frozen=True)
class Limits:
    """None is no limit.  ``bare`` says that nothing was asked: the agent's own pace."""

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    bare: bool = False


class Thought:
    """A decision in the making, which another thread may hurry."""

    def __init__(self, agent: Agent, state: State, limits: Limits, say: Say) -> None:
        self.agent, self.state, self.limits, self.say = agent, state, limits, say
        self.only: list[int] = []  # actions to choose from, if not from all
        self.flag: StopFlag = stop_flag()
        self._began = time.perf_counter()
        self._timer: threading.Timer | None = None
        self.told = ""  # the line said last

    def hurry(self, seconds: float = 0.0) -> None:
        """Decide now, or in so many seconds."""
        if seconds <= 0.0:
            self.flag.fill(1)
            return
        self._timer = threading.Timer(seconds, lambda: self.flag.fill(1))
        self._timer.daemon = True
        self._timer.start()

    def decide(self) -> Decision:
        """Think; a line is said for every depth that alpha-beta finishes, and one at the end."""
        try:
            decision = self._among(self.only) if self.only else self._look(self.state, self.limits)
        finally:
            if self._timer is not None:
                self._timer.cancel()
        self._tell(decision)
        return decision

    def _look(self, state: State, limits: Limits) -> Decision:
        if isinstance(self.agent, AlphaBetaAgent | Minimax):
            known = self.agent.tables and self.agent.tables.decision(state, 0)
            if known:
                return known
            return self._by_alphabeta(self.agent, state, limits)
        return self._by_itself(state, limits)

    def _among(self, actions: list[int]) -> Decision:
        """The best of some moves: what follows each is looked at, with a share of the limits."""
        whole, best = self.limits, None
        sign = -1.0 if self.state.current_player == 1 else 1.0
        share = replace(
            whole,
            seconds=whole.seconds and whole.seconds / len(actions),
            depth=whole.depth and max(1, whole.depth - 1),
            nodes=whole.nodes and max(1, whole.nodes // len(actions)),
        )
        for action in actions:
            after = self.state.apply(action)
            if after.is_terminal:
                seen = Decision(-1, _PROVEN * 2 * (after.outcome or 0), (), {"depth": 0})
            else:
                seen = self._look(after, share)
            depth = 1 + int(seen.statistics.get("depth", 0) or 0)
            found = Decision(
                action, seen.value, (action, *seen.line), {**seen.statistics, "depth": depth}
            )
            if best is None or sign * (found.value or 0.0) > sign * (best.value or 0.0):
                best = found
        assert best is not None
        return best

    def _by_alphabeta(
        self, agent: AlphaBetaAgent | Minimax, state: State, limits: Limits
    ) -> Decision:
        search, own = agent.search, agent.search.settings
        told = state is self.state  # not what follows a move
        if not limits.bare:
            given = own.seconds if _is_set(agent, "time") else None
            search.settings = replace(
                own,
                seconds=_least(given, limits.seconds),
                depth=min(own.depth, max(1, limits.depth or MAX_DEPTH)),
                nodes=_least(own.nodes or None, limits.nodes) or 0,
            )
        if search.settings.seconds is None and not limits.bare:
            search.forget()
        try:
            found = search.search(
                state,
                stop=self.flag,
                report=(lambda result: self._tell(decision_of(result))) if told else None,
            )
        finally:
            search.settings = own
        return decision_of(found)

    def _by_itself(self, state: State, limits: Limits) -> Decision:
        agent, options = self.agent, self.agent.options
        own: dict[str, Any] = dict(options)
        if "time" in options and limits.seconds is not None:
            options["time"] = _least(own["time"] or None, limits.seconds)
        if "simulations" in options and limits.nodes:
            options["simulations"] = _least(own["simulations"], limits.nodes)
        agent.stop = self.flag
        try:
            return agent.decide(state)
        finally:
            agent.stop = None
            options.update(own)

    def _tell(self, decision: Decision) -> None:
        seconds = time.perf_counter() - self._began
        line = info(self.agent, self.state, decision, seconds)
        # The same again, only later, is no news.
        if _news(line) != _news(self.told):
            self.told = line
            self.say(line)


def _news(line: str) -> str:
    """A line of thinking without its counts and times."""
    return line.partition(" nodes ")[0] + line.partition(" pv ")[2]


def info(agent: Agent, state: State, decision: Decision, seconds: float) -> str:
    """A line of thinking as UCI writes it."""
    facts = decision.statistics
    nodes = int(facts.get("nodes", 0) or 0)
    depth = int(facts.get("depth", 0) or max(1, len(decision.line)))
    words = ["info", "depth", str(depth)]
    if decision.value is not None:
        words += ["score", score(agent, state, decision)]
    words += ["nodes", str(nodes)]
    if seconds > 0.0:
        words += ["nps", str(round(nodes / seconds))]
    words += ["time", str(round(1000 * seconds))]
    line = decision.line or (decision.action,)
    return " ".join([*words, "pv", *state.names_of(line)])


def score(agent: Agent, state: State, decision: Decision) -> str:
    """``cp 31`` or ``mate -3``, from the mover's side."""
    value = (-1.0 if state.current_player == 1 else 1.0) * (decision.value or 0.0)
    if agent.name not in _IN_POINTS:
        return f"cp {centipawns(value)}"
    if abs(value) <= _PROVEN:
        return f"cp {max(-_MOST, min(_MOST, round(100 * value)))}"
    if "dtz" in decision.statistics:  # tables of endings know who wins, not how far the mate is
        return f"cp {round(math.copysign(_FROM_TABLES - decision.statistics['dtz'], value))}"
    # The first depth that sees a mate is its distance; the line may be cut short by memory.
    plies = max(int(decision.statistics.get("depth", 0) or 0), len(decision.line))
    return f"mate {(plies + 1) // 2}" if value > 0 else f"mate {-max(1, plies // 2)}"


def centipawns(result: float) -> int:
    """An expected result, -1 to 1, in the pawns that usually bring it: a pawn up is 64 %,
    four are 91 %, by ``score = 1 / (1 + 10^(-pawns / 4))``."""
    bounded = max(-_CERTAIN, min(_CERTAIN, result))
    return round(400 * math.log10((1 + bounded) / (1 - bounded)))


def _least(*limits: float | None) -> Any:
    """The tightest of the limits that are there."""
    given = [limit for limit in limits if limit is not None]
    return min(given) if given else None


def _is_set(agent: Agent, name: str) -> bool:
    """Whether an option has another value than its default."""
    field: Option | None = next((o for o in agent.option_fields if o.name == name), None)
    return field is not None and agent.options[name] not in (field.default, 0.0)
