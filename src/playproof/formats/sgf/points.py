"""Points and sizes of Go as SGF writes them: ``cd`` is column 3, row 4 from the top."""

from __future__ import annotations

import re
from collections.abc import Iterable

from playproof.formats.sgf.tree import Document, Node, PropertyValue
from playproof.games.go.text import Points
from playproof.rules.go_board import LARGEST, SMALLEST

_LETTERS = "abcdefghijklmnopqrs"
_SIZE = re.compile(r"(\d{1,3})(?::(\d{1,3}))?")


def write_size(width: int, height: int) -> str:
    return str(width) if width == height else f"{width}:{height}"


def read_size(document: Document, value: PropertyValue | None) -> tuple[int, int]:
    """(columns, rows); 19x19 where the file gives no size."""
    if value is None:
        return 19, 19
    match = _SIZE.fullmatch(value.raw.strip())
    width = int(match[1]) if match else 0
    height = int(match[2]) if match and match[2] else width
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise document.error(
            value.at,
            f"SZ[{value.text[:20]}] is no board: want {SMALLEST} to {LARGEST}, or two such "
            "numbers, as in 9:7",
        )
    return width, height


def write_point(points: Points, point: int) -> str:
    return _LETTERS[point % points.width] + _LETTERS[points.height - 1 - point // points.width]


def write_points(points: Points, point_numbers: Iterable[int]) -> list[str]:
    return [write_point(points, point) for point in sorted(point_numbers)]


def find_point(points: Points, text: str) -> int | None:
    """The point that two letters name; None if they name no point of the board."""
    if len(text) != 2 or not set(text) <= set(_LETTERS):
        return None
    column, row = _LETTERS.index(text[0]), points.height - 1 - _LETTERS.index(text[1])
    inside = column < points.width and row >= 0
    return row * points.width + column if inside else None


def read_point(document: Document, points: Points, text: str, at: int) -> int:
    point = find_point(points, text)
    if point is None:
        last = write_point(points, points.width - 1)
        raise document.error(at, f"[{text[:20]}] is no point of this board: want aa to {last}")
    return point


def read_point_group(document: Document, points: Points, text: str, at: int) -> tuple[int, ...]:
    """Different points joined by ``:``."""
    group = tuple(read_point(document, points, part, at) for part in text.split(":"))
    if len(set(group)) != len(group):
        raise document.error(at, f"[{text[:40]}] names a point twice")
    return group


def read_points(document: Document, points: Points, node: Node, name: str) -> set[int]:
    """The points of a list property such as ``AB``; ``aa:cc`` is a rectangle."""
    listed: set[int] = set()
    for value in node.values(name):
        first, colon, last = value.raw.partition(":")
        a = read_point(document, points, first, value.at)
        b = read_point(document, points, last, value.at) if colon else a
        columns = sorted((a % points.width, b % points.width))
        rows = sorted((a // points.width, b // points.width))
        listed |= {
            points.width * row + column
            for row in range(rows[0], rows[1] + 1)
            for column in range(columns[0], columns[1] + 1)
        }
    return listed
