"""Kernels compiled before they are needed, on all cores.

A kernel is compiled when its module is imported, and what one process has compiled the others
only load (`core/compiling.py`).  So it is enough that processes import modules, each the next
one that nobody has taken.  Modules that share much of their code go to one process, which
compiles what they share once.
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
from playproof.core.registry import house_games, make

_PACKAGE = Path(__file__).resolve().parents[1]
_KERNEL = re.compile(r"^@kernel\(", re.MULTILINE)
_NICENESS = 5  # whoever waits for the rest goes first
# Where the size of its files does not show that a family takes long.
_SLOW = (("games", "quantum_go"), ("search", "mcts"))


@dataclass(frozen=True)
class Module:
    """A module with kernels: its name, and the file's size as a guess of how long it takes."""

    name: str
    size: int

    @property
    def words(self) -> set[str]:
        return set(re.split(r"[._]", self.name))

    @property
    def family(self) -> tuple[str, ...]:
        """Modules of a package share much of their code, and a game's with its inner packages."""
        _, *folder, file = self.name.split(".")
        if folder[0] == "games":
            return tuple(folder[:2])
        return tuple(folder) if len(folder) > 1 else (folder[0], file)


@dataclass(frozen=True)
class Compiled:
    """What came of it: seconds, modules, and a line for each that could not be imported."""

    seconds: float
    modules: int
    processes: int
    failures: tuple[str, ...]


def kernel_modules(games: Iterable[str] = ()) -> list[Module]:
    """The modules with kernels; where ``games`` are named, without those of other games alone."""
    found = []
    for file in sorted(_PACKAGE.rglob("*.py")):
        if _KERNEL.search(file.read_text("utf-8")):
            parts = file.relative_to(_PACKAGE.parent).with_suffix("").parts
            found.append(Module(".".join(parts), file.stat().st_size))
    wanted = {word for name in games for word in make(name).name.split("-")}
    if not wanted:
        return found
    others = {word for name in house_games() for word in name.split("-")} - wanted
    return [module for module in found if not module.words & others]


def families(modules: Sequence[Module]) -> list[list[str]]:
    """The names of modules by family, first what takes longest."""

    def family(module: Module) -> tuple[str, ...]:
        return module.family

    grouped = [list(part) for _, part in groupby(sorted(modules, key=family), family)]
    grouped.sort(key=lambda part: (part[0].family not in _SLOW, -sum(m.size for m in part)))
    return [[module.name for module in part] for part in grouped]


def compile_ahead(
    games: Sequence[str] = (),
    *,
    processes: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Compiled:
    """Compile the kernels that ``games`` need, or all, but for those that are compiled already."""
    began = time.perf_counter()
    if processes is not None and processes < 1:
        raise UsageError("want a process or more to compile in")
    modules = kernel_modules(games)
    parts = families([module for module in modules if not _is_compiled(module)])
    processes = min(processes or cores(), len(parts))
    total = len(modules)
    done = total - sum(map(len, parts))
    failures: list[str] = []
    # Threads survive no fork, and each process compiles on one core.
    with ProcessPoolExecutor(max(1, processes), mp_context=get_context("spawn")) as pool:
        futures = {pool.submit(compile_modules, part): len(part) for part in parts}
        for future in as_completed(futures):
            failures += future.result()
            done += futures[future]
            on_progress(done, total)
    for name in games:
        make(name).start().legal_actions()  # a game of one's own has its kernels elsewhere
    return Compiled(time.perf_counter() - began, total, processes, tuple(failures))


def _is_compiled(module: Module) -> bool:
    from playproof.core.compiling import is_compiled

    try:
        return is_compiled(module.name)
    except OSError:  # its file is gone: told when it is imported
        return False


def compile_modules(modules: Sequence[str]) -> list[str]:
    """Compile modules by importing them, and mark them as compiled; a line for each that failed."""
    from playproof.core.compiling import mark_compiled

    gc.disable()  # an eighth of the time, and the process ends soon
    failures = []
    for name in modules:
        try:
            importlib.import_module(name)
            mark_compiled(name)
        except Exception as error:
            failures.append(f"{name}: {type(error).__name__}: {one_line(error)}")
    return failures


def _listen(lines: Iterable[str], tasks: queue.Queue[list[str]]) -> None:
    for line in lines:
        tasks.put(line.split())
    os._exit(0)  # whoever asked is gone: nobody waits for what is being compiled


def main() -> None:
    """Compile modules for another process: their names on a line of stdin, failures as JSON on
    a line of stdout.  It ends with its stdin, and so never outlives who started it."""
    os.nice(_NICENESS)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what modules print must not mix with answers
    tasks: queue.Queue[list[str]] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin, tasks), daemon=True).start()
    while True:
        print(json.dumps(compile_modules(tasks.get())), file=out, flush=True)


if __name__ == "__main__":
    main()
