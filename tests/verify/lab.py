"""The lab under load, through a long day, killed, and installed from its wheel."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.support.installed import environments
from tests.support.installed.building import LARGEST, build
from tests.support.web.load import hostile, killing, loading, soaking
from tests.support.web.protocol.fuzzing import Kind, fuzz, given, taken

SOAK_MINUTES = "PLAYPROOF_SOAK_MINUTES"  # set by --minutes

Pieces = dict[str, Callable[[], str]]


def load() -> Pieces:
    def crowd() -> str:
        found = loading.run(50, 120.0)
        found.check()
        assert found.share(0.5) < loading.QUICK, f"half of the moves took {found.share(0.5):.2f} s"
        return found.told()

    def freeze() -> str:
        return _besieged(["export", "goto"], 20.0, one=True)

    def engines() -> str:
        return _besieged(["engine"] * 45, 20.0, sockets=1)

    def guests() -> str:
        kinds = [hostile.KINDS[n % len(hostile.KINDS)] for n in range(20)]
        return _besieged(kinds, 60.0, sockets=8)

    return {
        "200 clients in 50 games for 2 minutes": crowd,
        "one guest with 40 connections": freeze,
        "45 guests who want engines": engines,
        "20 hostile guests for a minute": guests,
    }


def _besieged(kinds: list[str], seconds: float, *, sockets: int = 20, one: bool = False) -> str:
    with tempfile.TemporaryDirectory() as folder:
        siege = hostile.run(kinds, seconds, folder=Path(folder) / "lab", sockets=sockets, one=one)
    siege.check()
    return siege.summary()


def protocol() -> Pieces:
    def piece(kind: Kind) -> Callable[[], str]:
        return lambda: fuzz(kind, 10_000)

    return {f"10,000 of {kind.__name__}": piece(kind) for kind in [*taken(), *given()]}


def soak() -> Pieces:
    minutes = float(os.environ.get(SOAK_MINUTES, "60"))

    def day() -> str:
        found = soaking.run(minutes)
        found.check()
        return found.told()

    return {f"a day in {minutes:g} minutes": day}


def kills() -> Pieces:
    def twenty() -> str:
        return killing.run(20, 1, longest=6.0, iterations=12, games=400).told()

    return {"20 kills, with a proof, a training run and a tournament": twenty}


def wheel() -> Pieces:
    return {
        "built and served without a network": _borrowed,
        "installed from the package index": _fetched,
    }


def _borrowed() -> str:
    """What it needs is taken from here; all is compiled, so every address answers."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        made = build(home / "dist", isolated=False)
        return _visited(home, made, environments.borrowed(home / "environment", made))


def _fetched() -> str:
    """As a new user does it: an isolated build, an empty environment, pip."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        try:
            made = build(home / "dist")
            python = environments.fetched(home / "environment", made)
        except subprocess.CalledProcessError as error:
            raise AssertionError(f"pip failed, which needs the package index: {error}") from None
        return _visited(home, made, python)


def _visited(home: Path, made: Path, python: Path) -> str:
    size = made.stat().st_size
    assert size < LARGEST, f"the wheel has {size / 1e6:.1f} MB"
    found = environments.visit(python, made, home / "home", specs=["net:choko-ppo-v1"])
    wrong = found["wrong_files"] + found["wrong_links"] + found["wrong_answers"]
    assert not wrong, f"not served: {wrong}"
    assert [len(moves) for moves in found["moves"]] == [2, 2], found["moves"]
    assert found["ended"] == 0, f"it ended with {found['ended']}"
    network = "without a network" if found["offline"] else "with a network"
    return (
        f"{size / 1e6:.1f} MB; {found['files']} files and {found['addresses']} addresses served "
        f"{network}, a move of Othello and one against a network played"
    )
