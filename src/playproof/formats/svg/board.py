"""The board of an SVG picture: background, lines, pits, labels, heat and the last move."""

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
    """The geometry of a board: its top left corner and the side of one cell."""

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
        """Whether a square of a chequered board is dark, as the one at the bottom left is."""
        i, j = place(self.where, name)
        return (i + len(self.board.rows) - 1 - j) % 2 == 0


def board_grid(view: View, middle: float, top: float) -> Grid:
    """The geometry of a View's board with its upper edge at ``top``, centred on ``middle``."""
    board, where = view.board, checked_places(view)
    cell = EXTENT / max(len(board.columns), len(board.rows))
    return Grid(board, middle - cell * len(board.columns) / 2, top, cell, where)


def draw_board(grid: Grid, paper: Paper) -> list[str]:
    ground = GROUNDS[grid.board.style]
    frame = tag(
        "rect",
        x=grid.left - FRAME / 2,
        y=grid.top - FRAME / 2,
        width=grid.width + FRAME,
        height=grid.height + FRAME,
        rx=3.0,
        fill=ground.fill,
        stroke=ground.frame,
        stroke_width=FRAME,
    )
    if grid.board.kind == "pits":
        inside = _pits(grid, ground)
    elif grid.board.kind == "points":
        inside = [_lines(grid, ground, 0.5)]
    elif grid.board.style == "check":
        inside = [_dark_squares(grid, ground)]
    else:
        inside = [_lines(grid, ground, 0.0)]
    return [frame, *inside, *_stars(grid, ground), *_labels(grid, paper)]


def _lines(grid: Grid, ground: Ground, inset: float) -> str:
    """The lines of a board: ``inset`` 0 between cells, 0.5 through the points."""
    cell, columns, rows = grid.cell, len(grid.board.columns), len(grid.board.rows)
    margin = inset * cell
    path = []
    # Between cells, the frame is the outermost line; through points it has to be drawn.
    skip = 1 if inset == 0 else 0
    for i in range(skip, columns):
        x, y = grid.left + i * cell + margin, grid.top + margin
        path.append(f"M{num(x)} {num(y)}V{num(grid.top + grid.height - margin)}")
    for j in range(skip, rows):
        x, y = grid.left + margin, grid.top + j * cell + margin
        path.append(f"M{num(x)} {num(y)}H{num(grid.left + grid.width - margin)}")
    line = 1.3 if inset == 0 else 1.4
    return tag(
        "path",
        d="".join(path) or "M0 0",
        fill="none",
        stroke=ground.line,
        stroke_width=line,
        stroke_linecap="square",
    )


def _square(grid: Grid, name: str) -> str:
    x, y = grid.centre(name)
    side = num(grid.cell)
    left, top = num(x - grid.cell / 2), num(y - grid.cell / 2)
    return f"M{left} {top}h{side}v{side}h-{side}z"


def _dark_squares(grid: Grid, ground: Ground) -> str:
    path = "".join(_square(grid, name) for name in grid.where if grid.is_dark(name))
    return tag("path", d=path, fill=ground.second)


def _pits(grid: Grid, ground: Ground) -> list[str]:
    """Round holes; a crescent of shade under the upper rim makes them look deep."""
    radius = _PIT * grid.cell
    holes, shades = [], []
    for name in grid.where:
        x, y = grid.centre(name)
        holes.append(
            tag(
                "circle",
                cx=x,
                cy=y,
                r=radius,
                fill=ground.second,
                stroke=ground.line,
                stroke_width=0.018 * grid.cell,
            )
        )
        # The rim and a flatter inner arc enclose the crescent.
        span, drop = 0.98 * radius, 0.2 * radius
        shades.append(
            f"M{num(x - span)} {num(y - drop)}"
            f"A{num(radius)} {num(radius)} 0 0 1 {num(x + span)} {num(y - drop)}"
            f"A{num(1.17 * radius)} {num(1.17 * radius)} 0 0 0 {num(x - span)} {num(y - drop)}z"
        )
    return [*holes, tag("path", d="".join(shades), fill=PIT_SHADE)]


def _stars(grid: Grid, ground: Ground) -> list[str]:
    radius = max(2.0, 0.07 * grid.cell)
    parts = []
    for name in grid.board.stars:
        x, y = grid.centre(name)
        parts.append(tag("circle", cx=x, cy=y, r=radius, fill=ground.line))
    return parts


def _labels(grid: Grid, paper: Paper) -> list[str]:
    """The labels of columns below and of rows to the left, smaller on crowded boards."""
    size = min(13.0, max(8.0, 0.5 * grid.cell))
    parts = []
    for i, column in enumerate(grid.board.columns):
        x = grid.left + (i + 0.5) * grid.cell
        y = grid.top + grid.height + FRAME + 11
        parts.append(text(x, y, column, size, paper.label, anchor="middle"))
    for j, row in enumerate(grid.board.rows):
        y = grid.top + (j + 0.5) * grid.cell
        parts.append(text(grid.left - FRAME - 6, y, row, size, paper.label, anchor="end"))
    return parts


def draw_heat(view: View, grid: Grid) -> list[str]:
    """A veil on each place, the denser the higher its value; in reading order, so that the
    order of the dict does not matter."""
    veil = GROUNDS[grid.board.style].heat
    parts = []
    for name in sorted(view.heat, key=lambda n: place(grid.where, n)[::-1]):
        share = unit(view.heat[name])
        if share == 0:
            continue
        opacity = 0.1 + 0.7 * share
        x, y = grid.centre(name)
        if grid.board.kind == "cells":
            parts.append(tag("path", d=_square(grid, name), fill=veil, fill_opacity=opacity))
        else:
            size = (_PIT if grid.board.kind == "pits" else 0.46) * grid.cell
            parts.append(tag("circle", cx=x, cy=y, r=size, fill=veil, fill_opacity=opacity))
    return parts


def draw_tints(view: View, grid: Grid) -> list[str]:
    """The coloured squares of the last move, on chequered boards."""
    tints = GROUNDS[grid.board.style].tints
    if tints is None or grid.board.kind != "cells":
        return []
    return [tag("path", d=_square(grid, n), fill=tints[grid.is_dark(n)]) for n in view.last]


def draw_last(view: View, grid: Grid) -> list[str]:
    """Four corner brackets around each place of the last move."""
    stroke = max(1.8, 0.065 * grid.cell)
    # In cells the brackets touch the lines; elsewhere brackets of neighbours must not touch.
    reach = grid.cell / 2 - stroke / 2 - (0.0 if grid.board.kind == "cells" else 0.02 * grid.cell)
    arm = 0.22 * grid.cell
    parts = []
    for name in view.last:
        x, y = grid.centre(name)
        path = "".join(_corner(x, y, reach, arm, sx, sy) for sy in (-1, 1) for sx in (-1, 1))
        # A darker line underneath keeps amber visible on wood and sand.
        parts += [
            tag("path", d=path, fill="none", stroke=UMBER, stroke_width=stroke + 1.2),
            tag(
                "path",
                d=path,
                fill="none",
                stroke=GROUNDS[grid.board.style].last,
                stroke_width=stroke,
            ),
        ]
    return parts


def _corner(x: float, y: float, reach: float, arm: float, sx: int, sy: int) -> str:
    left, top = x + sx * reach, y + sy * reach
    return f"M{num(left)} {num(top - sy * arm)}V{num(top)}H{num(left - sx * arm)}"
