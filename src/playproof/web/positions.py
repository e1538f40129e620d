"""The positions of a line, without holding them all.

A state carries its whole past, so all states of a game of n moves take n² words: 36 MB
for the longest that the lab allows.  Here every sixteenth is kept, and those that were
used last; one between is played again from the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from playproof.core.state import State

_EVERY = 16
_RECENT = 2 * _EVERY  # more than a stretch, so that walking back plays it only once


class Positions(Sequence[State]):
    """From ``start``, which is position number ``begin`` of the line ``before``, if any."""

    def __init__(self, start: State, before: Positions | None = None, begin: int = 0) -> None:
        self._before, self._begin = before, begin
        self._end, self._length = start, begin + 1
        self._kept = {begin: start}
        self._recent: dict[int, State] = {}  # the one used last stands last

    def __len__(self) -> int:
        return self._length

    def append(self, state: State) -> None:
        """What came of a move in the last position."""
        self._remember(self._length, state)
        self._end = state
        self._length += 1

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
        if number == self._length - 1:
            return self._end
        return self._recent.get(number) or self._kept.get(number) or self._again(number)

    def _again(self, number: int) -> State:
        first = max(self._begin, number - number % _EVERY)
        state = self._kept[first]
        past = len(state.actions) - first  # of the start itself
        for here in range(first, number):
            state = state.apply(self._end.actions[past + here])
            self._remember(here + 1, state)
        return state

    def _remember(self, number: int, state: State) -> None:
        if number % _EVERY == 0:
            self._kept[number] = state
        self._recent[number] = state
        if len(self._recent) > _RECENT:
            del self._recent[next(iter(self._recent))]
