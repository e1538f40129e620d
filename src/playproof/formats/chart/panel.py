"""One panel of a chart: lines with shaded intervals, over axes with round ticks.

Lines differ in colour and in dash pattern, so a chart can be read without colour.
The colours are dark on light paper and light on dark paper.  They stay distinct
for every kind of colour blindness, as Okabe and Ito (2008) ask for; a test
checks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.formats.chart.scale import (
    Axis,
    Floats,
    axis,
    finite_slices,
    logarithmic_axis,
    thin,
    value_range,
)
from playproof.formats.svg.theme import Paper
from playproof.formats.svg.writer import escape, fit, num, tag, text, width

COLOURS = {
    "light": ("#0a6ebd", "#c8401a", "#00a05a", "#8c528b", "#851a00", "#3d464e"),
    "dark": ("#5894ea", "#f2803f", "#2dc990", "#df99da", "#efd54a", "#cbd2d4"),
}
DASHES = (None, "7 3", "2 3", "9 3 2 3", "13 4", "5 2 1 2 1 2")
SMALL = 10.5  # font size of the axis labels
NAME = 13.0  # font size of the panel's title
_HEAD, _FOOT, _TICK = 26.0, 32.0, 4.0
_DOT_SPACING = 7.0  # points at least this far apart on average get a dot each


def _floats(values: npt.ArrayLike) -> Floats:
    return np.asarray(values, np.float64)


@dataclass(frozen=True)
class Series:
    """One line of a chart: points with increasing ``x``, float64[n].

    Where ``y`` is not finite the line is interrupted.  ``lower`` and ``upper``, float64[n],
    are the ends of an interval around it.  ``style`` is the number of its colour and dash
    pattern; series of the same style show the same thing."""

    name: str
    x: npt.ArrayLike
    y: npt.ArrayLike
    lower: npt.ArrayLike | None = None
    upper: npt.ArrayLike | None = None
    style: int = 0

    @property
    def dash(self) -> str | None:
        # The seventh style repeats the colour of the first, but not its dashes.
        return DASHES[(self.style + self.style // len(DASHES)) % len(DASHES)]

    def colour(self, theme: str) -> str:
        return COLOURS[theme][self.style % len(COLOURS[theme])]

    def band(self) -> tuple[Floats, Floats] | None:
        if self.lower is None or self.upper is None:
            return None
        return _floats(self.lower), _floats(self.upper)


@dataclass(frozen=True)
class Panel:
    """Lines over the same axes.

    ``percent`` writes shares as percentages.  An end of an axis that is not given follows
    from the lines."""

    title: str
    lines: tuple[Series, ...]
    x_name: str = ""
    percent: bool = False
    low: float | None = None
    high: float | None = None
    x_low: float | None = None
    x_high: float | None = None
    x_logarithmic: bool = False

    @cached_property
    def x_axis(self) -> Axis:
        xs = np.concatenate([_floats(line.x) for line in self.lines] or [np.empty(0)])
        xs = xs[np.isfinite(xs)]
        low = float(xs.min()) if xs.size else 0.0
        high = float(xs.max()) if xs.size else 1.0
        low = low if self.x_low is None else self.x_low
        high = high if self.x_high is None else self.x_high
        if self.x_logarithmic:
            return logarithmic_axis(low, high)
        return axis(low, high, 5, integers=bool((xs == np.round(xs)).all()))

    @cached_property
    def y_axis(self) -> Axis:
        bands = [end for line in self.lines for end in line.band() or ()]
        low, high = value_range([_floats(line.y) for line in self.lines], bands)
        low = low if self.low is None else self.low
        high = high if self.high is None else self.high
        return axis(low, high, 5, percent=self.percent, loose=True)

    @property
    def gutter(self) -> float:
        """The width that the labels of the y axis need."""
        return max((width(label, SMALL) for label in self.y_axis.texts), default=0.0) + 8.0

    def description(self) -> str:
        """The panel in words, for screen readers."""
        lines = []
        for line in self.lines:
            y = _floats(line.y)
            y = y[np.isfinite(y)]
            name = f"{line.name} " if line.name else ""
            if not y.size:
                lines.append(f"{name}without values")
                continue
            ends = [self.format_value(float(v)) for v in (y[0], y[-1], y.min(), y.max())]
            lines.append(f"{name}from {ends[0]} to {ends[1]}, lowest {ends[2]}, highest {ends[3]}")
        return f"{self.title}: {'; '.join(lines) or 'no lines'}"

    def format_value(self, value: float) -> str:
        return f"{100 * value:.1f} %" if self.percent else f"{value:.4g}"


class Box(NamedTuple):
    """Where a panel is drawn.

    ``gutter`` is the width left for the labels of the y axis, ``head`` the height left for a
    legend below the title."""

    x: float
    y: float
    wide: float
    high: float
    gutter: float
    head: float = 0.0


class _Area(NamedTuple):
    """The plot area inside the axes, in units of the picture."""

    left: float
    right: float
    top: float
    bottom: float


def draw(panel: Panel, box: Box, paper: Paper, theme: str) -> Iterator[str]:
    """The SVG elements of a panel."""
    y_axis = panel.y_axis
    area = _Area(
        box.x + box.gutter, box.x + box.wide,
        box.y + box.head + _HEAD, box.y + box.high - _FOOT,
    )  # fmt: skip
    title = fit(panel.title, NAME, box.wide, True)
    yield text(box.x, box.y + 9.0, title, NAME, paper.text, bold=True)
    for tick, label in zip(y_axis.ticks, y_axis.texts, strict=True):
        level = area.bottom - float(y_axis.share(tick)) * (area.bottom - area.top)
        yield tag("line", x1=area.left, y1=level, x2=area.right, y2=level, stroke=paper.edge)
        yield text(area.left - 6.0, level, label, SMALL, paper.quiet, anchor="end")
    yield from _draw_x_axis(panel.x_axis, area, paper)
    if panel.x_name:
        middle = (area.left + area.right) / 2
        yield text(middle, area.bottom + 25.0, panel.x_name, SMALL, paper.quiet, anchor="middle")
    for line in panel.lines:
        yield from _draw_band(line, panel, area, theme)
    for line in panel.lines:
        yield from _draw_series(line, panel, area, theme)


def _draw_x_axis(x_axis: Axis, area: _Area, paper: Paper) -> Iterator[str]:
    """The x axis; every other label is left out where they would touch."""
    left, right, _, bottom = area
    yield tag("line", x1=left, y1=bottom, x2=right, y2=bottom, stroke=paper.quiet)
    places = (left + x_axis.share(x_axis.ticks) * (right - left)).tolist()
    widest = max((width(label, SMALL) for label in x_axis.texts), default=0.0)
    apart = places[1] - places[0] if len(places) > 1 else right - left
    every = 1 if widest + 6.0 <= apart else 2
    for number, (place, label) in enumerate(zip(places, x_axis.texts, strict=True)):
        yield tag("line", x1=place, y1=bottom, x2=place, y2=bottom + _TICK, stroke=paper.quiet)
        if number % every == 0:
            middle = min(place, right - width(label, SMALL) / 2 + 2.0)
            yield text(middle, bottom + 12.0, label, SMALL, paper.quiet, anchor="middle")


def _places(panel: Panel, area: _Area, x: Floats, y: Floats) -> list[tuple[float, float]]:
    """The points in units of the picture, without those that would make no visible difference."""
    kept = thin(x, y, panel.x_axis.low, panel.x_axis.high, int(area.right - area.left))
    xs = area.left + panel.x_axis.share(x[kept]) * (area.right - area.left)
    ys = area.bottom - panel.y_axis.share(y[kept]) * (area.bottom - area.top)
    return list(zip(xs.tolist(), ys.tolist(), strict=True))


def _path(points: list[tuple[float, float]]) -> str:
    return " ".join(f"{num(x)},{num(y)}" for x, y in points)


def _draw_band(line: Series, panel: Panel, area: _Area, theme: str) -> Iterator[str]:
    band = line.band()
    if band is None:
        return
    x, (lower, upper) = _floats(line.x), band
    for part in finite_slices(x, lower, upper):
        if part.stop - part.start > 1:
            there = _places(panel, area, x[part], upper[part])
            back = _places(panel, area, x[part], lower[part])[::-1]
            yield tag(
                "polygon", points=_path(there + back), fill=line.colour(theme), fill_opacity=0.16
            )


def _draw_series(line: Series, panel: Panel, area: _Area, theme: str) -> Iterator[str]:
    x, y, colour = _floats(line.x), _floats(line.y), line.colour(theme)
    yield "<g>"
    if line.name:
        yield f"<title>{escape(line.name)}</title>"  # shown when the mouse is over the line
    for part in finite_slices(x, y):
        points = _places(panel, area, x[part], y[part])
        if len(points) > 1:
            yield tag(
                "polyline", points=_path(points), fill="none", stroke=colour,
                stroke_width=1.8, stroke_linejoin="round", stroke_dasharray=line.dash,
            )  # fmt: skip
        if points[-1][0] - points[0][0] >= _DOT_SPACING * (len(points) - 1):
            for cx, cy in points:
                yield tag("circle", cx=cx, cy=cy, r=2.2 if len(points) > 1 else 3.0, fill=colour)
    yield "</g>"
