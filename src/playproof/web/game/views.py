"""Positions of a game as people see them.

To draw one takes longest of all that a message asks for: it is done once for all who
look, and by a thread where it takes long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from playproof.core.view import View
from playproof.web.game.animations import events
from playproof.web.game.positions import Positions
from playproof.web.game.variations import Lines

MOST_SENT = 2_000  # legal moves in one list; longer ones are asked for click by click
_KEPT = 8
_QUICK = 0.001  # seconds: handing work to a thread takes about as long


class Drawing(NamedTuple):
    """A position of a line, and how often moves had been taken back before."""

    states: Positions
    line: int
    ply: int
    cuts: int
    view: View
    data: dict[str, Any]  # for everyone, without whose it is
    seconds: float

    @classmethod
    def of(cls, replay: Callable[[], Positions], line: int, ply: int, cuts: int) -> Drawing:
        began = time.thread_time()
        states = replay()
        view = states[ply].view()
        data = view.to_json()
        data["events"] = events(states, ply)
        if len(data["legal"]) > MOST_SENT:
            data["legal"], data["lazy"] = [], True
        return cls(states, line, ply, cuts, view, data, time.thread_time() - began)


class Drawings:
    """Those of one game that were looked at last."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._kept: dict[tuple[int, int], Drawing] = {}
        self._seconds = 1.0  # that the last one took
        self.cuts = 0  # how often moves were taken back: else positions only come to others

    def work(self, line: int, ply: int) -> Callable[[], Drawing] | None:
        """What draws a position, in any thread; None if it is drawn."""
        if self.has(line, ply):
            return None
        replay, cuts = self._lines.replay(line), self.cuts
        return lambda: Drawing.of(replay, line, ply, cuts)

    def has(self, line: int, ply: int) -> bool:
        return (line, ply) in self._kept

    @property
    def are_quick(self) -> bool:
        """Whether a thread would not be worth it."""
        return self._seconds < _QUICK

    def keep(self, drawing: Drawing) -> None:
        """Show it from now on, unless moves were taken back since it was begun."""
        self._seconds = drawing.seconds
        if drawing.cuts != self.cuts or drawing.line not in self._lines.all:
            return
        self._lines.remember(drawing.line, drawing.states)
        while len(self._kept) >= _KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[drawing.line, drawing.ply] = drawing

    def of(self, line: int, ply: int) -> Drawing:
        """A position's, drawn at once if need be."""
        work = self.work(line, ply)
        if work is not None:
            self.keep(work())
        return self._kept[line, ply]

    def cut(self) -> None:
        """Moves are taken back."""
        self.cuts += 1
        self.clear()

    def clear(self) -> None:
        self._kept.clear()
