"""The games of a run's evaluations, as ``games.jsonl`` has them: listed, and one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError
from playproof.formats.record import Record
from playproof.web.messages import Refusal

PAGE = 40


def listed(folder: Path, before: int | None = None, count: int = PAGE) -> dict[str, Any]:
    """The latest first: {"games", "of"}; of those whose number is below ``before``."""
    lines = _lines(folder)
    end = len(lines) if before is None else min(before, len(lines))
    found = []
    for number in range(end - 1, max(-1, end - 1 - count), -1):
        facts = _facts(lines[number])
        if facts is not None:
            found.append({"number": number, **facts})
    return {"games": found, "of": len(lines)}


def game(folder: Path, number: int) -> Record:
    lines = _lines(folder)
    if not 0 <= number < len(lines):
        raise Refusal("gone", f"there is no game {number} of this run")
    try:
        return Record.from_json(lines[number].decode("utf-8", "replace"))
    except PlayproofError as error:
        raise Refusal("gone", f"this game can no longer be read: {error}") from None


def _lines(folder: Path) -> list[bytes]:
    """Whole lines alone: the last may be being written."""
    try:
        return (folder / "games.jsonl").read_bytes().split(b"\n")[:-1]
    except OSError:
        return []


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
