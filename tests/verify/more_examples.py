"""Tests of ``make test`` that try far more, as ``PLAYPROOF_EXAMPLES`` tells them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FACTORS = {
    "conformance/test_every_game.py": 50,
    "conformance/test_every_symmetry.py": 50,
    "conformance/test_every_batch.py": 50,
    "web/board/test_same_picture.py": 8,
}
# Those that try far more under any factor (tests/longer.py).
LONGER = (
    "formats/test_pgn_stream.py",
    "learning/test_dql.py",
    "proofs/test_checker.py",
    "rules/test_oracles.py",
    "rules/test_read_choko.py",
    "rules/test_read_othello.py",
    "search/test_othello_endgame.py",
    "tables/test_choko_cuda.py",
    "tables/test_small_boards.py",
    "tables/test_table_files.py",
)


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
    return str(done.stdout.strip().splitlines()[-1])


def pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, factor) for tests, factor in FACTORS.items()}


def longer_pieces() -> dict[str, Callable[[], str]]:
    return {tests: partial(_run, tests, 2) for tests in LONGER}
