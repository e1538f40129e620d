"""A player's clock in GTP: main time, then a number of stones in every byo-yomi period."""

from __future__ import annotations

from dataclasses import dataclass

_RESERVE = 0.1  # seconds kept back for sending a move
_SHARE = 0.8  # the part of a byo-yomi period that is used
_MIN_SECONDS = 0.01


@dataclass
class GtpClock:
    """The seconds left, and the stones left in the period; ``stones`` is 0 in main time."""

    main: float
    period: float
    period_stones: int
    left: float = 0.0
    stones: int = 0

    def __post_init__(self) -> None:
        self.left = self.main
        if self.main == 0.0:
            self._start_period()

    @classmethod
    def of(cls, main: float, period: float, stones: int) -> GtpClock | None:
        """The clock of ``time_settings``; None for a game without limits."""
        if period > 0.0 and stones == 0:
            return None
        return cls(main, period, stones)

    def update(self, left: float, stones: int) -> None:
        """Take over the values of ``time_left``."""
        self.left, self.stones = left, stones

    def spend(self, seconds: float) -> None:
        """Count a move.  Byo-yomi starts when main time is used up."""
        self.left -= seconds
        if self.stones > 0:
            self.stones -= 1
            if self.stones == 0:
                self._start_period()
        elif self.left <= 0.0 and self.period_stones > 0:
            self._start_period()

    def budget(self, empty: int) -> float:
        """Seconds for the next move, with ``empty`` empty points on the board."""
        left = max(0.0, self.left - _RESERVE)
        if self.stones > 0:
            share = _SHARE * left / self.stones
        else:
            # Expect half as many own moves as there are empty points, and at least ten.
            share = left / max(10.0, empty / 2)
            if self.period_stones > 0:
                share = max(share, _SHARE * (self.period - _RESERVE) / self.period_stones)
        return max(_MIN_SECONDS, share)

    def _start_period(self) -> None:
        self.left, self.stones = self.period, self.period_stones
