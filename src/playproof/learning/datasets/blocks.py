"""Turns one block of a PGN file into positions: the unit of work of a build.

Each block gives a part, which is a file, so a build that was killed continues from the parts that
exist.
"""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from playproof.core.files.atomic_write import write_atomically
from playproof.formats.pgn import split as pgn_split
from playproof.formats.pgn.stream import Fault, GameBlock, read
from playproof.learning.datasets.sampling import VALUES, sample

NO_RESULT = "no result"
LEFT_OUT = 2  # in place of a game's value


@dataclass(frozen=True)
class BlockPart:
    """The positions and games of one block."""

    positions: npt.NDArray[np.uint64]  # (n, 5) packed
    games: npt.NDArray[np.int64]  # (m, 5) number, line, value, plies, positions of accepted games
    faults: tuple[Fault, ...]  # why the other games were rejected
    read: int  # the number of all games


def checksum(block: GameBlock) -> int:
    return zlib.crc32(block.text)


def write_part(path: Path, block: GameBlock, share: float, seed: int, source: int) -> None:
    """Replay the games of a block, sample their positions and write the part to ``path``."""
    replayed = read(block)
    games = replayed.games
    faults = dict(replayed.faults)
    values = np.full(len(games), LEFT_OUT, np.int64)
    for result, value in VALUES.items():
        values[games[:, pgn_split.RESULT] == result] = value
    for place in np.flatnonzero(values == LEFT_OUT).tolist():
        line = block.line + int(games[place, pgn_split.LINE]) + 1
        faults.setdefault(place, Fault(block.first + place, line, NO_RESULT, NO_RESULT))
    values[list(faults)] = LEFT_OUT
    positions, drawn = sample(replayed, values, share, seed, source)
    good = np.flatnonzero(values != LEFT_OUT)
    table = np.stack(
        [
            block.first + good,
            block.line + games[good, pgn_split.LINE] + 1,
            values[good],
            games[good, pgn_split.PLIES],
            drawn[good],
        ],
        axis=1,
    )
    faults_json = json.dumps([asdict(faults[place]) for place in sorted(faults)]).encode()
    packed = io.BytesIO()
    np.savez(
        packed, positions=positions, games=table, faults=np.frombuffer(faults_json, np.uint8),
        read=len(games), checksum=checksum(block),
    )  # fmt: skip
    write_atomically(path, packed.getvalue())


def load_part(path: Path) -> BlockPart:
    with np.load(path) as data:
        faults = json.loads(data["faults"].tobytes().decode())
        return BlockPart(
            data["positions"], data["games"], tuple(Fault(**f) for f in faults), int(data["read"])
        )


def is_written(path: Path, block: GameBlock) -> bool:
    """Whether the part of exactly this block has been written."""
    try:
        with np.load(path) as data:
            return int(data["checksum"]) == checksum(block)
    except (OSError, ValueError, KeyError, zlib.error, EOFError):
        return False
