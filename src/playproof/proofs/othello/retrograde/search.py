"""Othello backwards: predecessors, levels of them, and whether a position is reachable.

``predecessors``  the positions one stone before;
``retreat``       level after level of them, all at once;
``reach``         a record that leads to a position, or the fact that none does.

The search is exact: it takes moves and passes back as the rules played them, and
prunes only what the lemma of ``othello.constructible`` rules out.
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
from playproof.proofs.othello.retrograde.forward import FIRST, SMALL, ForwardTable, forward_table
from playproof.proofs.othello.retrograde.kernels import before, step_back
from playproof.proofs.othello.retrograde.levels import Gathering
from playproof.proofs.othello.retrograde.path import (
    Node,
    down_the_table,
    play_along,
    split,
    turned_to,
)
from playproof.rules import othello as rules

_CHUNK = 1 << 20  # nodes made before they are entered
_KNOWN_SETS = 1 << 14  # occupied sets whose removable squares are remembered
_NO_LIMIT = 2**62
_FIRST_ATTEMPT = 3000  # nodes
_LONGER = 16  # each attempt is longer than the one before by this part

Stones = Callable[[int, int], None]  # depth, positions


def predecessors(own: int, opponent: int, size: int = 8) -> Words:
    """The positions one placement before (own, opponent), ``own`` being to move.

    Rows (own, opponent), each with the side that was to move then first.  The
    side that moved is the other one, unless that one had to pass.  Positions
    whose stones are not constructible are left out.
    """
    check_position(own, opponent, size)
    rows, n = before(
        np.uint64(own), np.uint64(opponent), np.uint64(rules.board(size)), np.uint64(centre(size))
    )
    return np.ascontiguousarray(rows[:n, :2])


def check_position(own: int, opponent: int, size: int) -> None:
    """Raise an error unless these are two sides' stones on a board of ``size``."""
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if own & opponent or (own | opponent) & ~rules.board(size):
        raise UsageError("stones overlap or lie off the board: want two disjoint sets of squares")


# Level after level


@dataclass(frozen=True)
class Retreat:
    """What ``retreat`` found."""

    levels: tuple[Words, ...]
    """Rows (own, opponent): the distinct positions 0, 1, 2 ... stones back."""
    met: Words
    """The positions that the forward table holds, if one was given."""
    finished: bool
    """Whether it went on to the end, and was not stopped."""

    @property
    def counts(self) -> list[int]:
        """Positions one stone back, two stones back, and so on."""
        return [len(level) for level in self.levels[1:]]

    @property
    def exhausted(self) -> bool:
        """Whether nothing is left: then no position of level 0 is reachable."""
        return self.finished and len(self.levels[-1]) == 0 and len(self.met) == 0


def retreat(
    positions: Words | list[tuple[int, int]],
    *,
    size: int = 8,
    down_to: int = FIRST,
    symmetric: bool = True,
    forward: ForwardTable | None = None,
    progress: Stones | None = None,
    stop: StopFlag | None = None,
    most: int = _NO_LIMIT,
) -> Retreat:
    """All positions 1, 2, 3 ... stones before the given ones, until none is left.

    ``positions``: rows (own, opponent).  ``symmetric`` counts them up to the
    eight symmetries.  A position with ``down_to`` stones, or as few as
    ``forward`` has, is not taken further back; from the latter only those
    that the table holds are kept, as ``met``.  With neither, the retreat ends
    empty or with the start among the last.  A level of more than ``most`` positions is
    given up, and the retreat ends unfinished with the one before.
    """
    squares, middle = np.uint64(rules.board(size)), np.uint64(centre(size))
    given = np.array(positions, np.uint64).reshape(-1, 2)
    for own, opponent in given.tolist():
        check_position(own, opponent, size)
    flag = stop_flag() if stop is None else stop
    floor = max(down_to, forward.stones if forward else FIRST)
    level = _distinct(given, size, symmetric)
    levels, met = [level], [np.empty((0, 2), np.uint64)]
    finished = True
    while len(level):
        stones = np.bitwise_count(level[:, 0] | level[:, 1])
        if forward:
            met.append(_met(level[stones <= forward.stones], forward))
        above = np.ascontiguousarray(level[stones > floor])
        if not len(above):
            break
        gathering = Gathering()
        begin = 0
        while begin < len(above) and not flag[0]:
            rows, n, begin = step_back(above, begin, _CHUNK, squares, middle, size, symmetric)
            pairs = np.ascontiguousarray(rows[:n, :2])
            gathering.enter(pairs, np.ones(n, np.uint8), n)
            if len(gathering.rows) > most:
                flag[0] = 1
        if flag[0]:
            finished = False
            break
        level = gathering.rows.copy()
        levels.append(level)
        if progress:
            progress(len(levels) - 1, len(level))
    return Retreat(tuple(levels), np.concatenate(met), finished)


def _distinct(rows: Words, size: int, symmetric: bool) -> Words:
    from playproof.proofs.othello.retrograde.canonical import canonical

    if symmetric:
        images = [canonical(own, opponent, 0, size)[:2] for own, opponent in rows]
        rows = np.array(images, np.uint64).reshape(-1, 2)
    gathering = Gathering()
    gathering.enter(rows, np.ones(len(rows), np.uint8), len(rows))
    return gathering.rows.copy()


def _met(rows: Words, forward: ForwardTable) -> Words:
    from playproof.proofs.othello.retrograde.canonical import canonical

    held = []
    for own, opponent in rows:
        a, b, _ = canonical(own, opponent, 0, forward.size)
        held.append((int(a), int(b)) in forward.level((int(a) | int(b)).bit_count()))
    return rows[np.array(held, np.bool_)]


# One position


@dataclass(frozen=True)
class Unreachable:
    """No game leads to the position: all its ancestors were tried."""

    constructible: bool
    """Whether the occupied squares alone did not rule it out."""
    explored: dict[int, int]
    """Ancestors looked at, by their stones, the position itself first."""
    seconds: float


@dataclass(frozen=True)
class Reachable:
    """A game leads to the position."""

    state: State
    """The position at the end of that game, played by the rules."""
    explored: dict[int, int]
    seconds: float

    @property
    def moves(self) -> list[str]:
        """The record, passes included."""
        return [self.state.name(action) for action in self.state.actions]

    @property
    def record(self) -> str:
        """The record as one word, as transcripts are written."""
        return self.state.game.join_moves(self.moves)


@dataclass(frozen=True)
class Unknown:
    """A limit, or the stop flag, came before the answer."""

    explored: dict[int, int]
    seconds: float


ReachResult = Reachable | Unreachable | Unknown


@dataclass
class Memory:
    """Dead positions, kept from one search to the next.

    One memory serves one size of board, and either exact questions or those up
    to symmetry.
    """

    megabytes: float = 256
    rows: Words = field(init=False)
    known: Words = field(init=False)

    def __post_init__(self) -> None:
        lines = int(self.megabytes * 2**20) // (16 * kernels.WAYS)
        if lines < 1:
            raise UsageError(f"megabytes={self.megabytes}: want a memory of 1 megabyte or more")
        self.rows = np.zeros((lines * kernels.WAYS, 2), np.uint64)
        self.known = np.zeros((_KNOWN_SETS, 2), np.uint64)


def reach(
    state: State,
    *,
    symmetric: bool = False,
    forward: ForwardTable | None = None,
    memory: Memory | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    stop: StopFlag | None = None,
    seed: int = 0,
) -> ReachResult:
    """Whether a game leads from the start to exactly this position and side to move.

    ``symmetric`` asks for any image of it, with either side as Black.
    ``forward`` is where the search may end: a larger table makes it shorter;
    without one, a small one is made.  ``seconds``, ``nodes`` and ``stop`` end it
    early.  Another ``seed`` looks in another order, and may find another record.
    """
    game = state.game
    if not isinstance(game, Othello):
        raise UsageError(f"backward search is for othello, not for {game.name}")
    table = forward_table(SMALL, game.size) if forward is None else forward
    if table.size != game.size:
        raise UsageError(f"a table of {table.size}x{table.size} for a board of {game.size}")
    own, opponent, side = split(state)
    began = time.perf_counter()
    stones = (own | opponent).bit_count()
    if not is_constructible(own | opponent, game.size):
        return Unreachable(False, {}, time.perf_counter() - began)
    if stones == FIRST:
        same = state == game.start() or (
            symmetric and any(state.transformed(s) == game.start() for s in range(16))
        )
        spent = time.perf_counter() - began
        return Reachable(game.start(), {}, spent) if same else Unreachable(True, {}, spent)
    search = Search(table, Memory() if memory is None else memory, exact=not symmetric, seed=seed)
    found, way = search.run(own, opponent, side, seconds=seconds, nodes=nodes, stop=stop)
    explored, spent = search.explored, time.perf_counter() - began
    if found == kernels.STOPPED:
        return Unknown(explored, spent)
    if found == kernels.EXHAUSTED:
        return Unreachable(True, explored, spent)
    played = play_along(game, way, exact=not symmetric)
    played = played if symmetric else turned_to(played, state)
    return Reachable(played, explored, time.perf_counter() - began)


class Search:
    """One backward search: what the kernel needs and what it gives.

    Depth first, a wrong turn high up may cost hours although a record is near.
    So the search is cut off after some thousand nodes and begun anew in another
    order, each time a little later (Gomes, Selman and Kautz 1998).  What was
    found dead stays so: no work is lost, and an end comes as surely as without.
    Without a seed there is one attempt, in an order of its own: then the record
    does not depend on what the memory happens to know.
    """

    def __init__(
        self, table: ForwardTable, memory: Memory, *, exact: bool, seed: int | None = None
    ) -> None:
        self.table, self.memory, self.exact, self.seed = table, memory, exact, seed
        self.statistics: npt.NDArray[np.int64] = np.zeros(kernels.STATISTICS, np.int64)
        self._late = False

    @property
    def explored(self) -> dict[int, int]:
        """Positions taken back, by their stones; one that was taken back twice counts twice."""
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
        """FOUND, EXHAUSTED or STOPPED; if found, the nodes from the start on."""
        floor = min(self.table.stones, (own | opponent).bit_count() - 1)
        path = np.zeros((65, 3), np.uint64)
        words = np.uint64(own), np.uint64(opponent), np.uint64(side)
        most = _NO_LIMIT if nodes is None else nodes

        def attempts(flag: StopFlag) -> int:
            length = _NO_LIMIT if self.seed is None else _FIRST_ATTEMPT
            for number in itertools.count():
                ends = min(most, self._begin(number) + length)
                self._limit(ends)
                found = kernels.search(
                    *words, self.exact, self.table.size, floor, *self.table.level(floor),
                    self.memory.rows, self.memory.known, self.statistics, path, flag,
                )  # fmt: skip
                if found != kernels.STOPPED or flag[0] or self._late or ends == most:
                    return int(found)
                length += length // _LONGER
            return kernels.STOPPED

        with deadline(seconds, self._withdraw):
            found = interruptible(attempts, stop)
        if found != kernels.FOUND:
            return found, []
        back: list[Node] = [
            (own, opponent, variant)
            for own, opponent, variant in path[: self.statistics[kernels.DEPTH] + 1].tolist()
        ]
        return found, down_the_table(back[-1], self.table, exact=self.exact) + back[-2::-1]

    def _begin(self, number: int) -> int:
        """Set the order of an attempt; how many nodes there were before it."""
        if self.seed is not None:
            self.statistics[kernels.SEED] = derive_seed(self.seed, number) >> 2 | 1
        return int(self.statistics[kernels.NODES])

    def _limit(self, nodes: int) -> None:
        self.statistics[kernels.LIMIT] = nodes
        if self._late:  # it was withdrawn at this very moment
            self.statistics[kernels.LIMIT] = -1

    def _withdraw(self) -> None:
        """No further nodes: it is late."""
        self._late = True
        self.statistics[kernels.LIMIT] = -1
