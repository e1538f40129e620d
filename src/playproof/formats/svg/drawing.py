"""A View as an SVG picture: self-contained, deterministic, and the same for every game.

The picture is drawn in units of its own (``WIDTH`` across) and scaled by the
``viewBox``, so that ``size`` changes no coordinate.  It shows the position:
``legal``, ``actions``, ``steps`` and ``events`` are for a page that can be
clicked and are not drawn.
"""

from __future__ import annotations

from typing import Literal

from playproof.core.view import Flag, Hand, Piece, View
from playproof.formats.svg.board import (
    Grid,
    draw_board,
    draw_heat,
    draw_last,
    draw_tints,
    grid,
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
_MOST_SLOTS = 20  # a hand with more is told in words alone


def render(
    view: View,
    *,
    theme: Literal["light", "dark"] = "light",
    size: int = 480,
) -> str:
    """The picture as text; ``size`` is its width in pixels."""
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
    about = f"<title>{escape(view.title)}</title><desc>{escape(_described(view))}</desc>"
    return "\n".join([head, about, _ground(card.paper, height), *card.parts, "</svg>"]) + "\n"


def _described(view: View) -> str:
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
    """The picture being drawn, from top to bottom: ``y`` is how far it has come."""

    def __init__(self, view: View, paper: Paper) -> None:
        self.view = view
        self.paper = paper
        self.pegs = has_pegs(view)
        self.kind = _usual_kind(view)
        self.parts: list[str] = []
        self.y = 16.0

    def draw(self) -> float:
        """Fill ``parts``; the height of the picture."""
        self._header()
        # The first hand is the first player's and lies below, nearest to the reader.
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
        said = "" if self.view.say == self.view.over else self.view.say
        for line in wrap(said, SMALL, RIGHT - PAD):
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
        """Whose turn it is, at the right; returns its left end."""
        turn = self.view.turn
        says = "Game over" if self.view.over else f"{turn.name} to move"
        says = fit(says, SMALL, 180, bold=True)
        swatch = 19.0 if turn.colour and not self.view.over else 0.0
        wide = width(says, SMALL, bold=True) + swatch + 20
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
        # Widths are estimates: centred text shares what is wrong with them evenly.
        x = left + (wide + swatch) / 2
        self.parts.append(text(x, middle, says, SMALL, self.paper.text, anchor="middle", bold=True))
        return left

    def _score(self, right: float, middle: float, colour: str, value: str) -> float:
        left = right - 12 - width(value, SMALL, bold=True)
        if left - 21 < PAD:  # no room: the card's own edge comes first
            return right
        self.parts.append(text(left, middle, value, SMALL, self.paper.text, bold=True))
        self._swatch(left - 13, middle, colour)
        return left - 20

    def _swatch(self, x: float, y: float, colour: str) -> None:
        """A side's piece on grey, where black and white both show."""
        self.parts.append(
            tag("rect", x=x - 8, y=y - 8, width=16.0, height=16.0, rx=4.0, fill=SWATCH)
        )
        self._small_piece(x, y, 6.0, colour)

    def _small_piece(self, x: float, y: float, size: float, colour: str) -> None:
        of = tone(colour, self.pegs)
        self.parts.append(
            tag("circle", cx=x, cy=y, r=size, fill=of.fill, stroke=of.edge, stroke_width=0.8)
        )
        # Only what tells sides apart is worth drawing so small.
        if self.kind == "peg":
            self.parts += draw_detail(x, y, size / radius("peg"), "peg", of)

    def _hand(self, hand: Hand) -> None:
        middle = self.y + _ROW / 2
        self._swatch(PAD + 8, middle, hand.colour)
        name = side_name(self.view, hand.colour)
        says = fit(f"{name}: {num(hand.count)} in hand", SMALL, 180)
        self.parts.append(text(PAD + 23, middle, says, SMALL, self.paper.quiet))
        self._tray(PAD + 33 + width(says, SMALL), middle, hand)
        if self.view.flag and self.view.flag.colour == hand.colour:
            self._flag(self.view.flag, middle)
        self.y += _ROW

    def _tray(self, left: float, middle: float, hand: Hand) -> None:
        slots = max(hand.of, hand.count)
        if not 0 < slots <= _MOST_SLOTS:
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
        """A badge at the right.  The flag is drawn: not every font has the sign."""
        says = fit(flag.text, 11, 150, bold=True)
        wide = width(says, 11, bold=True) + 34
        left = RIGHT - wide
        self.parts.append(
            tag("rect", x=left, y=middle - 9, width=wide, height=18.0, rx=9.0, fill=AMBER)
        )
        x, y = num(left + 10), num(middle - 5.5)
        self.parts.append(
            tag("path", d=f"M{x} {y}h1.4v.6h7l-2 2.6 2 2.6h-7v5.2h-1.4z", fill=AMBER_INK)
        )
        centre = left + 23 + (wide - 34) / 2
        self.parts.append(text(centre, middle, says, 11, AMBER_INK, anchor="middle", bold=True))

    def _strip(self, says: str, bold: bool = False, family: str | None = None) -> None:
        """A raised band across the card."""
        lines = wrap(says, SMALL, RIGHT - PAD - 20, bold)
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
        on = grid(self.view, WIDTH / 2, self.y + 10)
        self.parts += draw_board(on, self.paper)
        self.parts += draw_tints(self.view, on)
        self.parts += draw_heat(self.view, on)
        self._links(on)
        for piece in self.view.pieces:
            self.parts += draw_piece(piece, on, self.pegs)
        self.parts += draw_last(self.view, on)
        for mark in self.view.marks:
            self.parts += draw_mark(mark, on)
        self.parts += draw_arrows(self.view.arrows, on)
        self.y = on.top + on.height + 28

    def _links(self, on: Grid) -> None:
        first = first_side(self.view)
        for link in self.view.links:
            long = link.colour == first
            self.parts += draw_link(link, on, self.pegs, radius(self.kind), long)


def _usual_kind(view: View) -> str:
    """The kind of piece that stands for a side in the header and in trays."""
    pieces: tuple[Piece, ...] = view.pieces
    if has_pegs(view):
        return "peg"
    return pieces[0].kind if pieces else "disc"
