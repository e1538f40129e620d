"""The shipped tactics, for those who test them."""

from __future__ import annotations

import functools

from playproof import make
from playproof.arena.tactics.positions import Tactics, shipped
from playproof.arena.yardstick.critical import CriticalPosition

GAME = make("choko")


@functools.cache
def tactics() -> Tactics:
    return shipped()


def everything() -> list[tuple[str, CriticalPosition]]:
    """All positions with their families; the paper's own not among them."""
    return [(name, one) for name, found in tactics().families.items() for one in found]
