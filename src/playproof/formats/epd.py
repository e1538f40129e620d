"""Files of chess positions, one per line: FEN, or EPD with its operations.

EPD has the first four fields of a FEN, then operations such as
``bm Nf3; id "test 1";``.  The operations ``hmvc`` and ``fmvn`` are the halfmove
clock and the move number; all operations are kept as text.  ``#`` begins a comment.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from playproof.core.errors import DataError

_NUMBER = re.compile(r"\d{1,9}")
_OPERATION = re.compile(r'\s*([A-Za-z]\w*)\s*((?:"[^"]*"|[^";])*);')
RIGHT = "want a FEN, or its first four fields and operations such as bm Nf3;"


class EpdEntry(NamedTuple):
    """One position of a file, as FEN."""

    line: int  # from 1
    fen: str
    operations: dict[str, str]


def read(text: str, source: str = "") -> list[EpdEntry]:
    """All positions of a text; an error is a DataError with its line."""
    return [
        parse(line, number, source)
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]


def parse(text: str, line: int = 1, source: str = "") -> EpdEntry:
    """One line.  Whether its position is possible is checked later, by the game."""
    fields = text.split(maxsplit=4)
    where = f"{source}, line {line}" if source else f"line {line}"
    if len(fields) < 4 or fields[0].count("/") != 7:
        raise DataError(f"{where}: {text.strip()[:60]!r} is no position of Chess: {RIGHT}")
    rest = fields[4].partition("#")[0].strip() if len(fields) == 5 else ""
    counts = rest.split(maxsplit=2)
    if len(counts) >= 2 and _NUMBER.fullmatch(counts[0]) and _NUMBER.fullmatch(counts[1]):
        clock, number = counts[:2]
        rest = counts[2] if len(counts) == 3 else ""
        operations = _operations(rest, where)
    else:
        operations = _operations(rest, where)
        clock, number = operations.get("hmvc", "0"), operations.get("fmvn", "1")
    return EpdEntry(line, f"{' '.join(fields[:4])} {clock} {number}", operations)


def _operations(text: str, where: str) -> dict[str, str]:
    operations, at = {}, 0
    text = text if not text or text.endswith(";") else f"{text};"
    while at < len(text):
        operation = _OPERATION.match(text, at)
        if not operation:
            raise DataError(f"{where}: {text[at : at + 40]!r} is no operation of EPD: {RIGHT}")
        operations[operation[1]] = operation[2].strip()
        at = operation.end()
    return operations
