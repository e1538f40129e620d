"""Compile all kernels before the tests, shared among the cores.

From an empty cache every test worker would compile the same kernels at the same
time.  Here each process takes what is next until nothing is left; what another
one has made by then it only loads.  Modules of one kind go to one process, which
compiles what they share once.  Those that cannot be imported are left to the tests.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
sys.path.insert(0, str(SOURCE))  # pip may be installing it anew at this moment


def modules() -> list[Path]:
    """The files with kernels."""
    files = (SOURCE / "playproof").rglob("*.py")
    return [file for file in files if "@kernel(" in file.read_text("utf-8")]


def groups() -> list[list[Path]]:
    """Modules of a folder whose names begin alike; first those that take longest: where their
    files do not show it by their size, they are named."""

    def kind(file: Path) -> tuple[str, str]:
        name = file.stem.partition("_")[0]
        return file.parent.name, "trees" if name in ("mcts", "many") else name

    def last(files: list[Path]) -> tuple[bool, int]:
        slow = kind(files[0]) in (("games", "quantum"), ("search", "trees"))
        return not slow, -sum(file.stat().st_size for file in files)

    found = [list(files) for _, files in groupby(sorted(modules(), key=kind), kind)]
    return sorted(found, key=last)


def warm(files: list[Path]) -> list[str]:
    """Import the modules; the names of those that failed."""
    gc.disable()  # an eighth of the time, and the process ends soon
    failed = []
    for file in files:
        name = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
        try:
            importlib.import_module(name)
        except Exception as error:
            failed.append(f"{name}: {type(error).__name__}")
    return failed


if __name__ == "__main__":
    began, cores = time.perf_counter(), min(4, os.cpu_count() or 1)
    # Threads survive no fork, and each process compiles on one core.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        left = [name for names in pool.map(warm, groups()) for name in names]
    print(f"kernels ready after {time.perf_counter() - began:.0f} s", file=sys.stderr)
    for name in left:
        print(f"  left to the tests: {name}", file=sys.stderr)
