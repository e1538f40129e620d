"""Settings of small runs of distillation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from playproof.learning.algorithms.distillation.settings import DistillationSettings


def settings(folder: Path, **changes: Any) -> DistillationSettings:
    """Those of a run that learns from the tables in ``folder``."""
    tiny = DistillationSettings(
        tables=str(folder), blocks=1, filters=8, policy_rank=2, steps=3, batch=32, block=64,
        iterations=4, evaluation_positions=96, player="none", yardstick_positions=60,
    )  # fmt: skip
    return replace(tiny, **changes)
