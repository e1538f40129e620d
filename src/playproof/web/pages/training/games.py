"""The games of a run's evaluations, as ``games.jsonl`` has them: listed, and one by one.

A run may have a hundred thousand: where each line begins is remembered, and only what
was added since is read.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections import OrderedDict
from io import BufferedReader
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.formats.record import Record
from playproof.web.protocol.refusal import Refusal

PAGE = 40
_KEPT = 16  # runs whose games are remembered
_CHUNK = 2**20  # bytes read at once
_TAIL = 256  # bytes before the end of what was read: if they differ it is another file


class _Lines:
    """Where the whole lines of a file begin; the last one may be being written."""

    def __init__(self) -> None:
        self.starts = array("q", [0])  # one more than there are lines
        self._tail = b""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def read_on(self, file: BufferedReader) -> None:
        """Take in what was added; all of it again if the file is not the one it was."""
        end = self.starts[-1]
        file.seek(max(0, end - _TAIL))
        if file.read(min(end, _TAIL)) != self._tail:
            self.starts, end = array("q", [0]), 0
            file.seek(0)
        at = end
        while chunk := file.read(_CHUNK):
            place = chunk.find(b"\n")
            while place >= 0:
                self.starts.append(at + place + 1)
                place = chunk.find(b"\n", place + 1)
            at += len(chunk)
        end = self.starts[-1]
        file.seek(max(0, end - _TAIL))
        self._tail = file.read(min(end, _TAIL))

    def line(self, file: BufferedReader, number: int) -> bytes:
        begin, end = self.starts[number], self.starts[number + 1]
        file.seek(begin)
        return file.read(end - begin)


class Games:
    """The games of several runs, by folder; may be asked from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Path, _Lines] = OrderedDict()

    def listed(self, folder: Path, before: int | None = None, count: int = PAGE) -> dict[str, Any]:
        """The latest first: {"games", "of"}; of those whose number is below ``before``."""
        found: list[dict[str, Any]] = []
        lines = _Lines()
        try:
            with self._lock, _opened(folder) as file:
                lines = self._lines(folder, file)
                end = len(lines) if before is None else min(before, len(lines))
                numbers = range(end - 1, max(-1, end - 1 - count), -1)
                texts = [(number, lines.line(file, number)) for number in numbers]
        except OSError:  # no game was played yet
            return {"games": [], "of": 0}
        for number, text in texts:
            facts = _facts(text)
            if facts is not None:
                found.append({"number": number, **facts})
        return {"games": found, "of": len(lines)}

    def game(self, folder: Path, number: int) -> Record:
        missing = Refusal("gone", f"there is no game {number} of this run")
        try:
            with self._lock, _opened(folder) as file:
                lines = self._lines(folder, file)
                if not 0 <= number < len(lines):
                    raise missing
                text = lines.line(file, number)
        except OSError:
            raise missing from None
        try:
            return Record.from_json(text.decode("utf-8", "replace"))
        except PlayproofError as error:
            raise Refusal("gone", f"this game can no longer be read: {error}") from None

    def _lines(self, folder: Path, file: BufferedReader) -> _Lines:
        lines = self._known.pop(folder, None) or _Lines()
        lines.read_on(file)
        self._known[folder] = lines
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return lines


def _opened(folder: Path) -> BufferedReader:
    return (folder / "games.jsonl").open("rb")


def _facts(line: bytes) -> dict[str, Any] | None:
    try:
        data = json.loads(line)
        return {
            "iteration": int(data["iteration"]),
            "players": [str(player) for player in data["players"]],
            "result": str(data["result"]),
            "plies": len(data["moves"]),
        }
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
