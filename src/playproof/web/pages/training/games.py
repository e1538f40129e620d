"""Reads the games of a run's evaluations from ``games.jsonl``: lists them, and finds one.

A run may have a hundred thousand, so the start of each line is cached, and only what was added
since is read.
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
_CACHED = 16  # runs whose lines are cached
_CHUNK = 2**20  # bytes read at once
_TAIL = 256  # last bytes read, by which a file that was replaced is recognised


class _Lines:
    """The positions of the complete lines of a file."""

    def __init__(self) -> None:
        self.starts = array("q", [0])  # of every line, and the end of the last one
        self._tail = b""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def read_new(self, file: BufferedReader) -> None:
        """Index the lines that were added, or all lines again if the file was replaced."""
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
        start, end = self.starts[number], self.starts[number + 1]
        file.seek(start)
        return file.read(end - start)


class EvaluationGameFiles:
    """The games of several runs by folder; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cache: OrderedDict[Path, _Lines] = OrderedDict()

    def list_games(
        self, folder: Path, before: int | None = None, count: int = PAGE
    ) -> dict[str, Any]:
        """The latest games whose numbers are below ``before``, as ``EvaluationGames``."""
        games: list[dict[str, Any]] = []
        lines = _Lines()
        try:
            with self._lock, _opened(folder) as file:
                lines = self._lines(folder, file)
                end = len(lines) if before is None else min(before, len(lines))
                numbers = range(end - 1, max(-1, end - 1 - count), -1)
                texts = [(number, lines.line(file, number)) for number in numbers]
        except OSError:  # no game has been played yet
            return {"games": [], "of": 0}
        for number, text in texts:
            headline = _headline(text)
            if headline is not None:
                games.append({"number": number, **headline})
        return {"games": games, "of": len(lines)}

    def game(self, folder: Path, number: int) -> Record:
        """One game by its number; a Refusal if there is none."""
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
        lines = self._cache.pop(folder, None) or _Lines()
        lines.read_new(file)
        self._cache[folder] = lines
        while len(self._cache) > _CACHED:
            self._cache.popitem(last=False)
        return lines


def _opened(folder: Path) -> BufferedReader:
    return (folder / "games.jsonl").open("rb")


def _headline(line: bytes) -> dict[str, Any] | None:
    """A game as the list shows it; None for a damaged line."""
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
