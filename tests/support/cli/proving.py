"""What the tests of the commands about proofs share."""

from __future__ import annotations

import json
from typing import Any

from playproof import make
from tests.support.cli.running import Answer

FAILED, USAGE, DATA = 1, 2, 3
FOUR = make("othello", size=4)
MOST_4X4 = 8  # moves on 4x4, reachable or not
MOST_REACHABLE_4X4 = 6
CENSUS = ("census", "othello:size=4", "--moves", "6", "--workers", "1")


def finite(answer: Answer) -> Any:
    """One line of JSON without NaN or Infinity, which are no JSON."""
    answer.json()

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} in {answer.out}")

    return json.loads(answer.out, parse_constant=refuse)


def failed(answer: Answer, code: int, *says: str) -> None:
    """One line of error and that exit code."""
    lines = [line for line in answer.err.splitlines() if line.startswith("error: ")]
    assert answer.code == code, answer.err
    assert len(lines) == 1
    assert answer.err.endswith(lines[0] + "\n")
    for text in says:
        assert text in lines[0]


def moves_of(position: str) -> int:
    return len(FOUR.position(position).legal_actions())
