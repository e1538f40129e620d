"""Hostile guests at a lab with a join code, and how long its owner waits for answers meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import statistics
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx

import playproof
from playproof.web.database import LabDatabase
from playproof.web.http.access import new_code
from tests.support.web.load.lines import Broken, Line
from tests.support.web.load.tables import HOSTILE
from tests.support.web.owner import new_cookie
from tests.support.web.people import Server, running

CODE = new_code()
SOCKETS = 20  # of one guest; the lab allows 24
MEDIAN = 0.05  # seconds within which half of the owner's messages are answered
MOVE = 2.0  # seconds for a move of the owner's opponent
NEW_GAMES = 4.0  # seconds between two pairs of new games of the owner, who may have one in two
KINDS = ("export", "goto", "engine", "words", "silent", "options")


@contextlib.contextmanager
def guarded(folder: Path) -> Iterator[Server]:
    """A lab for others too, whose code is known."""
    database = LabDatabase(folder)
    database.setting("code", CODE)
    database.close()
    with running(folder, "--host", "127.0.0.1") as server:
        yield server


@dataclass
class Siege:
    """What the owner lived through: seconds of each answer, and of each move of an agent."""

    answers: list[float] = field(default_factory=list)
    moves: list[float] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)  # by the hostile, by kind
    troubles: list[str] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.answers)

    def summary(self) -> str:
        worst, moves = max(self.answers), max(self.moves, default=0.0)
        done = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.done.items()))
        return (
            f"the owner's answers in {1e3 * self.median:.1f} ms (half of {len(self.answers):,}), "
            f"worst {worst:.2f} s; moves of an agent in at most {moves:.2f} s; against {done}"
        )

    def check(self, *, median: float = MEDIAN, move: float = MOVE) -> None:
        assert not self.troubles, self.troubles[:3]
        assert self.median < median, self.summary()
        assert max(self.moves, default=0.0) < move, self.summary()


async def besiege(
    base: str, kinds: list[str], seconds: float, *, sockets: int = SOCKETS, one: bool = False
) -> Siege:
    """A hostile guest for each of ``kinds``, or ``one`` for all; the owner plays meanwhile."""
    siege = Siege()
    long_games = {game: _long_game(game) for game in ("chess", "quantum-go")}
    async with httpx.AsyncClient(base_url=base, timeout=60) as client:
        owner = new_cookie(base)
        await _play(base, owner, siege, 0.2, warm=True)
        guests = [
            Hostile(base, await _enter(client), siege, sockets)
            for _ in (kinds[:1] if one else kinds)
        ]
        await asyncio.gather(*(guest.prepare(long_games) for guest in guests))
        guests = guests * len(kinds) if one else guests
        floods = [
            asyncio.create_task(guest.rage(kind)) for guest, kind in zip(guests, kinds, strict=True)
        ]
        await asyncio.sleep(min(1.0, seconds / 4))
        await _play(base, owner, siege, seconds)
        while any(not flood.done() for flood in floods):
            for flood in floods:  # a cancellation may meet an answer that has just come
                flood.cancel()
            await asyncio.wait(floods, timeout=1.0)
        for ended in await asyncio.gather(*floods, return_exceptions=True):
            if not isinstance(ended, asyncio.CancelledError):
                siege.troubles.append(f"a flood ended by itself: {ended!r}")
    return siege


async def _enter(client: httpx.AsyncClient) -> str:
    """The cookie of a new guest."""
    client.cookies.clear()
    answer = await client.post("/api/enter", json={"code": CODE})
    assert answer.status_code == 200, answer.text
    ((name, value),) = answer.cookies.items()
    client.cookies.clear()
    return f"{name}={value}"


async def _play(
    base: str, cookie: str, siege: Siege, seconds: float, *, warm: bool = False
) -> None:
    """The owner moves and takes back, and now and then plays an agent."""
    line = Line(base, cookie, lambda state: None)
    await line.open()
    end, due = time.monotonic() + seconds, 0.0
    for turn in itertools.count():
        if time.monotonic() > end and turn > 3:
            break
        if time.monotonic() >= due:
            began = time.monotonic()
            due = began + NEW_GAMES
            state = await line.ask("new", game="othello", seats=["random", "human"])
            while not state["moves"]:
                await asyncio.sleep(0.05)
                state = await line.ask("goto", ply="last")
            if not warm:
                siege.moves.append(time.monotonic() - began)
            state = await line.ask("new", game="othello")
        state = await line.ask("move", ver=state["ver"], c=["d3"])
        if state.get("moves") != ["d3"]:
            siege.troubles.append(f"a move of the owner: {state.get('msg')}")
        state = await line.ask("undo", ver=state["ver"])
        await asyncio.sleep(0.05)
    if not warm:
        siege.answers += line.times
    await line.close()


def _long_game(name: str) -> str:
    """The moves of a long game by chance."""
    chance, state = random.Random(5), playproof.make(name).start()
    while not state.is_terminal and len(state.actions) < 400:
        state = state.apply(chance.choice(state.legal_actions()))
    return state.game.join_moves(state.moves)


class Hostile:
    def __init__(self, base: str, cookie: str, siege: Siege, sockets: int) -> None:
        self.base, self.cookie, self.siege, self.sockets = base, cookie, siege, sockets
        self.games: dict[str, str] = {}  # ids of long games
        self._numbers = itertools.count()

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self.base, headers={"cookie": self.cookie}, timeout=120)

    async def prepare(self, games: dict[str, str]) -> None:
        async with self._client() as client:
            for game, text in games.items():
                wanted = {"game": game, "text": text, "analysis": True}
                answer = await client.post("/api/games", json=wanted)
                assert answer.status_code == 200, answer.text
                self.games[game] = answer.json()["id"]

    async def rage(self, kind: str) -> None:
        """One kind of attack, without end."""
        attack: Callable[[], Awaitable[None]] = getattr(self, f"_{kind}")
        await asyncio.gather(*(attack() for _ in range(self.sockets)))

    @contextlib.asynccontextmanager
    async def _line(self) -> AsyncIterator[Line]:
        line = Line(self.base, self.cookie, lambda state: None)
        try:
            while not await self._opened(line):
                await asyncio.sleep(0.2)
            yield line
        except (Broken, TimeoutError):  # hung up on: once more, a little later
            await asyncio.sleep(0.2)
        finally:
            await line.close()

    @staticmethod
    async def _opened(line: Line) -> bool:
        """Whether the lab lets one in: who comes too often is sent away."""
        try:
            await line.open()
        except (Broken, TimeoutError):
            return False
        return True

    async def _export(self) -> None:
        files = [(self.games["chess"], "pgn"), (self.games["quantum-go"], "sgf")]
        async with self._client() as client:
            while True:
                id, kind = files[next(self._numbers) % 2]
                with contextlib.suppress(httpx.HTTPError):
                    # Another version each time: what is kept is of no use.
                    await client.get(f"/api/games/{id}.{kind}")
                    if next(self._numbers) % 7 == 0:
                        await client.post(f"/api/games/{id}/share", json={"on": True})
                    self.siege.done["exports"] += 1

    async def _goto(self) -> None:
        while True:
            async with self._line() as line:
                await line.ask("join", id=self.games["quantum-go"])
                while True:
                    await line.ask("goto", ply=next(self._numbers) * 37 % 400)
                    self.siege.done["gotos"] += 1

    async def _engine(self) -> None:
        while True:
            async with self._line() as line:
                await line.ask("new", game="othello", seats=["alphabeta:time=5", "human"])
                await line.ask("think", agent="mcts:simulations=200000,time=10")
                self.siege.done["thoughts"] += 1

    async def _words(self) -> None:
        while True:
            async with self._line() as line:
                for text in HOSTILE * 3:
                    await line.say(text)
                    self.siege.done["wrong words"] += 1
                    await asyncio.sleep(0.02)

    async def _silent(self) -> None:
        host, _, port = self.base.removeprefix("http://").partition(":")
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(host, int(port))
                self.siege.done["silent sockets"] += 1
                await asyncio.sleep(3.0)
                writer.close()

    async def _options(self) -> None:
        async with self._client() as client:
            while True:
                komi = next(self._numbers) / 2
                wanted = {"game": "go", "variant": {"board": "19x19", "komi": komi}}
                with contextlib.suppress(httpx.HTTPError):
                    answer = await client.post("/api/games", content=json.dumps(wanted))
                    self.siege.done["new options"] += 1
                    if answer.status_code == 200:
                        id = answer.json()["id"]
                        await client.post(f"/api/games/{id}/delete", json={})
                    else:
                        await asyncio.sleep(0.1)


def run(
    kinds: list[str], seconds: float, *, folder: Path, sockets: int = SOCKETS, one: bool = False
) -> Siege:
    """A siege of a new lab; it must still end at once, and say nothing of errors."""
    with guarded(folder) as server:
        siege = asyncio.run(besiege(server.base, kinds, seconds, sockets=sockets, one=one))
        server.stop()
        assert server.process.stdout is not None
        said = server.process.stdout.read()
    if "Traceback" in said:
        siege.troubles.append(said[-2000:])
    return siege
