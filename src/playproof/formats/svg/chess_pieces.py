"""The chess pieces of the SVG pictures, drawn for Playproof.

A piece consists of outlines, lines and dots in a square of 100 by 100.
"""

from __future__ import annotations

from typing import NamedTuple

from playproof.formats.svg.writer import num, tag, unit

_EDGE, _LINE = 3.2, 2.6  # widths of strokes


class _Shape(NamedTuple):
    outlines: tuple[str, ...]
    lines: tuple[str, ...]
    dots: tuple[tuple[float, float, float], ...] = ()  # x, y, radius


class _Ink(NamedTuple):
    fill: str
    edge: str
    line: str


_INKS = {
    "w": _Ink("#fdfbf4", "#3b342a", "#3b342a"),
    "b": _Ink("#2d2b2e", "#0d0c0d", "#e4ddcf"),
}


def _ball(x: float, y: float, r: float) -> str:
    left, right = f"{num(x - r)} {num(y)}", f"{num(x + r)} {num(y)}"
    turn = f"A{num(r)} {num(r)} 0 1 0"
    return f"M{left}{turn} {right}{turn} {left}z"


_PAWN = _Shape(
    (
        "M50 20C57 20 62.5 25.5 62.5 32.5C62.5 36.8 60.4 40.5 57.2 42.8H62.5V48.5H56.5"
        "C57 60 60.5 67 69 73.5C73.5 77 75.5 81 75.5 87H24.5C24.5 81 26.5 77 31 73.5"
        "C39.5 67 43 60 43.5 48.5H37.5V42.8H42.8C39.6 40.5 37.5 36.8 37.5 32.5"
        "C37.5 25.5 43 20 50 20z",
    ),
    ("M31 78H69",),
)
_KNIGHT = _Shape(
    (
        "M74.5 87H28.5C28.5 75.5 34 68.5 42 61.5C46.5 57.5 48.8 54 48.5 49.5"
        "C43.5 54 38.5 55.8 34 57C31.5 58 30.2 61.8 27.2 63.2C23.5 64.8 18.8 61.8 18.3 57.5"
        "C18 54 20 50.5 22.5 46.5C25 42.3 25.5 38 28.3 33.5C30.3 30.4 32.6 28.3 35 26.6"
        "L34 15.5L42.5 22.4C44 22 45.4 21.9 46.8 22L51.5 13.5L55 23.6"
        "C69 28.5 77 43.5 77 62C77 72 76.3 80 74.5 87z",
    ),
    ("M57.5 31.5C66 38.5 70 50 69.5 66",),
    ((36.5, 37.5, 2.9), (24.6, 54.8, 1.8)),
)
_BISHOP = _Shape(
    (
        "M50 21C60.5 28.5 67 38 66.5 47.5C66 53.5 62.5 57 58.5 59.5H63V65.5H57.5"
        "C58.5 70 61.5 72.8 67 75C71.5 77 74 81.5 74.5 87H25.5C26 81.5 28.5 77 33 75"
        "C38.5 72.8 41.5 70 42.5 65.5H37V59.5H41.5C37.5 57 34 53.5 33.5 47.5"
        "C33 38 39.5 28.5 50 21z",
        _ball(50, 15.5, 5.5),
    ),
    ("M50 33V48", "M43 39.5H57", "M41.5 59.5H58.5"),
)
_ROOK = _Shape(
    (
        "M26 17H37V24.5H45V17H55V24.5H63V17H74V35L65.5 41.5V66L70.5 72.5V77H76V87H24V77H29.5"
        "V72.5L34.5 66V41.5L26 35z",
    ),
    ("M34.5 41.5H65.5", "M34.5 66H65.5", "M29.5 77H70.5"),
)
_QUEEN = _Shape(
    (
        "M29.5 70.5L20.5 34L34.5 55.5L35.5 27L46 53L50 22L54 53L64.5 27L65.5 55.5L79.5 34"
        "L70.5 70.5C73.8 72.5 75.5 77 76 82V87H24V82C24.5 77 26.2 72.5 29.5 70.5z",
        *(_ball(x, y, 4.8) for x, y in ((20.3, 31), (35.3, 23.5), (50, 18.5))),
        *(_ball(x, y, 4.8) for x, y in ((64.7, 23.5), (79.7, 31))),
    ),
    ("M29.5 70.5C42 66 58 66 70.5 70.5", "M24.5 80C41 76 59 76 75.5 80"),
)
_KING = _Shape(
    (
        "M50 37C54 29 66 27 73 34C80.5 42 76 53.5 67 61L68 71.5C72 73 74.5 77.5 75 82V87H25V82"
        "C25.5 77.5 28 73 32 71.5L33 61C24 53.5 19.5 42 27 34C34 27 46 29 50 37z",
        "M47.2 10.5H52.8V16.5H58.5V22H52.8V30.5L50 37L47.2 30.5V22H41.5V16.5H47.2z",
    ),
    ("M33 61C44 56.5 56 56.5 67 61", "M32 71.5C44 67.5 56 67.5 68 71.5", "M50 37V57.5"),
)
SHAPES = {"P": _PAWN, "N": _KNIGHT, "B": _BISHOP, "R": _ROOK, "Q": _QUEEN, "K": _KING}


def is_drawn(kind: str, colour: str) -> bool:
    """Whether there is a drawing of this piece."""
    return kind in SHAPES and colour in _INKS


def draw_chessman(x: float, y: float, cell: float, kind: str, colour: str, weight: float) -> str:
    """The piece in a cell with centre (x, y); a ``weight`` below 1 makes it fainter."""
    shape, ink = SHAPES[kind], _INKS[colour]
    bodies = tag(
        "path",
        d="".join(shape.outlines),
        fill=ink.fill,
        stroke=ink.edge,
        stroke_width=_EDGE,
        stroke_linejoin="round",
    )
    lines = tag(
        "path",
        d="".join(shape.lines),
        fill="none",
        stroke=ink.line,
        stroke_width=_LINE,
        stroke_linecap="round",
    )
    dots = "".join(tag("circle", cx=a, cy=b, r=r, fill=ink.line) for a, b, r in shape.dots)
    faint = f' opacity="{num(0.3 + 0.4 * unit(weight))}"' if weight < 1 else ""
    left, top = num(x - cell / 2), num(y - cell / 2)
    scale = f"{cell / 100:.4f}".rstrip("0").rstrip(".")
    return f'<g transform="translate({left} {top}) scale({scale})"{faint}>{bodies}{lines}{dots}</g>'
