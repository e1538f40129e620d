"""Rendered positions of a game, cached.

Rendering is the slowest part of answering a message. A position is rendered once for all who
view it, and in a thread if that takes long.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from playproof.core.view import View
from playproof.web.game.animations import events
from playproof.web.game.positions import Positions
from playproof.web.game.variations import GameLines

MOST_SENT = 2_000  # legal moves in one list; clients ask for longer lists click by click
_MOST_CACHED = 8
_QUICK = 0.001  # seconds; handing work to a thread takes about as long


class RenderedView(NamedTuple):
    """A rendered position of a line; ``cuts`` is ViewCache.cuts when its rendering started."""

    states: Positions
    line: int
    ply: int
    cuts: int
    view: View
    # View as JSON, the same for everyone; state_message adds whose turn it is.
    data: dict[str, Any]
    seconds: float

    @classmethod
    def of(cls, replay: Callable[[], Positions], line: int, ply: int, cuts: int) -> RenderedView:
        start = time.thread_time()
        states = replay()
        view = states[ply].view()
        data = view.to_json()
        data["events"] = events(states, ply)
        if len(data["legal"]) > MOST_SENT:
            data["legal"], data["lazy"] = [], True
        return cls(states, line, ply, cuts, view, data, time.thread_time() - start)


class ViewCache:
    """The most recently viewed positions of one game."""

    def __init__(self, lines: GameLines) -> None:
        self._lines = lines
        self._rendered: dict[tuple[int, int], RenderedView] = {}
        self._seconds = 1.0  # that the last rendering took
        # How often moves were taken back: that alone makes a rendered position invalid.
        self.cuts = 0

    def renderer(self, line: int, ply: int) -> Callable[[], RenderedView] | None:
        """A function that renders a position, callable in any thread; None if it is cached."""
        if self.has(line, ply):
            return None
        replay, cuts = self._lines.replay(line), self.cuts
        return lambda: RenderedView.of(replay, line, ply, cuts)

    def has(self, line: int, ply: int) -> bool:
        return (line, ply) in self._rendered

    @property
    def renders_fast(self) -> bool:
        """Whether handing the work to a thread would not be worth it."""
        return self._seconds < _QUICK

    def store(self, rendered: RenderedView) -> None:
        """Cache a position, unless moves were taken back since its rendering started."""
        self._seconds = rendered.seconds
        if rendered.cuts != self.cuts or rendered.line not in self._lines.all:
            return
        self._lines.remember(rendered.line, rendered.states)
        while len(self._rendered) >= _MOST_CACHED:
            del self._rendered[next(iter(self._rendered))]
        self._rendered[rendered.line, rendered.ply] = rendered

    def of(self, line: int, ply: int) -> RenderedView:
        """The rendered position; it is rendered now if it is not cached."""
        work = self.renderer(line, ply)
        if work is not None:
            self.store(work())
        return self._rendered[line, ply]

    def cut(self) -> None:
        """Note that moves were taken back."""
        self.cuts += 1
        self.clear()

    def clear(self) -> None:
        self._rendered.clear()
