"""Compiling the lab's kernels in the background, on a machine where they are not cached yet.

Helper processes (``core/compile_ahead.py``) compile on all cores. What somebody waits for comes
first, then the games in order of likely use. A thread of the server then loads what was compiled.
The server itself compiles nothing, so it always answers. Code that uses kernels calls ``need``
first; meanwhile ``status`` tells the page what it waits for. On later starts everything is in the
cache and loads in a second or two.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from playproof.core import registry, spec
from playproof.core.compile_ahead import compile_modules
from playproof.core.compiling import can_write_cache, is_compiled
from playproof.core.errors import PlayproofError
from playproof.core.parallel.executor import cores
from playproof.web.catalog import listing as catalog


@dataclass(frozen=True)
class KernelGroup:
    """Kernels that are needed together.

    ``seconds`` is about how long one core takes to compile them. ``in_server`` says whether the
    server needs them too: it does for boards, but searches run in engine processes.
    """

    name: str
    title: str
    modules: tuple[str, ...]
    seconds: float
    in_server: bool = True

    @property
    def is_compiled(self) -> bool:
        return all(is_compiled(module) for module in self.modules)

    def load(self) -> None:
        """Import the modules, and use the game once."""
        for module in self.modules:
            importlib.import_module(module)
        if self.name in registry.builtin_games():
            registry.make(self.name).start().view()


def _rules_group(game: str, title: str, seconds: float, *more: str) -> KernelGroup:
    kernels = f"playproof.games.{game.replace('-', '_')}.kernels"
    return KernelGroup(game, f"the rules of {title}", (kernels, *more), seconds)


def _search_group(name: str, title: str, seconds: float, *modules: str) -> KernelGroup:
    return KernelGroup(name, title, modules, seconds, in_server=False)


# In the order in which they are compiled while nobody waits for one.
KERNEL_GROUPS = (
    _rules_group("othello", "Othello", 5),
    KernelGroup("batches", "what all players share", ("playproof.core.batch_kernels",), 10),
    _search_group(
        "alphabeta",
        "alpha-beta",
        6,
        "playproof.search.alphabeta.kernels",
        "playproof.search.one_ply",
    ),
    _rules_group("choko", "Choko", 4),
    _rules_group("chess", "chess", 12, "playproof.formats.pgn.san"),
    _rules_group("quantum-go", "Quantum Go", 34, "playproof.games.quantum_go.born"),
    _search_group("mcts", "tree search", 30, "playproof.search.mcts.kernels"),
    # Contains a part of Quantum Go, which two helpers should not compile at the same time.
    _rules_group("go", "Go", 14),
    _search_group(
        "net", "networks", 5, "playproof.nets.forward.mlp", "playproof.search.policy_guided"
    ),
    KernelGroup(
        "endings", "Othello's endgame solver", ("playproof.search.othello_endgame.kernels",), 16
    ),
    KernelGroup(
        "tables",
        "Choko's tables",
        tuple(
            f"playproof.tables.choko.{name}"
            for name in ("index", "successors", "probe_kernel", "cpu")
        ),
        12,
    ),
    KernelGroup("files", "the reader of PGN", ("playproof.formats.pgn.replay",), 6),
    KernelGroup(
        "proofs", "the search for Othello games", ("playproof.proofs.othello.constructible",), 3
    ),
)
_GAMES = tuple(group.name for group in KERNEL_GROUPS if group.name in registry.builtin_games())
_ENGINES = ("batches", "alphabeta")  # imported by every engine process
_AGENTS = {"mcts": ("mcts",), "net": ("net",), "pgts": ("net",), "perfect": ("tables",)}
# What an endpoint needs, by the start of its path; the first match counts.
_PATHS = (
    ("/api/classroom/", ("quantum-go",)),
    ("/api/truth/ending", ("othello", "endings")),
    ("/api/truth/small/", ("go", "quantum-go", "batches")),
    ("/api/truth/small", ()),
    ("/api/truth/build", ()),
    ("/api/truth/", ("choko", "tables")),
    ("/api/truth", ("choko",)),
    ("/api/proofs/", ("othello", "proofs")),
    ("/api/papers/othello33", ("proofs",)),
    ("/api/runs/", _GAMES),
    ("/api/tournaments/", _GAMES),
    ("/api/contents", (*_GAMES, "files")),
)


def groups_for_path(path: str) -> tuple[str, ...]:
    """The names of the groups that the server needs to answer a path."""
    return next((needs for start, needs in _PATHS if path.startswith(start)), ())


def groups_for_agent(agent: str) -> tuple[str, ...]:
    """The names of the groups that an agent needs besides its game's."""
    name, settings = spec.parse(agent)
    more = ("net",) if settings.get("net") else ()
    return (*_ENGINES, *_AGENTS.get(name, ()), *more)


@dataclass
class _GroupProgress:
    """How far a group is."""

    group: KernelGroup
    done: asyncio.Event = field(default_factory=asyncio.Event)
    started_at: float | None = None  # when a helper started to compile it

    def seconds_left(self, pace: float) -> float:
        """Seconds that one core still needs, by our estimate and the pace so far."""
        if self.done.is_set():
            return 0.0
        elapsed = 0.0 if self.started_at is None else time.monotonic() - self.started_at
        # A group that takes longer than estimated is expected to need a quarter more.
        return max(self.group.seconds * pace - elapsed, 1.0 + elapsed / 4)


class Warmup:
    """Makes kernels available. Before ``start``, they compile where they are used."""

    def __init__(
        self, groups: Iterable[KernelGroup] = KERNEL_GROUPS, *, processes: int | None = None
    ) -> None:
        self._groups = {group.name: _GroupProgress(group) for group in groups}
        self._processes = processes or cores()
        self._missing: list[str] = []  # not compiled, and not being compiled
        self._waiters: Counter[str] = Counter()  # by group: how many wait for it
        self._expected = self._actual = 0.0  # seconds for the groups that were compiled
        self._others: set[str] = set()  # loaded games of other packages
        self._started = False
        self._loader = ThreadPoolExecutor(1, "load")
        self._task: asyncio.Task[None] | None = None

    # For the server

    def start(
        self,
        on_note: Callable[[str], None] = lambda text: None,
        on_ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Start compiling; ``on_note`` gets a line if something has to be compiled, ``on_ready``
        is called when everything is loaded."""
        self._started = True
        self._task = asyncio.create_task(self._run(on_note, on_ready))

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._loader.shutdown(wait=False, cancel_futures=True)

    async def need(self, *names: str) -> None:
        """Wait until these groups can be used; those not compiled yet are compiled next."""
        if not self._started:
            return
        waiting = [name for name in names if not self._groups[name].done.is_set()]
        if not waiting:
            return
        self._waiters.update(waiting)
        try:
            await asyncio.gather(*(self._groups[name].done.wait() for name in waiting))
        finally:
            self._waiters.subtract(waiting)

    async def need_game(self, name: str | None) -> None:
        """Wait until a game can be played; None stands for all of ours."""
        if name is None:
            await self.need(*_GAMES, "files")
        elif name in self._groups:
            await self.need(name, *(("batches",) if name == "quantum-go" else ()))
        elif self._started and name not in self._others:
            await self.need("batches")
            with contextlib.suppress(PlayproofError):  # reported to whoever plays it
                game = await asyncio.to_thread(registry.make, name)
                await asyncio.to_thread(lambda: game.start().view())
            self._others.add(name)

    async def need_agent(self, game: str, agent: str) -> None:
        await self.need_game(game)
        await self.need(*groups_for_agent(agent))

    def status(self) -> dict[str, Any]:
        """The message Ready: what is being compiled that somebody waits for, and the time left."""
        waiting = [progress for name, progress in self._groups.items() if self._waiters[name] > 0]
        if not self._started or not waiting:
            return {"ready": self.is_ready, "text": "", "left": 0}
        seconds = [progress.seconds_left(self._pace) for progress in waiting]
        left = math.ceil(max(max(seconds), sum(seconds) / self._processes))
        titles = [progress.group.title for progress in waiting]
        text = ", ".join(titles[:3]) + (" and more" if len(titles) > 3 else "")
        return {"ready": False, "text": text, "left": left}

    @property
    def is_ready(self) -> bool:
        return not self._started or all(g.done.is_set() for g in self._groups.values())

    @property
    def _pace(self) -> float:
        """How long compiling takes on this machine, relative to our estimates."""
        return self._actual / self._expected if self._expected else 1.0

    # Compiling and loading

    async def _run(self, on_note: Callable[[str], None], on_ready: Callable[[], None]) -> None:
        compiled = await asyncio.to_thread(self._compiled)
        # Where the cache cannot be written, what a helper compiles would be lost with it.
        if await asyncio.to_thread(can_write_cache):
            self._missing = [name for name in self._groups if name not in compiled]
        if self._missing:
            on_note(
                "Compiling the rules of the games in the background, this once: "
                f"about {self._time_estimate()} on {self._processes} "
                f"{'core' if self._processes == 1 else 'cores'}."
            )
        helpers = min(self._processes, len(self._missing))
        async with asyncio.TaskGroup() as tasks:
            for _ in range(helpers):
                tasks.create_task(self._run_helper())
            for name in compiled:
                await self._load(name)
            tasks.create_task(self._check_other_games(on_note))
        for name, progress in self._groups.items():
            if not progress.done.is_set():  # no helper could be started: compile it here
                await self._load(name)
        on_ready()

    async def _check_other_games(self, on_note: Callable[[str], None]) -> None:
        """Try the games of other packages once, and report those that are broken."""
        for broken in (await asyncio.to_thread(catalog.catalog))["broken"]:
            on_note(f"Left out: {broken['error']}")

    def _compiled(self) -> list[str]:
        return [name for name, progress in self._groups.items() if progress.group.is_compiled]

    def _time_estimate(self) -> str:
        seconds = sum(self._groups[name].group.seconds for name in self._missing) / self._processes
        return f"{max(10, round(seconds, -1)):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"

    def _next(self) -> str | None:
        """The group to compile next: one that somebody waits for, else the next in order."""
        awaited = [name for name in self._missing if self._waiters[name] > 0]
        for name in [*awaited, *self._missing]:
            self._missing.remove(name)
            return name
        return None

    async def _run_helper(self) -> None:
        """Run one helper process until nothing is left to compile.

        If it fails, nothing is lost: its group is compiled where it is loaded.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "playproof.core.compile_ahead"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # keeps Ctrl-C away from it: the lab ends its helpers
            )
        except OSError:
            return
        try:
            while (name := self._next()) is not None:
                progress = self._groups[name]
                progress.started_at = time.monotonic()
                await _compile(process, progress.group)
                self._expected += progress.group.seconds
                self._actual += time.monotonic() - progress.started_at
                await self._load(name)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            # asyncio has no public way to do this. Left to the collector, the transport would
            # outlive its event loop.
            process._transport.close()  # type: ignore[attr-defined]

    async def _load(self, name: str) -> None:
        progress = self._groups[name]
        if progress.group.in_server:
            loop = asyncio.get_running_loop()
            with contextlib.suppress(Exception):  # an error shows again where it is used
                await loop.run_in_executor(self._loader, progress.group.load)
        progress.done.set()


async def _compile(process: asyncio.subprocess.Process, group: KernelGroup) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(" ".join(group.modules).encode() + b"\n")
        json.loads(await process.stdout.readline() or b"[]")


def main() -> None:
    """Compile what the first move of Othello needs; ``make lab`` does so while it installs."""
    for group in KERNEL_GROUPS[:3]:
        compile_modules(group.modules)  # the lab reports errors where the kernels are used


if __name__ == "__main__":
    main()
