"""Tests of ``make test`` with many more examples, by ``PLAYPROOF_EXAMPLES``."""

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
    """The tests that import `tests/support/longer.py`, directly or not."""
    texts = {file: file.read_text("utf-8") for file in TESTS.rglob("*.py")}
    imports = {file: set(_IMPORT.findall(text)) for file, text in texts.items()}
    names = {".".join(file.relative_to(ROOT).with_suffix("").parts): file for file in texts}
    longer_modules = {"tests.support.longer"}
    while (
        more := {n for n, file in names.items() if imports[file] & longer_modules} - longer_modules
    ):
        longer_modules |= more
    files = (names[name] for name in longer_modules if names[name].name.startswith("test_"))
    return sorted({str(file.relative_to(TESTS)) for file in files} - FACTORS.keys())


def pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, factor) for tests, factor in FACTORS.items()}


def longer_pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, 2) for tests in _longer()}


def slow_pieces() -> dict[str, Callable[[], str]]:
    """The slow tests, which `make test` leaves out, by file."""
    files = (file for file in TESTS.rglob("test_*.py") if _SLOW.search(file.read_text("utf-8")))
    names = sorted(str(file.relative_to(TESTS)) for file in files)
    return {tests: partial(_run, tests, 1, "-m", "slow") for tests in names}
