"""Line charts as SVG: one or more panels under a title, with a legend.

A chart is self-contained and deterministic, and uses the colours of the board
pictures.  A notebook displays a Chart as its picture.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playproof.core.errors import UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.formats.chart.panel import SMALL, Box, Panel, Series, draw
from playproof.formats.svg.theme import FONT, PAPERS, Paper
from playproof.formats.svg.writer import escape, fit, num, tag, text, width, wrap

__all__ = ["Chart", "Panel", "Series"]

_MARGIN, _GAP, _TITLE = 20.0, 26.0, 17.0
_SIZES = {1: (640.0, 340.0), 2: (420.0, 270.0)}  # of a panel, by the number of columns
_SMALL_SIZE = (300.0, 210.0)  # of a panel in three columns
_ROW = 18.0  # height of a row of the legend
_SAMPLE = 26.0  # length of the sample line of a legend entry


@dataclass(frozen=True)
class Chart:
    """Panels under a title; ``note`` is a muted line of text below them."""

    title: str
    panels: tuple[Panel, ...]
    note: str = ""
    theme: str = "light"

    def __post_init__(self) -> None:
        if self.theme not in PAPERS:
            raise UsageError(f"there is no theme '{self.theme}': want {' or '.join(PAPERS)}")

    def svg(self) -> str:
        """The picture as SVG text."""
        paper = PAPERS[self.theme]
        columns = _columns(len(self.panels))
        wide, high = _SIZES.get(columns, _SMALL_SIZE)
        room = columns * wide + (columns - 1) * _GAP
        parts = [text(_MARGIN, 28.0, fit(self.title, _TITLE, room, True), _TITLE, paper.text,
                      bold=True)]  # fmt: skip
        y = 52.0
        shared = self._shared_legend()
        if shared:
            drawn, y = _legend(shared, _MARGIN, y, room, paper, self.theme)
            parts += drawn
        head = 0.0 if shared else self._legend_height(wide)
        tall = high + head
        for place, panel in enumerate(self.panels):
            row, column = divmod(place, columns)
            left, top = _MARGIN + column * (wide + _GAP), y + 8.0 + row * (tall + 14.0)
            if not shared:
                drawn, _ = _legend(_named(panel), left, top + 28.0, wide, paper, self.theme)
                parts += drawn
            # The vertical axes of a column of panels line up.
            gutter = max(other.gutter for other in self.panels[column::columns])
            parts += draw(panel, Box(left, top, wide, tall, gutter, head), paper, self.theme)
        rows = -(-len(self.panels) // columns)
        bottom = y + 8.0 + rows * (tall + 14.0)
        for line in wrap(self.note, SMALL, room) if self.note else ():
            parts.append(text(_MARGIN, bottom, line, SMALL, paper.quiet))
            bottom += 15.0
        return "\n".join([*self._head(room + 2 * _MARGIN, bottom + 8.0), *parts, "</svg>"]) + "\n"

    def _repr_svg_(self) -> str:
        return self.svg()

    def save(self, file: Path) -> None:
        """Write the picture to ``file``, as SVG or PNG according to its suffix."""
        ending = file.suffix.lower()
        if ending == ".png":
            from playproof.formats.png import png

            write_atomically(file, png(self.svg()))
        elif ending == ".svg":
            write_atomically(file, self.svg().encode())
        else:
            raise UsageError(f"{file}: want a name that ends with .svg or .png")

    def description(self) -> str:
        """The chart in words, for screen readers."""
        return f"{self.title}. " + ". ".join(panel.description() for panel in self.panels)

    def _head(self, wide: float, high: float) -> Iterator[str]:
        paper = PAPERS[self.theme]
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {num(wide)} {num(high)}" '
            f'width="{num(wide)}" height="{num(high)}" font-family="{escape(FONT)}" role="img" '
            f'aria-label="{escape(self.description())}">'
        )
        yield f"<title>{escape(self.title)}</title>"
        yield tag("rect", x=0.5, y=0.5, width=wide - 1, height=high - 1, rx=10.0,
                  fill=paper.card, stroke=paper.edge)  # fmt: skip

    def _shared_legend(self) -> tuple[Series, ...]:
        """The entries of one legend for all panels; none where each panel needs its own.

        One legend serves if every series has a name and series of one name have one style."""
        series = [one for panel in self.panels for one in panel.lines]
        entries = {(one.style, one.name): one for one in series}
        ambiguous = len({one.name for one in series}) < len(entries)
        if len(self.panels) < 2 or ambiguous or not all(one.name for one in series):
            return ()
        return tuple(entries[key] for key in sorted(entries))

    def _legend_height(self, wide: float) -> float:
        """The height that every panel reserves for its own legend: that of the tallest."""
        return max((_row_count(_named(panel), wide) for panel in self.panels), default=0) * _ROW


def _named(panel: Panel) -> tuple[Series, ...]:
    return tuple(line for line in panel.lines if line.name)


def _columns(panels: int) -> int:
    return {0: 1, 1: 1, 2: 2, 4: 2}.get(panels, 3)


def _places(lines: tuple[Series, ...], room: float) -> Iterator[tuple[float, int]]:
    """(x offset, row) of each legend entry, wrapped to the width ``room``."""
    x, row = 0.0, 0
    for line in lines:
        entry_width = _SAMPLE + 6.0 + min(width(line.name, SMALL + 1), room - _SAMPLE - 6.0)
        if x and x + entry_width > room:
            x, row = 0.0, row + 1
        yield x, row
        x += entry_width + 18.0


def _row_count(lines: tuple[Series, ...], room: float) -> int:
    return max((row for _, row in _places(lines, room)), default=-1) + 1


def _legend(
    lines: tuple[Series, ...], left: float, top: float, room: float, paper: Paper, theme: str
) -> tuple[list[str], float]:
    """The SVG elements of a legend, and the height at which it ends."""
    parts = []
    for line, (offset, row) in zip(lines, _places(lines, room), strict=True):
        x, y = left + offset, top + row * _ROW
        parts.append(
            tag("line", x1=x, y1=y, x2=x + _SAMPLE, y2=y, stroke=line.colour(theme),
                stroke_width=2.4, stroke_dasharray=line.dash)
        )  # fmt: skip
        name = fit(line.name, SMALL + 1, room - _SAMPLE - 6.0)
        parts.append(text(x + _SAMPLE + 6.0, y, name, SMALL + 1, paper.text))
    return parts, top + _row_count(lines, room) * _ROW
