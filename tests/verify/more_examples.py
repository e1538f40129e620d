"""Tests of ``make test`` with many more random games, which they take by ``PLAYPROOF_EXAMPLES``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACTORS = {
    "conformance/test_every_game.py": 20,
    "conformance/test_every_symmetry.py": 20,
    "conformance/test_every_batch.py": 20,
    "web/board/test_same_picture.py": 4,
}


def _run(tests: str, factor: int) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", f"tests/{tests}"],
        cwd=ROOT,
        env={**os.environ, "PLAYPROOF_EXAMPLES": str(factor)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return f"{done.stdout.strip().splitlines()[-1]}, {factor} times the games"


def pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, factor) for tests, factor in FACTORS.items()}
