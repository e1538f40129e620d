"""A View as an SVG picture: self-contained, deterministic, and drawn alike for every game.

The picture has units of its own (it is ``WIDTH`` wide) and is scaled by its
``viewBox``, so ``size`` changes no coordinate.  It shows the position.  The fields
``legal``, ``actions``, ``steps`` and ``events`` are for interactive pages and are
not drawn.
"""

from __future__ import annotations

from typing import Literal

from playproof.core.view import Flag, Hand, Piece, View
from playproof.formats.svg.board import (
    Grid,
    board_grid,
    draw_board,
    draw_heat,
    draw_last,
    draw_tints,
)
from playproof.formats.svg.pieces import (
    draw_arrows,
    draw_detail,
    draw_link,
    draw_mark,
    draw_piece,
    radius,
)
from playproof.formats.svg.theme import (
    AMBER,
    AMBER_INK,
    FONT,
    GROUNDS,
    PAPERS,
    SWATCH,
    Paper,
    tone,
)
from playproof.formats.svg.writer import escape, fit, num, tag, text, width, wrap
from playproof.formats.view_geometry import first_side, has_pegs, side_name

WIDTH = 480.0
PAD = 20.0
RIGHT = WIDTH - PAD
SMALL = 12.5  # size of running text
_ROW = 26.0  # height of a hand's row
_MAX_SLOTS = 20  # a larger hand is described in words only


def render(
    view: View,
    *,
    theme: Literal["light", "dark"] = "light",
    size: int = 480,
) -> str:
    """The picture as SVG text; ``size`` is its width in pixels."""
    if theme not in PAPERS:
        raise ValueError(f"no theme {theme!r}: choose light or dark")
    if size <= 0:
        raise ValueError(f"size must be at least 1 pixel, not {size}")
    card = _Card(view, PAPERS[theme])
    height = card.draw()
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{num(size)}" '
        f'height="{num(size * height / WIDTH)}" viewBox="0 0 {num(WIDTH)} {num(height)}" '
        f'font-family="{escape(FONT)}">'
    )
    about = f"<title>{escape(view.title)}</title><desc>{escape(_description(view))}</desc>"
    return "\n".join([head, about, _ground(card.paper, height), *card.parts, "</svg>"]) + "\n"


def _description(view: View) -> str:
    return f"{view.over} {view.say}" if view.over and view.over != view.say else view.say


def _ground(paper: Paper, height: float) -> str:
    return tag(
        "rect",
        x=0.5,
        y=0.5,
        width=WIDTH - 1,
        height=height - 1,
        rx=12.0,
        fill=paper.card,
        stroke=paper.edge,
    )


class _Card:
    """The picture while it is drawn from top to bottom; ``y`` is the end of what is drawn."""

    def __init__(self, view: View, paper: Paper) -> None:
        self.view = view
        self.paper = paper
        self.pegs = has_pegs(view)
        self.kind = _usual_kind(view)
        self.parts: list[str] = []
        self.y = 16.0

    def draw(self) -> float:
        """Fill ``parts`` and return the height of the picture."""
        self._header()
        # The first player's hand is below the board.
        below, above = self.view.hands[:1], self.view.hands[1:]
        for hand in reversed(above):
            self._hand(hand)
        self._board()
        for hand in below:
            self._hand(hand)
        if self.view.flag and all(h.colour != self.view.flag.colour for h in self.view.hands):
            self._flag(self.view.flag, self.y + _ROW / 2)
            self.y += _ROW
        if self.view.over:
            self._strip(self.view.over, bold=True)
        if self.view.formula:
            self._strip(self.view.formula, family="'STIX Two Math', 'DejaVu Serif', serif")
        self.y += 2
        remark = "" if self.view.say == self.view.over else self.view.say
        for line in wrap(remark, SMALL, RIGHT - PAD):
            self.parts.append(text(PAD, self.y + 10, line, SMALL, self.paper.quiet))
            self.y += 18
        return self.y + 12

    def _header(self) -> None:
        middle = self.y + 13
        left = self._pill(middle)
        for colour, value in reversed(self.view.score.items()):
            left = self._score(left, middle, colour, num(value))
        title = fit(self.view.title, 17, left - PAD - 14, bold=True)
        self.parts.append(text(PAD, middle, title, 17, self.paper.text, bold=True))
        self.y += 36

    def _pill(self, middle: float) -> float:
        """Draw whose turn it is, at the right; return the left end."""
        turn = self.view.turn
        label = "Game over" if self.view.over else f"{turn.name} to move"
        label = fit(label, SMALL, 180, bold=True)
        swatch = 19.0 if turn.colour and not self.view.over else 0.0
        wide = width(label, SMALL, bold=True) + swatch + 20
        left = RIGHT - wide
        self.parts.append(
            tag(
                "rect",
                x=left,
                y=middle - 12,
                width=wide,
                height=24.0,
                rx=12.0,
                fill=self.paper.raised,
            )
        )
        if swatch:
            self._swatch(left + 17, middle, turn.colour)
        # Widths are estimates; centring splits the error between both sides.
        x = left + (wide + swatch) / 2
        self.parts.append(
            text(x, middle, label, SMALL, self.paper.text, anchor="middle", bold=True)
        )
        return left

    def _score(self, right: float, middle: float, colour: str, value: str) -> float:
        left = right - 12 - width(value, SMALL, bold=True)
        if left - 21 < PAD:  # no room left on the card
            return right
        self.parts.append(text(left, middle, value, SMALL, self.paper.text, bold=True))
        self._swatch(left - 13, middle, colour)
        return left - 20

    def _swatch(self, x: float, y: float, colour: str) -> None:
        """A side's piece on a grey square, on which black and white are both visible."""
        self.parts.append(
            tag("rect", x=x - 8, y=y - 8, width=16.0, height=16.0, rx=4.0, fill=SWATCH)
        )
        self._small_piece(x, y, 6.0, colour)

    def _small_piece(self, x: float, y: float, size: float, colour: str) -> None:
        colours = tone(colour, self.pegs)
        self.parts.append(
            tag(
                "circle",
                cx=x,
                cy=y,
                r=size,
                fill=colours.fill,
                stroke=colours.edge,
                stroke_width=0.8,
            )
        )
        # At this size only details that distinguish the sides are worth drawing.
        if self.kind == "peg":
            self.parts += draw_detail(x, y, size / radius("peg"), "peg", colours)

    def _hand(self, hand: Hand) -> None:
        middle = self.y + _ROW / 2
        self._swatch(PAD + 8, middle, hand.colour)
        name = side_name(self.view, hand.colour)
        label = fit(f"{name}: {num(hand.count)} in hand", SMALL, 180)
        self.parts.append(text(PAD + 23, middle, label, SMALL, self.paper.quiet))
        self._tray(PAD + 33 + width(label, SMALL), middle, hand)
        if self.view.flag and self.view.flag.colour == hand.colour:
            self._flag(self.view.flag, middle)
        self.y += _ROW

    def _tray(self, left: float, middle: float, hand: Hand) -> None:
        slots = max(hand.of, hand.count)
        if not 0 < slots <= _MAX_SLOTS:
            return
        pitch = min(13.5, 170 / slots)
        ground = GROUNDS[self.view.board.style]
        self.parts.append(
            tag(
                "rect",
                x=left,
                y=middle - 9,
                width=pitch * slots + 7,
                height=18.0,
                rx=5.0,
                fill=ground.fill,
            )
        )
        for slot in range(slots):
            x, size = left + 3.5 + (slot + 0.5) * pitch, 0.4 * pitch
            if slot < hand.count:
                self._small_piece(x, middle, size, hand.colour)
            else:
                self.parts.append(
                    tag(
                        "circle",
                        cx=x,
                        cy=middle,
                        r=size,
                        fill="none",
                        stroke=ground.line,
                        stroke_width=0.8,
                        stroke_dasharray="1.5 1.2",
                    )
                )

    def _flag(self, flag: Flag, middle: float) -> None:
        """A badge at the right.  The flag is a path because not every font has the sign."""
        label = fit(flag.text, 11, 150, bold=True)
        wide = width(label, 11, bold=True) + 34
        left = RIGHT - wide
        self.parts.append(
            tag("rect", x=left, y=middle - 9, width=wide, height=18.0, rx=9.0, fill=AMBER)
        )
        x, y = num(left + 10), num(middle - 5.5)
        self.parts.append(
            tag("path", d=f"M{x} {y}h1.4v.6h7l-2 2.6 2 2.6h-7v5.2h-1.4z", fill=AMBER_INK)
        )
        centre = left + 23 + (wide - 34) / 2
        self.parts.append(text(centre, middle, label, 11, AMBER_INK, anchor="middle", bold=True))

    def _strip(self, label: str, bold: bool = False, family: str | None = None) -> None:
        """A raised band across the card."""
        lines = wrap(label, SMALL, RIGHT - PAD - 20, bold)
        tall = 18.0 * len(lines) + 10
        self.parts.append(
            tag(
                "rect",
                x=PAD,
                y=self.y,
                width=RIGHT - PAD,
                height=tall,
                rx=6.0,
                fill=self.paper.raised,
            )
        )
        for number, line in enumerate(lines):
            y = self.y + 14 + 18 * number
            self.parts.append(
                text(PAD + 10, y, line, SMALL, self.paper.text, bold=bold, family=family)
            )
        self.y += tall + 8

    def _board(self) -> None:
        grid = board_grid(self.view, WIDTH / 2, self.y + 10)
        self.parts += draw_board(grid, self.paper)
        self.parts += draw_tints(self.view, grid)
        self.parts += draw_heat(self.view, grid)
        self._links(grid)
        for piece in self.view.pieces:
            self.parts += draw_piece(piece, grid, self.pegs)
        self.parts += draw_last(self.view, grid)
        for mark in self.view.marks:
            self.parts += draw_mark(mark, grid)
        self.parts += draw_arrows(self.view.arrows, grid)
        self.y = grid.top + grid.height + 28

    def _links(self, grid: Grid) -> None:
        first = first_side(self.view)
        for link in self.view.links:
            dashed = link.colour == first
            self.parts += draw_link(link, grid, self.pegs, radius(self.kind), dashed)


def _usual_kind(view: View) -> str:
    """The kind of piece that represents a side in the header and in hands."""
    pieces: tuple[Piece, ...] = view.pieces
    if has_pegs(view):
        return "peg"
    return pieces[0].kind if pieces else "disc"
