"""A tournament that is killed again and again, and goes on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.cli.running import SOURCES, command, environment
from tests.support.paths import ROOT

FOUR = ("random", "greedy", "alphabeta:depth=2", "mcts:simulations=25")


def arguments(players: tuple[str, ...], games: int, file: Path, game: str = "choko") -> list[str]:
    return [
        "tournament", game, *players, "--games", str(games), "--file", str(file),
        "--seed", "11", "--json",
    ]  # fmt: skip


def begin(
    players: tuple[str, ...], games: int, file: Path, *more: str, **variables: str
) -> subprocess.Popen[str]:
    return _start(command(*arguments(players, games, file), *more), **variables)


def begin_alone(words: list[str], *, killed: int = 0) -> subprocess.Popen[str]:
    """A command in one process, its players with it; ``killed``: see ``players_here``."""
    folders = os.pathsep.join([str(SOURCES), str(ROOT)])
    return _start(
        [sys.executable, "-m", "tests.support.arena.players_here", str(killed), *words],
        PYTHONPATH=folders,
    )


def _start(words: list[str], **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        words,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def table(process: subprocess.Popen[str], seconds: float) -> dict[str, Any]:
    """What the process prints at its end."""
    out, err = process.communicate(timeout=seconds)
    assert process.returncode == 0, err
    return table_of(out)


def table_of(printed: str) -> dict[str, Any]:
    """The table, without what was there before the command: that differs after a kill."""
    found = json.loads(printed)
    del found["reuse"]
    return found  # type: ignore[no-any-return]


def left_alone(
    players: tuple[str, ...],
    games: int,
    folder: Path,
    *more: str,
    seconds: float = 1800.0,
    **variables: str,
) -> dict[str, Any]:
    return table(begin(players, games, folder / "alone.sqlite", *more, **variables), seconds)


def killed_and_resumed(
    players: tuple[str, ...],
    games: int,
    kills: int,
    folder: Path,
    *more: str,
    seconds: float = 1800.0,
) -> dict[str, Any]:
    """Killed at ``kills`` moments, spread over the games; then run to its end."""
    file = folder / "killed.sqlite"
    pairings = len(players) * (len(players) - 1) // 2
    for kill in range(kills):
        process = begin(players, games, file, *more)
        wanted = games * pairings * (kill + 1) // (kills + 1)
        end = time.monotonic() + seconds
        while kept(file) < wanted:
            assert process.poll() is None, "it was done before it could be killed"
            assert time.monotonic() < end, f"{kept(file)} games in {seconds} s"
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert kept(file) < games * pairings, "killed too late to show anything"
    return table(begin(players, games, file, *more), seconds)


def kept(file: Path) -> int:
    """Games in the file so far; an open file is read as anyone may read it."""
    if not file.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10.0) as db:
            return int(db.execute("SELECT count(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:  # not set up yet
        return 0


def is_sound(file: Path) -> bool:
    with sqlite3.connect(file) as db:
        return bool(db.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
