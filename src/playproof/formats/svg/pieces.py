"""What is drawn on the board of an SVG picture: pieces, links, marks and arrows."""

from __future__ import annotations

import math

from playproof.core.view import Arrow, Link, Mark, Piece
from playproof.formats.svg.board import Grid
from playproof.formats.svg.chess_pieces import draw_chessman, is_drawn
from playproof.formats.svg.theme import BLUE, INK, NAVY, PALE, RED, SLATE, WHITE, Tone, tone
from playproof.formats.svg.writer import escape, num, tag, text, unit, width
from playproof.formats.view_geometry import is_token

# Radius of a piece in cells.  Kinds without a drawing are letters on a small disc.
_RADII = {"disc": 0.41, "stone": 0.45, "peg": 0.35}
_LETTER_RADIUS = 0.38


def radius(kind: str) -> float:
    return _RADII.get(kind, _LETTER_RADIUS)


def draw_piece(piece: Piece, grid: Grid, pegs: bool) -> list[str]:
    x, y = grid.centre(piece.at)
    corner = x + 0.3 * grid.cell, y + 0.3 * grid.cell
    if is_drawn(piece.kind, piece.colour):
        man = draw_chessman(x, y, grid.cell, piece.kind, piece.colour, piece.weight)
        return [man, *_badge(*corner, grid, piece.text, SLATE)] if piece.text else [man]
    colours = tone(piece.colour, pegs)
    letter = "" if piece.kind in _RADII else piece.kind
    label = letter or piece.text
    parts = [_body(x, y, grid.cell, piece, colours)]
    if not label:
        parts += draw_detail(x, y, grid.cell, piece.kind, colours)
    else:
        size = _label_size(label, 0.4 * grid.cell)
        parts.append(text(x, y, label, size, colours.ink, anchor="middle", bold=True))
    if letter and piece.text:
        parts += _badge(*corner, grid, piece.text, SLATE)
    return parts


def _body(x: float, y: float, cell: float, piece: Piece, colours: Tone) -> str:
    """The disc of a piece; in superposition it is translucent, with a dashed edge."""
    size = radius(piece.kind) * cell
    if piece.weight >= 1:
        stroke = 0.028 * cell
        return tag(
            "circle",
            cx=x,
            cy=y,
            r=size,
            fill=colours.fill,
            stroke=colours.edge,
            stroke_width=stroke,
        )
    return tag(
        "circle",
        cx=x,
        cy=y,
        r=size,
        fill=colours.fill,
        fill_opacity=0.3 + 0.4 * unit(piece.weight),
        stroke=colours.fill,
        stroke_width=0.038 * cell,
        stroke_dasharray=f"{num(0.085 * cell)} {num(0.055 * cell)}",
    )


def draw_detail(x: float, y: float, cell: float, kind: str, colours: Tone) -> list[str]:
    """The inner ring of a disc or peg; in some colours a dot instead, to distinguish sides."""
    if colours.core:
        return [tag("circle", cx=x, cy=y, r=0.165 * cell, fill=colours.detail)]
    if kind in ("disc", "peg"):
        size, stroke = (0.31, 0.024) if kind == "disc" else (0.235, 0.03)
        return [
            tag(
                "circle",
                cx=x,
                cy=y,
                r=size * cell,
                fill="none",
                stroke=colours.detail,
                stroke_width=stroke * cell,
            )
        ]
    return []


def _label_size(label: str, size: float) -> float:
    """The font size: full for up to two characters; longer labels shrink to the same width."""
    return size if len(label) <= 2 else size * 2.3 / len(label)


def _badge(x: float, y: float, grid: Grid, content: str, edge: str) -> list[str]:
    """A small white pill with a line of text, moved so that it stays inside the board."""
    size = max(8.5, 0.24 * grid.cell)
    wide = width(content, size, bold=True) + 0.9 * size
    x = min(max(x, grid.left + wide / 2), grid.left + grid.width - wide / 2)
    y = min(max(y, grid.top + 0.7 * size), grid.top + grid.height - 0.7 * size)
    pill = tag(
        "rect",
        x=x - wide / 2,
        y=y - 0.7 * size,
        width=wide,
        height=1.4 * size,
        rx=0.7 * size,
        fill=WHITE,
        stroke=edge,
        stroke_width=max(1.0, 0.025 * grid.cell),
    )
    return [pill, text(x, y, content, size, INK, anchor="middle", bold=True)]


def draw_link(link: Link, grid: Grid, pegs: bool, ends: float, dashed: bool) -> list[str]:
    """A curve between two stones of a pair, from edge to edge.

    One side's links are ``dashed`` and the other's dotted, so that they differ without
    colour.  ``ends`` is the radius of the stones, in cells.
    """
    (ax, ay), (bx, by) = grid.centre(link.a), grid.centre(link.b)
    dx, dy = bx - ax, by - ay
    if dx == 0 and dy == 0:
        return []
    cx, cy = (ax + bx) / 2 - 0.16 * dy, (ay + by) / 2 + 0.16 * dx
    sx, sy = _towards(ax, ay, cx, cy, ends * grid.cell)
    ex, ey = _towards(bx, by, cx, cy, ends * grid.cell)
    path = f"M{num(sx)} {num(sy)}Q{num(cx)} {num(cy)} {num(ex)} {num(ey)}"
    colours = tone(link.colour, pegs)
    wide = min(5.2, max(2.4, 0.075 * grid.cell))
    dash = f"{num(2.6 * wide)} {num(1.4 * wide)}" if dashed else f"0 {num(1.7 * wide)}"
    casing = tag(
        "path",
        d=path,
        fill="none",
        stroke=PALE if dashed else colours.edge,
        stroke_width=wide * 1.5,
        stroke_linecap="round",
    )
    thread = tag(
        "path",
        d=path,
        fill="none",
        stroke=colours.fill,
        stroke_width=wide * 0.8,
        stroke_linecap="butt" if dashed else "round",
        stroke_dasharray=dash,
    )
    name = escape(f"{link.number}: {link.a} - {link.b}")
    return [f"<g><title>{name}</title>", casing, thread, "</g>"]


def _towards(ax: float, ay: float, bx: float, by: float, step: float) -> tuple[float, float]:
    """The point at distance ``step`` from a, towards b."""
    dx, dy = bx - ax, by - ay
    scale = step / math.sqrt(dx * dx + dy * dy)
    return ax + dx * scale, ay + dy * scale


def draw_mark(mark: Mark, grid: Grid) -> list[str]:
    x, y = grid.centre(mark.at)
    cell = grid.cell * _mark_scale(mark, grid)
    label = "" if mark.text is None else str(mark.text)
    if mark.kind == "num":
        return _number(x, y, cell, label)
    if mark.kind == "dot":
        parts = [
            tag(
                "circle",
                cx=x,
                cy=y,
                r=0.13 * cell,
                fill=BLUE,
                stroke=WHITE,
                stroke_width=0.035 * cell,
            )
        ]
    elif mark.kind == "ring":
        parts = [
            _circle_line(x, y, 0.44 * cell, WHITE, 0.03 * cell),
            _circle_line(x, y, 0.47 * cell, BLUE, 0.04 * cell),
        ]
    else:
        parts = _cross(x, y, cell)
    if label:
        parts += _badge(x + 0.3 * cell, y + 0.32 * cell, grid, label, BLUE)
    return parts


def _mark_scale(mark: Mark, grid: Grid) -> float:
    """The size of a mark: smaller on pits, larger where a crowded board makes cells small."""
    if mark.kind == "ring":
        return 1.0
    if grid.cell < 32:
        return 1.5
    return 0.8 if grid.board.kind == "pits" and mark.kind != "cross" else 1.0


def _number(x: float, y: float, cell: float, label: str) -> list[str]:
    plate = tag(
        "circle", cx=x, cy=y, r=0.265 * cell, fill=PALE, stroke=BLUE, stroke_width=0.045 * cell
    )
    if not label:
        return [plate]
    size = _label_size(label, 0.29 * cell)
    return [plate, text(x, y, label, size, NAVY, anchor="middle", bold=True)]


def _circle_line(x: float, y: float, r: float, stroke: str, wide: float) -> str:
    return tag("circle", cx=x, cy=y, r=r, fill="none", stroke=stroke, stroke_width=wide)


def _cross(x: float, y: float, cell: float) -> list[str]:
    arm = 0.2 * cell
    path = (
        f"M{num(x - arm)} {num(y - arm)}L{num(x + arm)} {num(y + arm)}"
        f"M{num(x + arm)} {num(y - arm)}L{num(x - arm)} {num(y + arm)}"
    )
    return [
        tag(
            "path",
            d=path,
            fill="none",
            stroke=stroke,
            stroke_width=wide * cell,
            stroke_linecap="round",
        )
        for stroke, wide in ((WHITE, 0.135), (RED, 0.075))
    ]


def draw_arrows(arrows: tuple[Arrow, ...], grid: Grid) -> list[str]:
    """All arrows, the best ones last and the labels on top, so that nothing hides them."""
    ordered = sorted(arrows, key=lambda a: a.best)
    shafts = [part for arrow in ordered for part in _arrow(arrow, grid)]
    labels = [part for arrow in ordered if arrow.text for part in _arrow_label(arrow, grid)]
    return shafts + labels


def _ends(arrow: Arrow, grid: Grid) -> tuple[float, float, float, float]:
    """The coordinates of both ends; an arrow from a hand has only its target, given twice."""
    bx, by = grid.centre(arrow.b)
    if is_token(arrow.a):
        return bx, by, bx, by
    ax, ay = grid.centre(arrow.a)
    return ax, ay, bx, by


def _arrow(arrow: Arrow, grid: Grid) -> list[str]:
    ax, ay, bx, by = _ends(arrow, grid)
    half = (0.035 + 0.1 * unit(arrow.share)) * grid.cell
    fill, edge = (BLUE, WHITE) if arrow.best else (PALE, SLATE)
    outline = max(0.9, 0.028 * grid.cell)
    if ax == bx and ay == by:
        return [
            _circle_line(bx, by, 0.4 * grid.cell, edge, 2 * half + 2 * outline),
            _circle_line(bx, by, 0.4 * grid.cell, fill, 2 * half),
        ]
    dx, dy = bx - ax, by - ay
    length = math.sqrt(dx * dx + dy * dy)
    ux, uy = dx / length, dy / length
    start, barb = 0.3 * grid.cell, half + 0.1 * grid.cell
    neck = length - 0.1 * grid.cell - 2 * barb
    # (along, across) pairs around the outline, from the tail's left corner.
    corners = (
        (start, -half),
        (neck, -half),
        (neck, -barb),
        (length - 0.1 * grid.cell, 0.0),
        (neck, barb),
        (neck, half),
        (start, half),
    )
    points = [(ax + ux * s - uy * t, ay + uy * s + ux * t) for s, t in corners]
    path = "M" + "L".join(f"{num(x)} {num(y)}" for x, y in points) + "z"
    return [
        tag(
            "path",
            d=path,
            fill=fill,
            fill_opacity=0.95,
            stroke=edge,
            stroke_width=outline,
            stroke_linejoin="round",
        )
    ]


def _arrow_label(arrow: Arrow, grid: Grid) -> list[str]:
    """The label, above the head and to its right, where it hides neither head nor piece."""
    x, y = grid.centre(arrow.b)
    edge = BLUE if arrow.best else SLATE
    return _badge(x + 0.27 * grid.cell, y - 0.36 * grid.cell, grid, arrow.text, edge)
