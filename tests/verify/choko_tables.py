"""Parts of Choko, solved on the CPU: the published figures, and every position derived again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

# Won, drawn and lost in percent, longest win and loss: published, both hands empty.
PUBLISHED = {
    "h0-2v2": (33.2, 66.1, 0.7, 5, 4),
    "h0-4v2": (92.2, 7.8, 0.0, 47, 4),
    "h0-2v4": (0.9, 57.3, 41.8, 5, 48),
    "h0-6v2": (99.8, 0.2, 0.0, 51, 0),
    "h0-2v6": (0.0, 17.0, 83.0, 5, 52),
    "h0-4v4": (63.1, 32.4, 4.5, 65, 64),
    "h0-6v4": (91.1, 8.7, 0.2, 111, 66),
    "h0-4v6": (14.3, 58.2, 27.5, 67, 110),
}


def _solved(lone_jump: bool, hands: int | None, pieces: int) -> str:
    """Solve, compare with the published figures, and derive every position again."""
    from playproof.tables.choko.build import build, plan_build
    from playproof.tables.choko.cpu import Cpu
    from playproof.tables.choko.store import DISTANCE, MemoryStore

    device, plan = Cpu(), plan_build(lone_jump, DISTANCE, hands=hands, pieces=pieces)
    built = build(plan, device, MemoryStore(lone_jump, DISTANCE, device), verify=True)
    assert built.wrong == 0
    for line in built.summaries:
        if not lone_jump and line.slice.name in PUBLISHED:
            *shares, win, loss = PUBLISHED[line.slice.name]
            result = [
                round(100 * n / line.slice.raw, 1) for n in (line.wins, line.draws, line.losses)
            ]
            assert result == shares, f"{line.slice.name}: {result}"
            assert (line.longest_win, line.longest_loss) == (win, loss), line.slice.name
    return f"{plan.cells:,} positions in {built.solving:.0f} s, checked in {built.checking:.0f} s"


def pieces() -> dict[str, Callable[[], str]]:
    """The pieces of ``make verify choko-tables``."""
    return {
        "hands empty, 8 pieces": partial(_solved, False, 0, 8),
        "hands empty, 10 pieces": partial(_solved, False, 0, 10),
        "all hands, 10 pieces in play": partial(_solved, False, None, 10),
        "lone jumps, all hands, 7 pieces in play": partial(_solved, True, None, 7),
    }
