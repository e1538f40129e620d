"""PGN to packed positions, against python-chess reading the same file.

Ours reads the file, replays every move and packs every position; python-chess's
``read_game`` reads and replays, and packs nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playproof.cli.benches.chess import python_chess
from playproof.cli.benches.peers import best_rate, one_core
from playproof.core.batch import Batch
from playproof.core.registry import make
from playproof.formats import pgn
from playproof.formats.pgn.split import RESULT
from playproof.formats.pgn.stream import blocks, read
from playproof.learning.datasets.sampling import VALUES, sample

_GAMES = 6  # different games; few, since writing the names of moves is slow
_COPIES = 40


@dataclass(frozen=True)
class ReadingRate:
    engine: str
    what: str
    plies_per_second: float


@dataclass(frozen=True)
class DataReport:
    measurements: list[ReadingRate]
    peer: str | None  # the version of python-chess

    def to_json(self) -> dict[str, Any]:
        return {"measurements": [asdict(m) for m in self.measurements], "peer": self.peer}

    def rows(self) -> list[list[str]]:
        least = self.measurements[-1].plies_per_second if self.peer else None
        return [
            [
                m.engine,
                m.what,
                f"{m.plies_per_second:,.0f}",
                f"{m.plies_per_second / least:,.0f}x" if least else "",
            ]
            for m in self.measurements
        ]


def measure(seconds: float, progress: Callable[[int, int], None]) -> DataReport:
    """Both readers on one file of random games, on one core."""
    peer = python_chess()
    with tempfile.TemporaryDirectory() as folder, one_core():
        file = Path(folder) / "games.pgn"
        file.write_text(_COPIES * _some_games())
        progress(1, 3)
        rates = [ReadingRate("playproof", "packed positions", _ours(file, seconds))]
        progress(2, 3)
        if peer:
            rate = _theirs(file, seconds)
            rates.append(ReadingRate("python-chess", "read_game", rate))
    return DataReport(rates, peer)


def _some_games() -> str:
    game = make("chess")
    batch = Batch.start(game, _GAMES, seed=1)
    states = [game.start() for _ in range(_GAMES)]
    while not batch.finished().all():
        actions = batch.random_actions()
        for i, over in enumerate(batch.finished()):
            states[i] = states[i] if over else states[i].apply(int(actions[i]))
        batch.apply(actions, check=False)
    return "\n".join(pgn.write(state) for state in states) + "\n"


def _ours(file: Path, seconds: float) -> float:
    def work() -> int:
        plies = 0
        for block in blocks(file):
            games = read(block)
            values = np.full(len(games.games), 2, np.int64)
            for result, value in VALUES.items():
                values[games.games[:, RESULT] == result] = value
            plies += len(sample(games, values, 1.0, 1, 0)[0])
        return plies

    return best_rate(work, seconds)


def _theirs(file: Path, seconds: float) -> float:
    import chess.pgn

    with file.open() as text:

        def work() -> int:
            game = chess.pgn.read_game(text)
            if game is None:
                text.seek(0)
                return 0
            return game.end().ply()

        return best_rate(work, seconds)
