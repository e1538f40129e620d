"""A long day at the lab, in an hour or less: people come, play, look at every page, start work
and go; what the lab uses must be the same in the evening as it was in the morning."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import sqlite3
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.support.web import owner
from tests.support.web.load import meters
from tests.support.web.load.killing import Lab, await_nothing, laboratory
from tests.support.web.load.lines import Broken, Line, Message
from tests.support.web.load.meters import Reading, typical

CHAIRS = 6  # people there at the same time
KEPT = 4  # games that one chair leaves behind at most
AGENTS = ("random", "greedy", "alphabeta:depth=2", "mcts:simulations=50")
GAMES = ("othello", "choko", "quantum-go", "chess", "go")
PAGES = (
    "/", "/api/catalog", "/api/games", "/api/join", "/api/home", "/api/papers", "/api/proofs",
    "/api/runs", "/api/tournaments", "/api/jobs", "/api/truth", "/api/classroom/tour",
    "/api/openapi.json",
)  # fmt: skip
# What may be more in the last quarter than in the second: the first fills what is kept for
# good (compiled kernels, parsed tables, pools of threads).
FLAT = 0.05  # of the memory, and
FLAT_MB = 8.0  # Python's arenas come and go by the megabyte
# Pools that were not full in the morning: asyncio's own, and the one that files are read with,
# whose idle threads end when it is used again.
THREADS = min(32, (os.cpu_count() or 1) + 4) + 8


@dataclass
class Day:
    """What was done."""

    visits: int = 0
    games: int = 0
    moves: int = 0
    deleted: int = 0
    pages: int = 0
    thoughts: int = 0
    jobs: dict[str, int] = field(default_factory=dict)  # how many ended in which state
    troubles: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Soak:
    minutes: float
    day: Day
    morning: Reading
    readings: list[Reading]
    evening: Reading
    base: tuple[int, int]  # bytes of the data base at half time and in the end
    log: int  # bytes of its log in the end
    left: list[str]  # in the folder for files that are thrown away
    jobs_left: int
    said: str

    def quarters(self, name: str) -> tuple[float, float]:
        """The typical value in the second quarter of the time, and in the last."""
        part = len(self.readings) // 4
        return typical(self.readings[part : 2 * part], name), typical(self.readings[-part:], name)

    def told(self) -> str:
        day, (before, after) = self.day, self.quarters("memory")
        most = {name: max(getattr(r, name) for r in self.readings) for name in _COUNTED}
        counts = ", ".join(
            f"{name} {getattr(self.morning, name)}, at most {most[name]}, then "
            f"{getattr(self.evening, name)}"
            for name in _COUNTED
        )
        return (
            f"{self.minutes:g} minutes: {day.visits:,} visits, {day.games:,} games, "
            f"{day.moves:,} moves, {day.pages:,} pages, {day.thoughts:,} thoughts, jobs "
            f"{day.jobs}; memory {before:.0f} and {after:.0f} MB (second and last quarter), with "
            f"engines {' and '.join(f'{x:.0f}' for x in self.quarters('all_memory'))} MB; "
            f"{counts}; data base {self.base[0] / 1e3:,.0f} and {self.base[1] / 1e3:,.0f} kB"
        )

    def check(self, *, memory: bool = True) -> None:
        """``memory`` tells nothing on a day that is too short to fill what is kept for good."""
        day = self.day
        assert not day.troubles, f"{len(day.troubles)} troubles, first {day.troubles[:3]}"
        assert "Traceback" not in self.said, self.said[-3000:]
        for name in ("memory", "all_memory") if memory else ():
            before, after = self.quarters(name)
            room = FLAT * before + FLAT_MB
            assert after - before < room, f"{name} grew from {before:.1f} to {after:.1f} MB"
        assert self.evening.sockets <= self.morning.sockets + 2, f"{self.evening.sockets} sockets"
        assert self.evening.processes <= _THINKERS, f"{self.evening.processes} processes left"
        # Each engine has its pipes and its watched process.
        most = self.morning.files + 5 * _THINKERS
        assert self.evening.files <= most, f"{self.evening.files} files left open"
        assert self.evening.threads <= self.morning.threads + THREADS, (
            f"{self.evening.threads} threads, {self.morning.threads} in the morning"
        )
        half, end = self.base
        assert end <= 1.25 * half + 200_000, f"the data base grew from {half:,} to {end:,} bytes"
        assert self.log < 16_000_000, f"the log of the data base has {self.log:,} bytes"
        assert not self.left, f"left behind: {self.left[:5]}"
        assert self.jobs_left == 0, f"{self.jobs_left} jobs are still listed"


_COUNTED = ("files", "sockets", "processes", "threads")
_THINKERS = max(2, min(4, os.cpu_count() or 2))


def run(minutes: float, *, seed: int = 1, chairs: int = CHAIRS) -> Soak:
    """A day for ``chairs`` people at a time, in ``minutes``."""
    mark = f"soak{seed}-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:
        home, scratch = Path(folder) / "lab", Path(folder) / "scratch"
        scratch.mkdir()
        with laboratory(home, mark, TMPDIR=str(scratch)) as lab:
            soak = live(lab, home, scratch, minutes, seed=seed, chairs=chairs)
            said = lab.end()
        await_nothing(mark)
        return Soak(**{**vars(soak), "said": said})


def live(lab: Lab, home: Path, scratch: Path, minutes: float, *, seed: int, chairs: int) -> Soak:
    """The same at a lab that is there: its data folder, and the one for what it throws away."""
    return asyncio.run(_Soaking(lab, home, scratch, minutes, seed).run(chairs))


class _Soaking:
    def __init__(self, lab: Lab, home: Path, scratch: Path, minutes: float, seed: int) -> None:
        self.lab, self.home, self.scratch, self.minutes = lab, home, scratch, minutes
        self.seed, self.day = seed, Day()
        self.until = time.monotonic() + 60 * minutes
        self.readings: list[Reading] = []
        self.half = 0

    async def run(self, chairs: int) -> Soak:
        lab = self.lab.process.pid
        morning = await meters.once(lab, lambda now: now.processes > 0)  # the first engine
        watcher = asyncio.create_task(self._watch())
        people = [_Chair(self, random.Random(100 * self.seed + n)) for n in range(chairs)]
        await asyncio.gather(*(chair.sit() for chair in people), self._work())
        watcher.cancel()
        evening = await meters.once(
            lab, lambda now: now.sockets <= morning.sockets and now.processes <= _THINKERS
        )  # idle connections are ended after 15 s
        log = self.home / "lab.sqlite-wal"
        return Soak(
            self.minutes, self.day, morning, self.readings, evening,
            (self.half, self._size()), log.stat().st_size if log.exists() else 0,
            [one.name for one in self.scratch.iterdir()],
            len(self.lab.get("/api/jobs")["jobs"]), "",
        )  # fmt: skip

    async def _watch(self) -> None:
        began, step = time.monotonic(), min(5.0, 60 * self.minutes / 40)
        while True:
            await asyncio.sleep(step)
            self.readings.append(meters.read(self.lab.process.pid))
            if not self.half and time.monotonic() - began > 30 * self.minutes:
                self.half = self._size()

    def _size(self) -> int:
        """The bytes of what is in the data base; what is only freed is counted too."""
        with contextlib.closing(sqlite3.connect(self.home / "lab.sqlite", timeout=10)) as base:
            pages = base.execute("pragma page_count").fetchone()[0]
            return int(pages * base.execute("pragma page_size").fetchone()[0])

    # Jobs, one after the other

    async def _work(self) -> None:
        chance = random.Random(self.seed)
        headers = {"cookie": owner.new_cookie(self.lab.base)}
        async with httpx.AsyncClient(base_url=self.lab.base, timeout=60, headers=headers) as client:
            while time.monotonic() < self.until:
                await self._one_job(client, chance)
                await asyncio.sleep(min(10.0, 3 * self.minutes))

    async def _one_job(self, client: httpx.AsyncClient, chance: random.Random) -> None:
        if chance.random() < 0.5:
            wanted = {"game": "othello", "variant": {"size": 4}, "games": 20, "seed": 1,
                      "players": ["random", "greedy"]}  # fmt: skip
            job = (await client.post("/api/tournaments", json=wanted)).json()["job"]
        else:
            answer = await client.post("/api/proofs/run", json={"statement": "othello-34"})
            job = answer.json()
        path, stop_at = f"/api/jobs/{job['id']}", None
        if chance.random() < 0.5:
            stop_at = time.monotonic() + chance.uniform(0.0, 3.0)
        end = time.monotonic() + 180
        while (state := (await client.get(path)).json()["state"]) in ("waiting", "running"):
            if stop_at is not None and time.monotonic() > stop_at:
                await client.post(f"{path}/cancel", json={})
                stop_at = None
            if time.monotonic() > end:
                self.day.troubles.append(f"{job['kind']} is {state} after three minutes")
                break
            await asyncio.sleep(0.5)
        self.day.jobs[state] = self.day.jobs.get(state, 0) + 1
        if state not in ("done", "cancelled"):
            self.day.troubles.append(f"{job['kind']} ended as {state}")
        await client.post(f"{path}/delete", json={})


class _Chair:
    """People who come one after the other."""

    def __init__(self, soaking: _Soaking, chance: random.Random) -> None:
        self.soaking, self.chance, self.day = soaking, chance, soaking.day
        self.base = soaking.lab.base
        self.games: list[tuple[str, str]] = []  # left behind: cookie and id
        self.state: Message = {}

    async def sit(self) -> None:
        while time.monotonic() < self.soaking.until:
            try:
                await asyncio.wait_for(self._visit(), 300)
            except (Broken, httpx.HTTPError, TimeoutError, AssertionError) as error:
                self.day.troubles.append(f"{type(error).__name__}: {str(error)[:200]}")
                await asyncio.sleep(1.0)
            self.day.visits += 1

    async def _visit(self) -> None:
        cookie = await asyncio.to_thread(owner.new_cookie, self.base)
        headers = {"cookie": cookie}
        async with httpx.AsyncClient(base_url=self.base, timeout=60, headers=headers) as client:
            await self._get(client, "/api/catalog")
            for page in self.chance.sample(PAGES, 5):
                await self._get(client, page)
            line = Line(self.base, cookie, self._hear)
            await line.open()
            try:
                await line.ask("watch", topic="jobs")
                await self._play(line, cookie)
                await self._look(client, self.state["id"])
                if self.chance.random() < 0.4:
                    await self._analyse(line)
            finally:
                await line.close()
            await self._clear_up(client)

    async def _get(self, client: httpx.AsyncClient, path: str) -> Any:
        answer = await client.get(path)
        assert answer.status_code == 200, f"{path}: {answer.status_code} {answer.text[:100]}"
        self.day.pages += 1
        return answer

    def _hear(self, message: Message) -> None:
        self.state = message

    async def _ask(self, line: Line, kind: str, **fields: Any) -> Message:
        answer = await line.ask(kind, **fields)
        while answer.get("code") == "limit" and kind == "new":  # all chairs come from one address
            await asyncio.sleep(2.0)
            answer = await line.ask(kind, **fields)
        assert answer["type"] != "error", f"{kind}: {answer.get('msg')}"
        return answer

    async def _play(self, line: Line, cookie: str) -> None:
        """A game against the computer, to its end or until one has had enough."""
        game, agent = self.chance.choice(GAMES), self.chance.choice(AGENTS)
        state = await self._ask(line, "new", game=game, seats=["human", agent])
        self.games.append((cookie, state["id"]))
        self.day.games += 1
        enough = self.chance.randrange(2, 40)
        while self.state["result"] == "*" and enough and not line.is_down:
            state = self.state
            if not state["can"]["move"]:
                await asyncio.sleep(0.02)
                continue
            view = state["view"]
            choices = [move["c"] for move in view["legal"]] or [[a["id"]] for a in view["actions"]]
            await self._ask(line, "move", ver=state["ver"], c=self.chance.choice(choices))
            enough -= 1
            self.day.moves += 1
            await asyncio.sleep(self.chance.uniform(0.0, 0.2))

    async def _look(self, client: httpx.AsyncClient, id: str) -> None:
        for end in (".svg", ".svg?theme=dark&ply=1", ".jsonl", ".txt", "?ply=0"):
            await self._get(client, f"/api/games/{id}{end}")
        game = (await self._get(client, f"/api/games/{id}")).json()["game"]
        if game == "quantum-go":
            await self._get(client, f"/api/classroom/{id}")
        await self._get(client, "/api/games")
        name = self.chance.choice(("app.js", "style.css", "board/board.js", "pages/play/page.js"))
        await self._get(client, f"/static/{name}")

    async def _analyse(self, line: Line) -> None:
        state = await self._ask(line, "new", text="f5d6c3d3c4f4", analysis=True)
        await self._ask(line, "goto", ply=3)
        spec = "alphabeta:time=0.3"
        await self._ask(line, "think", ver=state["ver"], agent=spec, budget={"seconds": 0.3})
        await self._ask(line, "delete")
        self.day.thoughts += 1

    async def _clear_up(self, client: httpx.AsyncClient) -> None:
        while len(self.games) > KEPT:
            cookie, id = self.games.pop(0)
            headers = {"cookie": cookie}
            answer = await client.post(f"/api/games/{id}/delete", headers=headers)
            assert answer.status_code == 200, answer.text[:200]
            self.day.deleted += 1
