"""The lab's first minutes on a new machine: kernels are compiled behind the pages.

Helper processes compile (`core/compile_ahead.py`), on all cores, the likeliest games first and
before them whatever somebody waits for.  What is compiled is then loaded here, in a thread: the
server itself compiles nothing, so that it always answers.  Whoever needs kernels calls ``need``
first, and the page meanwhile says what it waits for (``status``).  On the next start all is in
the cache, and loading it takes a second or two.
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
from playproof.core.compiling import can_keep, is_compiled
from playproof.core.errors import PlayproofError
from playproof.core.parallel.executor import cores
from playproof.web.catalog import listing as catalog


@dataclass(frozen=True)
class Part:
    """Kernels that are needed together.

    ``seconds`` is about how long one core compiles them, ``here`` whether the server needs them
    too: boards, not searches, which have processes of their own.
    """

    name: str
    title: str
    modules: tuple[str, ...]
    seconds: float
    here: bool = True

    @property
    def is_compiled(self) -> bool:
        return all(is_compiled(module) for module in self.modules)

    def load(self) -> None:
        for module in self.modules:
            importlib.import_module(module)
        if self.name in registry.house_games():
            registry.make(self.name).start().view()


def _rules(game: str, title: str, seconds: float, *more: str) -> Part:
    kernels = f"playproof.games.{game.replace('-', '_')}.kernels"
    return Part(game, f"the rules of {title}", (kernels, *more), seconds)


def _search(name: str, title: str, seconds: float, *modules: str) -> Part:
    return Part(name, title, modules, seconds, here=False)


# In the order in which they are compiled while nobody waits for any.
PARTS = (
    _rules("othello", "Othello", 5),
    Part("batches", "what all players share", ("playproof.core.batch_kernels",), 10),
    _search(
        "alphabeta",
        "alpha-beta",
        6,
        "playproof.search.alphabeta.kernels",
        "playproof.search.one_ply",
    ),
    _rules("choko", "Choko", 4),
    _rules("chess", "chess", 12, "playproof.formats.pgn.san"),
    _rules("quantum-go", "Quantum Go", 34, "playproof.games.quantum_go.born"),
    _search("mcts", "tree search", 30, "playproof.search.mcts.kernels"),
    _rules("go", "Go", 14),  # a part of Quantum Go, which two should not begin at once
    _search("net", "networks", 5, "playproof.nets.forward.mlp", "playproof.search.policy_guided"),
    Part("endings", "Othello's endgame solver", ("playproof.search.othello_endgame.kernels",), 16),
    Part(
        "tables",
        "Choko's tables",
        tuple(
            f"playproof.tables.choko.{name}" for name in ("index", "probe", "probe_kernel", "cpu")
        ),
        12,
    ),
    Part("files", "the reader of PGN", ("playproof.formats.pgn.replay",), 6),
    Part("proofs", "the search for Othello games", ("playproof.proofs.othello.constructible",), 3),
)
_GAMES = tuple(part.name for part in PARTS if part.name in registry.house_games())
_PLAYERS = ("batches", "alphabeta")  # every process in which agents think imports these
_AGENTS = {"mcts": ("mcts",), "net": ("net",), "pgts": ("net",), "perfect": ("tables",)}
# What answers need, by the beginning of their address; the first that fits counts.
_ADDRESSES = (
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


def parts_of(address: str) -> tuple[str, ...]:
    """The parts that the answer at an address of the lab needs here."""
    return next((needs for begin, needs in _ADDRESSES if address.startswith(begin)), ())


def parts_of_agent(agent: str) -> tuple[str, ...]:
    """The parts that an agent needs besides its game."""
    name, settings = spec.parse(agent)
    more = ("net",) if settings.get("net") else ()
    return (*_PLAYERS, *_AGENTS.get(name, ()), *more)


@dataclass
class _Progress:
    """Where a part stands."""

    part: Part
    done: asyncio.Event = field(default_factory=asyncio.Event)
    began: float | None = None  # when a helper began to compile it

    def left(self, pace: float) -> float:
        """Seconds of one core that it still takes, by our guess and the pace so far."""
        if self.done.is_set():
            return 0.0
        spent = 0.0 if self.began is None else time.monotonic() - self.began
        # What takes longer than we guessed takes as much again of what it has taken.
        return max(self.part.seconds * pace - spent, 1.0 + spent / 4)


class Warmup:
    """Until ``start`` is called nothing is waited for: kernels are compiled where they are used."""

    def __init__(self, parts: Iterable[Part] = PARTS, *, processes: int | None = None) -> None:
        self._parts = {part.name: _Progress(part) for part in parts}
        self._processes = processes or cores()
        self._missing: list[str] = []  # not compiled, and not begun
        self._wanted: Counter[str] = Counter()  # by part: how many wait for it
        self._expected = self._taken = 0.0  # seconds of the parts that were compiled
        self._others: set[str] = set()  # games of other packages that are loaded
        self._started = False
        self._loader = ThreadPoolExecutor(1, "load")
        self._task: asyncio.Task[None] | None = None

    # For the server

    def start(
        self,
        note: Callable[[str], None] = lambda text: None,
        on_ready: Callable[[], None] = lambda: None,
    ) -> None:
        """Begin; ``note`` gets a line where there is something to compile, ``on_ready`` is
        called when all is there."""
        self._started = True
        self._task = asyncio.create_task(self._run(note, on_ready))

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._loader.shutdown(wait=False, cancel_futures=True)

    async def need(self, *names: str) -> None:
        """Wait until all these parts can be used; they are next if they are not compiled yet."""
        if not self._started:
            return
        waiting = [name for name in names if not self._parts[name].done.is_set()]
        if not waiting:
            return
        self._wanted.update(waiting)
        try:
            await asyncio.gather(*(self._parts[name].done.wait() for name in waiting))
        finally:
            self._wanted.subtract(waiting)

    async def need_game(self, name: str | None) -> None:
        """Wait until a game can be played; None stands for any."""
        if name is None:
            await self.need(*_GAMES, "files")
        elif name in self._parts:
            await self.need(name, *(("batches",) if name == "quantum-go" else ()))
        elif self._started and name not in self._others:
            await self.need("batches")
            with contextlib.suppress(PlayproofError):  # told to whoever plays it
                game = await asyncio.to_thread(registry.make, name)
                await asyncio.to_thread(lambda: game.start().view())
            self._others.add(name)

    async def need_agent(self, game: str, agent: str) -> None:
        await self.need_game(game)
        await self.need(*parts_of_agent(agent))

    def status(self) -> dict[str, Any]:
        """What is compiled just now, for a page that waits; ``text`` is empty if nobody does."""
        waiting = [progress for name, progress in self._parts.items() if self._wanted[name] > 0]
        if not self._started or not waiting:
            return {"ready": self.is_ready, "text": "", "left": 0}
        lefts = [progress.left(self._pace) for progress in waiting]
        left = math.ceil(max(max(lefts), sum(lefts) / self._processes))
        titles = [progress.part.title for progress in waiting]
        shown = ", ".join(titles[:3]) + (" and more" if len(titles) > 3 else "")
        return {"ready": False, "text": shown, "left": left}

    @property
    def is_ready(self) -> bool:
        return not self._started or all(one.done.is_set() for one in self._parts.values())

    @property
    def _pace(self) -> float:
        """How long compiling takes here, compared with our guess."""
        return self._taken / self._expected if self._expected else 1.0

    # Compiling and loading

    async def _run(self, note: Callable[[str], None], on_ready: Callable[[], None]) -> None:
        compiled = await asyncio.to_thread(self._compiled)
        # Where nothing can be kept, what a helper compiles is lost with it.
        if await asyncio.to_thread(can_keep):
            self._missing = [name for name in self._parts if name not in compiled]
        if self._missing:
            note(
                "Compiling the rules of the games behind the pages, only this once: "
                f"about {self._minutes()} on {self._processes} "
                f"{'core' if self._processes == 1 else 'cores'}."
            )
        helpers = min(self._processes, len(self._missing))
        async with asyncio.TaskGroup() as group:
            for _ in range(helpers):
                group.create_task(self._help())
            for name in compiled:
                await self._load(name)
            group.create_task(self._look_at_other_games(note))
        for name, progress in self._parts.items():
            if not progress.done.is_set():  # no helper could be started: compiled here
                await self._load(name)
        on_ready()

    async def _look_at_other_games(self, note: Callable[[str], None]) -> None:
        """Those that packages bring are tried once, and what is broken is told."""
        for broken in (await asyncio.to_thread(catalog.catalog))["broken"]:
            note(f"Left out: {broken['error']}")

    def _compiled(self) -> list[str]:
        return [name for name, progress in self._parts.items() if progress.part.is_compiled]

    def _minutes(self) -> str:
        seconds = sum(self._parts[name].part.seconds for name in self._missing) / self._processes
        return f"{max(10, round(seconds, -1)):.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"

    def _next(self) -> str | None:
        """The part to compile next: what somebody waits for, else the next in the order."""
        wanted = [name for name in self._missing if self._wanted[name] > 0]
        for name in [*wanted, *self._missing]:
            self._missing.remove(name)
            return name
        return None

    async def _help(self) -> None:
        """One helper process, until there is nothing left to compile.

        One that fails is no loss: its part is compiled where it is loaded."""
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "playproof.core.compile_ahead"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the lab, which ends them
            )
        except OSError:
            return
        try:
            while (name := self._next()) is not None:
                progress = self._parts[name]
                progress.began = time.monotonic()
                await _compile(process, progress.part)
                self._expected += progress.part.seconds
                self._taken += time.monotonic() - progress.began
                await self._load(name)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            # There is no public way; left to the collector they outlive the loop they need.
            process._transport.close()  # type: ignore[attr-defined]

    async def _load(self, name: str) -> None:
        progress = self._parts[name]
        if progress.part.here:
            loop = asyncio.get_running_loop()
            with contextlib.suppress(Exception):  # shows again where it is used
                await loop.run_in_executor(self._loader, progress.part.load)
        progress.done.set()


async def _compile(process: asyncio.subprocess.Process, part: Part) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(" ".join(part.modules).encode() + b"\n")
        json.loads(await process.stdout.readline() or b"[]")


def main() -> None:
    """``make lab``, beside its installing: compile what the first move of Othello needs."""
    for part in PARTS[:3]:
        compile_modules(part.modules)  # what fails is told by the lab, where it is used


if __name__ == "__main__":
    main()
