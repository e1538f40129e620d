"""The two clocks of a game.

A decision that leaves the turn with the same side, such as the first stone of a Quantum Go pair,
lets its clock run on.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Clocks:
    """Times in seconds. ``running`` is the side whose clock has been running since ``began``."""

    seconds: float
    increment: float
    left: list[float] = field(default_factory=list)
    running: int | None = None
    began: float = 0.0

    def __post_init__(self) -> None:
        self.left = self.left or [self.seconds, self.seconds]

    def now(self) -> list[float]:
        """The time that each side has left now."""
        left = list(self.left)
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - (time.monotonic() - self.began))
        return left

    def turn(self, side: int | None, *, pay: bool = True) -> None:
        """Give the decision to ``side``; None stops both clocks.

        A side that hands the turn over gets its increment, unless ``pay`` is False because a move
        is taken back.
        """
        if side == self.running:
            return
        before, self.left = self.running, self.now()
        if pay and before is not None and side is not None:
            self.left[before] += self.increment
        self.running, self.began = side, time.monotonic()

    @property
    def flag_in(self) -> float | None:
        """Seconds until the running side has no time left."""
        return None if self.running is None else self.now()[self.running]

    def message(self) -> dict[str, Any]:
        return {
            "left": [round(x, 2) for x in self.now()],
            "running": self.running,
            "seconds": self.seconds,
            "increment": self.increment,
        }

    def to_json(self) -> dict[str, Any]:
        return {"seconds": self.seconds, "increment": self.increment, "left": self.now()}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Clocks:
        """The clocks as they were saved; they stand still while the lab is stopped."""
        return cls(data["seconds"], data["increment"], list(data["left"]))
