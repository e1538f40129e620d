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
        result = loading.run(50, 120.0)
        result.check()
        assert result.share(0.5) < loading.QUICK, (
            f"half of the moves took {result.share(0.5):.2f} s"
        )
        return result.told()

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
        result = soaking.run(minutes)
        result.check()
        return result.told()

    return {f"a day in {minutes:g} minutes": day}


def kills() -> Pieces:
    def twenty() -> str:
        return killing.run(20, 1, longest=6.0, iterations=12, games=400).told()

    return {"20 kills, with a proof, a training run and a tournament": twenty}


def wheel() -> Pieces:
    return {
        "built and served without a network": _installed_from_here,
        "installed from the package index": _installed_by_pip,
    }


def _installed_from_here() -> str:
    """Install the wheel with this environment's packages, compiled, and visit every address."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        wheel_file = build(home / "dist", isolated=False)
        return _visit(home, wheel_file, environments.borrowed(home / "environment", wheel_file))


def _installed_by_pip() -> str:
    """Install it as a new user does: an isolated build, an empty environment, pip."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        try:
            wheel_file = build(home / "dist")
            python = environments.fetched(home / "environment", wheel_file)
        except subprocess.CalledProcessError as error:
            raise AssertionError(f"pip failed, which needs the package index: {error}") from None
        return _visit(home, wheel_file, python)


def _visit(home: Path, wheel_file: Path, python: Path) -> str:
    size = wheel_file.stat().st_size
    assert size < LARGEST, f"the wheel has {size / 1e6:.1f} MB"
    result = environments.visit(python, wheel_file, home / "home", specs=["net:choko-ppo-v1"])
    wrong = result["wrong_files"] + result["wrong_links"] + result["wrong_answers"]
    assert not wrong, f"not served: {wrong}"
    assert [len(moves) for moves in result["moves"]] == [2, 2], result["moves"]
    assert result["ended"] == 0, f"it ended with {result['ended']}"
    network = "without a network" if result["offline"] else "with a network"
    return (
        f"{size / 1e6:.1f} MB; {result['files']} files and {result['addresses']} addresses served "
        f"{network}, a move of Othello and one against a network played"
    )
