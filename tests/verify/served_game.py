"""The tables of Choko solved in memory, served, checked and played from, in one run.

    python -m tests.verify.served_game --device cuda --games 200

solves the whole game with distances, looks up random positions of whole games in memory and at the
server, and lets ``perfect`` play a match with the tables of the server. ``--pieces`` takes a part
of the game, and positions from the ends of games, for machines without a large GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from playproof.core.batch import Batch
from playproof.core.kernels import Words
from playproof.core.registry import make
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.cpu import Cpu
from playproof.tables.choko.devices import open_device
from playproof.tables.choko.probe import ActionCodes, Probe
from playproof.tables.choko.probe_server.client import RemoteStore
from playproof.tables.choko.probe_server.server import ProbeServer
from playproof.tables.choko.store import DISTANCE, MemoryStore

_GAMES = 4000  # at a time


def rows_of_games(count: int, pieces: int | None, seed: int) -> Words:
    """Random positions of random games, forced ones too, with at most so many pieces in play."""
    game = make("choko", cap=0)
    rng, kept, total = np.random.default_rng(seed), [], 0
    while total < 2 * count:
        batch = Batch.start(game, _GAMES, seed=int(rng.integers(2**62)))
        for ply in range(120):
            batch = batch.take(np.flatnonzero(~batch.finished()))
            if len(batch) == 0:
                break
            hands = (batch.rows[:, 2] >> np.uint64(4) & np.uint64(15)) + (
                batch.rows[:, 2] >> np.uint64(8) & np.uint64(15)
            )
            there = np.bitwise_count(batch.rows[:, 0] | batch.rows[:, 1]) + hands
            rows = batch.rows[there <= (pieces or 24)]
            kept.append(rows[rng.random(len(rows)) < 0.3].copy())
            total += len(kept[-1])
            batch.apply(batch.random_actions(salt=ply))
    rows = np.concatenate(kept)
    return rows[rng.choice(len(rows), count, replace=False)]


def compared(path: Path, rows: Words, expected: ActionCodes) -> dict[str, object]:
    """What the server answers beside what the tables in memory say."""
    probe = Probe(RemoteStore(path))
    probe.action_codes(rows[:100])
    started = time.perf_counter()
    answered = probe.action_codes(rows)
    seconds = time.perf_counter() - started
    alike = all((a == b).all() for a, b in zip(answered, expected, strict=True))
    forced = int((rows[:, 2] >> np.uint64(1) & np.uint64(1)).sum())
    return {
        "positions": len(rows), "forced": forced, "moves": len(expected.codes), "alike": alike,
        "positions_per_second": round(len(rows) / seconds),
    }  # fmt: skip


def match(path: Path, games: int, against: str, scratch: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "playproof", "match", "choko", f"perfect:choko,tables=unix:{path}",
         against, "--games", str(games), "--seed", "1", "--limit", "120", "--json",
         "--file", str(Path(scratch) / "games.sqlite")],
        capture_output=True, text=True, env=dict(os.environ),
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--pieces", type=int)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--games", type=int, default=0)
    parser.add_argument("--against", default="pgts:net=choko-ppo-v3")
    options = parser.parse_args()
    device = open_device(options.device)
    store = MemoryStore(False, DISTANCE, device)
    plan = plan_build(False, DISTANCE, pieces=options.pieces)
    built = build(plan, device, store, small_device=None if device.name == "cpu" else Cpu())
    print(f"solved {built.solved:,} cells in {built.solving:.1f} s", flush=True)
    rows = rows_of_games(options.positions, options.pieces, seed=1)
    started = time.perf_counter()
    expected = Probe(store).action_codes(rows)
    print(f"in memory {len(rows) / (time.perf_counter() - started):,.0f} positions/s", flush=True)
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        server = ProbeServer(store, Path(scratch) / "s")

        def check() -> None:
            try:
                result = compared(server.path, rows, expected)
                print(json.dumps(result), flush=True)
                if not result["alike"]:
                    failures.append("the answers differ")
                if options.games:
                    played = match(server.path, options.games, options.against, scratch)
                    print(played.stdout, played.stderr[-2000:], flush=True)
                    if played.returncode:
                        failures.append("the match failed")
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}")
            finally:
                server.stop()

        server.serve(lambda: threading.Thread(target=check).start())
    print("; ".join(failures) or "all is well", flush=True)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
