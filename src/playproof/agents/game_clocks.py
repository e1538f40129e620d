"""A clock for every game that an agent plays at once: so much time, and some more a move.

An agent that declares the option ``TIME_CONTROL`` can be given one, ``tc=60+0.6``.  Its games
are then decided one by one, each with its clock among the limits.

An agent sees positions, not games.  A position belongs to the game of the same seed whose
last position it goes on from; any other begins a game, and its clock is full.
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
_MOST_GAMES = 4096  # whose clocks are kept
_LONGEST = 1e6  # seconds

Hear = Callable[[int, "Decision"], None]
Decide = Callable[["Batch", Limits, Hear | None], list["Decision"]]


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
        if not (0.0 < base <= _LONGEST and 0.0 <= increment <= _LONGEST):
            raise UsageError(
                f"{owner}: tc={text} is no time control: want seconds for the game and seconds a "
                "move, as in tc=60+0.6"
            )
        return cls(base, increment)

    def __str__(self) -> str:
        return f"{self.base:g}+{self.increment:g}"


@dataclass
class _GameClock:
    """What is left of a game's time, in seconds, and what was answered last."""

    left: float
    state: State | None = None
    ply: int = 0
    decision: Decision | None = None  # None: the flag fell there


class GameClocks:
    """The clocks of all games under way; the oldest make room."""

    def __init__(self, control: TimeControl, owner: Agent) -> None:
        self.control, self._owner = control, owner
        self._clocks: OrderedDict[int, _GameClock] = OrderedDict()

    def choose(
        self, batch: Batch, limits: Limits, on_progress: Hear | None, decide: Decide
    ) -> list[Decision]:
        """``decide`` for one row after the other, each within its game's clock."""

        decisions = []
        for row in range(len(batch)):
            hear = None if on_progress is None else functools.partial(_hear_of, on_progress, row)
            one = functools.partial(_decide_one, decide, hear)
            decisions.append(self._choose(batch.take([row]), batch[row], limits, one))
        return decisions

    def _choose(
        self, part: Batch, state: State, limits: Limits, decide: Callable[[Batch, Limits], Decision]
    ) -> Decision:
        ply = int(part.plies[0])  # a row of a batch knows its ply, not its moves
        clock = self._clock(int(part.seeds[0]), state, ply)
        if clock.state is not None and _is_same(clock, state, ply):
            # Asked again, as a referee does whom another game's failure left without an answer.
            if clock.decision is None:
                raise self._late(clock)
            return clock.decision
        began = time.perf_counter()
        reading = Clock(clock.left, self.control.increment)
        decision = decide(part, replace(limits, clock=reading))
        # An agent knows best what was thinking: to start an engine anew is none.
        spent = decision.statistics.get("seconds", time.perf_counter() - began)
        clock.state, clock.ply, clock.decision = state, ply, None
        clock.left -= float(spent or 0.0)
        if clock.left < 0.0:
            raise self._late(clock)
        clock.left += self.control.increment
        clock.decision = decision
        return decision

    def _clock(self, seed: int, state: State, ply: int) -> _GameClock:
        """The clock that runs while a position is thought about."""
        clock = self._clocks.pop(seed, None)
        if clock is None or not (clock.state is None or _goes_on(clock, state, ply)):
            clock = _GameClock(self.control.base)
        self._clocks[seed] = clock
        while len(self._clocks) > _MOST_GAMES:
            self._clocks.popitem(last=False)
        return clock

    def _late(self, clock: _GameClock) -> LostOnTime:
        return LostOnTime(
            f"{self._owner.label} lost on time: its move came {-clock.left:.2f} s too late "
            f"(tc={self.control})"
        )


def _decide_one(decide: Decide, hear: Hear | None, part: Batch, limits: Limits) -> Decision:
    return decide(part, limits, hear)[0]


def _hear_of(on_progress: Hear, row: int, _: int, decision: Decision) -> None:
    on_progress(row, decision)


def _is_same(clock: _GameClock, state: State, ply: int) -> bool:
    return (
        clock.state is not None and clock.ply == ply and bool((clock.state.row == state.row).all())
    )


def _goes_on(clock: _GameClock, state: State, ply: int) -> bool:
    """Whether a position is the clock's last one, or a later one of its game, as far as can be
    seen."""
    before = clock.state
    if before is None or _is_same(clock, state, ply):
        return True
    known = len(before.history)
    if state.game.uses_history and len(state.history) > known:
        kernels, options = state.game.kernels, state.game.option_words
        return int(state.history[known]) == int(kernels.hash(options, before.row.copy()))
    return ply > clock.ply
