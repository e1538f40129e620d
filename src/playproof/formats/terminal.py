"""A View for the terminal: aligned text, with colours where the stream supports them.

Colour only repeats what the characters say, so the text is the same without it.
On the board ``●`` is the first or the black side and ``○`` the other one; the
legend names them.  Chess pieces are letters, capitals for White.  ``●5`` is one
stone of pair 5, ``[ ]`` encloses the last move, and ``( )`` is a ring.  ``*`` and
``x`` are a dot and a cross; they follow the piece that they mark.
"""

from __future__ import annotations

import math
import os
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

from playproof.core.view import Arrow, Hand, Link, Mark, Piece, View
from playproof.formats.view_geometry import checked_places, has_pegs, side_name

_ROUND = ("disc", "stone", "peg")
_MAX_SLOTS = 20  # a larger hand is described in words only
_HEAT_ENTRIES = 5  # how many heat values are listed, highest first


@dataclass(frozen=True)
class _Signs:
    """The characters of a picture; ``dark`` and ``light`` are the two sides."""

    dark: str
    light: str
    empty: str
    star: str
    slot: str
    flag: str


_UNICODE = _Signs("●", "○", "·", "+", "·", "⚑")
_ASCII = _Signs("#", "O", ".", "+", ".", "!")
# Replacements for the non-ASCII signs that names and formulas are likely to contain; any other
# becomes "?".
_SPELLED = {"\u2013": "-", "\u2014": "-", "\u2019": "'", "\u00d7": "x", "…": "..."}
_SPELLED |= {"ψ": "psi", "⟩": ">", "⊗": "(x)", "√": "sqrt"}

# Colours as SGR parameters from the palette of 256, because the basic sixteen differ between
# terminals.  Board colours are middle tones: black, white, and both pegs must be visible on them.
_STYLES = {  # light ground, dark ground, marks, brackets
    "felt": ("48;5;29", "48;5;29", "38;5;230", "38;5;220"),
    "check": ("48;5;137", "48;5;94", "38;5;195", "38;5;220"),
    "wood": ("48;5;137", "48;5;137", "38;5;17", "38;5;52"),
    "sand": ("48;5;180", "48;5;180", "38;5;18", "38;5;88"),
}
_SIDES = {
    "b": "38;5;16", "w": "38;5;231", "r": "38;5;124", "y": "38;5;226", "g": "38;5;22",
    "u": "38;5;18", "o": "38;5;202", "p": "38;5;54", "n": "38;5;250",
}  # fmt: skip
_PEG_BLUE = "38;5;19"
_FAINT = {"felt": "38;5;108", "check": "38;5;236", "wood": "38;5;237", "sand": "38;5;240"}
# Off the board the background is the terminal's own, so these hues must be visible on any.
_ACCENTS = {
    "r": "38;5;167", "y": "38;5;136", "g": "38;5;28", "u": "38;5;33", "o": "38;5;166",
    "p": "38;5;134",
}  # fmt: skip
_BOLD, _DIM, _AMBER = "1", "2", "38;5;172"

Segment = tuple[str, str]  # text, SGR parameters
StyledLine = list[Segment]


def supports_unicode(stream: TextIO) -> bool:
    """Whether the stream's encoding has the signs of the board."""
    encoding = getattr(stream, "encoding", None)
    if encoding is None:  # an in-memory stream holds any character
        return True
    try:
        "●○·⚑".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def supports_colour(stream: TextIO) -> bool:
    """Whether to write colours to the stream: it is a terminal, and no variable forbids them.

    An empty NO_COLOR forbids nothing (https://no-color.org).
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # no isatty, or a closed stream
        return False


def render(
    view: View,
    *,
    colour: bool,
    unicode: bool = True,
) -> str:
    """The picture as lines of text, without a final newline.

    ``unicode=False`` writes ASCII only.
    """
    picture = _Picture(view, _UNICODE if unicode else _ASCII)
    return "\n".join(_to_text(line, colour) for line in picture.lines())


def _side_signs(view: View, signs: _Signs) -> dict[str, str]:
    """The sign of each side: black is dark and white is light, otherwise the first is dark."""
    sides = list(view.sides)
    if not sides:
        return {"b": signs.dark, "w": signs.light, "r": signs.light}
    if sides[-1] == "b" or sides[0] == "w":
        sides.reverse()
    return dict(zip(sides, (signs.dark, signs.light), strict=False))


def _lowercase_side(view: View) -> str:
    """The side whose letters are lowercase: Black, or the second side."""
    first, second = list(view.sides)[:2] if len(view.sides) > 1 else ("w", "b")
    return first if first == "b" or second == "w" else second


def _to_text(line: StyledLine, colour: bool) -> str:
    if not colour:
        return "".join(text for text, _ in line).rstrip()
    return "".join(f"\x1b[{style}m{text}\x1b[0m" if style else text for text, style in line)


def _ascii(text: str) -> str:
    spelled = "".join(_SPELLED.get(character, character) for character in text)
    return spelled.encode("ascii", "replace").decode("ascii")


def _clean(text: str) -> str:
    """One line without control characters: a name must not control the terminal."""
    characters = (" " if c.isspace() else c for c in text)
    return "".join(c for c in characters if unicodedata.category(c)[0] != "C").strip()


def width(text: str) -> int:
    """How many terminal columns a text takes."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _right_aligned(text: str, room: int) -> str:
    return " " * (room - width(text)) + text


def _number(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    return str(int(value)) if value == int(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def _percent(share: float) -> str:
    share = min(1.0, share) if share > 0 else 0.0  # NaN counts as 0
    return f"{100 * share:.0f}%"


class _Picture:
    def __init__(self, view: View, signs: _Signs) -> None:
        self.view = view
        self.signs = signs
        self.sides = _side_signs(view, signs)
        self.lowercase = _lowercase_side(view)
        self.where = checked_places(view)
        self.pegs = has_pegs(view)

    def lines(self) -> list[StyledLine]:
        # As in the SVG, the first player's hand is below the board.
        below, above = self.view.hands[:1], self.view.hands[1:]
        lines = [self._header()]
        lines += [self._hand(hand) for hand in reversed(above)]
        lines += [[], *self._board(), []]
        lines += [self._hand(hand) for hand in below]
        lines += self._flag()
        lines += [self._legend(), *self._notes(), *self._sentences()]
        return lines

    def _text(self, text: str) -> str:
        """A text of the View, cleaned and in ASCII if need be; this comes before alignment."""
        return _clean(text) if self.signs is _UNICODE else _ascii(_clean(text))

    def _name(self, colour: str) -> str:
        return self._text(side_name(self.view, colour))

    def _sign(self, colour: str) -> str:
        return self.sides.get(colour) or self._text(colour) or "?"

    def _ink(self, colour: str) -> str:
        """The colour of a side's pieces on the board."""
        return _PEG_BLUE if self.pegs and colour == "b" else _SIDES.get(colour, "")

    def _accent(self, colour: str) -> str:
        """The colour of a side off the board."""
        return _ACCENTS["u"] if self.pegs and colour == "b" else _ACCENTS.get(colour, "")

    def _header(self) -> StyledLine:
        turn = self.view.turn
        line: StyledLine = [(self._text(self.view.title), _BOLD), ("   ", "")]
        if self.view.over:
            line.append(("Game over", ""))
        else:
            if turn.colour and not self._has_letters():
                line += [(self._sign(turn.colour), self._accent(turn.colour)), (" ", "")]
            line.append((f"{self._text(turn.name)} to move", ""))
        for colour, value in self.view.score.items():
            side = self._name(colour) if self._has_letters() else self._sign(colour)
            line += [("   ", ""), (side, self._accent(colour)), (f" {_number(value)}", "")]
        return line

    def _has_letters(self) -> bool:
        return any(p.kind not in _ROUND for p in self.view.pieces)

    def _hand(self, hand: Hand) -> StyledLine:
        sign, accent = self._sign(hand.colour), self._accent(hand.colour)
        label = f" {self._name(hand.colour)}: {hand.count} in hand  "
        line: StyledLine = [(sign, accent), (label, "")]
        slots = max(hand.of, hand.count)
        if 0 < slots <= _MAX_SLOTS:
            line += [(sign * hand.count, accent), (self.signs.slot * (slots - hand.count), _DIM)]
        return line

    def _flag(self) -> list[StyledLine]:
        flag = self.view.flag
        if flag is None:
            return []
        label = f"{self.signs.flag} {self._name(flag.colour)}: {self._text(flag.text)}"
        return [[(label, f"{_BOLD};{_AMBER}")]]

    def _board(self) -> list[StyledLine]:
        board = self.view.board
        rows, heads = list(map(self._text, board.rows)), list(map(self._text, board.columns))
        cells = self._cells()
        room = max(width(text) for text in [*heads, *(text for text, _ in cells.values())])
        margin = max(map(width, rows))
        lines: list[StyledLine] = []
        for j, row in enumerate(board.rows):
            line: StyledLine = [(f" {_right_aligned(rows[j], margin)} ", _DIM)]
            for i, column in enumerate(board.columns):
                dark = (i + len(rows) - 1 - j) % 2 == 0  # as at the bottom left of a chessboard
                line += self._cell(column + row, cells[column + row], room, dark)
            lines.append(line)
        labels = "".join(f" {_right_aligned(head, room)} " for head in heads)
        return [*lines, [(" " * (margin + 2) + labels, _DIM)]]

    def _cell(self, name: str, cell: Segment, room: int, dark: bool) -> StyledLine:
        """One place: its content between brackets or spaces."""
        light, second, _, bright = _STYLES[self.view.board.style]
        ground = second if dark else light
        text, style = cell
        left, right = self._brackets(name)
        edge = f"{ground};{_BOLD};{bright}" if left != " " else ground
        # The bracket is next to the content, however wide the widest cell is.
        return [
            (" " * (room - width(text)), ground),
            (left, edge),
            (text, f"{ground};{style}" if style else ground),
            (right, edge),
        ]

    def _brackets(self, name: str) -> tuple[str, str]:
        if name in self.view.last:
            return "[", "]"
        if any(m.kind == "ring" and m.at == name for m in self.view.marks):
            return "(", ")"
        return " ", " "

    def _cells(self) -> dict[str, Segment]:
        """The content and style of each place, before alignment."""
        cells: dict[str, Segment] = {}
        for name in self.where:
            sign = self.signs.star if name in self.view.board.stars else self.signs.empty
            cells[name] = (sign, _FAINT[self.view.board.style])
        occupied = set()
        for piece in self.view.pieces:
            cells[piece.at] = (self._piece(piece), f"{_BOLD};{self._ink(piece.colour)}")
            occupied.add(piece.at)
        for mark in self.view.marks:
            self._add_mark(cells, mark, mark.at in occupied)
        return cells

    def _piece(self, piece: Piece) -> str:
        if piece.kind in _ROUND:
            sign = self._sign(piece.colour)
        else:
            letter = self._text(piece.kind) or "?"
            sign = letter.lower() if piece.colour == self.lowercase else letter
        if piece.weight < 1:
            return sign + (self._text(piece.text) or "?")
        return sign

    def _add_mark(self, cells: dict[str, Segment], mark: Mark, occupied: bool) -> None:
        sign = "" if mark.text is None else self._text(str(mark.text))
        if not sign or mark.kind != "num":
            sign = {"dot": "*", "cross": "x", "num": "*"}.get(mark.kind, "") + sign
        if not sign:
            return
        if occupied:
            text, style = cells[mark.at]
            cells[mark.at] = (text + sign, style)
        else:
            ink = _STYLES[self.view.board.style][2]
            cells[mark.at] = (sign, f"{_BOLD};{ink}")

    def _legend(self) -> StyledLine:
        """What the signs in this picture mean."""
        view, entries = self.view, []
        if self._has_letters():
            uppercase = next((c for c in self.view.sides if c != self.lowercase), "w")
            entries += [f"A-Z {self._name(uppercase)}", f"a-z {self._name(self.lowercase)}"]
        else:
            entries += [f"{self._sign(c)} {self._name(c)}" for c in self._colours()]
        if any(p.weight < 1 for p in view.pieces):
            entries.append(f"{self.signs.dark}5 one place of pair 5")
        if view.last:
            entries.append("[ ] last move")
        if any(m.kind == "dot" for m in view.marks):
            entries.append("* legal")
        return [("  ".join(entries), _DIM)]

    def _colours(self) -> list[str]:
        """The sides in the order of the View, then other colours of pieces and hands."""
        sides = list(self.view.sides) or ["b", "r" if self.pegs else "w"]
        seen = {p.colour for p in self.view.pieces} | {h.colour for h in self.view.hands}
        return [*sides, *sorted(seen - set(sides))]

    def _notes(self) -> list[StyledLine]:
        """What the SVG draws across the board, in words: links, arrows, heat and buttons."""
        view = self.view
        pairs = [f"{self._text(x.number)} {self._joined(x)}" for x in view.links]
        moves = [self._candidate(a) for a in sorted(view.arrows, key=lambda a: not a.best)]
        hottest = sorted(view.heat.items(), key=lambda item: (-item[1], item[0]))[:_HEAT_ENTRIES]
        heat = [f"{self._text(name)} {_percent(share)}" for name, share in hottest]
        also = [self._text(button.label) for button in view.actions]
        notes = (("Pairs", pairs), ("Candidates", moves), ("Heat", heat), ("Also", also))
        return [_note(title, entries) for title, entries in notes if entries]

    def _joined(self, pair: Link | Arrow) -> str:
        return f"{self._text(pair.a)}-{self._text(pair.b)}"

    def _candidate(self, arrow: Arrow) -> str:
        share = self._text(arrow.text) or _percent(arrow.share)
        return f"{self._joined(arrow)} {share}{' (best)' if arrow.best else ''}"

    def _sentences(self) -> list[StyledLine]:
        view = self.view
        remark = "" if view.say == view.over else view.say
        sentences = [(view.formula, ""), (view.over, _BOLD), (remark, "")]
        return [[(self._text(text), style)] for text, style in sentences if text]


def _note(title: str, entries: Iterable[str]) -> StyledLine:
    return [(f"{title}: " + ", ".join(entries), "")]
