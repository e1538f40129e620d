"""Parts of Choko, solved on the CPU: the published figures, every position derived again, and the
probe server beside the files that it serves.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

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


_POSITIONS = 100_000


def _served(pieces: int) -> str:
    """Build tables, serve them, and look up random positions in the files and at the server.

    Every second portion finds the server killed and restarted.
    """
    from playproof.core.batch import Batch
    from playproof.tables.choko.build import build, plan_build
    from playproof.tables.choko.cpu import Cpu
    from playproof.tables.choko.probe import Probe
    from playproof.tables.choko.probe_server.client import RemoteStore
    from playproof.tables.choko.store import DISTANCE, FileStore
    from tests.support.tables.probe_servers import server
    from tests.support.tables.small_tables import choko, positions

    device, seconds, portions, moves = Cpu(), [0.0, 0.0], 10, 0
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        store = FileStore(Path(scratch), False, DISTANCE, device)
        build(plan_build(False, DISTANCE, pieces=pieces), device, store)
        with server("choko", "--out", scratch) as process:
            remote, slices = RemoteStore(process.socket), store.slices()
            for portion in range(portions):
                if portion % 2:
                    process.kill()
                    process.start()
                    process.wait_until_ready()
                states = positions(
                    choko(cap=0), _POSITIONS // portions, seed=portion, slices=slices
                )
                rows, answers = Batch.of(states).rows, []
                for i, probe in enumerate((Probe(store), Probe(remote))):
                    started = time.perf_counter()
                    answers.append(probe.action_codes(rows))
                    seconds[i] += time.perf_counter() - started
                for by_files, by_server in zip(*answers, strict=True):
                    assert (by_files == by_server).all()
                moves += len(answers[0].codes)
    rates = [f"{_POSITIONS / each:,.0f}" for each in seconds]
    return (
        f"{_POSITIONS:,} positions with {moves:,} moves alike; {rates[0]} positions a second from "
        f"files, {rates[1]} from the server"
    )


def pieces() -> dict[str, Callable[[], str]]:
    """The pieces of ``make verify choko-tables``."""
    return {
        "hands empty, 8 pieces": partial(_solved, False, 0, 8),
        "hands empty, 10 pieces": partial(_solved, False, 0, 10),
        "all hands, 10 pieces in play": partial(_solved, False, None, 10),
        "lone jumps, all hands, 7 pieces in play": partial(_solved, True, None, 7),
        "a probe server beside its files": partial(_served, 8),
    }
