"""One search for a UCI controller: writes ``info`` lines and returns the agent's decision."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.limits import Limits
from playproof.core.state import State
from playproof.core.stopping import StopFlag, stop_flag

_PROVEN = 5_000.0  # pawns; a larger value is a certain win
_MAX_CENTIPAWNS = 100_000
_WON_ENDING = 20_000  # centipawns, for an ending that tables know to be won
_MAX_RESULT = 0.9999  # between -1 and 1, for conversion into centipawns

Write = Callable[[str], None]


class UciSearch:
    """A search in progress, which another thread may stop."""

    def __init__(self, agent: Agent, state: State, limits: Limits, write: Write) -> None:
        self.agent, self.state, self.limits, self.write = agent, state, limits, write
        self._stop: StopFlag = stop_flag()
        self._started = time.perf_counter()
        self._timer: threading.Timer | None = None
        self.last_info: list[str] = []

    def stop(self, seconds: float = 0.0) -> None:
        """Stop the search now, or after so many seconds."""
        if seconds <= 0.0:
            self._stop.fill(1)
            return
        self._timer = threading.Timer(seconds, lambda: self._stop.fill(1))
        self._timer.daemon = True
        self._timer.start()

    def decide(self) -> Decision:
        """The agent's decision.  ``info`` lines are written whenever it changes, and at the end."""
        try:
            decision = self.agent.decide(
                self.state, limits=self.limits, stop=self._stop, on_progress=self._write_info
            )
        finally:
            if self._timer is not None:
                self._timer.cancel()
        self._write_info(decision)
        return decision

    def _write_info(self, decision: Decision) -> None:
        seconds = time.perf_counter() - self._started
        lines = info(self.agent, self.state, decision, seconds, self.limits.lines)
        # Lines that differ only in counts and times are not repeated.
        if list(map(_without_counts, lines)) != list(map(_without_counts, self.last_info)):
            self.last_info = lines
            for line in lines:
                self.write(line)


def _without_counts(line: str) -> str:
    """An ``info`` line without its counts and times."""
    return line.partition(" nodes ")[0] + line.partition(" pv ")[2]


def info(
    agent: Agent, state: State, decision: Decision, seconds: float, lines: int = 1
) -> list[str]:
    """The ``info`` lines for a decision, one for each of the best moves."""
    best = MoveReport(decision.action, decision.value, line=decision.line or (decision.action,))
    if lines == 1:
        return [_info(agent, state, decision, best, seconds)]
    moves = [move for move in decision.moves[:lines] if move.line] or [best]
    return [
        _info(agent, state, decision, move, seconds, number) for number, move in enumerate(moves, 1)
    ]


def _info(
    agent: Agent,
    state: State,
    decision: Decision,
    move: MoveReport,
    seconds: float,
    number: int | None = None,
) -> str:
    nodes = int(decision.statistics.get("nodes") or 0)
    depth = int(decision.statistics.get("depth") or max(1, len(move.line)))
    words = ["info", "depth", str(depth)]
    if number is not None:
        words += ["multipv", str(number)]
    if move.value is not None:
        words += ["score", score(agent, state, decision, move)]
    words += ["nodes", str(nodes)]
    if seconds > 0.0:
        words += ["nps", str(round(nodes / seconds))]
    words += ["time", str(round(1000 * seconds))]
    return " ".join([*words, "pv", *state.names_of(move.line)])


def score(agent: Agent, state: State, decision: Decision, move: MoveReport) -> str:
    """The score of a move as ``cp 31`` or ``mate -3``, from the mover's side."""
    value = (-1.0 if state.current_player == 1 else 1.0) * (move.value or 0.0)
    if agent.unit == "result":
        return f"cp {centipawns(value)}"
    if abs(value) <= _PROVEN:
        return f"cp {max(-_MAX_CENTIPAWNS, min(_MAX_CENTIPAWNS, round(100 * value)))}"
    dtz = decision.statistics.get("dtz")
    if dtz is not None:  # Syzygy tables know who wins, but not the distance to mate
        return f"cp {round(math.copysign(_WON_ENDING - float(dtz), value))}"
    # The first depth that sees a mate is its distance; the line may be shorter, because the hash
    # table has lost its end.
    depth = int(decision.statistics.get("depth") or 0) if move.line == decision.line else 0
    plies = max(depth, len(move.line))
    return f"mate {(plies + 1) // 2}" if value > 0 else f"mate {-max(1, plies // 2)}"


def centipawns(result: float) -> int:
    """An expected result, from -1 to 1, in centipawns, by ``score = 1 / (1 + 10^(-pawns / 4))``.

    One pawn is a score of 64 %, four pawns are 91 %.
    """
    bounded = max(-_MAX_RESULT, min(_MAX_RESULT, result))
    return round(400 * math.log10((1 + bounded) / (1 - bounded)))
