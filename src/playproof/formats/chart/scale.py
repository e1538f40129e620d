"""The arithmetic of a chart: round ticks and their labels, and the thinning of long lines."""

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
    """A range of numbers with round ticks and their labels."""

    low: float
    high: float
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    logarithmic: bool = False  # equal factors are equally far apart

    def share(self, values: npt.ArrayLike) -> Floats:
        """The place of each value on the axis, from 0 at ``low`` to 1 at ``high``, clipped."""
        numbers, ends = np.asarray(values, np.float64), np.array([self.low, self.high])
        if self.logarithmic:
            numbers, ends = np.log(np.maximum(numbers, self.low)), np.log(ends)
        return np.asarray(np.clip((numbers - ends[0]) / (ends[1] - ends[0]), 0.0, 1.0))


def axis(
    low: float,
    high: float,
    tick_count: int,
    *,
    integers: bool = False,
    percent: bool = False,
    loose: bool = False,
) -> Axis:
    """An axis from ``low`` to ``high`` with about ``wanted`` ticks.

    ``integers`` allows ticks at whole numbers only; ``percent`` writes 0.5 as 50 %;
    ``loose`` extends the axis to the next ticks outside the range (Heckbert, 1990)."""
    if not high > low:  # a single value gets room on both sides
        room = abs(low) / 2 or 1.0
        low, high = low - room, high + room
    step = _step((high - low) / max(1, tick_count), integers)
    if loose:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        low, high = first * step, last * step
    else:
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Axis(low, high, ticks, tuple(tick_text(tick, step, percent) for tick in ticks))


def logarithmic_axis(low: float, high: float) -> Axis:
    """An axis of positive numbers between powers of ten and twice or five times these."""
    if not 0 < low <= high:
        raise ValueError(f"a logarithmic axis from {low} to {high}: want positive numbers")
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    round_numbers = [step * 10.0**power for power in powers for step in _STEPS[:3]]
    first = max(number for number in round_numbers if number <= low * (1 + 1e-9))
    last = min(number for number in round_numbers if number >= high * (1 - 1e-9) and number > first)
    ticks = tuple(number for number in round_numbers if first <= number <= last)
    return Axis(first, last, ticks, tuple(tick_text(tick, tick) for tick in ticks), True)


def _step(least: float, integers: bool) -> float:
    """The smallest of ..., 0.2, 0.5, 1, 2, 5, 10, 20, ... that is at least ``least``."""
    if integers and least < 1.0:
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


def value_range(lines: Sequence[Floats], bands: Sequence[Floats]) -> tuple[float, float]:
    """The range of values that a chart should show.

    It includes zero where positive values come close to it.  Bands widen it by at most
    its own length on each side, because the interval of two runs can be a hundred times
    as high as what they measured."""
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


def finite_slices(*columns: Floats) -> list[slice]:
    """The maximal slices in which every column is finite."""
    finite = np.isfinite(np.stack(columns)).all(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], finite.astype(np.int8), [0]])))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def thin(x: Floats, y: Floats, low: float, high: float, columns: int) -> npt.NDArray[np.int64]:
    """The indices of the points that decide how a line looks when it is ``columns`` pixels wide.

    These are the first, lowest, highest and last point of each pixel column, which are all
    that can be seen of it (M4: Jugel et al., 2014).  ``x`` must not decrease."""
    if len(x) <= 4 * columns or not high > low:
        return np.arange(len(x))
    column = np.clip(((x - low) / (high - low) * columns).astype(np.int64), 0, columns - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    ends = np.append(starts[1:], len(x))
    kept: set[int] = set()
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        part = y[start:end]
        kept |= {start, start + int(part.argmin()), start + int(part.argmax()), end - 1}
    return np.array(sorted(kept), np.int64)
