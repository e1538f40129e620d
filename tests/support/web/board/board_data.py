"""The data that Python and the page draw with, as a module for the page.

``python tests/support/web/board/board_data.py`` writes ``static/board/data.js`` again
after a change of colours, widths or shapes; a test says when it is due.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import playproof
from playproof.core.view import COLOURS
from playproof.formats.svg import chess_pieces as svg_chess
from playproof.formats.svg import pieces as svg_pieces
from playproof.formats.svg import theme as svg_theme
from playproof.formats.svg import writer as svg_write

FILE = Path(playproof.__file__).resolve().parent / "web" / "static" / "board" / "data.js"
_HEAD = """\
// Written from playproof/formats by tests/support/web/board/board_data.py, which also
// writes it again: change colours, widths and shapes there.  JSON after each sign.
"""
_COLOURS = (
    "BLUE", "RED", "AMBER", "AMBER_INK", "UMBER", "NAVY", "PALE", "WHITE", "INK", "SLATE",
    "VIOLET", "CREAM", "SWATCH",
)  # fmt: skip


def data() -> dict[str, Any]:
    """Every exported name with its value."""
    theme, chess = svg_theme, svg_chess
    return {
        "FONT": theme.FONT,
        "COLOURS": {name: getattr(theme, name) for name in _COLOURS},
        "PAPERS": {name: asdict(paper) for name, paper in theme.PAPERS.items()},
        "GROUNDS": {name: asdict(ground) for name, ground in theme.GROUNDS.items()},
        "PIT_SHADE": theme.PIT_SHADE,
        "TONES": {
            "pegs": {colour: asdict(tone) for colour, tone in theme._PEGS.items()},
            "sides": {colour: asdict(tone) for colour, tone in theme._TONES.items()},
        },
        "RADII": {"kinds": svg_pieces._RADII, "letter": svg_pieces._LETTER_RADIUS},
        "SIDE_NAMES": COLOURS,
        "WIDTHS": svg_write._WIDTHS,
        "CHESS": {
            "edge": chess._EDGE,
            "line": chess._LINE,
            "inks": {colour: ink._asdict() for colour, ink in chess._INKS.items()},
            "shapes": {kind: shape._asdict() for kind, shape in chess.SHAPES.items()},
        },
    }


def module_text() -> str:
    parts = [_HEAD]
    for name, value in data().items():
        parts.append(f"export const {name} = {json.dumps(value, indent=2, ensure_ascii=False)};\n")
    return "\n".join(parts)


if __name__ == "__main__":
    FILE.write_text(module_text(), encoding="utf-8")
