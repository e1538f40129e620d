"""The board of an SVG picture: ground, lines, pits, labels, heat and the last move."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.core.view import Board, View
from playproof.formats.svg.theme import GROUNDS, PIT_SHADE, UMBER, Ground, Paper
from playproof.formats.svg.writer import num, tag, text, unit
from playproof.formats.view_geometry import checked_places, place

EXTENT = 400.0  # the longer side of every board
FRAME = 2.5
_PIT = 0.385  # radius of a pit, in cells


@dataclass(frozen=True)
class Grid:
    """Where a board lies: its top left corner and the side of one cell."""

    board: Board
    left: float
    top: float
    cell: float
    where: dict[str, tuple[int, int]]

    @property
    def width(self) -> float:
        return self.cell * len(self.board.columns)

    @property
    def height(self) -> float:
        return self.cell * len(self.board.rows)

    def centre(self, name: str) -> tuple[float, float]:
        i, j = place(self.where, name)
        return self.left + (i + 0.5) * self.cell, self.top + (j + 0.5) * self.cell

    def is_dark(self, name: str) -> bool:
        """Of a chequered board the bottom left square is dark."""
        i, j = place(self.where, name)
        return (i + len(self.board.rows) - 1 - j) % 2 == 0


def grid(view: View, middle: float, top: float) -> Grid:
    """The board hung at height ``top``, centred on ``middle``."""
    board, where = view.board, checked_places(view)
    cell = EXTENT / max(len(board.columns), len(board.rows))
    return Grid(board, middle - cell * len(board.columns) / 2, top, cell, where)


def draw_board(on: Grid, paper: Paper) -> list[str]:
    ground = GROUNDS[on.board.style]
    frame = tag(
        "rect",
        x=on.left - FRAME / 2,
        y=on.top - FRAME / 2,
        width=on.width + FRAME,
        height=on.height + FRAME,
        rx=3.0,
        fill=ground.fill,
        stroke=ground.frame,
        stroke_width=FRAME,
    )
    if on.board.kind == "pits":
        inside = _pits(on, ground)
    elif on.board.kind == "points":
        inside = [_lines(on, ground, 0.5)]
    elif on.board.style == "check":
        inside = [_dark_squares(on, ground)]
    else:
        inside = [_lines(on, ground, 0.0)]
    return [frame, *inside, *_stars(on, ground), *_labels(on, paper)]


def _lines(on: Grid, ground: Ground, inset: float) -> str:
    """The lines of a board: ``inset`` 0 between cells, 0.5 through the points."""
    cell, columns, rows = on.cell, len(on.board.columns), len(on.board.rows)
    margin = inset * cell
    path = []
    # Between cells the outermost lines are the frame's; through points they are drawn.
    skip = 1 if inset == 0 else 0
    for i in range(skip, columns):
        x, y = on.left + i * cell + margin, on.top + margin
        path.append(f"M{num(x)} {num(y)}V{num(on.top + on.height - margin)}")
    for j in range(skip, rows):
        x, y = on.left + margin, on.top + j * cell + margin
        path.append(f"M{num(x)} {num(y)}H{num(on.left + on.width - margin)}")
    line = 1.3 if inset == 0 else 1.4
    return tag(
        "path",
        d="".join(path) or "M0 0",
        fill="none",
        stroke=ground.line,
        stroke_width=line,
        stroke_linecap="square",
    )


def _square(on: Grid, name: str) -> str:
    x, y = on.centre(name)
    side = num(on.cell)
    left, top = num(x - on.cell / 2), num(y - on.cell / 2)
    return f"M{left} {top}h{side}v{side}h-{side}z"


def _dark_squares(on: Grid, ground: Ground) -> str:
    path = "".join(_square(on, name) for name in on.where if on.is_dark(name))
    return tag("path", d=path, fill=ground.second)


def _pits(on: Grid, ground: Ground) -> list[str]:
    """Round holes: a crescent of shade under the upper rim makes them deep."""
    radius = _PIT * on.cell
    holes, shades = [], []
    for name in on.where:
        x, y = on.centre(name)
        holes.append(
            tag(
                "circle",
                cx=x,
                cy=y,
                r=radius,
                fill=ground.second,
                stroke=ground.line,
                stroke_width=0.018 * on.cell,
            )
        )
        # The inner arc is flatter than the rim: together they make the crescent.
        span, drop = 0.98 * radius, 0.2 * radius
        shades.append(
            f"M{num(x - span)} {num(y - drop)}"
            f"A{num(radius)} {num(radius)} 0 0 1 {num(x + span)} {num(y - drop)}"
            f"A{num(1.17 * radius)} {num(1.17 * radius)} 0 0 0 {num(x - span)} {num(y - drop)}z"
        )
    return [*holes, tag("path", d="".join(shades), fill=PIT_SHADE)]


def _stars(on: Grid, ground: Ground) -> list[str]:
    radius = max(2.0, 0.07 * on.cell)
    found = []
    for name in on.board.stars:
        x, y = on.centre(name)
        found.append(tag("circle", cx=x, cy=y, r=radius, fill=ground.line))
    return found


def _labels(on: Grid, paper: Paper) -> list[str]:
    """Columns below, rows to the left; on crowded boards the writing shrinks."""
    size = min(13.0, max(8.0, 0.5 * on.cell))
    found = []
    for i, column in enumerate(on.board.columns):
        x = on.left + (i + 0.5) * on.cell
        y = on.top + on.height + FRAME + 11
        found.append(text(x, y, column, size, paper.label, anchor="middle"))
    for j, row in enumerate(on.board.rows):
        y = on.top + (j + 0.5) * on.cell
        found.append(text(on.left - FRAME - 6, y, row, size, paper.label, anchor="end"))
    return found


def draw_heat(view: View, on: Grid) -> list[str]:
    """A veil whose density is the value; written in reading order, whatever the dict's."""
    veil = GROUNDS[on.board.style].heat
    found = []
    for name in sorted(view.heat, key=lambda n: place(on.where, n)[::-1]):
        share = unit(view.heat[name])
        if share == 0:
            continue
        opacity = 0.1 + 0.7 * share
        x, y = on.centre(name)
        if on.board.kind == "cells":
            found.append(tag("path", d=_square(on, name), fill=veil, fill_opacity=opacity))
        else:
            size = (_PIT if on.board.kind == "pits" else 0.46) * on.cell
            found.append(tag("circle", cx=x, cy=y, r=size, fill=veil, fill_opacity=opacity))
    return found


def draw_tints(view: View, on: Grid) -> list[str]:
    """On a chequered board the squares of the last move are coloured whole."""
    tints = GROUNDS[on.board.style].tints
    if tints is None or on.board.kind != "cells":
        return []
    return [tag("path", d=_square(on, n), fill=tints[on.is_dark(n)]) for n in view.last]


def draw_last(view: View, on: Grid) -> list[str]:
    """Four corners around each place of the last move."""
    stroke = max(1.8, 0.065 * on.cell)
    # Cells have walls to lean on; elsewhere neighbours' corners must not touch.
    reach = on.cell / 2 - stroke / 2 - (0.0 if on.board.kind == "cells" else 0.02 * on.cell)
    arm = 0.22 * on.cell
    found = []
    for name in view.last:
        x, y = on.centre(name)
        path = "".join(_corner(x, y, reach, arm, sx, sy) for sy in (-1, 1) for sx in (-1, 1))
        # A darker line underneath keeps amber visible on wood and sand.
        found += [
            tag("path", d=path, fill="none", stroke=UMBER, stroke_width=stroke + 1.2),
            tag(
                "path",
                d=path,
                fill="none",
                stroke=GROUNDS[on.board.style].last,
                stroke_width=stroke,
            ),
        ]
    return found


def _corner(x: float, y: float, reach: float, arm: float, sx: int, sy: int) -> str:
    left, top = x + sx * reach, y + sy * reach
    return f"M{num(left)} {num(top - sy * arm)}V{num(top)}H{num(left - sx * arm)}"
