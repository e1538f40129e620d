"""Opening books of chess: PGN, EPD or FEN, and Polyglot's ``.bin``; packed or not.

A book of PGN gives the position after some plies of each game, a list of
positions gives these, and a Polyglot book is walked by chance, moves in
proportion to their weights.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from playproof.core.bits import derive_seed
from playproof.core.errors import DataError, PlayproofError
from playproof.core.game import Game
from playproof.core.state import State
from playproof.formats import epd
from playproof.formats.compressed import Stream, plain_name, read_all
from playproof.games.chess.move_names import uci

_PGN, _EPD, _BIN = (".pgn",), (".epd", ".fen"), (".bin",)
_ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
_PROMOTED = ("", "n", "b", "r", "q")
_CASTLING = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
_STALE = 4  # rounds without anything new, after which a walked book has no more


def is_book(path: str | Path) -> bool:
    """Whether a file is such a book, by its name."""
    return plain_name(path).endswith((*_PGN, *_EPD, *_BIN))


def has_plies(path: str | Path) -> bool:
    """Whether the book holds lines, of which so many plies are played."""
    return plain_name(path).endswith((*_PGN, *_BIN))


def digest(path: str | Path) -> str:
    """Of the content, however it is packed."""
    found = 0
    with Stream(path) as stream:
        while data := stream.read(1 << 20):
            found = zlib.crc32(data, found)
    return f"{found:08x}"


def rounds(game: Game, path: Path, plies: int, seed: int, size: int) -> Iterator[list[State]]:
    """The book's positions in the order of ``seed``, ``size`` at a time."""
    if game.name != "chess":
        raise DataError(f"{path} is a book of chess, not of {game.name}")
    name = plain_name(path)
    if name.endswith(_BIN):
        yield from _walks(game, path, plies, seed, size)
        return
    found: list[tuple[int, str | None, list[int]]]
    found = _lines(path, plies) if name.endswith(_PGN) else _positions(path)
    random.Random(seed).shuffle(found)
    for begin in range(0, len(found), size):
        yield [_state(game, path, *one) for one in found[begin : begin + size]]


def _state(game: Game, path: Path, line: int, fen: str | None, actions: list[int]) -> State:
    try:
        state = game.start() if fen is None else game.position(fen)
        for action in actions:
            if state.is_terminal:  # a line that a draw ends is sifted out as over
                break
            state = state.apply(action)
    except PlayproofError as error:
        raise type(error)(f"{path}, line {line}: {error}") from None
    return state


def _lines(path: Path, plies: int) -> list[tuple[int, str | None, list[int]]]:
    # Here, since these are compiled, and matches of other games need none of them.
    from playproof.formats.pgn.split import LINE, PLIES
    from playproof.formats.pgn.stream import blocks, read

    found: dict[tuple[str | None, bytes], tuple[int, str | None, list[int]]] = {}
    for block in blocks(path):
        games = read(block)
        for place in range(len(games.games)):
            fault = games.faults.get(place)
            # What is wrong behind the opening does not matter here.
            if fault and games.games[place, PLIES] < plies:
                raise DataError(f"{path}, {fault}")
            actions, fen = games.actions(place)[:plies], games.fen(place)
            if plies and not len(actions) and fen is None:  # tags alone, as a cut file ends
                continue
            line = block.line + int(games.games[place, LINE]) + 1
            found.setdefault((fen, actions.tobytes()), (line, fen, actions.tolist()))
    return list(found.values())


def _positions(path: Path) -> list[tuple[int, str | None, list[int]]]:
    text = read_all(path).decode("utf-8", "replace")
    return [(entry.line, entry.fen, []) for entry in epd.read(text, str(path))]


def _walks(game: Game, path: Path, plies: int, seed: int, size: int) -> Iterator[list[State]]:
    book = Polyglot(path)
    known: set[tuple[int, ...]] = set()
    number = stale = 0
    while stale < _STALE:
        fresh = []
        for _ in range(size):
            state = book.walk(game.start(), plies, random.Random(derive_seed(seed, number)))
            number += 1
            if state.position_words not in known:
                known.add(state.position_words)
                fresh.append(state)
        stale = 0 if fresh else stale + 1
        yield fresh


class Polyglot:
    """A book of Polyglot's: moves with weights, by the hash of a position."""

    def __init__(self, path: str | Path) -> None:
        data = read_all(path)
        if not data or len(data) % _ENTRY.itemsize:
            raise DataError(f"{path} is no Polyglot book: want entries of {_ENTRY.itemsize} bytes")
        entries = np.frombuffer(data, _ENTRY)
        self.keys = entries["key"].astype(np.uint64)
        self.moves, self.weights = entries["move"].tolist(), entries["weight"].tolist()
        if (self.keys[1:] < self.keys[:-1]).any():
            raise DataError(f"{path} is no Polyglot book: its entries are not in order")

    def moves_of(self, state: State) -> dict[int, int]:
        """action -> weight of the book's moves here, those that are legal."""
        try:
            import chess
            import chess.polyglot
        except ImportError:
            raise DataError(
                "Polyglot books need the package chess: pip install 'playproof[interop]'"
            ) from None
        key = np.uint64(chess.polyglot.zobrist_hash(chess.Board(state.position)))
        begin, end = np.searchsorted(self.keys, key), np.searchsorted(self.keys, key, "right")
        legal = {uci(state.row, action): action for action in state.legal_actions()}
        found: dict[int, int] = {}
        for place in range(int(begin), int(end)):
            name = _name(self.moves[place])
            # Castling is the king onto its rook; a rook that goes there has that name too.
            if name not in legal:
                name = _CASTLING.get(name, name)
            if name in legal and self.weights[place]:
                found[legal[name]] = found.get(legal[name], 0) + self.weights[place]
        return found

    def walk(self, state: State, plies: int, chance: random.Random) -> State:
        """Follow the book by chance for so many plies, or to where it ends."""
        for _ in range(plies):
            moves = self.moves_of(state)
            if not moves:
                break
            state = state.apply(chance.choices(list(moves), list(moves.values()))[0])
        return state


def _name(move: int) -> str:
    """The UCI name of Polyglot's 15 bits."""

    def square(bits: int) -> str:
        return f"{'abcdefgh'[bits & 7]}{(bits >> 3 & 7) + 1}"

    promoted = move >> 12 & 7
    return f"{square(move >> 6)}{square(move)}{_PROMOTED[promoted] if promoted < 5 else ''}"
