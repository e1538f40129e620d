"""The colours of the SVG pictures: the card by theme, the board by style, pieces by side.

Boards and pieces have the same colours in both themes; only the card around them
changes.
"""

from __future__ import annotations

from dataclasses import dataclass

FONT = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif"

BLUE = "#0a6ebd"  # what the reader may choose
RED = "#c8401a"  # what is removed
AMBER = "#e69f00"  # the last move, and flags
AMBER_INK = "#1c1600"
UMBER = "#7d4a00"  # a darker amber
NAVY = "#0b3d66"
PALE = "#f0f6f3"
WHITE = "#ffffff"
INK = "#1c1f23"
SLATE = "#56616b"
VIOLET = "#7a2a8c"
CREAM = "#fbe9a0"
SWATCH = "#9aa3ab"  # middle grey, on which black and white are both visible


@dataclass(frozen=True)
class Paper:
    """The colours of the card: background, edge, text, muted text, labels, raised parts."""

    card: str
    edge: str
    text: str
    quiet: str
    label: str
    raised: str


PAPERS = {
    "light": Paper("#ffffff", "#e0e3e6", "#1c2126", "#56616b", "#5a5e62", "#eef1f4"),
    "dark": Paper("#1d2226", "#343b41", "#e9ecee", "#a7b1ba", "#b0b3b6", "#2a3137"),
}


@dataclass(frozen=True)
class Ground:
    """The colours of a board: fill, second fill (dark squares, pits), lines, frame, heat,
    brackets of the last move, and ``tints`` of its light and dark squares."""

    fill: str
    second: str
    line: str
    frame: str
    heat: str
    last: str = AMBER
    tints: tuple[str, str] | None = None


GROUNDS = {
    "felt": Ground("#2f7f5c", "#2a7453", "#1b5a40", "#173f2f", CREAM),
    "check": Ground(
        "#efe2cb", "#b48d67", "#5b4532", "#5b4532", VIOLET, UMBER, ("#ebc77a", "#c8943d")
    ),
    "wood": Ground("#e4c082", "#d5ae6c", "#6b5027", "#a37c3f", VIOLET),
    "sand": Ground("#dfc594", "#b58f58", "#8d6b3b", "#8d6b3b", VIOLET),
}
PIT_SHADE = "#9f7b47"


@dataclass(frozen=True)
class Tone:
    """The colours of one side's pieces: fill, edge, inner detail, and text on them.

    With ``core`` the detail is a filled dot instead of a ring, so that two sides of about
    equal brightness differ without colour.
    """

    fill: str
    edge: str
    detail: str
    ink: str
    core: bool = False


_BLACK = Tone("#1c1f23", "#000000", "#565d66", "#ffffff")
_WHITE = Tone("#faf8f2", "#6f6a60", "#cfc9ba", "#1c1f23")
# Black and white are visible on every board.  The other colours need their dark edge, whose
# contrast is at least 3 to 1 (WCAG's limit for non-text).
_TONES = {
    "b": _BLACK,
    "w": _WHITE,
    "r": Tone("#c8381f", "#1f0602", "#fbe6dc", "#ffffff", core=True),
    "y": Tone("#ffd93a", "#1f1900", "#8a6a00", "#1c1600", core=True),
    "g": Tone("#45a85a", "#07170b", "#123d1b", "#101a12"),
    "u": Tone("#1f5fb4", "#041226", "#bcd8f5", "#ffffff"),
    "o": Tone("#ee8419", "#1f0e02", "#5c2c00", "#1c1206", core=True),
    "p": Tone("#53297a", "#14061f", "#dfc8f2", "#ffffff", core=True),
    "n": Tone("#8b939a", "#0e1113", "#d5dade", "#14171a"),
}
_PEGS = {
    "b": Tone("#1c5794", "#0e3560", "#9cc4ea", "#ffffff"),
    "r": Tone("#d2492f", "#84240f", "#fbe6dc", "#ffffff", core=True),
}


def tone(colour: str, pegs: bool) -> Tone:
    """The colours of side ``colour``: "b" is Blue among pegs and Black elsewhere."""
    if pegs and colour in _PEGS:
        return _PEGS[colour]
    return _TONES.get(colour, _TONES["n"])
