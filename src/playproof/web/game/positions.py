"""The positions of a line, without holding them all.

A state carries its whole past, so all states of a game of n moves take n² words: 36 MB
for the longest that the lab allows.  Here every sixteenth is kept, and those that were
used last; one between is played again from the one before.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import overload

from playproof.core.state import State

_EVERY = 16
_RECENT = 2 * _EVERY  # more than a stretch, so that walking back plays it only once


class Positions(Sequence[State]):
    """From ``start``, which is position number ``begin`` of the line ``before``, if any.

    Positions are only ever added, so that threads may read while the game goes on.
    """

    def __init__(self, start: State, before: Positions | None = None, begin: int = 0) -> None:
        self._before, self._begin = before, begin
        self._end, self._length = start, begin + 1
        self._kept = {begin: start}
        self._recent: dict[int, State] = {}  # the one used last stands last
        self._lock = threading.Lock()  # of the four above, held for no longer than a look

    def __len__(self) -> int:
        return self._length

    def append(self, state: State) -> None:
        """What came of a move in the last position."""
        with self._lock:
            self._remember(self._length, state)
            self._end = state
            self._length += 1

    def first(self, length: int) -> Positions:
        """The first ``length`` of them, as a line of its own."""
        if self._before is not None and length <= self._begin:
            return self._before.first(length)
        end = self[length - 1]
        found = Positions(self._kept[self._begin], self._before, self._begin)
        found._end, found._length = end, length
        with self._lock:
            found._kept = {n: state for n, state in self._kept.items() if n < length}
        return found

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
        if self._before is not None and number < self._begin:
            return self._before[number]
        with self._lock:
            if number == self._length - 1:
                return self._end
            known = self._recent.get(number) or self._kept.get(number)
        return known or self._again(number)

    def _again(self, number: int) -> State:
        first = max(self._begin, number - number % _EVERY)
        state, actions = self._kept[first], self._end.actions
        past = len(state.actions) - first  # of the start itself
        for here in range(first, number):
            state = state.apply(actions[past + here])
            with self._lock:
                self._remember(here + 1, state)
        return state

    def _remember(self, number: int, state: State) -> None:
        if number % _EVERY == 0:
            self._kept[number] = state
        self._recent[number] = state
        if len(self._recent) > _RECENT:
            del self._recent[next(iter(self._recent))]
