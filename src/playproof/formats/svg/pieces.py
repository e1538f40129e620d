"""What stands on the board of an SVG picture: pieces, links, marks and arrows."""

from __future__ import annotations

import math

from playproof.core.view import Arrow, Link, Mark, Piece
from playproof.formats.svg.board import Grid
from playproof.formats.svg.chess_pieces import draw_chessman, is_drawn
from playproof.formats.svg.theme import BLUE, INK, NAVY, PALE, RED, SLATE, WHITE, Tone, tone
from playproof.formats.svg.writer import escape, num, tag, text, unit, width
from playproof.formats.view_geometry import is_token

# Radius of a piece in cells; kinds that have no drawing are letters on a small disc.
_RADII = {"disc": 0.41, "stone": 0.45, "peg": 0.35}
_LETTER_RADIUS = 0.38


def radius(kind: str) -> float:
    return _RADII.get(kind, _LETTER_RADIUS)


def draw_piece(piece: Piece, on: Grid, pegs: bool) -> list[str]:
    x, y = on.centre(piece.at)
    corner = x + 0.3 * on.cell, y + 0.3 * on.cell
    if is_drawn(piece.kind, piece.colour):
        man = draw_chessman(x, y, on.cell, piece.kind, piece.colour, piece.weight)
        return [man, *_badge(*corner, on, piece.text, SLATE)] if piece.text else [man]
    of = tone(piece.colour, pegs)
    letter = "" if piece.kind in _RADII else piece.kind
    label = letter or piece.text
    found = [_body(x, y, on.cell, piece, of)]
    if not label:
        found += draw_detail(x, y, on.cell, piece.kind, of)
    else:
        size = _label_size(label, 0.4 * on.cell)
        found.append(text(x, y, label, size, of.ink, anchor="middle", bold=True))
    if letter and piece.text:
        found += _badge(*corner, on, piece.text, SLATE)
    return found


def _body(x: float, y: float, cell: float, piece: Piece, of: Tone) -> str:
    """The round of a piece; in superposition it is veiled and its edge is dashed."""
    size = radius(piece.kind) * cell
    if piece.weight >= 1:
        stroke = 0.028 * cell
        return tag("circle", cx=x, cy=y, r=size, fill=of.fill, stroke=of.edge, stroke_width=stroke)
    return tag(
        "circle",
        cx=x,
        cy=y,
        r=size,
        fill=of.fill,
        fill_opacity=0.3 + 0.4 * unit(piece.weight),
        stroke=of.fill,
        stroke_width=0.038 * cell,
        stroke_dasharray=f"{num(0.085 * cell)} {num(0.055 * cell)}",
    )


def draw_detail(x: float, y: float, cell: float, kind: str, of: Tone) -> list[str]:
    """The inner ring of a disc or peg, or the dot that tells another side's pieces from them."""
    if of.core:
        return [tag("circle", cx=x, cy=y, r=0.165 * cell, fill=of.detail)]
    if kind in ("disc", "peg"):
        size, stroke = (0.31, 0.024) if kind == "disc" else (0.235, 0.03)
        return [
            tag(
                "circle",
                cx=x,
                cy=y,
                r=size * cell,
                fill="none",
                stroke=of.detail,
                stroke_width=stroke * cell,
            )
        ]
    return []


def _label_size(label: str, size: float) -> float:
    """Up to two characters at full size; longer writing shrinks to the same width."""
    return size if len(label) <= 2 else size * 2.3 / len(label)


def _badge(x: float, y: float, on: Grid, content: str, edge: str) -> list[str]:
    """A small white pill with a line of text, kept inside the board."""
    size = max(8.5, 0.24 * on.cell)
    wide = width(content, size, bold=True) + 0.9 * size
    x = min(max(x, on.left + wide / 2), on.left + on.width - wide / 2)
    y = min(max(y, on.top + 0.7 * size), on.top + on.height - 0.7 * size)
    pill = tag(
        "rect",
        x=x - wide / 2,
        y=y - 0.7 * size,
        width=wide,
        height=1.4 * size,
        rx=0.7 * size,
        fill=WHITE,
        stroke=edge,
        stroke_width=max(1.0, 0.025 * on.cell),
    )
    return [pill, text(x, y, content, size, INK, anchor="middle", bold=True)]


def draw_link(link: Link, on: Grid, pegs: bool, ends: float, long: bool) -> list[str]:
    """A curve between two halves of a pair, from edge to edge of their stones.

    One side's links are ``long`` dashes and the other's dots, so that they are told
    apart without colour.  ``ends`` is the radius of the stones, in cells.
    """
    (ax, ay), (bx, by) = on.centre(link.a), on.centre(link.b)
    dx, dy = bx - ax, by - ay
    if dx == 0 and dy == 0:
        return []
    cx, cy = (ax + bx) / 2 - 0.16 * dy, (ay + by) / 2 + 0.16 * dx
    sx, sy = _towards(ax, ay, cx, cy, ends * on.cell)
    ex, ey = _towards(bx, by, cx, cy, ends * on.cell)
    path = f"M{num(sx)} {num(sy)}Q{num(cx)} {num(cy)} {num(ex)} {num(ey)}"
    of = tone(link.colour, pegs)
    wide = min(5.2, max(2.4, 0.075 * on.cell))
    dash = f"{num(2.6 * wide)} {num(1.4 * wide)}" if long else f"0 {num(1.7 * wide)}"
    casing = tag(
        "path",
        d=path,
        fill="none",
        stroke=PALE if long else of.edge,
        stroke_width=wide * 1.5,
        stroke_linecap="round",
    )
    thread = tag(
        "path",
        d=path,
        fill="none",
        stroke=of.fill,
        stroke_width=wide * 0.8,
        stroke_linecap="butt" if long else "round",
        stroke_dasharray=dash,
    )
    name = escape(f"{link.number}: {link.a} - {link.b}")
    return [f"<g><title>{name}</title>", casing, thread, "</g>"]


def _towards(ax: float, ay: float, bx: float, by: float, step: float) -> tuple[float, float]:
    """The point ``step`` away from a on the way to b."""
    dx, dy = bx - ax, by - ay
    scale = step / math.sqrt(dx * dx + dy * dy)
    return ax + dx * scale, ay + dy * scale


def draw_mark(mark: Mark, on: Grid) -> list[str]:
    x, y = on.centre(mark.at)
    cell = on.cell * _mark_scale(mark, on)
    label = "" if mark.text is None else str(mark.text)
    if mark.kind == "num":
        return _number(x, y, cell, label)
    if mark.kind == "dot":
        found = [
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
        found = [
            _circle_line(x, y, 0.44 * cell, WHITE, 0.03 * cell),
            _circle_line(x, y, 0.47 * cell, BLUE, 0.04 * cell),
        ]
    else:
        found = _cross(x, y, cell)
    if label:
        found += _badge(x + 0.3 * cell, y + 0.32 * cell, on, label, BLUE)
    return found


def _mark_scale(mark: Mark, on: Grid) -> float:
    """Smaller where pits stand far apart, larger where a crowded board makes cells small."""
    if mark.kind == "ring":
        return 1.0
    if on.cell < 32:
        return 1.5
    return 0.8 if on.board.kind == "pits" and mark.kind != "cross" else 1.0


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


def draw_arrows(arrows: tuple[Arrow, ...], on: Grid) -> list[str]:
    """Best arrows last and labels above all of them, so that nothing hides them."""
    ordered = sorted(arrows, key=lambda a: a.best)
    shafts = [part for arrow in ordered for part in _arrow(arrow, on)]
    labels = [part for arrow in ordered if arrow.text for part in _arrow_label(arrow, on)]
    return shafts + labels


def _ends(arrow: Arrow, on: Grid) -> tuple[float, float, float, float]:
    """Both ends; an arrow from a hand has no place to start, so it starts where it ends."""
    bx, by = on.centre(arrow.b)
    if is_token(arrow.a):
        return bx, by, bx, by
    ax, ay = on.centre(arrow.a)
    return ax, ay, bx, by


def _arrow(arrow: Arrow, on: Grid) -> list[str]:
    ax, ay, bx, by = _ends(arrow, on)
    half = (0.035 + 0.1 * unit(arrow.share)) * on.cell
    fill, edge = (BLUE, WHITE) if arrow.best else (PALE, SLATE)
    outline = max(0.9, 0.028 * on.cell)
    if ax == bx and ay == by:
        return [
            _circle_line(bx, by, 0.4 * on.cell, edge, 2 * half + 2 * outline),
            _circle_line(bx, by, 0.4 * on.cell, fill, 2 * half),
        ]
    dx, dy = bx - ax, by - ay
    length = math.sqrt(dx * dx + dy * dy)
    ux, uy = dx / length, dy / length
    start, barb = 0.3 * on.cell, half + 0.1 * on.cell
    neck = length - 0.1 * on.cell - 2 * barb
    # (along, across) pairs around the outline, from the tail's left corner.
    corners = (
        (start, -half),
        (neck, -half),
        (neck, -barb),
        (length - 0.1 * on.cell, 0.0),
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


def _arrow_label(arrow: Arrow, on: Grid) -> list[str]:
    """Above the head and to its right, where it hides neither head nor piece."""
    x, y = on.centre(arrow.b)
    edge = BLUE if arrow.best else SLATE
    return _badge(x + 0.27 * on.cell, y - 0.36 * on.cell, on, arrow.text, edge)
