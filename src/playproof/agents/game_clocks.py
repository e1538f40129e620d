"""Game clocks: a time budget for each of the games that an agent plays at once.

An agent that declares the option ``TIME_CONTROL`` accepts a time control such as ``tc=60+0.6``:
seconds for the whole game, and seconds added by each move.  It then decides one game after the
other, each with its own clock in ``Limits.clock``.

An agent sees positions, not games.  A position belongs to the game with the same seed if it can
follow that game's last position.  Any other position starts a new game with a full clock.
"""

from __future__ import annotations

import functools
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from playproof.agents.engines.process import EngineFailure
from playproof.agents.limits import Clock, Limits
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.agents.base import Agent, Decision
    from playproof.core.batch import Batch
    from playproof.core.state import State

TIME_CONTROL = Option("tc", "", "seconds for the game and seconds a move: 60+0.6")
_MAX_GAMES = 4096  # games whose clocks are remembered
_MAX_SECONDS = 1e6

OnProgress = Callable[[int, "Decision"], None]
Decide = Callable[["Batch", Limits, OnProgress | None], list["Decision"]]


class LostOnTime(EngineFailure):
    """A move came after the flag had fallen."""


@dataclass(frozen=True)
class TimeControl:
    """Seconds for the whole game, and seconds that each move adds."""

    base: float
    increment: float = 0.0

    @classmethod
    def parse(cls, owner: str, text: str) -> TimeControl:
        """``60+0.6``, or ``60`` without an increment."""
        first, plus, second = text.partition("+")
        try:
            base, increment = float(first), float(second) if plus else 0.0
        except ValueError:
            base = increment = math.nan
        if not (0.0 < base <= _MAX_SECONDS and 0.0 <= increment <= _MAX_SECONDS):
            raise UsageError(
                f"{owner}: tc={text} is no time control: want seconds for the game and seconds a "
                "move, as in tc=60+0.6"
            )
        return cls(base, increment)

    def __str__(self) -> str:
        return f"{self.base:g}+{self.increment:g}"


@dataclass
class _GameClock:
    """The seconds left in a game, and the last position with its decision."""

    left: float
    state: State | None = None
    ply: int = 0
    decision: Decision | None = None  # None if the flag fell there


class GameClocks:
    """The clocks of all games in progress; the least recently used are dropped."""

    def __init__(self, control: TimeControl, owner: Agent) -> None:
        self.control, self._owner = control, owner
        self._clocks: OrderedDict[int, _GameClock] = OrderedDict()

    def choose(
        self, batch: Batch, limits: Limits, on_progress: OnProgress | None, decide: Decide
    ) -> list[Decision]:
        """``decide`` for one row after the other, each on the clock of its game."""

        decisions = []
        for row in range(len(batch)):
            on_row = None if on_progress is None else functools.partial(_for_row, on_progress, row)
            decide_one = functools.partial(_decide_one, decide, on_row)
            decisions.append(self._choose(batch.take([row]), batch[row], limits, decide_one))
        return decisions

    def _choose(
        self,
        single: Batch,
        state: State,
        limits: Limits,
        decide: Callable[[Batch, Limits], Decision],
    ) -> Decision:
        """The decision for ``single``, a batch of one row that holds ``state``."""
        ply = int(single.plies[0])  # a row of a batch knows its ply, not its moves
        clock = self._clock(int(single.seeds[0]), state, ply)
        if clock.state is not None and _is_same(clock, state, ply):
            # A referee asks again when another game's failure has cost it this answer.
            if clock.decision is None:
                raise self._lost_on_time(clock)
            return clock.decision
        started = time.perf_counter()
        reading = Clock(clock.left, self.control.increment)
        decision = decide(single, replace(limits, clock=reading))
        # The agent's own figure goes first: restarting an engine does not count as thinking.
        elapsed = decision.statistics.get("seconds", time.perf_counter() - started)
        clock.state, clock.ply, clock.decision = state, ply, None
        clock.left -= float(elapsed or 0.0)
        if clock.left < 0.0:
            raise self._lost_on_time(clock)
        clock.left += self.control.increment
        clock.decision = decision
        return decision

    def _clock(self, seed: int, state: State, ply: int) -> _GameClock:
        """The clock of the game that a position belongs to; a new one for a new game."""
        clock = self._clocks.pop(seed, None)
        if clock is None or not (clock.state is None or _can_follow(clock, state, ply)):
            clock = _GameClock(self.control.base)
        self._clocks[seed] = clock
        while len(self._clocks) > _MAX_GAMES:
            self._clocks.popitem(last=False)
        return clock

    def _lost_on_time(self, clock: _GameClock) -> LostOnTime:
        return LostOnTime(
            f"{self._owner.label} lost on time: its move came {-clock.left:.2f} s too late "
            f"(tc={self.control})"
        )


def _decide_one(
    decide: Decide, on_progress: OnProgress | None, single: Batch, limits: Limits
) -> Decision:
    return decide(single, limits, on_progress)[0]


def _for_row(on_progress: OnProgress, row: int, _: int, decision: Decision) -> None:
    on_progress(row, decision)


def _is_same(clock: _GameClock, state: State, ply: int) -> bool:
    return (
        clock.state is not None and clock.ply == ply and bool((clock.state.row == state.row).all())
    )


def _can_follow(clock: _GameClock, state: State, ply: int) -> bool:
    """Whether a position is the clock's last one or, as far as one can tell, a later one of the
    same game."""
    before = clock.state
    if before is None or _is_same(clock, state, ply):
        return True
    length = len(before.history)
    if state.game.uses_history and len(state.history) > length:
        kernels, options = state.game.kernels, state.game.option_words
        return int(state.history[length]) == int(kernels.hash(options, before.row.copy()))
    return ply > clock.ply
