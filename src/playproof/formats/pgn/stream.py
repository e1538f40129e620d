"""Games from PGN files of any size, in constant memory.

A text is cut into blocks of whole games; a block is replayed by compiled code.
Both are always the same for the same file, however it is packed, so a block is
a unit of work that can be done anywhere and in any order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError
from playproof.formats.compressed import Stream
from playproof.formats.pgn import split as columns
from playproof.formats.pgn.replay import replay
from playproof.formats.pgn.split import FIELDS, read_tags, split
from playproof.games.chess import fen as chess_fen
from playproof.games.chess.evaluation import tables
from playproof.games.chess.rows import row_of

BLOCK = 1 << 22  # bytes of text read at a time
_LARGEST = 1 << 26  # bytes of one game: beyond, it is cut
_ROOM = 1 << 16  # games of a block, at most
_MARK = b"\xef\xbb\xbf"  # some programs write it before UTF-8

# White's view: what a game ended in; None if it is not known.
RESULTS: dict[int, int | None] = {
    columns.NONE: None, columns.WHITE: 1, columns.BLACK: -1, columns.DRAW: 0, columns.OPEN: None,
}  # fmt: skip
FAULTS = {
    columns.BAD_TAG: 'broken tag: want [Name "value"]',
    columns.VARIANT: "another variant: want chess",
    columns.BAD_FEN: "bad FEN",
    columns.ILLEGAL_MOVE: "illegal move",
    columns.AMBIGUOUS_MOVE: "ambiguous move",
    columns.NOT_A_MOVE: "not a move",
    columns.OPEN_COMMENT: "comment without }",
    columns.OPEN_VARIATION: "variation without )",
    columns.STRAY: "stray character",
    columns.NULL_MOVE: "null move",
    columns.RESULTS_DIFFER: "tag and moves tell different results",
    columns.CONTRADICTED: "the result is not that of the last position",
}
_SPELT = {columns.ILLEGAL_MOVE, columns.AMBIGUOUS_MOVE, columns.NOT_A_MOVE, columns.STRAY}


@dataclass(frozen=True)
class Block:
    """Some whole games of a text.  ``games`` has BEGIN, END and LINE filled in, places
    counted from the beginning of ``text``, lines from ``line``."""

    text: bytes
    games: npt.NDArray[np.int64]  # (n, FIELDS)
    first: int  # number of the first game in its file, from 0
    line: int  # number of the first line in its file, from 0

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self.text, np.uint8)


@dataclass(frozen=True)
class Fault:
    """What is wrong with a game, and where."""

    game: int  # number in its file, from 0
    line: int  # from 1
    kind: str  # one of FAULTS, for counting
    told: str  # the same with what was read

    def __str__(self) -> str:
        return f"line {self.line}: {self.told}"


def blocks(path: str | Path, *, size: int = BLOCK) -> Iterator[Block]:
    """The games of a file in blocks of about ``size`` bytes."""
    with Stream(path) as stream:
        kept, first, line, more = b"", 0, 0, True
        start, stuck = True, False
        while more or kept:
            # A game that has not ended within the text wants more of it.
            wanted = size if stuck else size - len(kept)
            if more and wanted > 0:
                fresh = stream.read(wanted)
                more = len(fresh) == wanted
                kept += fresh.removeprefix(_MARK) if start else fresh
                start = False
            last = not more or len(kept) >= _LARGEST
            games = np.zeros((_ROOM, FIELDS), np.int64)
            n, end, lines = split(np.frombuffer(kept, np.uint8), len(kept), last, games)
            if n:
                yield Block(kept[:end], games[:n].copy(), first, line)
            kept, first, line, stuck = kept[end:], first + n, line + lines, not n


def text_blocks(data: bytes) -> list[Block]:
    """The games of a text that is in memory."""
    data = data.removeprefix(_MARK)
    found, first, line, begin = [], 0, 0, 0
    while begin < len(data):
        rest = data[begin:]
        games = np.zeros((_ROOM, FIELDS), np.int64)
        n, end, lines = split(np.frombuffer(rest, np.uint8), len(rest), True, games)
        if not n:
            break
        found.append(Block(rest[:end], games[:n].copy(), first, line))
        begin, first, line = begin + end, first + n, line + lines
    return found


@dataclass(frozen=True)
class Replayed:
    """A block's games, resolved.  ``games`` is filled in to the last column."""

    block: Block
    games: npt.NDArray[np.int64]  # (n, FIELDS)
    moves: npt.NDArray[np.uint16]  # actions of all games, one after the other
    starts: npt.NDArray[np.uint64]  # (k, 8) rows; 0 is the usual start
    faults: dict[int, Fault]  # by place in ``games``

    def actions(self, place: int) -> npt.NDArray[np.uint16]:
        """The moves of one game, as actions; of a broken one, those before the fault."""
        first = int(self.games[place, columns.FIRST])
        return self.moves[first : first + int(self.games[place, columns.PLIES])]

    def fen(self, place: int) -> str | None:
        """The FEN tag of one game, if it has one."""
        begin, end = self.games[place, columns.FEN : columns.FEN_END + 1]
        return self.block.text[begin:end].decode("utf-8", "replace") if end > begin else None


@functools.lru_cache(100_000)
def _start_row(fen: str) -> tuple[int, ...] | str:
    """The words of a position, or why it is none."""
    try:
        return tuple(int(word) for word in row_of(chess_fen.read(fen), tables()))
    except DataError as error:
        return str(error)


def read(block: Block) -> Replayed:
    """Replay all games of a block."""
    data, games = block.data, block.games.copy()
    read_tags(data, games, len(games))
    usual = _start_row(chess_fen.START)
    assert not isinstance(usual, str)
    starts, known, wrong = [usual], {chess_fen.START: 0}, {}
    for place in np.flatnonzero(games[:, columns.FEN_END] > games[:, columns.FEN]).tolist():
        begin, end = games[place, columns.FEN : columns.FEN_END + 1]
        fen = block.text[begin:end].decode("utf-8", "replace").strip()
        row = _start_row(fen)
        if isinstance(row, str):
            if games[place, columns.FAULT] == columns.GOOD:
                games[place, columns.FAULT : columns.FAULT_AT + 1] = columns.BAD_FEN, begin
            wrong[place] = row
        else:
            if fen not in known:
                known[fen] = len(starts)
                starts.append(row)
            games[place, columns.START] = known[fen]
    rows = np.array(starts, np.uint64)
    moves = np.empty(len(block.text) // 2 + 1, np.uint16)
    legal = np.empty(256, np.int32)
    n = replay(tables(), data, games, len(games), rows, legal, moves)
    faults = {
        place: _fault(block, games[place], place, wrong.get(place, ""))
        for place in np.flatnonzero(games[:, columns.FAULT]).tolist()
    }
    return Replayed(block, games, moves[:n].copy(), rows, faults)


def _fault(block: Block, game: npt.NDArray[np.int64], place: int, why: str) -> Fault:
    kind = FAULTS[int(game[columns.FAULT])]
    at = int(game[columns.FAULT_AT])
    line = block.line + int(game[columns.LINE])
    line += block.text.count(b"\n", int(game[columns.BEGIN]), at)
    told = f"{kind}: {why}" if why else kind
    if int(game[columns.FAULT]) in _SPELT:
        read_as = block.text[at : at + 12].split(maxsplit=1)[0].decode("utf-8", "replace")
        number = int(game[columns.PLIES]) + 1
        told = f"{kind} {read_as!r} (ply {number})"
    return Fault(block.first + place, line + 1, kind, told)
