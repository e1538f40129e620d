"""The limits of a decision: time, nodes, depth, and how many moves to report."""

from __future__ import annotations

import math
from dataclasses import dataclass

from playproof.core.errors import UsageError


@dataclass(frozen=True)
class Clock:
    """A game's clock for the side to move: seconds left, and seconds that each move adds."""

    left: float
    increment: float = 0.0
    moves_to_go: int | None = None  # to the next time control; None if there is none


@dataclass(frozen=True)
class Limits:
    """Limits of one decision.  None means no limit.  Without any, the agent's own options decide.

    A limit replaces an agent's default, such as the one second of ``alphabeta``.  It can tighten
    what the agent's options set, but never relax it.  With several limits, the first that is
    reached ends the search.  An agent ignores a limit that it has no use for.

    seconds      thinking time; infinity means until stopped
    clock        the game's clock, from which the agent takes the time for this move
    nodes        nodes of alpha-beta or of an engine; simulations in a tree search
    simulations  simulations of a tree search
    depth        plies
    lines        number of best moves to report, with value and continuation, in ``Decision.moves``
    priors       whether to report the priors of all moves too, if the agent has a policy
    actions      the actions to choose from; all legal ones if empty

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
        """Whether there is no limit, so that the agent's own options decide."""
        return (self.seconds, self.clock, self.nodes, self.simulations, self.depth) == (None,) * 5

    @property
    def thinking_seconds(self) -> float | None:
        """Seconds for this move, by ``seconds`` or the clock; None for no limit."""
        bounds = [] if self.seconds is None or math.isinf(self.seconds) else [self.seconds]
        if self.clock is not None:
            bounds.append(move_time(self.clock))
        return min(bounds) if bounds else None


def least(*limits: float | None) -> float | None:
    """The tightest of the limits; None if none is set."""
    bounds = [limit for limit in limits if limit is not None]
    return min(bounds) if bounds else None


_MOVES_AHEAD = 30  # own moves that a game without time controls is assumed to have left
_MAX_SHARE = 0.5  # of the time left, for one move ...
_MAX_LAST_SHARE = 0.9  # ... or for the last move before the time control
_MIN_SECONDS = 0.005


def move_time(clock: Clock, overhead: float = 0.0) -> float:
    """Seconds for the next move; ``overhead`` seconds are lost in sending it."""
    usable = max(0.0, clock.left - overhead)
    moves = min(clock.moves_to_go or _MOVES_AHEAD, _MOVES_AHEAD)
    share = usable / moves + 0.8 * clock.increment
    most = (_MAX_LAST_SHARE if moves == 1 else _MAX_SHARE) * usable
    return max(_MIN_SECONDS, min(share, most))
