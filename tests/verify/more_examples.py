"""Tests of ``make test`` that try far more, as ``PLAYPROOF_EXAMPLES`` tells them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial

from tests.support.paths import ROOT, TESTS

FACTORS = {
    "conformance/test_every_game.py": 50,
    "conformance/test_every_symmetry.py": 50,
    "conformance/test_every_batch.py": 50,
    "web/static/board/test_same_picture.py": 8,
}
_SLOW = re.compile(r"\bmark\.slow\b")
_IMPORT = re.compile(r"^from ([\w.]+) import", re.MULTILINE)


def _run(tests: str, factor: int, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", f"tests/{tests}", *options],
        cwd=ROOT,
        env={**os.environ, "PLAYPROOF_EXAMPLES": str(factor)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return str(done.stdout.strip().splitlines()[-1])


def _longer() -> list[str]:
    """The tests that try far more under any factor: those that import `tests/support/longer.py`,
    near or far."""
    texts = {file: file.read_text("utf-8") for file in TESTS.rglob("*.py")}
    imports = {file: set(_IMPORT.findall(text)) for file, text in texts.items()}
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in texts}
    known = {"tests.support.longer"}
    while more := {n for n, file in names.items() if imports[file] & known} - known:
        known |= more
    found = (names[name] for name in known if names[name].name.startswith("test_"))
    return sorted({str(file.relative_to(TESTS)) for file in found} - FACTORS.keys())


def pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, factor) for tests, factor in FACTORS.items()}


def longer_pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, 2) for tests in _longer()}


def slow_pieces() -> dict[str, Callable[[], str]]:
    """The tests that `make test` leaves out, file by file."""
    files = (file for file in TESTS.rglob("test_*.py") if _SLOW.search(file.read_text("utf-8")))
    names = sorted(str(file.relative_to(TESTS)) for file in files)
    return {tests: partial(_run, tests, 1, "-m", "slow") for tests in names}
