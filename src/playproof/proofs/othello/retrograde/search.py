"""Backward search in Othello: predecessors, levels of predecessors, and reachability.

``predecessors``  the positions one stone before a position;
``retreat``       all predecessors of many positions, level by level;
``reach``         a record that leads to a position, or the answer that none does.

The search is exact: it takes back moves and passes by the rules, and prunes only
what the lemma of ``othello.constructible`` excludes.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.kernels import Words
from playproof.core.state import State
from playproof.core.stopping import StopFlag, deadline, interruptible, stop_flag
from playproof.games.othello.game import Othello
from playproof.proofs.othello.constructible import centre, is_constructible
from playproof.proofs.othello.retrograde import depth_first_kernels as kernels
from playproof.proofs.othello.retrograde.forward import (
    START_STONES,
    UNCACHED_STONES,
    ForwardTable,
    forward_table,
)
from playproof.proofs.othello.retrograde.kernels import before, step_back
from playproof.proofs.othello.retrograde.levels import LevelBuilder
from playproof.proofs.othello.retrograde.path import (
    Node,
    path_from_start,
    play_along,
    split,
    transformed_to,
)
from playproof.rules import othello as rules

_CHUNK = 1 << 20  # nodes generated before they are inserted
_CACHED_SETS = 1 << 14  # occupied sets whose removable squares are cached
_NO_LIMIT = 2**62
_FIRST_ATTEMPT = 3000  # nodes
_LONGER = 16  # each attempt is longer by one sixteenth than the one before

OnLevel = Callable[[int, int], None]  # depth, positions


def predecessors(own: int, opponent: int, size: int = 8) -> Words:
    """The positions one placement before (own, opponent), with ``own`` to move.

    Returns rows (own, opponent), in which ``own`` is the side that was to move then.
    That is the present opponent or, if the opponent then had to pass, the present side
    to move.  Positions whose stones are not constructible are left out.
    """
    check_position(own, opponent, size)
    rows, n = before(
        np.uint64(own), np.uint64(opponent), np.uint64(rules.board(size)), np.uint64(centre(size))
    )
    return np.ascontiguousarray(rows[:n, :2])


def check_position(own: int, opponent: int, size: int) -> None:
    """Raise an error unless these are disjoint sets of stones on a board of ``size``."""
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if own & opponent or (own | opponent) & ~rules.board(size):
        raise UsageError("stones overlap or lie off the board: want two disjoint sets of squares")


# Level after level


@dataclass(frozen=True)
class Retreat:
    """The result of ``retreat``."""

    levels: tuple[Words, ...]
    """The distinct positions 0, 1, 2 ... stones back, as rows (own, opponent)."""
    met: Words
    """The positions that are in the forward table, if there was one."""
    finished: bool
    """Whether the retreat was completed and not stopped."""

    @property
    def counts(self) -> list[int]:
        """The number of positions one stone back, two stones back, and so on."""
        return [len(level) for level in self.levels[1:]]

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left, so that no position of level 0 is reachable."""
        return self.finished and len(self.levels[-1]) == 0 and len(self.met) == 0


def retreat(
    positions: Words | list[tuple[int, int]],
    *,
    size: int = 8,
    down_to: int = START_STONES,
    symmetric: bool = True,
    forward: ForwardTable | None = None,
    on_progress: OnLevel | None = None,
    stop: StopFlag | None = None,
    most: int = _NO_LIMIT,
) -> Retreat:
    """All positions 1, 2, 3 ... stones before ``positions``, until none is left.

    ``positions`` are rows (own, opponent).  With ``symmetric`` they are counted up to
    the eight symmetries.  Positions with ``down_to`` stones are not taken back further.
    With ``forward``, neither are positions with as few stones as the table has; those
    that are in the table are returned as ``met``.  Without a table the retreat ends with
    an empty level or with positions of ``down_to`` stones.  If a level has more than
    ``most`` positions, the retreat ends unfinished with the level before it.
    ``on_progress(depth, positions)`` is called after each level.
    """
    squares, middle = np.uint64(rules.board(size)), np.uint64(centre(size))
    rows = np.array(positions, np.uint64).reshape(-1, 2)
    for own, opponent in rows.tolist():
        check_position(own, opponent, size)
    flag = stop_flag() if stop is None else stop
    floor = max(down_to, forward.stones if forward else START_STONES)
    level = _distinct(rows, size, symmetric)
    levels, met = [level], [np.empty((0, 2), np.uint64)]
    finished = True
    while len(level):
        stones = np.bitwise_count(level[:, 0] | level[:, 1])
        if forward:
            met.append(_met(level[stones <= forward.stones], forward))
        above = np.ascontiguousarray(level[stones > floor])
        if not len(above):
            break
        builder = LevelBuilder()
        first = 0
        while first < len(above) and not flag[0]:
            rows, n, first = step_back(above, first, _CHUNK, squares, middle, size, symmetric)
            pairs = np.ascontiguousarray(rows[:n, :2])
            builder.insert(pairs, np.ones(n, np.uint8), n)
            if len(builder.rows) > most:
                flag[0] = 1
        if flag[0]:
            finished = False
            break
        level = builder.rows.copy()
        levels.append(level)
        if on_progress is not None:
            on_progress(len(levels) - 1, len(level))
    return Retreat(tuple(levels), np.concatenate(met), finished)


def _distinct(rows: Words, size: int, symmetric: bool) -> Words:
    from playproof.proofs.othello.retrograde.canonical import canonical

    if symmetric:
        images = [canonical(own, opponent, 0, size)[:2] for own, opponent in rows]
        rows = np.array(images, np.uint64).reshape(-1, 2)
    builder = LevelBuilder()
    builder.insert(rows, np.ones(len(rows), np.uint8), len(rows))
    return builder.rows.copy()


def _met(rows: Words, forward: ForwardTable) -> Words:
    from playproof.proofs.othello.retrograde.canonical import canonical

    contained = []
    for own, opponent in rows:
        a, b, _ = canonical(own, opponent, 0, forward.size)
        contained.append((int(a), int(b)) in forward.level((int(a) | int(b)).bit_count()))
    return rows[np.array(contained, np.bool_)]


# One position


@dataclass(frozen=True)
class Unreachable:
    """No game leads to the position: all its ancestors were searched."""

    constructible: bool
    """Whether the occupied squares are constructible; if not, they exclude the position."""
    explored: dict[int, int]
    """Expanded positions by number of stones, the position itself first."""
    seconds: float


@dataclass(frozen=True)
class Reachable:
    """A game leads to the position."""

    state: State
    """The last state of that game, played by the rules."""
    explored: dict[int, int]
    seconds: float

    @property
    def moves(self) -> list[str]:
        """The record, passes included."""
        return [self.state.name(action) for action in self.state.actions]

    @property
    def record(self) -> str:
        """The record as a transcript."""
        return self.state.game.join_moves(self.moves)


@dataclass(frozen=True)
class Unknown:
    """A limit or the stop flag ended the search before there was an answer."""

    explored: dict[int, int]
    seconds: float


ReachResult = Reachable | Unreachable | Unknown


@dataclass
class DeadPositions:
    """The table of dead positions, which are kept from one search to the next.

    A table is for one board size, and either for exact questions or for questions up
    to symmetry.
    """

    megabytes: float = 256
    rows: Words = field(init=False)
    removable_cache: Words = field(init=False)

    def __post_init__(self) -> None:
        lines = int(self.megabytes * 2**20) // (16 * kernels.WAYS)
        if lines < 1:
            raise UsageError(f"megabytes={self.megabytes}: want a memory of 1 megabyte or more")
        self.rows = np.zeros((lines * kernels.WAYS, 2), np.uint64)
        self.removable_cache = np.zeros((_CACHED_SETS, 2), np.uint64)


def reach(
    state: State,
    *,
    symmetric: bool = False,
    forward: ForwardTable | None = None,
    memory: DeadPositions | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: StopFlag | None = None,
    seed: int = 0,
) -> ReachResult:
    """Decide whether a game leads from the start to exactly this position and side to move.

    With ``symmetric`` any image of it will do, with either side as Black.  ``forward``
    is the table where the search ends: a larger table makes the search shorter; without
    one, a small one is built.  ``seconds``, ``nodes`` and ``stop`` end the search early.
    Another ``seed`` searches in another order, and may find another record.
    """
    game = state.game
    if not isinstance(game, Othello):
        raise UsageError(f"backward search is for othello, not for {game.name}")
    table = forward_table(UNCACHED_STONES, game.size) if forward is None else forward
    if table.size != game.size:
        raise UsageError(f"a table of {table.size}x{table.size} for a board of {game.size}")
    own, opponent, side = split(state)
    start = time.perf_counter()
    stones = (own | opponent).bit_count()
    if not is_constructible(own | opponent, game.size):
        return Unreachable(False, {}, time.perf_counter() - start)
    if stones == START_STONES:
        same = state == game.start() or (
            symmetric and any(state.transformed(s) == game.start() for s in range(16))
        )
        elapsed = time.perf_counter() - start
        return Reachable(game.start(), {}, elapsed) if same else Unreachable(True, {}, elapsed)
    search = BackwardSearch(
        table, DeadPositions() if memory is None else memory, exact=not symmetric, seed=seed
    )
    outcome, path = search.run(own, opponent, side, seconds=seconds, nodes=nodes, stop=stop)
    explored, elapsed = search.explored, time.perf_counter() - start
    if outcome == kernels.STOPPED:
        return Unknown(explored, elapsed)
    if outcome == kernels.EXHAUSTED:
        return Unreachable(True, explored, elapsed)
    reached = play_along(game, path, exact=not symmetric)
    reached = reached if symmetric else transformed_to(reached, state)
    return Reachable(reached, explored, time.perf_counter() - start)


class BackwardSearch:
    """One backward search with restarts.

    In a depth-first search, a wrong choice near the root may cost hours although a
    record is near.  So the search is cut off after some thousand nodes and restarted
    in another order, each time a little later (Gomes, Selman and Kautz 1998).  Dead
    positions stay dead, so no work is lost and the search still ends.  Without a seed
    there is only one attempt, in a fixed order, so that the record does not depend on
    the dead positions of earlier searches.
    """

    def __init__(
        self, table: ForwardTable, memory: DeadPositions, *, exact: bool, seed: int | None = None
    ) -> None:
        self.table, self.memory, self.exact, self.seed = table, memory, exact, seed
        self.statistics: npt.NDArray[np.int64] = np.zeros(kernels.STATISTICS, np.int64)
        self._expired = False  # whether the time limit has passed

    @property
    def explored(self) -> dict[int, int]:
        """Expanded positions by number of stones, with repetitions."""
        by_stones = self.statistics[kernels.BY_STONES :].tolist()
        return {n: by_stones[n] for n in range(64, -1, -1) if by_stones[n]}

    def run(
        self,
        own: int,
        opponent: int,
        side: int,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        stop: StopFlag | None = None,
    ) -> tuple[int, list[Node]]:
        """Returns FOUND, EXHAUSTED or STOPPED and, if found, the nodes from the start on."""
        floor = min(self.table.stones, (own | opponent).bit_count() - 1)
        path = np.zeros((65, 3), np.uint64)
        words = np.uint64(own), np.uint64(opponent), np.uint64(side)
        most = _NO_LIMIT if nodes is None else nodes

        def attempts(flag: StopFlag) -> int:
            length = _NO_LIMIT if self.seed is None else _FIRST_ATTEMPT
            for number in itertools.count():
                ends = min(most, self._start_attempt(number) + length)
                self._set_limit(ends)
                outcome = kernels.search(
                    *words, self.exact, self.table.size, floor, *self.table.level(floor),
                    self.memory.rows, self.memory.removable_cache, self.statistics, path, flag,
                )  # fmt: skip
                if outcome != kernels.STOPPED or flag[0] or self._expired or ends == most:
                    return int(outcome)
                length += length // _LONGER
            return kernels.STOPPED

        with deadline(seconds, self._expire):
            outcome = interruptible(attempts, stop)
        if outcome != kernels.FOUND:
            return outcome, []
        back: list[Node] = [
            (own, opponent, variant)
            for own, opponent, variant in path[: self.statistics[kernels.DEPTH] + 1].tolist()
        ]
        return outcome, path_from_start(back[-1], self.table, exact=self.exact) + back[-2::-1]

    def _start_attempt(self, number: int) -> int:
        """Set the order of an attempt; returns the number of nodes before it."""
        if self.seed is not None:
            self.statistics[kernels.SEED] = derive_seed(self.seed, number) >> 2 | 1
        return int(self.statistics[kernels.NODES])

    def _set_limit(self, nodes: int) -> None:
        self.statistics[kernels.LIMIT] = nodes
        if self._expired:  # the deadline passed during the assignment
            self.statistics[kernels.LIMIT] = -1

    def _expire(self) -> None:
        """Allow no further nodes: the time limit has passed."""
        self._expired = True
        self.statistics[kernels.LIMIT] = -1
