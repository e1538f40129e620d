"""Draws and labels blocks of positions in background threads, for all learners of a process.

Compiled kernels release the GIL, so blocks are prepared while networks learn.  Learners whose
blocks would be the same share them: several networks that learn at the same time need each block
once.  A block is kept until every reader has had it, so no reader can be more than ``AHEAD`` blocks
ahead of the slowest.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable, Hashable

import numba

from playproof.learning.algorithms.distillation.lessons import Lesson

AHEAD = 8  # blocks prepared in advance
_CORES_A_THREAD = 4

_feeds: weakref.WeakValueDictionary[Hashable, Feed] = weakref.WeakValueDictionary()
_finding = threading.Lock()


class Reader:
    """Takes blocks of a feed in order."""

    def __init__(self, feed: Feed, number: int) -> None:
        self._feed, self._id = feed, feed._join(number)
        self.waited = 0.0  # seconds, in all
        self.close = weakref.finalize(self, feed._leave, self._id)

    def get(self) -> Lesson:
        """The next block; waits until it is there."""
        started = time.perf_counter()
        block = self._feed._take(self._id)
        self.waited += time.perf_counter() - started
        return block


class Feed:
    """Blocks 0, 1, 2, ..., prepared by ``make`` in several threads."""

    def __init__(self, make: Callable[[int], Lesson]) -> None:
        self._make = make
        self._changed = threading.Condition()
        self._blocks: dict[int, Lesson | Exception] = {}  # those that are ready
        self._preparing: set[int] = set()
        self._readers: dict[int, int] = {}  # by reader: the number of its next block
        self._next_id = self._running = 0

    def _join(self, number: int) -> int:
        with self._changed:
            self._next_id += 1
            self._readers[self._next_id] = number
            cores = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
            threads = max(1, cores // _CORES_A_THREAD)
            while self._running < threads:
                self._running += 1
                threading.Thread(target=self._work, args=(cores // threads,), daemon=True).start()
            self._changed.notify_all()
            return self._next_id

    def _leave(self, reader: int) -> None:
        with self._changed:
            self._readers.pop(reader, None)
            self._drop_read()
            self._changed.notify_all()

    def _take(self, reader: int) -> Lesson:
        with self._changed:
            number = self._readers[reader]
            self._changed.wait_for(lambda: number in self._blocks)
            block = self._blocks[number]
            if isinstance(block, Exception):
                raise block
            self._readers[reader] = number + 1
            self._drop_read()
            self._changed.notify_all()
            return block

    def _drop_read(self) -> None:
        """Drop the blocks that every reader has had."""
        wanted = self._wanted()
        self._blocks = {number: block for number, block in self._blocks.items() if number in wanted}

    def _wanted(self) -> range:
        """The numbers of the blocks to have ready."""
        first = min(self._readers.values(), default=0)
        return range(first, first + (AHEAD if self._readers else 0))

    def _next_number(self) -> int | None:
        """The first block that is wanted and not begun, None if there is none."""
        begun = self._blocks.keys() | self._preparing
        return next((number for number in self._wanted() if number not in begun), None)

    def _work(self, cores: int) -> None:
        """Prepare blocks until there is no reader."""
        numba.set_num_threads(cores)
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not self._readers or self._next_number() is not None)
                number = self._next_number()
                if number is None:
                    self._running -= 1
                    self._changed.notify_all()
                    return
                self._preparing.add(number)
            try:
                block: Lesson | Exception = self._make(number)
            except Exception as error:  # raised again where the block is taken
                block = error
            with self._changed:
                self._preparing.discard(number)
                if number in self._wanted():
                    self._blocks[number] = block
                self._changed.notify_all()

    def close(self) -> None:
        """Let all readers go, and wait until the threads have ended."""
        with self._changed:
            self._readers.clear()
            self._drop_read()
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._running == 0)


def shared_feed(key: Hashable, make: Callable[[int], Lesson]) -> Feed:
    """The feed of a key, which learners with equal keys share."""
    with _finding:
        feed = _feeds.get(key)
        if feed is None:
            feed = _feeds[key] = Feed(make)
        return feed


@atexit.register
def _close_all() -> None:
    # Compiled code must not run on while the interpreter is taken down.
    for feed in list(_feeds.values()):
        feed.close()
