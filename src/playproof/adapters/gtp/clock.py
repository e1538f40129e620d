"""A player's clock as GTP tells it: main time, then so many stones in every byo-yomi period."""

from __future__ import annotations

from dataclasses import dataclass

_RESERVE = 0.1  # seconds kept back for the way of a move
_SHARE = 0.8  # of a byo-yomi period that is used
_LEAST = 0.01


@dataclass
class GtpClock:
    """Seconds; ``stones`` is 0 in main time.  Without limits there is no clock at all."""

    main: float
    period: float
    period_stones: int
    left: float = 0.0
    stones: int = 0

    def __post_init__(self) -> None:
        self.left = self.main
        if self.main == 0.0:
            self._begin_period()

    @classmethod
    def of(cls, main: float, period: float, stones: int) -> GtpClock | None:
        """The clock of ``time_settings``; None for a game without limits."""
        if period > 0.0 and stones == 0:
            return None
        return cls(main, period, stones)

    def update(self, left: float, stones: int) -> None:
        """What ``time_left`` says."""
        self.left, self.stones = left, stones

    def spend(self, seconds: float) -> None:
        """A move was made; byo-yomi begins where main time ends."""
        self.left -= seconds
        if self.stones > 0:
            self.stones -= 1
            if self.stones == 0:
                self._begin_period()
        elif self.left <= 0.0 and self.period_stones > 0:
            self._begin_period()

    def budget(self, empty: int) -> float:
        """Seconds for the next move, with so many empty points on the board."""
        left = max(0.0, self.left - _RESERVE)
        if self.stones > 0:
            share = _SHARE * left / self.stones
        else:
            # About as many own moves are to come as half the empty points, ten at least.
            share = left / max(10.0, empty / 2)
            if self.period_stones > 0:
                share = max(share, _SHARE * (self.period - _RESERVE) / self.period_stones)
        return max(_LEAST, share)

    def _begin_period(self) -> None:
        self.left, self.stones = self.period, self.period_stones
