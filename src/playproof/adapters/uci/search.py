"""One search for a UCI controller: limits in, lines of thinking and a decision out."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.limits import Limits
from playproof.core.state import State
from playproof.core.stopping import StopFlag, stop_flag

_PROVEN = 5_000.0  # pawns: beyond, a value says who wins
_MOST = 100_000  # centipawns
_FROM_TABLES = 20_000  # centipawns: an ending that is won
_CERTAIN = 0.9999  # of a result between -1 and 1

Say = Callable[[str], None]


class UciSearch:
    """A decision in the making, which another thread may hurry."""

    def __init__(self, agent: Agent, state: State, limits: Limits, say: Say) -> None:
        self.agent, self.state, self.limits, self.say = agent, state, limits, say
        self._stop: StopFlag = stop_flag()
        self._began = time.perf_counter()
        self._timer: threading.Timer | None = None
        self.last_said: list[str] = []

    def hurry(self, seconds: float = 0.0) -> None:
        """Decide now, or in so many seconds."""
        if seconds <= 0.0:
            self._stop.fill(1)
            return
        self._timer = threading.Timer(seconds, lambda: self._stop.fill(1))
        self._timer.daemon = True
        self._timer.start()

    def decide(self) -> Decision:
        """Think; what the agent would decide now is said whenever it has news, and at the end."""
        try:
            decision = self.agent.decide(
                self.state, limits=self.limits, stop=self._stop, on_progress=self._tell
            )
        finally:
            if self._timer is not None:
                self._timer.cancel()
        self._tell(decision)
        return decision

    def _tell(self, decision: Decision) -> None:
        seconds = time.perf_counter() - self._began
        lines = info(self.agent, self.state, decision, seconds, self.limits.lines)
        # The same again, only later, is no news.
        if list(map(_news, lines)) != list(map(_news, self.last_said)):
            self.last_said = lines
            for line in lines:
                self.say(line)


def _news(line: str) -> str:
    """A line of thinking without its counts and times."""
    return line.partition(" nodes ")[0] + line.partition(" pv ")[2]


def info(
    agent: Agent, state: State, decision: Decision, seconds: float, lines: int = 1
) -> list[str]:
    """Lines of thinking as UCI writes them, one for each of the best moves."""
    best = MoveReport(decision.action, decision.value, line=decision.line or (decision.action,))
    if lines == 1:
        return [_info(agent, state, decision, best, seconds)]
    told = [move for move in decision.moves[:lines] if move.line] or [best]
    return [
        _info(agent, state, decision, move, seconds, place) for place, move in enumerate(told, 1)
    ]


def _info(
    agent: Agent,
    state: State,
    decision: Decision,
    move: MoveReport,
    seconds: float,
    place: int | None = None,
) -> str:
    facts = decision.statistics
    nodes = int(facts.get("nodes") or 0)
    depth = int(facts.get("depth") or max(1, len(move.line)))
    words = ["info", "depth", str(depth)]
    if place is not None:
        words += ["multipv", str(place)]
    if move.value is not None:
        words += ["score", score(agent, state, decision, move)]
    words += ["nodes", str(nodes)]
    if seconds > 0.0:
        words += ["nps", str(round(nodes / seconds))]
    words += ["time", str(round(1000 * seconds))]
    return " ".join([*words, "pv", *state.names_of(move.line)])


def score(agent: Agent, state: State, decision: Decision, move: MoveReport) -> str:
    """``cp 31`` or ``mate -3``, from the mover's side."""
    value = (-1.0 if state.current_player == 1 else 1.0) * (move.value or 0.0)
    if agent.unit == "result":
        return f"cp {centipawns(value)}"
    if abs(value) <= _PROVEN:
        return f"cp {max(-_MOST, min(_MOST, round(100 * value)))}"
    dtz = decision.statistics.get("dtz")
    if dtz is not None:  # tables of endings know who wins, not how far the mate is
        return f"cp {round(math.copysign(_FROM_TABLES - float(dtz), value))}"
    # The first depth that sees a mate is its distance; the line may be cut short by memory.
    depth = int(decision.statistics.get("depth") or 0) if move.line == decision.line else 0
    plies = max(depth, len(move.line))
    return f"mate {(plies + 1) // 2}" if value > 0 else f"mate {-max(1, plies // 2)}"


def centipawns(result: float) -> int:
    """An expected result, -1 to 1, in the pawns that usually bring it: a pawn up is 64 %,
    four are 91 %, by ``score = 1 / (1 + 10^(-pawns / 4))``."""
    bounded = max(-_CERTAIN, min(_CERTAIN, result))
    return round(400 * math.log10((1 + bounded) / (1 - bounded)))
