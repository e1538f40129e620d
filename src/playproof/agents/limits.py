"""What a decision may cost, and how much of its reasons is wanted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError


@dataclass(frozen=True)
class Clock:
    """A game's clock when a side is to move: seconds left, and seconds that each move adds."""

    left: float
    increment: float = 0.0
    moves_to_go: int | None = None  # until more time comes; None for a game without controls


@dataclass(frozen=True)
class Limits:
    """Limits of one decision; None is none, and nothing at all leaves an agent its own pace.

    A limit takes the place of what an agent does by default, such as the second of
    ``alphabeta``; it goes below what its options ask for, never above.  Where there are several,
    the first that is reached ends the search.  An agent that cannot keep a limit passes it over.

    seconds      of thinking; infinity until it is stopped
    clock        of the game, from which the agent takes the seconds for this move
    nodes        of alpha-beta or an engine; simulations, in a tree search
    simulations  of a tree search
    depth        plies
    lines        best moves to tell with value and continuation, in ``Decision.moves``
    priors       whether those of all moves are wanted too, where the agent has a policy
    actions      to choose from; all legal ones if empty

    >>> import playproof
    >>> agent = playproof.make_agent("mcts", "othello", seed=1)
    >>> start = playproof.make("othello").start()
    >>> agent.decide(start, limits=playproof.Limits(simulations=50)).statistics["simulations"]
    50
    """

    seconds: float | None = None
    clock: Clock | None = None
    nodes: int | None = None
    simulations: int | None = None
    depth: int | None = None
    lines: int = 1
    priors: bool = False
    actions: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("nodes", "simulations", "depth"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"limits: {name}={value}: want 1 or more, or None")
        if self.seconds is not None and not self.seconds >= 0.0:
            raise UsageError(f"limits: seconds={self.seconds}: want 0 or more, or None")
        if self.lines < 1:
            raise UsageError(f"limits: lines={self.lines}: want 1 or more")

    @property
    def is_own_pace(self) -> bool:
        """Whether an agent thinks for as long as its options say."""
        return (self.seconds, self.clock, self.nodes, self.simulations, self.depth) == (None,) * 5

    @property
    def thinking_seconds(self) -> float | None:
        """Of this move, by ``seconds`` or the clock; None for no limit."""
        given = [] if self.seconds is None or math.isinf(self.seconds) else [self.seconds]
        if self.clock is not None:
            given.append(move_time(self.clock))
        return min(given) if given else None


def least(*limits: float | None) -> float | None:
    """The tightest of the limits that are there."""
    given = [limit for limit in limits if limit is not None]
    return min(given) if given else None


_TO_COME = 30  # own moves that a game without time controls is thought to have left
_MOST = 0.5  # of the time left that one move may have ...
_LAST = 0.9  # ... or the last one before the control
_LEAST = 0.005  # seconds


def move_time(clock: Clock, overhead: float = 0.0) -> float:
    """Seconds for the next move; ``overhead`` of them are lost on the way of a move."""
    usable = max(0.0, clock.left - overhead)
    moves = min(clock.moves_to_go or _TO_COME, _TO_COME)
    share = usable / moves + 0.8 * clock.increment
    most = (_LAST if moves == 1 else _MOST) * usable
    return max(_LEAST, min(share, most))
