"""The arithmetic of a chart: round ticks, their texts, and fewer points that look the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_MINUS = "\N{MINUS SIGN}"
_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    """A stretch of numbers with its round ticks, each with its text."""

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]

    def share(self, values: npt.ArrayLike) -> Floats:
        """Where values lie, from 0 at ``low`` to 1 at ``high``; outside ones at the ends."""
        found = np.asarray(values, np.float64)
        return np.clip((found - self.low) / (self.high - self.low), 0.0, 1.0)


def axis(
    low: float,
    high: float,
    wanted: int,
    *,
    whole: bool = False,
    percent: bool = False,
    loose: bool = False,
) -> Axis:
    """An axis from ``low`` to ``high`` with about ``wanted`` ticks.

    ``whole`` allows ticks at whole numbers alone; ``percent`` writes 0.5 as 50 %;
    ``loose`` lets the axis end with the next ticks outside (Heckbert, 1990)."""
    if not high > low:  # one value alone: room on both sides of it
        room = abs(low) / 2 or 1.0
        low, high = low - room, high + room
    step = _step((high - low) / max(1, wanted), whole)
    if loose:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        low, high = first * step, last * step
    else:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Axis(low, high, ticks, tuple(tick_text(tick, step, percent) for tick in ticks))


def _step(least: float, whole: bool) -> float:
    """The first of 1, 2, 5, 10, 20 ... (or 0.5, 0.2 ...) that is no less."""
    if whole and least < 1.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in _STEPS if power * step >= least * (1 - 1e-9))


def tick_text(value: float, step: float, percent: bool = False) -> str:
    """A number with as many decimals as its step needs: ``0.05``, ``2,000``, ``3e-07``."""
    if percent:
        value, step = 100 * value, 100 * step
    if not 1e-4 <= step < 1e7:
        return f"{value:.3g}".replace("-", _MINUS, 1 if value < 0 else 0) + " %" * percent
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    text = f"{abs(value):,.{decimals}f}"
    negative = value < 0 and float(text.replace(",", "")) != 0
    return (_MINUS if negative else "") + text + " %" * percent


def span(lines: Sequence[Floats], bands: Sequence[Floats]) -> tuple[float, float]:
    """The stretch that a chart should show.

    Zero is in it where the values reach near it from above.  Bands may widen it,
    but not beyond as much again on each side: the interval of two runs can be a
    hundred times as high as what they measured."""
    finite = _finite(lines)
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    room = (high - low) or abs(high) / 2 or 1.0
    around = _finite(bands)
    if around.size:
        low = min(low, max(float(around.min()), low - room))
        high = max(high, min(float(around.max()), high + room))
    if 0 < low < high / 2 or (low < 0 <= float(finite.min())):
        return 0.0, high
    return low, high


def _finite(parts: Sequence[Floats]) -> Floats:
    joined: Floats = np.concatenate(
        [np.asarray(part, np.float64) for part in parts] or [np.empty(0)]
    )
    return joined[np.isfinite(joined)]


def pieces(*columns: Floats) -> list[slice]:
    """The stretches in which every column is a finite number."""
    sound = np.isfinite(np.stack(columns)).all(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], sound.astype(np.int8), [0]])))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def thinned(x: Floats, y: Floats, low: float, high: float, columns: int) -> npt.NDArray[np.int64]:
    """Indices of the points that decide what a line looks like, ``columns`` pixels wide.

    Of each pixel column the first, lowest, highest and last are kept, which is all
    that can be seen of it (M4: Jugel et al., 2014).  ``x`` must not decrease."""
    if len(x) <= 4 * columns or not high > low:
        return np.arange(len(x))
    column = np.clip(((x - low) / (high - low) * columns).astype(np.int64), 0, columns - 1)
    begins = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(begins[1:], len(x))
    kept: set[int] = set()
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        part = y[begin:end]
        kept |= {begin, begin + int(part.argmin()), begin + int(part.argmax()), end - 1}
    return np.array(sorted(kept), np.int64)
