"""A clock for every game that an engine plays at once: so much time, and some more a move.

An agent sees positions, not games.  A position belongs to the game of the same seed whose
last position it goes on from; any other begins a game, and its clock is full.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass

from playproof.agents.base import Decision
from playproof.core.errors import UsageError

_MOST_GAMES = 4096  # whose clocks are kept
_LONGEST = 1e6  # seconds


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
class GameClock:
    """What is left of a game's time, in seconds, and what was answered last."""

    left: float
    position: str = ""
    decision: Decision | None = None  # None: the flag fell there

    def milliseconds(self) -> int:
        return max(1, int(1000 * self.left))


class GameClocks:
    """The clocks of all games under way; the oldest make room."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self._clocks: OrderedDict[int, GameClock] = OrderedDict()

    def clock(self, seed: int, position: str) -> GameClock:
        """The clock that runs while ``position``, a UCI command, is thought about."""
        clock = self._clocks.pop(seed, None)
        if clock is None or not (
            position == clock.position or position.startswith(f"{clock.position} ")
        ):
            clock = GameClock(self.control.base)
        self._clocks[seed] = clock
        while len(self._clocks) > _MOST_GAMES:
            self._clocks.popitem(last=False)
        return clock

    def press(self, clock: GameClock, position: str, seconds: float) -> bool:
        """A move came after so many seconds: whether it came in time."""
        clock.position, clock.decision = position, None
        clock.left -= seconds
        if clock.left < 0.0:
            return False
        clock.left += self.control.increment
        return True
