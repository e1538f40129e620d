"""How much a test tries: a sample in `make test`, far more in `make verify`."""

from __future__ import annotations

import os
from typing import TypeVar

Much = TypeVar("Much")

FACTOR = int(os.environ.get("PLAYPROOF_EXAMPLES", "1"))  # `make verify` sets it


def longer(quick: Much, long: Much) -> Much:
    """``long`` under `make verify`, ``quick`` otherwise."""
    return quick if FACTOR == 1 else long
