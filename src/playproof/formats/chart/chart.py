"""Line charts as SVG: one panel or several under a title, with a legend.

Self-contained and deterministic, in the house's light and dark colours.  In a
notebook a Chart shows itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from playproof.core.errors import UsageError
from playproof.core.files.atomic_write import write_whole
from playproof.formats.chart.panel import SMALL, Box, Line, Panel, draw
from playproof.formats.svg.theme import FONT, PAPERS, Paper
from playproof.formats.svg.writer import escape, fit, num, tag, text, width, wrap

__all__ = ["Chart", "Line", "Panel"]

_MARGIN, _GAP, _TITLE = 20.0, 26.0, 17.0
_SIZES = {1: (640.0, 340.0), 2: (420.0, 270.0)}  # of a panel, by columns
_SMALL_SIZE = (300.0, 210.0)
_ROW = 18.0  # of the legend
_SAMPLE = 26.0  # length of a line in the legend


@dataclass(frozen=True)
class Chart:
    """Panels under a title; ``note`` is a quiet line below them."""

    title: str
    panels: tuple[Panel, ...]
    note: str = ""
    theme: str = "light"

    def __post_init__(self) -> None:
        if self.theme not in PAPERS:
            raise UsageError(f"there is no theme '{self.theme}': want {' or '.join(PAPERS)}")

    def svg(self) -> str:
        """The picture as text."""
        paper = PAPERS[self.theme]
        columns = _columns(len(self.panels))
        wide, high = _SIZES.get(columns, _SMALL_SIZE)
        room = columns * wide + (columns - 1) * _GAP
        parts = [text(_MARGIN, 28.0, fit(self.title, _TITLE, room, True), _TITLE, paper.text,
                      bold=True)]  # fmt: skip
        y = 52.0
        shared = self._shared()
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
            # Axes stand below each other.
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
        """Write the picture; the ending of the file's name says whether as SVG or as PNG."""
        ending = file.suffix.lower()
        if ending == ".png":
            from playproof.formats.png import png

            write_whole(file, png(self.svg()))
        elif ending == ".svg":
            write_whole(file, self.svg().encode())
        else:
            raise UsageError(f"{file}: want a name that ends with .svg or .png")

    def spoken(self) -> str:
        """The chart for those who do not see it."""
        return f"{self.title}. " + ". ".join(panel.spoken() for panel in self.panels)

    def _head(self, wide: float, high: float) -> Iterator[str]:
        paper = PAPERS[self.theme]
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {num(wide)} {num(high)}" '
            f'width="{num(wide)}" height="{num(high)}" font-family="{escape(FONT)}" role="img" '
            f'aria-label="{escape(self.spoken())}">'
        )
        yield f"<title>{escape(self.title)}</title>"
        yield tag("rect", x=0.5, y=0.5, width=wide - 1, height=high - 1, rx=10.0,
                  fill=paper.card, stroke=paper.edge)  # fmt: skip

    def _shared(self) -> tuple[Line, ...]:
        """The lines of one legend for all panels: if each has a name, and a name one style."""
        lines = [line for panel in self.panels for line in panel.lines]
        found = {(line.style, line.name): line for line in lines}
        unlike = len({line.name for line in lines}) < len(found)
        if len(self.panels) < 2 or unlike or not all(line.name for line in lines):
            return ()
        return tuple(found[key] for key in sorted(found))

    def _legend_height(self, wide: float) -> float:
        """What the panels need between title and picture, all the same."""
        return max((_rows(_named(panel), wide) for panel in self.panels), default=0) * _ROW


def _named(panel: Panel) -> tuple[Line, ...]:
    return tuple(line for line in panel.lines if line.name)


def _columns(panels: int) -> int:
    return {0: 1, 1: 1, 2: 2, 4: 2}.get(panels, 3)


def _places(lines: tuple[Line, ...], room: float) -> Iterator[tuple[float, int]]:
    """(offset, row) of every entry of a legend."""
    x, row = 0.0, 0
    for line in lines:
        long = _SAMPLE + 6.0 + min(width(line.name, SMALL + 1), room - _SAMPLE - 6.0)
        if x and x + long > room:
            x, row = 0.0, row + 1
        yield x, row
        x += long + 18.0


def _rows(lines: tuple[Line, ...], room: float) -> int:
    return max((row for _, row in _places(lines, room)), default=-1) + 1


def _legend(
    lines: tuple[Line, ...], left: float, top: float, room: float, paper: Paper, theme: str
) -> tuple[list[str], float]:
    """SVG elements, and where what follows may begin."""
    parts = []
    for line, (offset, row) in zip(lines, _places(lines, room), strict=True):
        x, y = left + offset, top + row * _ROW
        parts.append(
            tag("line", x1=x, y1=y, x2=x + _SAMPLE, y2=y, stroke=line.colour(theme),
                stroke_width=2.4, stroke_dasharray=line.dash)
        )  # fmt: skip
        name = fit(line.name, SMALL + 1, room - _SAMPLE - 6.0)
        parts.append(text(x + _SAMPLE + 6.0, y, name, SMALL + 1, paper.text))
    return parts, top + _rows(lines, room) * _ROW
