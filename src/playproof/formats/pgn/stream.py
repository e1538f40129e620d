"""Games from PGN files of any size, in constant memory.

A text is cut into blocks of whole games, and compiled code replays the blocks.
The blocks depend only on the text, not on how the file is compressed, so they
can be processed on any machine and in any order.
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
_MAX_GAME_BYTES = 1 << 26  # a longer game is cut
_MAX_GAMES = 1 << 16  # of one block
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some programs write it before UTF-8

# The result from White's side; None if there is none.
RESULTS: dict[int, int | None] = {
    columns.NO_RESULT: None,
    columns.WHITE: 1,
    columns.BLACK: -1,
    columns.DRAW: 0,
    columns.UNFINISHED: None,
}
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
    columns.RESULTS_DIFFER: "tag and moves give different results",
    columns.CONTRADICTED: "the result is not that of the last position",
}
# Faults whose message quotes the text at the fault.
_QUOTED = {columns.ILLEGAL_MOVE, columns.AMBIGUOUS_MOVE, columns.NOT_A_MOVE, columns.STRAY}


@dataclass(frozen=True)
class GameBlock:
    """Some whole games of a text.

    The columns BEGIN, END and LINE of ``games`` are filled in: offsets count from the
    beginning of ``text``, lines from ``line``."""

    text: bytes
    games: npt.NDArray[np.int64]  # (n, FIELDS)
    first: int  # number of the first game in its file, from 0
    line: int  # number of the first line in its file, from 0

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self.text, np.uint8)


@dataclass(frozen=True)
class Fault:
    """An error in a game, and its line."""

    game: int  # number in its file, from 0
    line: int  # from 1
    kind: str  # one of FAULTS, for counting
    message: str  # the kind with details

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


def blocks(path: str | Path, *, size: int = BLOCK) -> Iterator[GameBlock]:
    """The games of a file in blocks of about ``size`` bytes."""
    with Stream(path) as stream:
        buffer, first, line, more = b"", 0, 0, True
        start, game_unfinished = True, False
        while more or buffer:
            # A game that does not end within the buffer needs a larger one.
            count = size if game_unfinished else size - len(buffer)
            if more and count > 0:
                data = stream.read(count)
                more = len(data) == count
                buffer += data.removeprefix(_BYTE_ORDER_MARK) if start else data
                start = False
            last = not more or len(buffer) >= _MAX_GAME_BYTES
            games = np.zeros((_MAX_GAMES, FIELDS), np.int64)
            n, end, lines = split(np.frombuffer(buffer, np.uint8), len(buffer), last, games)
            if n:
                yield GameBlock(buffer[:end], games[:n].copy(), first, line)
            buffer, first, line, game_unfinished = buffer[end:], first + n, line + lines, not n


def text_blocks(data: bytes) -> list[GameBlock]:
    """The games of a text in memory, as blocks."""
    data = data.removeprefix(_BYTE_ORDER_MARK)
    parts, first, line, start = [], 0, 0, 0
    while start < len(data):
        rest = data[start:]
        games = np.zeros((_MAX_GAMES, FIELDS), np.int64)
        n, end, lines = split(np.frombuffer(rest, np.uint8), len(rest), True, games)
        if not n:
            break
        parts.append(GameBlock(rest[:end], games[:n].copy(), first, line))
        start, first, line = start + end, first + n, line + lines
    return parts


@dataclass(frozen=True)
class ReplayedBlock:
    """The games of a block, replayed.  All columns of ``games`` are filled in."""

    block: GameBlock
    games: npt.NDArray[np.int64]  # (n, FIELDS)
    moves: npt.NDArray[np.uint16]  # actions of all games, one game after the other
    starts: npt.NDArray[np.uint64]  # (k, 8) rows; row 0 is the standard start
    faults: dict[int, Fault]  # by index into ``games``

    def actions(self, place: int) -> npt.NDArray[np.uint16]:
        """The actions of one game; of a faulty game, those before the fault."""
        first = int(self.games[place, columns.FIRST])
        return self.moves[first : first + int(self.games[place, columns.PLIES])]

    def fen(self, place: int) -> str | None:
        """The FEN tag of one game, if it has one."""
        start, end = self.games[place, columns.FEN : columns.FEN_END + 1]
        return self.block.text[start:end].decode("utf-8", "replace") if end > start else None


@functools.lru_cache(100_000)
def _start_row(fen: str) -> tuple[int, ...] | str:
    """The words of a position, or the reason why the FEN is invalid."""
    try:
        return tuple(int(word) for word in row_of(chess_fen.read(fen), tables()))
    except DataError as error:
        return str(error)


def read(block: GameBlock) -> ReplayedBlock:
    """Replay all games of a block."""
    data, games = block.data, block.games.copy()
    read_tags(data, games, len(games))
    standard = _start_row(chess_fen.START)
    assert not isinstance(standard, str)
    starts, start_numbers, fen_errors = [standard], {chess_fen.START: 0}, {}
    for place in np.flatnonzero(games[:, columns.FEN_END] > games[:, columns.FEN]).tolist():
        start, end = games[place, columns.FEN : columns.FEN_END + 1]
        fen = block.text[start:end].decode("utf-8", "replace").strip()
        row = _start_row(fen)
        if isinstance(row, str):
            if games[place, columns.FAULT] == columns.NO_FAULT:
                games[place, columns.FAULT : columns.FAULT_AT + 1] = columns.BAD_FEN, start
            fen_errors[place] = row
        else:
            if fen not in start_numbers:
                start_numbers[fen] = len(starts)
                starts.append(row)
            games[place, columns.START] = start_numbers[fen]
    rows = np.array(starts, np.uint64)
    moves = np.empty(len(block.text) // 2 + 1, np.uint16)
    legal = np.empty(256, np.int32)
    n = replay(tables(), data, games, len(games), rows, legal, moves)
    faults = {
        place: _fault(block, games[place], place, fen_errors.get(place, ""))
        for place in np.flatnonzero(games[:, columns.FAULT]).tolist()
    }
    return ReplayedBlock(block, games, moves[:n].copy(), rows, faults)


def _fault(block: GameBlock, game: npt.NDArray[np.int64], place: int, why: str) -> Fault:
    kind = FAULTS[int(game[columns.FAULT])]
    at = int(game[columns.FAULT_AT])
    line = block.line + int(game[columns.LINE])
    line += block.text.count(b"\n", int(game[columns.BEGIN]), at)
    message = f"{kind}: {why}" if why else kind
    if int(game[columns.FAULT]) in _QUOTED:
        read_as = block.text[at : at + 12].split(maxsplit=1)[0].decode("utf-8", "replace")
        number = int(game[columns.PLIES]) + 1
        message = f"{kind} {read_as!r} (ply {number})"
    return Fault(block.first + place, line + 1, kind, message)
