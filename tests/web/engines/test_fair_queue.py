"""Engines are shared: the owner first, then address by address; nothing waits for nobody."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.core.registry import make
from playproof.web import lab
from playproof.web.catalog import listing as catalog
from playproof.web.engines import pool as pool_module
from playproof.web.engines.fair_queue import FairQueue, Load, Requester
from playproof.web.engines.pool import EngineJob, EnginePool
from playproof.web.protocol.refusal import Refusal
from playproof.web.server import make_app
from tests.support.web.people import ADDRESS, Message, Talker, eventually

CODE, KEY = "ABC234", "the-owner-has-a-long-key"
HOGS = 45


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[TestClient]:
    app = make_app(tmp_path / "lab", code=CODE, owner_key=KEY, workers=2, warm=True)
    with TestClient(app, base_url=ADDRESS) as found:
        assert found.post("/api/enter", json={"key": KEY}).json()["owner"] is True
        yield found


def guest_of(owner: TestClient) -> TestClient:
    found = TestClient(owner.app, base_url=ADDRESS)
    found.portal = owner.portal
    assert found.post("/api/enter", json={"code": CODE}).json()["owner"] is False
    return found


def pool_of(client: TestClient) -> EnginePool:
    found: EnginePool = client.app.state.lab.engines  # type: ignore[attr-defined]
    return found


def test_guests_at_the_owners_address_do_not_use_up_the_owners_new_games(
    owner: TestClient,
) -> None:
    with Talker(guest_of(owner)) as guest, Talker(owner) as talk:
        guest.new("othello", "human", "human")
        (bucket,) = owner.app.state.lab.address_new_game_limits._buckets.values()  # type: ignore[attr-defined]
        bucket.tokens, bucket.rate = 0.0, 0.0
        assert guest.ask("new", game="othello")["code"] == "limit"
        assert talk.ask("new", game="othello")["type"] == "state"


@pytest.mark.slow
def test_45_guests_do_not_take_the_engines_from_the_owner(owner: TestClient) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(HOGS):
            hog = stack.enter_context(Talker(guest_of(owner)))
            hog.new("othello", "alphabeta:time=5", "human")
        pool = pool_of(owner)
        eventually(
            lambda: any(not job.requester.owner and job.has_started for job in pool._running), 60
        )
        talk = stack.enter_context(Talker(owner))
        for _ in range(3):
            began = time.monotonic()
            talk.new("othello", "random", "human")
            talk.until(lambda m: m["type"] == "state" and m["of"] == 1)
            assert time.monotonic() - began < 4.5  # less than one thought of a guest
        assert talk.ask("hint")["done"] is True
        waiting = sum(map(len, pool._waiting))
        assert waiting <= HOGS
    # All have left: what waited for them is dropped, at the latest when somebody asks.
    room = owner.app.state.lab  # type: ignore[attr-defined]
    for game in list(room.lobby.rooms.values()):
        game.last_seen -= lab._STAYS
    with Talker(owner) as talk:
        talk.new("othello", "random", "human")
        talk.until(lambda m: m["type"] == "state" and m["of"] == 1)
    assert sum(map(len, pool._waiting)) == 0


def test_guests_are_told_how_long_a_thought_may_be(owner: TestClient) -> None:
    with Talker(guest_of(owner)) as talk:
        still_wanted = {"game": "othello", "seats": ["human", "alphabeta:time=30"]}
        answer = talk.ask("new", **still_wanted)
        assert (answer["type"], answer["code"]) == ("error", "limit")
        assert answer["msg"] == (
            "alphabeta: time=30 is too much for a guest: at most 5 seconds for a move, "
            "10 for an analysis"
        )
        talk.new("othello")
        for fields in ({"agent": "mcts:time=30"}, {"agent": "greedy", "budget": {"seconds": 30}}):
            assert "too much for a guest" in talk.ask("think", **fields)["msg"]
    with Talker(owner) as talk:
        talk.new("othello", "human", "alphabeta:time=30")
    for levels in catalog.catalog()["games"]:
        game = make(levels["name"])
        for level in levels["opponents"]:
            most = catalog.LONGEST_MOVE_OF_GUESTS
            catalog.check_agent(level["spec"], game, seconds=most)
        for analyst in levels["analysts"]:
            catalog.check_agent(analyst["spec"], game, seconds=catalog.LONGEST_OF_GUESTS)


# The pool by itself


def task(name: str) -> Message:
    return {"do": "move", "agent": name, "seconds": 5.0}


class Scripted:
    """Workers that answer when they are let, or told to stop."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.started: list[str] = []
        self.deaf = False
        self.free = asyncio.Event()
        pool = self

        async def run(worker: Any, job: EngineJob) -> Message:
            pool.started.append(job.task["agent"])
            job.worker = worker
            while not (pool.free.is_set() or (job.is_stopped and not pool.deaf)):
                if worker._killed:
                    raise pool_module.EngineExited("ended")
                await asyncio.sleep(0.005)
            return {}

        monkeypatch.setattr(pool_module._Worker, "run", run)
        monkeypatch.setattr(EnginePool, "warm", lambda self: None)


def test_addresses_have_shares_and_not_cookies(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        script, pool = Scripted(monkeypatch), EnginePool(2)
        jobs = [pool.submit(task(f"a{n}"), requester=Requester(f"a{n}", "A")) for n in range(5)]
        jobs += [pool.submit(task("b0"), requester=Requester("b0", "B"))]
        jobs += [pool.submit(task("me"), urgent=True, requester=Requester("me", "A", owner=True))]
        await asyncio.sleep(0.02)
        assert script.started == ["a0", "me"]  # one engine for guests
        script.free.set()
        await asyncio.gather(*(job.result for job in jobs))
        assert script.started[2] == "b0"
        await pool.close()

    asyncio.run(work())


@pytest.mark.parametrize("deaf", [False, True])
def test_a_guest_makes_way_for_the_owner(deaf: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "_PREEMPTION", 0.05)

    async def work() -> None:
        script, pool = Scripted(monkeypatch), EnginePool(1)
        script.deaf = deaf
        guest = pool.submit(task("guest"), urgent=True, requester=Requester("g", "A"))
        await asyncio.sleep(0.02)
        mine = pool.submit(task("mine"), urgent=True, requester=Requester("me", "A", owner=True))
        async with asyncio.timeout(5):
            while "mine" not in script.started:
                await asyncio.sleep(0.01)
            script.free.set()
            await mine.result
            await guest.result  # with what it had, or after another try
        assert script.started == ["guest", "mine", *["guest"] * deaf]
        await pool.close()

    asyncio.run(work())


def test_what_waits_for_guests_is_bounded_and_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        script, pool = Scripted(monkeypatch), EnginePool(2)
        there = True

        def ask(person: str, address: str) -> EngineJob:
            requester = Requester(person, address)
            return pool.submit(
                task(person), urgent=True, requester=requester, still_wanted=lambda: there
            )

        for _ in range(pool_module._MOST_MOVES + 1):  # the first is at work
            ask("a", "A")
        with pytest.raises(Refusal, match="you have 8 searches waiting"):
            ask("a", "A")
        for n in range(pool_module._MOST_FROM_ONE - pool_module._MOST_MOVES):
            ask(f"a{n}", "A")
        with pytest.raises(Refusal, match="too many searches are waiting"):
            ask("a99", "A")
        waiting = [ask("b", "B")]
        there = False
        assert ask("me", "A").result.cancelled() is False
        assert waiting[0].result.cancelled()
        assert sum(map(len, pool._waiting)) == 1
        script.free.set()
        await asyncio.sleep(0.05)
        assert (sum(map(len, pool._waiting)), pool._load.total) == (0, 0)
        await pool.close()

    asyncio.run(work())


def test_a_queue_by_address_and_person() -> None:
    queue, load = FairQueue[str](), Load()
    for name in ("x1", "x2", "x3", "y1", "z1"):
        queue.push(Requester(name[0], "A" if name[0] in "xy" else "B"), name)
    found = []
    while (entry := queue.pop(load)) is not None:
        found.append(entry)
    assert found == ["x1", "z1", "y1", "x2", "x3"]
    assert len(queue) == 0
    queue.push(Requester("x", "A"), "x4")
    load.add(Requester("x", "A"))
    assert queue.pop(load, of_person=1) is None
    assert queue.pop(load, of_address=1) is None
    assert queue.pop(load, of_person=2) == "x4"


def test_an_address_of_ipv6_is_its_network() -> None:
    from playproof.web.http.access import Person

    one, two = (Requester.of(Person("p"), f"2001:db8::{n}") for n in (1, 2))
    assert one.address == two.address == "2001:db8::/64"
    assert Requester.of(Person("p"), "10.0.0.7").address == "10.0.0.7"
