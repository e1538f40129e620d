"""The earliest ply of Othello with so many legal moves, and why no game has them sooner.

A game to a position with n stones has n - 4 placements, so at least n - 4 plies, whatever passes it
has.  Let n be the least number of stones of a reachable position with k moves.  Then no game has
k moves before ply n - 4, and a game without a pass that has them with n stones has them at ply
n - 4.  Such games are shipped, one for each n.  That fewer stones are not enough is shown

- for up to ``ENUMERATED`` stones by an enumeration of all reachable positions;
- for more by a backward search: all positions with k moves on constructible sets of at most
  n - 1 stones are taken back until nothing is left.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from playproof.core.errors import DataError, UsageError
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.core.state import State
from playproof.core.stopping import StopFlag, stop_flag
from playproof.games.othello.game import Othello
from playproof.proofs.othello.boards import position_text
from playproof.proofs.othello.census import earliest_kernels
from playproof.proofs.othello.pipeline import OnFinding, search
from playproof.proofs.othello.retrograde import forward_kernels
from playproof.proofs.othello.retrograde.forward import (
    MAX_STONES,
    START_STONES,
    ForwardTable,
    forward_table,
)
from playproof.proofs.othello.retrograde.search import Reachable, reach
from playproof.rules import othello as rules

ENUMERATED = MAX_STONES + 2
"""The most stones of which all reachable positions are looked at: two more than the forward table
holds, since they are counted and not stored."""

_FILE = "othello_earliest.txt"
_CHUNK = 1 << 18  # positions between two looks at the stop flag


@dataclass(frozen=True)
class EarliestGame:
    """A game that has many moves as early as any game can."""

    at_least: int
    """It is the earliest for this number of moves, and for all from there to ``moves``."""
    record: str
    """The game as a transcript; it has no pass."""
    state: State
    """Its last state, played by the rules."""

    @property
    def moves(self) -> int:
        """The legal moves at its end."""
        return _move_count(self.state)

    @property
    def plies(self) -> int:
        return len(self.state.actions)

    @property
    def stones(self) -> int:
        return _stone_count(self.state)

    @property
    def colour(self) -> str:
        """The side that has the moves."""
        return self.state.game.players[self.state.current_player or 0]

    @property
    def enumerated(self) -> bool:
        """Whether positions with fewer stones are excluded by enumeration, not by a search."""
        return self.stones - 1 <= ENUMERATED


@dataclass(frozen=True)
class MostMoves:
    """The most moves of a reachable position with so many stones."""

    stones: int
    moves: int
    record: str
    """A game that reaches them, as a transcript."""


@dataclass(frozen=True)
class EarliestProof:
    """Whether positions with fewer stones than in a game have been excluded."""

    moves: int
    game: EarliestGame
    holds: bool | None
    """None if the time ran out or the stop flag was set."""
    findings: tuple[str, ...]
    """What was counted on the way, in lines."""
    seconds: float


def record_lines() -> list[str]:
    """The games as they are shipped: the least number of moves, and a transcript."""
    text = (files("playproof.proofs") / "data" / _FILE).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@functools.cache
def earliest_games() -> tuple[EarliestGame, ...]:
    """The shipped games, replayed and checked, by number of stones."""
    return check_games(record_lines())


def check_games(lines: Sequence[str]) -> tuple[EarliestGame, ...]:
    """Replay games; a DataError names the first that is wrong.

    Each must end, without a pass, with at least as many moves as its line says, and with more
    moves and more stones than the game before it.
    """
    games: list[EarliestGame] = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        if len(words) != 2 or not words[0].isdecimal():
            raise DataError(f"game {number}: {line[:40]!r} is no number of moves and a transcript")
        at_least, state = int(words[0]), _play(words[1])
        game = EarliestGame(at_least, words[1], state)
        if game.moves < at_least:
            raise DataError(f"game {number} ends with {game.moves} legal moves: want {at_least}")
        if "pass" in state.moves:
            raise DataError(f"game {number} has a pass: want a game without one")
        if games and not (at_least > games[-1].moves and game.stones > games[-1].stones):
            raise DataError(f"game {number} has no more moves, or no more stones, than the last")
        games.append(game)
    return tuple(games)


def earliest_game(moves: int) -> EarliestGame:
    """The game that first has ``moves`` moves; a UsageError says what is known if there is none."""
    games = earliest_games()
    for game in games:
        if game.at_least <= moves <= game.moves:
            return game
    fewer = [game for game in games if game.moves < moves]
    more = [game for game in games if game.at_least > moves]
    if not fewer:
        raise UsageError(f"every game starts with 4 legal moves: want more than 4, not {moves}")
    if not more:
        raise UsageError(f"no game has {moves} legal moves: want {games[-1].moves} or fewer")
    raise UsageError(
        f"the earliest ply with {moves} legal moves is not known: with {fewer[-1].moves} it is "
        f"{fewer[-1].plies}, with {more[0].at_least} it is {more[0].plies}"
    )


def prove_earliest(
    moves: int,
    *,
    seconds: float | None = None,
    stop: StopFlag | None = None,
    on_finding: OnFinding = lambda line: None,
) -> EarliestProof:
    """Exclude all positions with ``moves`` moves and fewer stones than the shipped game has.

    ``on_finding`` is called with a line of text for each step.
    """
    game = earliest_game(moves)
    findings: list[str] = []
    start = time.perf_counter()

    def report(line: str) -> None:
        findings.append(line)
        on_finding(line)

    if game.enumerated:
        holds = _by_enumeration(moves, game.stones - 1, seconds, stop, report)
    else:
        result = search(
            moves, max_stones=game.stones - 1, seconds=seconds, stop=stop, on_finding=report
        )
        holds = None if result.exists is None else not result.exists
    elapsed = time.perf_counter() - start
    return EarliestProof(moves, game, holds, tuple(findings), elapsed)


def _by_enumeration(
    moves: int, stones: int, seconds: float | None, stop: StopFlag | None, report: OnFinding
) -> bool | None:
    ends = time.monotonic() + (float("inf") if seconds is None else seconds)
    flag = stop_flag() if stop is None else stop
    count = START_STONES
    for one in most_moves(stones, should_stop=lambda: bool(flag[0]) or time.monotonic() > ends):
        report(f"{one.stones} stones: {one.moves} moves at most")
        if one.moves >= moves:
            return False
        count = one.stones
    return True if count == stones else None


def most_moves(
    stones: int, size: int = 8, *, should_stop: Callable[[], bool] = lambda: False
) -> Iterator[MostMoves]:
    """The most moves of any reachable position with 5, 6 ... ``stones`` stones, each with a game.

    Positions where the game is over are left out, and so are numbers of stones that no other
    position has.  If ``should_stop()``, which is called now and then, fewer are yielded.
    """
    if size not in rules.SIZES:
        raise UsageError(f"there is no Othello board of size {size}: want 4, 6 or 8")
    if not START_STONES <= stones <= ENUMERATED:
        raise UsageError(f"{stones} stones cannot be enumerated: want 4 to {ENUMERATED}")
    squares = np.uint64(rules.board(size))
    table = forward_table(max(START_STONES, min(stones - 1, MAX_STONES)), size)
    for count in range(START_STONES + 1, stones + 1):
        best, parent = 0, (0, 0)
        for rows in _nodes(table, count - 1):
            if should_stop():
                return
            moves, at = earliest_kernels.most_moves_after(rows, squares)
            if moves > best:
                best, parent = int(moves), (int(rows[at, 0]), int(rows[at, 1]))
        if best:
            yield MostMoves(count, best, _record_after(parent, best, table))


def _nodes(table: ForwardTable, stones: int) -> Iterator[Words]:
    """All nodes with ``stones`` stones in chunks.  Those with one stone more than the table's are
    generated, and some of them come several times."""
    level = table.level(min(stones, table.stones))
    if stones <= table.stones:
        for first in range(0, len(level.rows), _CHUNK):
            yield level.rows[first : first + _CHUNK]
        return
    squares = np.uint64(rules.board(table.size))
    rows, masks = np.empty((_CHUNK, 2), np.uint64), np.empty(_CHUNK, np.uint8)
    parent = 0
    while parent < len(level.rows):
        count, parent = forward_kernels.expand(
            level.rows, level.masks, parent, squares, table.size, rows, masks
        )
        yield rows[:count]


def _record_after(parent: tuple[int, int], moves: int, table: ForwardTable) -> str:
    """A game to ``moves`` moves, one placement after an image of ``parent``."""
    game = make("othello", size=table.size)
    state = game.position(position_text(parent, table.size))
    reached = reach(state, symmetric=True, forward=table)
    assert isinstance(reached, Reachable)
    children = [reached.state.apply(action) for action in reached.state.legal_actions()]
    nodes = [
        after.apply("pass") if after.legal_names() == ["pass"] else after for after in children
    ]
    most = max(nodes, key=lambda node: (_move_count(node), "pass" not in node.moves[-1:]))
    assert _move_count(most) == moves
    return game.join_moves(most.moves)


def _play(record: str) -> State:
    game = make("othello")
    assert isinstance(game, Othello)
    return game.start().play(game.split_moves(record))


def _move_count(state: State) -> int:
    """The squares where the side to move can place a stone."""
    return len([name for name in state.legal_names() if name != "pass"])


def _stone_count(state: State) -> int:
    return int(state.row[0]).bit_count() + int(state.row[1]).bit_count()
