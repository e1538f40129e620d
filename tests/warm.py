"""Compile all kernels before the tests, shared among the cores.

From an empty cache every test worker would compile the same kernels at the same
time.  Here each process begins with its own share; what another one has made by
then it only loads.  Modules that cannot be imported are left to the tests.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def modules() -> list[str]:
    """Those with kernels, the largest first: they take longest."""
    files = [f for f in (SOURCE / "playproof").rglob("*.py") if "@kernel(" in f.read_text("utf-8")]
    files.sort(key=lambda file: -file.stat().st_size)
    return [".".join(file.relative_to(SOURCE).with_suffix("").parts) for file in files]


def warm(share: int, shares: int) -> list[str]:
    """Import a share of the modules; the names of those that failed."""
    failed = []
    for name in modules()[share::shares]:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}")
    return failed


if __name__ == "__main__":
    began, cores = time.perf_counter(), min(4, os.cpu_count() or 1)
    # Threads survive no fork, and each process compiles on one core.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        left = [n for names in pool.map(warm, range(cores), [cores] * cores) for n in names]
    print(f"kernels ready after {time.perf_counter() - began:.0f} s", file=sys.stderr)
    for name in left:
        print(f"  left to the tests: {name}", file=sys.stderr)
