"""A lab that was never started before: pages answer at once, kernels are compiled behind them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.core import compile_ahead, compiling
from playproof.core.registry import builtin_games
from playproof.web import warmup
from playproof.web.engines.pool import EnginePool
from playproof.web.server import make_app
from playproof.web.warmup import (
    KERNEL_GROUPS,
    KernelGroup,
    Warmup,
    groups_for_agent,
    groups_for_path,
)
from tests.support.web.people import ADDRESS, eventually

FIRST, SECOND, THIRD = (
    KernelGroup(name, f"the rules of {name}", (f"playproof.rules.{name}",), 10.0, in_server=False)
    for name in ("othello", "choko", "go")
)


def test_every_part_names_modules_with_kernels_and_every_game_is_one() -> None:
    known = {module.name for module in compile_ahead.kernel_modules()}
    named = [module for part in KERNEL_GROUPS for module in part.modules]
    assert set(named) <= known
    assert len(set(named)) == len(named)
    assert set(builtin_games()) <= {part.name for part in KERNEL_GROUPS}


def test_a_lab_that_is_just_opened_imports_no_kernels_but_the_core_ones() -> None:
    """Else nobody would see a page before they are compiled."""
    script = """
import sys, tempfile
from pathlib import Path
from starlette.testclient import TestClient
from playproof.core.compile_ahead import kernel_modules
from playproof.web.server import make_app
pages = ["join", "catalog", "home", "games", "jobs", "runs", "tournaments", "papers",
         "papers/quantum-go", "papers/chokozero", "proofs", "truth/small", "ready"]
with TestClient(make_app(Path(tempfile.mkdtemp())), base_url="http://127.0.0.1") as client:
    answers = {page: client.get(f"/api/{page}").status_code for page in pages}
assert set(answers.values()) == {200}, answers
print(*{module.name for module in kernel_modules()} & set(sys.modules))
"""
    # Without compiling it is a matter of a second, and the imports are the same.
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["playproof.core.kernels"], done.stdout + done.stderr


def test_what_an_address_and_an_agent_need() -> None:
    assert groups_for_path("/api/classroom/tour") == ("quantum-go",)
    assert (
        groups_for_path("/api/truth/small")
        == groups_for_path("/api/home")
        == groups_for_path("/api/runs")
        == ()
    )
    assert set(groups_for_path("/api/truth/look")) == {"choko", "tables"}
    assert set(groups_for_agent("random")) == {"batches", "alphabeta"}
    assert {"mcts", "net"} <= set(groups_for_agent("mcts:net=choko-ppo-v3,simulations=8"))
    names = {part.name for part in KERNEL_GROUPS}
    assert {name for _, needs in warmup._PATHS for name in needs} <= names
    assert {name for needs in warmup._AGENTS.values() for name in needs} <= names


def test_a_module_is_known_to_be_compiled_once_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    compiling._cache_folder.cache_clear()
    try:
        name = "playproof.games.othello.kernels"
        assert not compiling.is_compiled(name)
        compiling.mark_compiled(name)
        assert compiling.is_compiled(name)
        monkeypatch.setattr(compiling, "get_host_cpu_name", lambda: "another")
        assert not compiling.is_compiled(name)  # a home that several machines share
    finally:
        compiling._cache_folder.cache_clear()


# Who waits for what


def awaited(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 60))


class Compiler:
    """Stands for helpers that compile: one part at a time, and only when told to go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun: list[str] = []
        self.go_on = asyncio.Semaphore(0)
        monkeypatch.setattr(KernelGroup, "is_compiled", False)
        monkeypatch.setattr(warmup, "_compile", self._compile)

    async def _compile(self, process: asyncio.subprocess.Process, part: KernelGroup) -> None:
        self.begun.append(part.name)
        await self.go_on.acquire()


async def until(true: Callable[[], bool]) -> None:
    while not true():
        await asyncio.sleep(0.01)


def test_what_somebody_waits_for_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        compiler, said = Compiler(monkeypatch), list[str]()
        warm = Warmup((FIRST, SECOND, THIRD), processes=1)
        await warm.need("go")  # nothing is waited for before it is started
        warm.start(said.append)
        await until(lambda: compiler.begun == ["othello"])
        assert warm.status() == {"ready": False, "text": "", "left": 0}
        waits = asyncio.create_task(warm.need("go"))
        await asyncio.sleep(0)
        assert warm.status() == {"ready": False, "text": "the rules of go", "left": 10}
        compiler.go_on.release()
        await until(lambda: compiler.begun == ["othello", "go"])
        assert not waits.done()
        compiler.go_on.release()
        await waits
        assert warm.status()["text"] == ""
        compiler.go_on.release()
        await until(lambda: warm.is_ready)
        assert compiler.begun == ["othello", "go", "choko"]
        assert len(said) == 1
        assert "30 s on 1 core" in said[0]
        await warm.close()

    awaited(work())


def test_who_no_longer_waits_is_not_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        compiler = Compiler(monkeypatch)
        warm = Warmup((FIRST, SECOND), processes=1)
        warm.start()
        await until(lambda: bool(compiler.begun))
        waits = asyncio.create_task(warm.need("choko"))
        await asyncio.sleep(0)
        waits.cancel()
        await asyncio.gather(waits, return_exceptions=True)
        assert warm.status()["text"] == ""
        await warm.close()

    awaited(work())


def test_helpers_that_die_hold_nobody_up_and_none_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        monkeypatch.setattr(KernelGroup, "is_compiled", False)
        started: list[asyncio.subprocess.Process] = []
        start = asyncio.create_subprocess_exec

        async def dying(*command: str, **options: Any) -> asyncio.subprocess.Process:
            started.append(await start(sys.executable, "-c", "pass", **options))
            return started[-1]

        monkeypatch.setattr(asyncio, "create_subprocess_exec", dying)
        warm = Warmup((FIRST, SECOND, THIRD), processes=2)
        warm.start()
        await warm.need("othello", "choko", "go")
        await until(lambda: len(started) == 2 and None not in {one.returncode for one in started})
        await warm.close()

    awaited(work())


@pytest.mark.parametrize("trouble", ["no process", "no cache"])
def test_where_no_helper_can_work_all_is_compiled_here(
    trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async def refuse(*command: str, **options: Any) -> asyncio.subprocess.Process:
            assert trouble == "no process"
            raise OSError("no more processes")

        loaded: list[str] = []
        monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
        monkeypatch.setattr(KernelGroup, "is_compiled", False)
        monkeypatch.setattr(KernelGroup, "load", lambda self: loaded.append(self.name))
        if trouble == "no cache":
            monkeypatch.setattr(warmup, "can_write_cache", lambda: False)
        ready = asyncio.Event()
        warm = Warmup([replace(part, in_server=True) for part in (FIRST, SECOND)], processes=2)
        warm.start(on_ready=ready.set)
        await warm.need("choko")
        await ready.wait()
        assert loaded == ["othello", "choko"]
        await warm.close()

    awaited(work())


def test_a_helper_compiles_and_ends_with_whoever_started_it(tmp_path: Path) -> None:
    environment = {**os.environ, "PLAYPROOF_CACHE": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    helper = subprocess.Popen(
        [sys.executable, "-P", "-m", "playproof.core.compile_ahead"], env=environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert helper.stdin is not None
    assert helper.stdout is not None
    helper.stdin.write("playproof.games.othello.kernels playproof.no_such_module\n")
    helper.stdin.flush()
    assert "playproof.no_such_module: ModuleNotFoundError" in helper.stdout.readline()
    assert list(tmp_path.glob("kernels/games.othello.kernels-*/complete-*"))
    helper.stdin.close()
    assert helper.wait(30) == 0


def test_a_thinking_that_nobody_wants_any_more_gives_its_place_away() -> None:
    async def never(task: dict[str, Any]) -> None:
        await asyncio.Event().wait()

    async def work() -> None:
        pool = EnginePool(1, prepare=never)
        job = pool.submit({"do": "move"})
        await until(lambda: job in pool._running)
        job.drop()
        await until(lambda: not pool._running)
        await pool.close()

    awaited(work())


# A lab


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[TestClient, Any]]:
    """A lab whose kernels are compiled part by part, when the test says so."""
    release = threading.Semaphore(0)

    async def compile_(process: asyncio.subprocess.Process, part: KernelGroup) -> None:
        await asyncio.to_thread(release.acquire)

    monkeypatch.setattr(KernelGroup, "is_compiled", False)
    monkeypatch.setattr(warmup, "_compile", compile_)
    monkeypatch.setattr(EnginePool, "warm", lambda self: None)
    app = make_app(tmp_path / "lab", warm=True)
    app.state.lab.warmup._processes = 1
    with TestClient(app, base_url=ADDRESS) as client:
        yield client, release.release
        for _ in KERNEL_GROUPS:
            release.release()


def test_pages_wait_for_their_own_game_alone_and_say_so(cold: tuple[TestClient, Any]) -> None:
    client, release = cold
    assert client.get("/api/catalog").status_code == 200
    assert client.get("/api/home").status_code == 200
    with ThreadPoolExecutor(2) as threads:
        othello = threads.submit(client.post, "/api/games", json={"game": "othello"})
        tour = threads.submit(client.get, "/api/classroom/tour")
        wanted = "the rules of Othello, the rules of Quantum Go"
        assert eventually(lambda: client.get("/api/ready").json()["text"] == wanted)
        release()  # Othello, which is the first
        assert othello.result(30).status_code == 200
        assert client.get("/api/ready").json()["text"] == "the rules of Quantum Go"
        release()  # what somebody waits for is next
        assert tour.result(30).status_code == 200
    assert client.get("/api/ready").json() == {"ready": False, "text": "", "left": 0}
