"""Things that version 0.1 made, and the names of fields in what is stored."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.paths import TESTS

MADE = TESTS / "compatibility" / "made_by_0_1"
ANNA = "/home/anna"  # where the old version is said to have worked


def json_of(file: Path) -> Any:
    return json.loads(file.read_text("utf-8"))


def lines_of(file: Path) -> list[Any]:
    """The objects of a file with one a line."""
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def names(data: Any) -> set[str]:
    """Every field of something in JSON, by its path: ``seats[].kind``."""
    return set(_names(data, ""))


def _names(data: Any, path: str) -> Iterator[str]:
    if isinstance(data, dict):
        for name, value in data.items():
            yield f"{path}.{name}".lstrip(".")
            yield from _names(value, f"{path}.{name}")
    elif isinstance(data, list):
        for value in data:
            yield from _names(value, f"{path}[]")


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def rows(database: Path, question: str) -> list[Any]:
    with closing(sqlite3.connect(database)) as base:
        return base.execute(question).fetchall()


def schema(database: Path) -> set[tuple[str, ...]]:
    """Version, tables and columns of a database."""
    tables = rows(database, "SELECT name FROM sqlite_master WHERE type = 'table'")
    columns = {
        (name, *map(str, column[1:]))
        for (name,) in tables
        for column in rows(database, f"PRAGMA table_info({name})")
    }
    marks = [rows(database, f"PRAGMA {mark}")[0][0] for mark in ("application_id", "user_version")]
    return {("marks", *map(str, marks)), *columns}


def rounded(data: Any) -> Any:
    """The same with floats of six digits, which every processor computes alike."""
    if isinstance(data, dict):
        return {name: rounded(value) for name, value in data.items()}
    if isinstance(data, list):
        return [rounded(value) for value in data]
    return float(f"{data:.6g}") if isinstance(data, float) else data
