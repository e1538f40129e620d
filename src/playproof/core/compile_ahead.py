"""Compiling kernels before they are needed, on all cores.

A kernel is compiled when its module is imported, and other processes load what one process has
compiled (`core/compiling.py`).  So it is enough that several processes import modules, each the
next one that no other has taken.  Modules that share much of their code go to the same process,
which compiles the shared code once.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path

from playproof.core.errors import UsageError, one_line
from playproof.core.parallel.executor import cores
from playproof.core.registry import builtin_games, make

_PACKAGE = Path(__file__).resolve().parents[1]
_KERNEL = re.compile(r"^@kernel\(", re.MULTILINE)
_NICENESS = 5  # processes that somebody waits for go first
# Families that take longer than the size of their files suggests.
_SLOW = (("games", "quantum_go"), ("search", "mcts"))


@dataclass(frozen=True)
class KernelModule:
    """A module with kernels; the size of its file is a guess of how long it takes to compile."""

    name: str
    size: int

    @property
    def words(self) -> set[str]:
        return set(re.split(r"[._]", self.name))

    @property
    def family(self) -> tuple[str, ...]:
        """Modules with the same value share much code: a package, or all packages of a game."""
        _, *folder, file = self.name.split(".")
        if folder[0] == "games":
            return tuple(folder[:2])
        return tuple(folder) if len(folder) > 1 else (folder[0], file)


@dataclass(frozen=True)
class CompileSummary:
    """What ``compile_ahead`` did; ``failures`` has a line for each module with an import error."""

    seconds: float
    modules: int
    processes: int
    failures: tuple[str, ...]


def kernel_modules(games: Iterable[str] = ()) -> list[KernelModule]:
    """The modules with kernels: all, or those that ``games`` need."""
    modules = []
    for file in sorted(_PACKAGE.rglob("*.py")):
        if _KERNEL.search(file.read_text("utf-8")):
            parts = file.relative_to(_PACKAGE.parent).with_suffix("").parts
            modules.append(KernelModule(".".join(parts), file.stat().st_size))
    words = {word for name in games for word in make(name).name.split("-")}
    if not words:
        return modules
    others = {word for name in builtin_games() for word in name.split("-")} - words
    return [module for module in modules if not module.words & others]


def families(modules: Sequence[KernelModule]) -> list[list[str]]:
    """The names of modules by family, those first that take longest."""

    def family(module: KernelModule) -> tuple[str, ...]:
        return module.family

    groups = [list(group) for _, group in groupby(sorted(modules, key=family), family)]
    groups.sort(key=lambda group: (group[0].family not in _SLOW, -sum(m.size for m in group)))
    return [[module.name for module in group] for group in groups]


def compile_ahead(
    games: Sequence[str] = (),
    *,
    processes: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> CompileSummary:
    """Compile the kernels that ``games`` need (all, if none is given) and are not compiled yet."""
    started = time.perf_counter()
    if processes is not None and processes < 1:
        raise UsageError("want 1 or more processes to compile in")
    modules = kernel_modules(games)
    groups = families([module for module in modules if not _is_compiled(module)])
    processes = min(processes or cores(), len(groups))
    total = len(modules)
    done = total - sum(map(len, groups))
    failures: list[str] = []
    # Spawned: threads do not survive a fork.  Each process compiles on one core.
    with ProcessPoolExecutor(max(1, processes), mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(compile_modules, group): len(group) for group in groups}
        for future in as_completed(futures):
            failures += future.result()
            done += futures[future]
            on_progress(done, total)
    for name in games:
        make(name).start().legal_actions()  # kernels of a third party's game are not among ours
    return CompileSummary(time.perf_counter() - started, total, processes, tuple(failures))


def _is_compiled(module: KernelModule) -> bool:
    from playproof.core.compiling import is_compiled

    try:
        return is_compiled(module.name)
    except OSError:  # its file is gone: importing it will report that
        return False


def compile_modules(modules: Sequence[str]) -> list[str]:
    """Import modules and mark them as compiled; return a line for each that failed."""
    from playproof.core.compiling import mark_compiled

    gc.disable()  # saves an eighth of the time, and the process ends soon
    failures = []
    for name in modules:
        try:
            importlib.import_module(name)
            mark_compiled(name)
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {one_line(error)}")
    return failures


def _read_tasks(lines: Iterable[str], tasks: queue.Queue[list[str]]) -> None:
    for line in lines:
        tasks.put(line.split())
    os._exit(0)  # our parent is gone: nobody waits for the result


def main() -> None:
    """Compile modules for a parent process, until stdin closes.

    Each line of stdin names modules; the answer is a line of JSON, the list of failures.
    """
    os.nice(_NICENESS)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what modules print must not mix with our answers
    tasks: queue.Queue[list[str]] = queue.Queue()
    threading.Thread(target=_read_tasks, args=(sys.stdin, tasks), daemon=True).start()
    while True:
        print(json.dumps(compile_modules(tasks.get())), file=out, flush=True)


if __name__ == "__main__":
    main()
