"""All positions of Othello with 33 legal moves that a game reaches, as games that lead there.

33 moves need 33 empty squares, so at most 31 stones, and no position with fewer than 26 stones
has so many moves.  A census of 26 to 31 stones is therefore complete.  Its results are shipped: one
transcript for each position, up to symmetry and an exchange of colours.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from playproof.core.errors import DataError
from playproof.core.registry import make
from playproof.core.state import State
from playproof.games.othello.game import Othello
from playproof.proofs.othello.boards import Position, canonical

MOVES = 33
CANDIDATES = {26: 0, 27: 13, 28: 967, 29: 14_992, 30: 114_265, 31: 216_414}
"""By number of stones: the positions with 33 moves on squares that can have been filled."""

_FILE = "othello_33_moves.txt"


@dataclass(frozen=True)
class CensusRecord:
    """A game that ends in a position with 33 legal moves."""

    record: str
    """The game as a transcript."""
    state: State
    """Its last state, played by the rules."""

    @property
    def colour(self) -> str:
        """The side that has the moves."""
        return self.state.game.players[self.state.current_player or 0]

    @property
    def position(self) -> Position:
        """The stones of the side to move, and the opponent's."""
        words = self.state.row[0], self.state.row[1]
        side = self.state.current_player or 0
        return int(words[side]), int(words[1 - side])

    @property
    def stones(self) -> int:
        own, opponent = self.position
        return (own | opponent).bit_count()

    @property
    def moves(self) -> list[str]:
        """The legal moves."""
        return [self.state.name(action) for action in self.state.legal_actions()]


@dataclass(frozen=True)
class CensusTotals:
    """The results for one number of stones."""

    stones: int
    candidates: int
    """Positions with 33 moves on squares that can have been filled, up to symmetry."""
    reachable: int
    """Those that a game reaches."""
    black: int
    """Those whose game ends with Black to move."""
    white: int


def record_lines() -> list[str]:
    """The transcripts as they are shipped."""
    text = (files("playproof.proofs") / "data" / _FILE).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@functools.cache
def census_records() -> tuple[CensusRecord, ...]:
    """All records, replayed and checked, by number of stones."""
    return check_records(record_lines())


def check_records(lines: Sequence[str]) -> tuple[CensusRecord, ...]:
    """Replay transcripts; a DataError names the first that is wrong.

    Each must end with 33 legal moves, and no two in images of the same position.
    """
    game = make("othello")
    assert isinstance(game, Othello)
    numbers: dict[Position, int] = {}
    records = []
    for number, line in enumerate(lines, 1):
        state = game.start().play(game.split_moves(line))
        moves = len(state.legal_actions())
        if moves != MOVES:
            raise DataError(f"record {number} ends with {moves} legal moves: want {MOVES}")
        records.append(CensusRecord(line, state))
        first = numbers.setdefault(canonical(records[-1].position, game.size), number)
        if first != number:
            raise DataError(f"record {number} ends in an image of the position of record {first}")
    return tuple(records)


def totals(records: Sequence[CensusRecord]) -> list[CensusTotals]:
    """The counts for each number of stones."""
    colours = Counter((one.stones, one.colour) for one in records)
    rows = []
    for stones, candidates in CANDIDATES.items():
        black, white = colours[stones, "Black"], colours[stones, "White"]
        rows.append(CensusTotals(stones, candidates, black + white, black, white))
    return rows
