"""The positions of a line, without keeping all of them in memory.

A state carries its whole past, so the states of a game of n moves take n² words: 36 MB for the
longest that the lab allows. Here every sixteenth is kept, and the most recently used ones; any
other is replayed from the one kept before it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import overload

from playproof.core.state import State

_EVERY = 16
_RECENT = 2 * _EVERY  # more than one stretch, so that walking back replays it only once


class Positions(Sequence[State]):
    """The positions from ``start``, which is number ``offset`` of the line ``before``, if any.

    Positions are only ever appended, so threads may read while the game continues.
    """

    def __init__(self, start: State, before: Positions | None = None, offset: int = 0) -> None:
        self._before, self._offset = before, offset
        self._end, self._length = start, offset + 1
        self._checkpoints = {offset: start}
        self._recent: dict[int, State] = {}  # the most recently used last
        self._lock = threading.Lock()  # for the fields above, never held for long

    def __len__(self) -> int:
        return self._length

    def append(self, state: State) -> None:
        """Add the position after a move in the last one."""
        with self._lock:
            self._remember(self._length, state)
            self._end = state
            self._length += 1

    def first(self, length: int) -> Positions:
        """The first ``length`` positions, as a line of its own."""
        if self._before is not None and length <= self._offset:
            return self._before.first(length)
        end = self[length - 1]
        prefix = Positions(self._checkpoints[self._offset], self._before, self._offset)
        prefix._end, prefix._length = end, length
        with self._lock:
            prefix._checkpoints = {n: state for n, state in self._checkpoints.items() if n < length}
        return prefix

    @overload
    def __getitem__(self, place: int) -> State: ...

    @overload
    def __getitem__(self, place: slice) -> list[State]: ...

    def __getitem__(self, place: int | slice) -> State | list[State]:
        if isinstance(place, slice):
            return [self[number] for number in range(*place.indices(self._length))]
        number = place + self._length if place < 0 else place
        if not 0 <= number < self._length:
            raise IndexError(f"there is no position {place} of {self._length}")
        if self._before is not None and number < self._offset:
            return self._before[number]
        with self._lock:
            if number == self._length - 1:
                return self._end
            cached = self._recent.get(number) or self._checkpoints.get(number)
        return cached or self._replay(number)

    def _replay(self, number: int) -> State:
        first = max(self._offset, number - number % _EVERY)
        state, actions = self._checkpoints[first], self._end.actions
        past = len(state.actions) - first  # moves before the start of this line's numbering
        for ply in range(first, number):
            state = state.apply(actions[past + ply])
            with self._lock:
                self._remember(ply + 1, state)
        return state

    def _remember(self, number: int, state: State) -> None:
        if number % _EVERY == 0:
            self._checkpoints[number] = state
        self._recent[number] = state
        if len(self._recent) > _RECENT:
            del self._recent[next(iter(self._recent))]
