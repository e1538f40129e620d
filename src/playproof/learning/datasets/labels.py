"""Labels: an engine's best moves with their scores, and the policies and values made of them.

A labelled folder is a folder of positions (``positions``) with ``labels.bin``: for each position
the engine's best moves, best first, and their scores for the mover.  Scores are stored as the
engine gave them; the temperature of the policy is chosen in training.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError

LABELS = "labels.bin"
NO_MOVE, NO_SCORE = 65535, -32768
MATE = 30_000  # the score of a mate, less the number of moves to it
_MOST = 20_000  # the largest score in centipawns
_LIMIT = 50.0  # pawns; larger advantages count as this one, except a mate
_SCALE = 0.00368208  # per centipawn, of the logistic curve that lichess.org fitted to results


def label_type(lines: int) -> np.dtype[Any]:
    """The NumPy type of a position's labels: ``lines`` moves and as many scores."""
    return np.dtype([("actions", "<u2", (lines,)), ("scores", "<i2", (lines,))])


def score_of(centipawns: int | None, mate: int | None) -> int:
    """An engine's evaluation as one whole number, the larger the better for the mover."""
    if mate is not None:
        distance = min(abs(mate), 1000)
        return MATE - distance if mate > 0 else distance - MATE
    return max(-_MOST, min(_MOST, centipawns or 0))


def pawns(scores: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Scores in pawns: a mate is worth more than any material, a shorter mate more."""
    wide = scores.astype(np.float64)
    moves = MATE - np.abs(wide)
    mates = np.sign(wide) * (_LIMIT + 10.0 + np.maximum(40.0 - moves, 0.0))
    return np.where(np.abs(wide) > _MOST, mates, np.clip(wide / 100.0, -_LIMIT, _LIMIT))


def policies(scores: npt.NDArray[Any], temperature: float) -> npt.NDArray[np.float32]:
    """The probabilities of the labelled moves, (n, k): a softmax of their scores in pawns.

    The engine's order of moves takes precedence: a move whose score is left over from a shallower
    search counts no more than the moves before it."""
    known = scores != NO_SCORE
    best = np.minimum.accumulate(np.where(known, pawns(scores), -np.inf), axis=1)
    weights = np.exp((best - best.max(axis=1, keepdims=True)) / temperature)
    probabilities: npt.NDArray[np.float32] = weights / weights.sum(axis=1, keepdims=True)
    return probabilities.astype(np.float32)


def values(scores: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """The expected results for the mover by the first moves' scores, (n,), -1 to 1."""
    first = scores[:, 0].astype(np.float64)
    smooth = 2.0 / (1.0 + np.exp(-_SCALE * first)) - 1.0
    return np.where(np.abs(first) > _MOST, np.sign(first), smooth).astype(np.float32)


def open_labels(folder: Path, positions: int, lines: int) -> npt.NDArray[Any]:
    """The labels of a folder, mapped from disk."""
    file, kind = folder / LABELS, label_type(lines)
    try:
        if file.stat().st_size != positions * kind.itemsize:
            raise DataError(f"{file} is not complete: label the positions again")
        return np.memmap(file, kind, "r") if positions else np.zeros(0, kind)
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}") from None
