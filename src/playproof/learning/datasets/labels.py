"""What an engine thinks of positions: its best moves with their scores, and what to learn of it.

A labelled folder is one of positions (``positions``) with ``labels.bin`` beside
them: for each position the engine's first moves, best first, and their scores
for the mover.  Scores are kept as the engine gave them; how sharp a policy they
make is decided when it is learned.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError

LABELS = "labels.bin"
NO_MOVE, NO_SCORE = 65535, -32768
MATE = 30_000  # less the moves to it
_MOST = 20_000  # centipawns
_LIMIT = 50.0  # pawns: more is no better, short of a mate
_SCALE = 0.00368208  # of centipawns, in the logistic curve that lichess.org fitted to results


def label_type(lines: int) -> np.dtype[Any]:
    """A position's moves and scores, so many of each."""
    return np.dtype([("actions", "<u2", (lines,)), ("scores", "<i2", (lines,))])


def score_of(centipawns: int | None, mate: int | None) -> int:
    """One whole number for what an engine says, the larger the better for the mover."""
    if mate is not None:
        distance = min(abs(mate), 1000)
        return MATE - distance if mate > 0 else distance - MATE
    return max(-_MOST, min(_MOST, centipawns or 0))


def pawns(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Scores on one scale: a mate is worth more than any material, a shorter one more."""
    wide = scores.astype(np.float64)
    moves = MATE - np.abs(wide)
    mates = np.sign(wide) * (_LIMIT + 10.0 + np.maximum(40.0 - moves, 0.0))
    return np.where(np.abs(wide) > _MOST, mates, np.clip(wide / 100.0, -_LIMIT, _LIMIT))


def policies(scores: npt.NDArray[Any], temperature: float) -> npt.NDArray[np.float32]:
    """(n, k) probabilities of the labelled moves: a softmax of their pawns.

    The order is the engine's last word: a move whose score is left from a shallower
    search counts no more than those before it."""
    given = scores != NO_SCORE
    best = np.minimum.accumulate(np.where(given, pawns(scores), -np.inf), axis=1)
    weights = np.exp((best - best.max(axis=1, keepdims=True)) / temperature)
    found: npt.NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
    return found.astype(np.float32)


def values(scores: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """(n,) what the first move promises the mover, -1 to 1."""
    first = scores[:, 0].astype(np.float64)
    smooth = 2.0 / (1.0 + np.exp(-_SCALE * first)) - 1.0
    return np.where(np.abs(first) > _MOST, np.sign(first), smooth).astype(np.float32)


def open_labels(folder: Path, positions: int, lines: int) -> npt.NDArray[Any]:
    """The labels of a folder, mapped from disk."""
    file, kind = folder / LABELS, label_type(lines)
    try:
        if file.stat().st_size != positions * kind.itemsize:
            raise DataError(f"{file} is not whole: label the positions again")
        return np.memmap(file, kind, "r") if positions else np.zeros(0, kind)
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
