"""The CUDA passes in Numba's simulator, whose threads are Python's: what they give, as JSON.

Started by a test in a process of its own, since the simulator must be chosen before Numba is
imported.  The slices before those that are solved here come from the CPU.
"""

from __future__ import annotations

import json
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

from playproof.tables.choko import cuda as choko_cuda
from playproof.tables.choko.build import build, plan_build
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.probe_server.client import RemoteStore
from playproof.tables.choko.probe_server.server import ProbeServer
from playproof.tables.choko.slices import Slice, pairs
from playproof.tables.choko.solve import Codes, disagreements, solve_pair
from playproof.tables.choko.store import DISTANCE, OUTCOME, MemoryStore
from playproof.tables.choko.value_codes import WIN_AT_ONCE, win_in
from tests.support.longer import longer
from tests.support.tables.choko_solved import cpu, solved

# A thread of Python's for each of a block's: the passes are the same with few of them, and
# where there are fewer than cells, each takes several in turn as on a device.
choko_cuda._THREADS, choko_cuda._BLOCKS = 8, 3
CODES = (0, 1, 2, 128, 253, 255)  # to be looked for
# A slice of its own; one with placements alone, and one with jumps and placements, are long.
NAMES = longer(("h0-1v1",), ("h0-1v1", "h1-1v0", "h1-1v1"))
PIECES = longer(2, 4)  # in all slices that these lead to


def solve_pair_on(device: choko_cuda.Cuda, pair: tuple[Slice, ...]) -> dict[str, dict[str, object]]:
    """What the device makes of a slice and its mirror."""
    before = solved(True, PIECES).store
    ticks: list[int] = []
    codes = solve_pair(
        device, pair, True, lambda one: device.to_device(before.fetch(one)), ticks.append
    )
    results: dict[str, dict[str, object]] = {}

    def fetch(one: Slice) -> Codes:
        return codes[one] if one in codes else device.to_device(before.fetch(one))

    for one in pair:
        here = device.to_host(codes[one], one.cells)
        damaged = device.to_host(codes[one], len(codes[one])).copy()
        damaged[one.cells // 2] = win_in(201)
        some = np.arange(0, one.cells, 3)
        unpacked = device.unpack(device.pack(codes[one]))
        results[one.name] = {
            "codes": here.tolist(),
            "counts": device.histogram(one, codes[one]).tolist(),
            "outcomes": device.to_host(unpacked, one.cells).tolist(),
            "some": device.gather(
                [(codes[one], some), (codes[one], some[:0]), (codes[one], some[:3])]
            ).tolist(),
            "first": [device.find(codes[one], one.cells, code) for code in CODES],
            "wrong": disagreements(device, one, True, fetch),
            "ticks": sum(ticks),
        }
        sound, codes[one] = codes[one], device.to_device(damaged)
        results[one.name]["wrong if damaged"] = disagreements(device, one, True, fetch)
        codes[one] = sound
    return results


def build_and_probe(device: choko_cuda.Cuda, kind: str) -> dict[str, object]:
    """A build that leaves small slices to the CPU, and a probe of what the device holds."""
    store = MemoryStore(True, kind, device)
    built = build(plan_build(True, kind, pieces=2), device, store, small_device=cpu())
    probe = Probe(store)
    state = probe.game.position("5/5/5/2b2/2r2 r 0 0 - 25")
    return {
        "counts": [line.counts.tolist() for line in built.summaries],
        "moves": [(action, *value) for action, value in probe.moves(state)],
        "read": store.read(Slice(0, 1, 1, 0), np.arange(9)).tolist(),
        "served": read_through_a_server(store, Slice(0, 1, 1, 0), np.arange(9)),
        "win": store.find(Slice(0, 1, 1, 0), WIN_AT_ONCE),
    }


def read_through_a_server(store: MemoryStore, one: Slice, cells: Codes) -> list[int]:
    """The codes that a client gets; the server's look-ups run in this thread, as on a GPU."""
    codes: list[int] = []
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        server = ProbeServer(store, Path(scratch) / "s")

        def ask() -> None:
            try:
                codes.extend(RemoteStore(server.path).read_many([(one, cells)]).tolist())
            finally:
                server.stop()

        server.serve(lambda: threading.Thread(target=ask).start())
    return codes


def main() -> None:
    device = choko_cuda.Cuda()
    assert device.free_memory() > 0
    chosen = {pair[0].name: pair for pair in pairs(True)}
    slices: dict[str, dict[str, object]] = {}
    for name in NAMES:
        slices |= solve_pair_on(device, chosen[name])
    kinds = {kind: build_and_probe(device, kind) for kind in (DISTANCE, OUTCOME)}
    json.dump({"slices": slices, **kinds}, sys.stdout)


if __name__ == "__main__":
    main()
