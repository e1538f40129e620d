"""Counting, certified for every bound on 64 literals: see ``tests/support/proofs/counting.py``."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from tests.support.proofs.counting import enough_refused, is_refuted, too_few

_COUNT, _AT_ONCE = 64, 8


def _bounds(bounds: range) -> str:
    start = time.perf_counter()
    for bound in bounds:
        assert is_refuted(too_few(_COUNT, bound)), f"fewer than {bound} pass"
        assert is_refuted(enough_refused(_COUNT, bound)), f"{bound} or more are refused"
    return f"{2 * len(bounds)} proofs verified in {time.perf_counter() - start:.0f} s"


def pieces() -> dict[str, Callable[[], str]]:
    groups = [range(first, first + _AT_ONCE) for first in range(1, _COUNT, _AT_ONCE)]
    return {
        f"at least {group[0]} to {group[-1]} of {_COUNT}": partial(_bounds, group)
        for group in groups
    }
