"""Opening books of chess: PGN, EPD or FEN, and Polyglot's ``.bin``; they may be compressed.

A PGN book gives the position after some plies of each game, and a list of
positions gives those.  A Polyglot book is followed at random, with moves in
proportion to their weights.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from playproof.core.bits import derive_seed
from playproof.core.errors import DataError, PlayproofError
from playproof.core.game import Game
from playproof.core.state import State
from playproof.formats import epd
from playproof.formats.compressed import Stream, read_all, uncompressed_name
from playproof.games.chess.move_names import uci

_PGN, _EPD, _BIN = (".pgn",), (".epd", ".fen"), (".bin",)
_POLYGLOT_ENTRY = np.dtype([("key", ">u8"), ("move", ">u2"), ("weight", ">u2"), ("learn", ">u4")])
_PROMOTIONS = ("", "n", "b", "r", "q")
_CASTLING = {"e1h1": "e1g1", "e1a1": "e1c1", "e8h8": "e8g8", "e8a8": "e8c8"}
_MAX_STALE_BATCHES = 4  # after so many batches without a new position, a Polyglot book is used up


class _BookPosition(NamedTuple):
    """One entry of a book: a start position, and the moves to play from it."""

    line: int  # in the file, from 1
    fen: str | None
    actions: list[int]


def is_book(path: str | Path) -> bool:
    """Whether a file is an opening book, by its name."""
    return uncompressed_name(path).endswith((*_PGN, *_EPD, *_BIN))


def has_plies(path: str | Path) -> bool:
    """Whether the book holds lines of moves rather than positions."""
    return uncompressed_name(path).endswith((*_PGN, *_BIN))


def digest(path: str | Path) -> str:
    """The CRC-32 of the decompressed content, as eight hexadecimal digits."""
    crc = 0
    with Stream(path) as stream:
        while data := stream.read(1 << 20):
            crc = zlib.crc32(data, crc)
    return f"{crc:08x}"


def batches(game: Game, path: Path, plies: int, seed: int, size: int) -> Iterator[list[State]]:
    """The book's positions in an order given by ``seed``, ``size`` at a time."""
    if game.name != "chess":
        raise DataError(f"{path} is a book of chess, not of {game.name}")
    name = uncompressed_name(path)
    if name.endswith(_BIN):
        yield from _random_walks(game, path, plies, seed, size)
        return
    entries = _pgn_lines(path, plies) if name.endswith(_PGN) else _positions(path)
    random.Random(seed).shuffle(entries)
    for start in range(0, len(entries), size):
        yield [_state(game, path, entry) for entry in entries[start : start + size]]


def _state(game: Game, path: Path, entry: _BookPosition) -> State:
    try:
        state = game.start() if entry.fen is None else game.position(entry.fen)
        for action in entry.actions:
            if state.is_terminal:  # a draw; the caller drops positions in which the game is over
                break
            state = state.apply(action)
    except PlayproofError as error:
        raise type(error)(f"{path}, line {entry.line}: {error}") from None
    return state


def _pgn_lines(path: Path, plies: int) -> list[_BookPosition]:
    # Imported here because they are compiled, and matches of other games do not need them.
    from playproof.formats.pgn.split import LINE, PLIES
    from playproof.formats.pgn.stream import blocks, read

    entries: dict[tuple[str | None, bytes], _BookPosition] = {}
    for block in blocks(path):
        games = read(block)
        for place in range(len(games.games)):
            fault = games.faults.get(place)
            # An error after the opening does not matter here.
            if fault and games.games[place, PLIES] < plies:
                raise DataError(f"{path}, {fault}")
            actions, fen = games.actions(place)[:plies], games.fen(place)
            if plies and not len(actions) and fen is None:  # only tags, where a file was cut
                continue
            line = block.line + int(games.games[place, LINE]) + 1
            entry = _BookPosition(line, fen, actions.tolist())
            entries.setdefault((fen, actions.tobytes()), entry)
    return list(entries.values())


def _positions(path: Path) -> list[_BookPosition]:
    text = read_all(path).decode("utf-8", "replace")
    return [_BookPosition(entry.line, entry.fen, []) for entry in epd.read(text, str(path))]


def _random_walks(
    game: Game, path: Path, plies: int, seed: int, size: int
) -> Iterator[list[State]]:
    book = Polyglot(path)
    seen: set[tuple[int, ...]] = set()
    number = stale = 0
    while stale < _MAX_STALE_BATCHES:
        batch = []
        for _ in range(size):
            state = book.walk(game.start(), plies, random.Random(derive_seed(seed, number)))
            number += 1
            if state.position_words not in seen:
                seen.add(state.position_words)
                batch.append(state)
        stale = 0 if batch else stale + 1
        yield batch


class Polyglot:
    """A Polyglot book: moves with weights, by the hash of a position."""

    def __init__(self, path: str | Path) -> None:
        data = read_all(path)
        if not data or len(data) % _POLYGLOT_ENTRY.itemsize:
            raise DataError(
                f"{path} is no Polyglot book: want entries of {_POLYGLOT_ENTRY.itemsize} bytes"
            )
        entries = np.frombuffer(data, _POLYGLOT_ENTRY)
        self.keys = entries["key"].astype(np.uint64)
        self.codes, self.weights = entries["move"].tolist(), entries["weight"].tolist()
        if (self.keys[1:] < self.keys[:-1]).any():
            raise DataError(f"{path} is no Polyglot book: its entries are not in order")

    def moves(self, state: State) -> dict[int, int]:
        """The weights of the book's legal moves in a position, by action."""
        try:
            import chess
            import chess.polyglot
        except ImportError:
            raise DataError(
                "Polyglot books need the package chess: pip install 'playproof[interop]'"
            ) from None
        key = np.uint64(chess.polyglot.zobrist_hash(chess.Board(state.position)))
        start, end = np.searchsorted(self.keys, key), np.searchsorted(self.keys, key, "right")
        legal = {uci(state.row, action): action for action in state.legal_actions()}
        weights: dict[int, int] = {}
        for place in range(int(start), int(end)):
            name = _uci_name(self.codes[place])
            # Castling is written as the king taking its own rook.  A rook's move from the king's
            # square has the same name, so castling is meant only if that move is not legal.
            if name not in legal:
                name = _CASTLING.get(name, name)
            if name in legal and self.weights[place]:
                weights[legal[name]] = weights.get(legal[name], 0) + self.weights[place]
        return weights

    def walk(self, state: State, plies: int, rng: random.Random) -> State:
        """The state after ``plies`` random moves of the book, or fewer where it ends."""
        for _ in range(plies):
            weights = self.moves(state)
            if not weights:
                break
            state = state.apply(rng.choices(list(weights), list(weights.values()))[0])
        return state


def _uci_name(code: int) -> str:
    """The UCI name of a move that Polyglot packs into 15 bits."""

    def square(bits: int) -> str:
        return f"{'abcdefgh'[bits & 7]}{(bits >> 3 & 7) + 1}"

    promotion = code >> 12 & 7
    return f"{square(code >> 6)}{square(code)}{_PROMOTIONS[promotion] if promotion < 5 else ''}"
