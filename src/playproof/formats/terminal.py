"""A View for the terminal: aligned text, with colours where the stream has them.

Colour only repeats what the characters say: without it the picture is the same
text.  On the board ``●`` is the first or the black side and ``○`` the other (the
legend names them), chess letters are capitals for White, ``●5`` is half of the pair 5,
``[ ]`` encloses the last move, ``( )`` a ring; ``*`` and ``x`` are a dot and a
cross, and stand after a piece that they mark.
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
_MOST_SLOTS = 20  # a hand with more is told in words alone
_HOTTEST = 5  # how many entries of the heat are told


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
# The few signs that names and formulas are likely to hold; others become "?".
_SPELLED = {"\u2013": "-", "\u2014": "-", "\u2019": "'", "\u00d7": "x", "…": "..."}
_SPELLED |= {"ψ": "psi", "⟩": ">", "⊗": "(x)", "√": "sqrt"}

# Colours as SGR parameters: of 256, because the sixteen differ from one terminal to the next.
# Grounds are middle tones: black, white, and both pegs must show on them.
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
# Off the board the ground is the terminal's own: only hues that show on any of them.
_ACCENTS = {
    "r": "38;5;167", "y": "38;5;136", "g": "38;5;28", "u": "38;5;33", "o": "38;5;166",
    "p": "38;5;134",
}  # fmt: skip
_BOLD, _DIM, _AMBER = "1", "2", "38;5;172"

Segment = tuple[str, str]  # text, SGR parameters
Line = list[Segment]


def wants_unicode(stream: TextIO) -> bool:
    """Whether the stream can show the signs of the board."""
    encoding = getattr(stream, "encoding", None)
    if encoding is None:  # text kept in memory takes every sign
        return True
    try:
        "●○·⚑".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def wants_colour(stream: TextIO) -> bool:
    """Whether to colour what is written there: a terminal, and nobody said no.

    An empty NO_COLOR does not count (https://no-color.org).
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # not quite a stream, or a closed one
        return False


def render(
    view: View,
    *,
    colour: bool,
    unicode: bool = True,
) -> str:
    """The picture as lines of text, without a newline at the end.

    ``unicode=False`` writes ASCII alone.
    """
    picture = _Picture(view, _UNICODE if unicode else _ASCII)
    return "\n".join(_written(line, colour) for line in picture.lines())


def _side_signs(view: View, signs: _Signs) -> dict[str, str]:
    """The sign of each side: black is dark and white is light, else the first one is dark."""
    sides = list(view.sides)
    if not sides:
        return {"b": signs.dark, "w": signs.light, "r": signs.light}
    if sides[-1] == "b" or sides[0] == "w":
        sides.reverse()
    return dict(zip(sides, (signs.dark, signs.light), strict=False))


def _small_side(view: View) -> str:
    """The side whose letters are small: Black's, or the second one's."""
    first, second = list(view.sides)[:2] if len(view.sides) > 1 else ("w", "b")
    return first if first == "b" or second == "w" else second


def _written(line: Line, colour: bool) -> str:
    if not colour:
        return "".join(text for text, _ in line).rstrip()
    return "".join(f"\x1b[{style}m{text}\x1b[0m" if style else text for text, style in line)


def _ascii(text: str) -> str:
    spelled = "".join(_SPELLED.get(character, character) for character in text)
    return spelled.encode("ascii", "replace").decode("ascii")


def _clean(text: str) -> str:
    """One line without control characters: a name must not steer the terminal."""
    kept = (" " if c.isspace() else c for c in text)
    return "".join(c for c in kept if unicodedata.category(c)[0] != "C").strip()


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _right(text: str, room: int) -> str:
    return " " * (room - width(text)) + text


def _number(value: float) -> str:
    if not math.isfinite(value):
        return str(value)
    return str(int(value)) if value == int(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def _percent(share: float) -> str:
    share = min(1.0, share) if share > 0 else 0.0  # not a number: nothing
    return f"{100 * share:.0f}%"


class _Picture:
    def __init__(self, view: View, signs: _Signs) -> None:
        self.view = view
        self.signs = signs
        self.sides = _side_signs(view, signs)
        self.small = _small_side(view)
        self.where = checked_places(view)
        self.pegs = has_pegs(view)

    def lines(self) -> list[Line]:
        # As in the other pictures, the first hand lies below the board.
        below, above = self.view.hands[:1], self.view.hands[1:]
        found = [self._header()]
        found += [self._hand(hand) for hand in reversed(above)]
        found += [[], *self._board(), []]
        found += [self._hand(hand) for hand in below]
        found += self._flag()
        found += [self._legend(), *self._notes(), *self._words()]
        return found

    def _text(self, text: str) -> str:
        """A text of the View as it may be shown: spelled out before anything is aligned."""
        return _clean(text) if self.signs is _UNICODE else _ascii(_clean(text))

    def _name(self, colour: str) -> str:
        return self._text(side_name(self.view, colour))

    def _sign(self, colour: str) -> str:
        return self.sides.get(colour) or self._text(colour) or "?"

    def _ink(self, colour: str) -> str:
        """A side's colour on the board."""
        return _PEG_BLUE if self.pegs and colour == "b" else _SIDES.get(colour, "")

    def _accent(self, colour: str) -> str:
        """A side's colour off the board."""
        return _ACCENTS["u"] if self.pegs and colour == "b" else _ACCENTS.get(colour, "")

    def _header(self) -> Line:
        turn = self.view.turn
        line: Line = [(self._text(self.view.title), _BOLD), ("   ", "")]
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

    def _hand(self, hand: Hand) -> Line:
        sign, accent = self._sign(hand.colour), self._accent(hand.colour)
        says = f" {self._name(hand.colour)}: {hand.count} in hand  "
        line: Line = [(sign, accent), (says, "")]
        slots = max(hand.of, hand.count)
        if 0 < slots <= _MOST_SLOTS:
            line += [(sign * hand.count, accent), (self.signs.slot * (slots - hand.count), _DIM)]
        return line

    def _flag(self) -> list[Line]:
        flag = self.view.flag
        if flag is None:
            return []
        says = f"{self.signs.flag} {self._name(flag.colour)}: {self._text(flag.text)}"
        return [[(says, f"{_BOLD};{_AMBER}")]]

    def _board(self) -> list[Line]:
        board = self.view.board
        rows, heads = list(map(self._text, board.rows)), list(map(self._text, board.columns))
        cells = self._cells()
        room = max(width(text) for text in [*heads, *(text for text, _ in cells.values())])
        margin = max(map(width, rows))
        found: list[Line] = []
        for j, row in enumerate(board.rows):
            line: Line = [(f" {_right(rows[j], margin)} ", _DIM)]
            for i, column in enumerate(board.columns):
                dark = (i + len(rows) - 1 - j) % 2 == 0  # as at the bottom left of a chessboard
                line += self._cell(column + row, cells[column + row], room, dark)
            found.append(line)
        labels = "".join(f" {_right(head, room)} " for head in heads)
        return [*found, [(" " * (margin + 2) + labels, _DIM)]]

    def _cell(self, name: str, cell: Segment, room: int, dark: bool) -> Line:
        """One place: its content between brackets, or between spaces."""
        light, second, _, bright = _STYLES[self.view.board.style]
        ground = second if dark else light
        text, style = cell
        left, right = self._brackets(name)
        edge = f"{ground};{_BOLD};{bright}" if left != " " else ground
        # The bracket leans on the content, whatever room the widest cell needs.
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
        """Each place's content and its style, before alignment."""
        shown: dict[str, Segment] = {}
        for name in self.where:
            sign = self.signs.star if name in self.view.board.stars else self.signs.empty
            shown[name] = (sign, _FAINT[self.view.board.style])
        occupied = set()
        for piece in self.view.pieces:
            shown[piece.at] = (self._piece(piece), f"{_BOLD};{self._ink(piece.colour)}")
            occupied.add(piece.at)
        for mark in self.view.marks:
            self._add_mark(shown, mark, mark.at in occupied)
        return shown

    def _piece(self, piece: Piece) -> str:
        if piece.kind in _ROUND:
            sign = self._sign(piece.colour)
        else:
            letter = self._text(piece.kind) or "?"
            sign = letter.lower() if piece.colour == self.small else letter
        if piece.weight < 1:
            return sign + (self._text(piece.text) or "?")
        return sign

    def _add_mark(self, shown: dict[str, Segment], mark: Mark, occupied: bool) -> None:
        sign = "" if mark.text is None else self._text(str(mark.text))
        if not sign or mark.kind != "num":
            sign = {"dot": "*", "cross": "x", "num": "*"}.get(mark.kind, "") + sign
        if not sign:
            return
        if occupied:
            text, style = shown[mark.at]
            shown[mark.at] = (text + sign, style)
        else:
            ink = _STYLES[self.view.board.style][2]
            shown[mark.at] = (sign, f"{_BOLD};{ink}")

    def _legend(self) -> Line:
        """What the signs mean: only those that are in the picture."""
        view, entries = self.view, []
        if self._has_letters():
            capital = next((c for c in self.view.sides if c != self.small), "w")
            entries += [f"A-Z {self._name(capital)}", f"a-z {self._name(self.small)}"]
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
        """The sides of the picture as the View has them, then what else is coloured."""
        sides = list(self.view.sides) or ["b", "r" if self.pegs else "w"]
        seen = {p.colour for p in self.view.pieces} | {h.colour for h in self.view.hands}
        return [*sides, *sorted(seen - set(sides))]

    def _notes(self) -> list[Line]:
        """What the other pictures draw across the board is told in words here."""
        view = self.view
        pairs = [f"{self._text(x.number)} {self._joined(x)}" for x in view.links]
        moves = [self._candidate(a) for a in sorted(view.arrows, key=lambda a: not a.best)]
        hottest = sorted(view.heat.items(), key=lambda item: (-item[1], item[0]))[:_HOTTEST]
        heat = [f"{self._text(name)} {_percent(share)}" for name, share in hottest]
        also = [self._text(button.label) for button in view.actions]
        told = (("Pairs", pairs), ("Candidates", moves), ("Heat", heat), ("Also", also))
        return [_note(title, entries) for title, entries in told if entries]

    def _joined(self, pair: Link | Arrow) -> str:
        return f"{self._text(pair.a)}-{self._text(pair.b)}"

    def _candidate(self, arrow: Arrow) -> str:
        share = self._text(arrow.text) or _percent(arrow.share)
        return f"{self._joined(arrow)} {share}{' (best)' if arrow.best else ''}"

    def _words(self) -> list[Line]:
        view = self.view
        said = "" if view.say == view.over else view.say
        told = [(view.formula, ""), (view.over, _BOLD), (said, "")]
        return [[(self._text(text), style)] for text, style in told if text]


def _note(title: str, entries: Iterable[str]) -> Line:
    return [(f"{title}: " + ", ".join(entries), "")]
