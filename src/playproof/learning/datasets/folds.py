"""Deals games to folds, and finds the boards that occur in more than one fold.

Games with the same opening share boards even though no game is in two folds: in engine games about
one board in seven.  If these were tested, the test would be too easy.
"""
# mypy: disallow-untyped-defs=False, check-untyped-defs=False

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from numba import int64, types, uint64

from playproof.core.bits import below, mix
from playproof.core.compiling import kernel
from playproof.core.kernels import COUNTS

_SORTED = 1 << 19  # keys sorted at a time
_READ = 1 << 18  # keys read at a time


@kernel(types.void(COUNTS, int64, uint64, COUNTS))
def _deal(results, folds, seed, out):
    dealt = np.zeros(3, np.int64)
    order = np.empty((3, folds), np.int64)
    for g in range(results.shape[0]):
        kind = results[g] + 1
        place = dealt[kind] % folds
        if place == 0:
            for i in range(folds):
                order[kind, i] = i
        # One step of a shuffle for each game, so that every ``folds`` games with the same result
        # go to different folds.
        word = mix(mix(seed ^ uint64(kind + 1)) + uint64(dealt[kind]))
        chosen = place + below(word, folds - place)
        order[kind, place], order[kind, chosen] = order[kind, chosen], order[kind, place]
        out[g] = order[kind, place]
        dealt[kind] += 1


def deal(results: npt.NDArray[np.int64], folds: int, seed: int) -> npt.NDArray[np.int64]:
    """A random fold for each game, with each result spread evenly over the folds."""
    out = np.empty(len(results), np.int64)
    _deal(results, folds, seed, out)
    return out


def shared(
    keys: Path, folds: npt.NDArray[np.uint8], *, at_once: int = _SORTED
) -> tuple[npt.NDArray[np.bool_], int]:
    """(which positions have a key that occurs in another fold too, the number of distinct keys).

    ``keys`` is a file of little-endian words, one for each position.  To save memory they are
    processed in ranges of their value, about ``at_once`` at a time.
    """
    out = np.zeros(len(folds), np.bool_)
    distinct = 0
    parts = -(-len(folds) // at_once)
    for part in range(parts):
        words, places = _part_of(keys, part, parts)
        if not len(words):
            continue
        order = np.argsort(words, kind="stable")
        words, places = words[order], places[order]
        fold = folds[places]
        begins = np.flatnonzero(np.r_[True, words[1:] != words[:-1]])
        apart = np.minimum.reduceat(fold, begins) != np.maximum.reduceat(fold, begins)
        out[places] = np.repeat(apart, np.diff(np.r_[begins, len(words)]))
        distinct += len(begins)
    return out, distinct


def _part_of(
    keys: Path, part: int, parts: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
    """The keys in one of ``parts`` equal ranges of values, and their places in the file."""
    words, places, start = [], [], 0
    with keys.open("rb") as file:
        while data := file.read(8 * _READ):
            read = np.frombuffer(data, "<u8")
            here = np.flatnonzero((read >> np.uint64(48)) * np.uint64(parts) >> 16 == part)
            words.append(read[here])
            places.append(here + start)
            start += len(read)
    return np.concatenate(words), np.concatenate(places)
