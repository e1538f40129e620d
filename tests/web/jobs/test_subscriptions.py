"""Watching: topics over the WebSocket, looked at once for all who have seen the same."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from playproof.core.errors import DataError
from playproof.web.http.access import Person
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Message, News
from playproof.web.websocket import subscriptions as subscriptions_module
from playproof.web.websocket.subscriptions import MOST_OF_ONE, MOST_TOPICS, Polled, Subscriptions
from tests.support.web.people import Talker
from tests.web.jobs.conftest import Desk


class NewItems(News, tag_field="type", tag="news"):
    """What came since."""

    items: list[str]


class Shown(News, tag_field="type", tag="shown"):
    """Whether it was for the owner."""

    owner: bool


class Ear:
    """Somebody who listens."""

    def __init__(self, *, owner: bool = True) -> None:
        self.person = Person("me", owner)
        self.is_behind = False
        self.heard: list[dict[str, Any]] = []  # as it goes over the line

    def send(self, message: Message) -> None:
        self.heard.append(msgspec.to_builtins(message))


class Counter:
    """Something that changes: a look tells what came since the mark."""

    def __init__(self) -> None:
        self.items = ["a", "b"]
        self.looks: list[tuple[str, Any]] = []
        self.wrong: list[Exception] = []  # what the next looks meet

    def look(self, id: str, mark: Any) -> Polled:
        self.looks.append((id, mark))
        if self.wrong:
            raise self.wrong.pop()
        if id == "gone":
            raise Refusal("gone", "no such thing")
        if id == "bad":
            raise DataError("no such thing")
        if id == "broken":
            raise KeyError("x")
        new = self.items[mark or 0 :]
        return len(self.items), NewItems(items=new) if new else None


def run(work: Any) -> None:
    asyncio.run(work)


async def until(is_so: Callable[[], Any]) -> None:
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.01)


async def a_while() -> None:
    await asyncio.sleep(0.15)


def test_all_of_it_first_then_what_is_new() -> None:
    async def work() -> None:
        subscriptions, counter, ear = Subscriptions(pause=0.01), Counter(), Ear()
        subscriptions.register("run", counter.look)
        subscriptions.watch(ear, "run:choko")
        await until(lambda: ear.heard)
        first = {"type": "news", "items": ["a", "b"], "topic": "run:choko", "fresh": True}
        assert ear.heard == [first]
        counter.items.append("c")
        await until(lambda: len(ear.heard) > 1)
        assert ear.heard[1:] == [{"type": "news", "items": ["c"], "topic": "run:choko"}]
        subscriptions.watch(ear, "run:choko")  # once more: the whole again
        await until(lambda: len(ear.heard) > 2)
        assert ear.heard[-1] == {**first, "items": ["a", "b", "c"]}
        subscriptions.unwatch(ear, "run:choko")
        await a_while()
        before = len(counter.looks)
        await a_while()
        assert len(counter.looks) == before  # nobody watches: nobody looks
        await subscriptions.close()

    run(work())


def test_one_look_for_all_who_have_seen_the_same() -> None:
    async def work() -> None:
        subscriptions, counter = Subscriptions(pause=0.2), Counter()
        subscriptions.register("run", counter.look)
        ears = [Ear() for _ in range(50)]
        for ear in ears:
            subscriptions.watch(ear, "run:x")
        await until(lambda: all(ear.heard for ear in ears))
        assert len(counter.looks) <= 2
        assert all(len(ear.heard) == 1 for ear in ears)
        late = Ear()
        subscriptions.watch(late, "run:x")
        before = len(counter.looks)
        await until(lambda: late.heard)
        assert len(counter.looks) <= before + 3
        assert late.heard[0]["fresh"] is True
        for ear in [*ears, late]:
            subscriptions.unwatch(ear)
        await subscriptions.close()

    run(work())


def test_who_does_not_read_hears_less() -> None:
    async def work() -> None:
        subscriptions, counter, slow, ear = Subscriptions(pause=0.01), Counter(), Ear(), Ear()
        subscriptions.register("run", counter.look)
        subscriptions.watch(slow, "run:x")
        subscriptions.watch(ear, "run:x")
        await until(lambda: slow.heard and ear.heard)
        slow.is_behind = True
        await a_while()  # a look that was on its way
        for count, item in enumerate("cd", 2):
            counter.items.append(item)
            await until(lambda count=count: len(ear.heard) == count)
        assert len(slow.heard) == 1
        slow.is_behind = False
        await until(lambda: len(slow.heard) > 1)
        assert slow.heard[-1]["items"] == ["c", "d"]  # and misses nothing
        await subscriptions.close()

    run(work())


@pytest.mark.parametrize(
    ("id", "code", "says", "looks"),
    [
        ("gone", "gone", "no such thing", 1),
        ("bad", "busy", "no such thing", subscriptions_module._TRIES),
        ("broken", "busy", "this cannot be read just now (KeyError)", subscriptions_module._TRIES),
    ],
)
def test_what_cannot_be_looked_at_is_told_once(id: str, code: str, says: str, looks: int) -> None:
    async def work() -> None:
        subscriptions, counter, ear = Subscriptions(pause=0.001), Counter(), Ear()
        subscriptions.register("run", counter.look)
        subscriptions.watch(ear, f"run:{id}")
        await until(lambda: ear.heard)
        await a_while()
        (error,) = ear.heard
        assert (error["type"], error["code"], error["msg"]) == ("error", code, says)
        assert error["topic"] == f"run:{id}"
        assert subscriptions.topics_of(ear) == set()
        assert len(counter.looks) == looks
        await subscriptions.close()

    run(work())


def test_an_error_that_passes_is_not_told() -> None:
    async def work() -> None:
        subscriptions, counter, ear = Subscriptions(pause=0.001), Counter(), Ear()
        subscriptions.register("run", counter.look)
        subscriptions.watch(ear, "run:x")
        await until(lambda: ear.heard)
        counter.wrong = [OSError("disk"), Refusal("busy", "database is locked")]
        counter.items.append("c")
        await until(lambda: len(ear.heard) > 1)
        assert [message["type"] for message in ear.heard] == ["news", "news"]
        assert ear.heard[1]["items"] == ["c"]  # what it had seen is still known
        assert counter.wrong == []
        await subscriptions.close()

    run(work())


def test_limits() -> None:
    async def work() -> None:
        subscriptions, ear = Subscriptions(), Ear()
        subscriptions.register("run", Counter().look)
        with pytest.raises(Refusal, match="there is no topic 'moon': want run"):
            subscriptions.watch(ear, "moon:1")
        for n in range(MOST_TOPICS):
            subscriptions.watch(ear, f"run:{n}")
        subscriptions.watch(ear, "run:0")
        with pytest.raises(Refusal, match="topics at a time is the limit"):
            subscriptions.watch(ear, "run:one-more")
        subscriptions.unwatch(ear, "run:never-watched")
        subscriptions.unwatch(ear)
        assert subscriptions.topics_of(ear) == set()
        pages = [Ear() for _ in range(MOST_OF_ONE // MOST_TOPICS + 1)]
        for n in range(MOST_OF_ONE):  # one person with many connections
            subscriptions.watch(pages[n // MOST_TOPICS], f"run:{n}")
        subscriptions.watch(pages[-1], "run:0")
        with pytest.raises(Refusal, match="close some other pages"):
            subscriptions.watch(pages[-1], "run:one-more")
        await subscriptions.close()

    run(work())


def test_guests_are_told_of_no_path() -> None:
    async def work() -> None:
        def look(id: str, mark: Any) -> Polled:
            text = "/home/me/lab/runs/x cannot be read"
            raise DataError(text) if id == "data" else OSError(text)

        subscriptions, owner, guest = Subscriptions(pause=0.001), Ear(), Ear(owner=False)
        subscriptions.register("run", look)
        for topic in ("run:data", "run:disk"):
            subscriptions.watch(owner, topic)
            subscriptions.watch(guest, topic)
        await until(lambda: len(owner.heard) == len(guest.heard) == 2)
        said = {m["topic"]: m["msg"] for m in guest.heard}
        disk = "this cannot be read just now (OSError)"
        assert said == {"run:data": "…/x cannot be read", "run:disk": disk}
        assert "/home/me/lab/runs/x cannot be read" in [m["msg"] for m in owner.heard]
        await subscriptions.close()

    run(work())


def test_looks_leave_the_other_threads_free() -> None:
    """However long looks take, and however many there are."""

    async def work() -> None:
        ended = threading.Event()

        def look(id: str, mark: Any) -> Polled:
            ended.wait(20)
            return 1, None

        subscriptions, ear = Subscriptions(pause=0.01), Ear()
        subscriptions.register("run", look)
        for n in range(MOST_TOPICS):
            subscriptions.watch(ear, f"run:{n}")
        await a_while()
        async with asyncio.timeout(5):
            await asyncio.gather(*(asyncio.to_thread(int) for _ in range(50)))
        ended.set()
        await subscriptions.close()

    run(work())


def test_owners_and_guests_are_shown_their_own() -> None:
    async def work() -> None:
        subscriptions, ear, guest = Subscriptions(pause=0.01), Ear(), Ear(owner=False)
        subscriptions.register(
            "jobs", lambda id, mark, owner: (owner, None if mark is owner else Shown(owner=owner)),
            personal=True,
        )  # fmt: skip
        subscriptions.watch(ear, "jobs")
        subscriptions.watch(guest, "jobs")
        await until(lambda: ear.heard and guest.heard)
        assert [m["owner"] for m in ear.heard + guest.heard] == [True, False]
        await subscriptions.close()

    run(work())


# Over the WebSocket


def test_a_job_is_watched(desk: Desk, talk: Talker) -> None:
    assert talk.ask("watch", topic="jobs")["type"] == "watching"
    first = talk.until(lambda m: m["type"] == "jobs")
    assert (first["jobs"], first["topic"], first["fresh"]) == ([], "jobs", True)
    id = desk.start("count", "5")
    seen = talk.until(lambda m: m["type"] == "jobs" and m["jobs"])
    assert seen["jobs"][0]["id"] == id
    talk.ask("watch", topic=f"job:{id}")
    last = talk.until(lambda m: m["type"] == "job" and m["job"]["state"] == "done")
    assert len(last["job"]["steps"]) == 5
    assert last["job"]["log"].count("\n") == 5
    assert talk.ask("unwatch", topic=f"job:{id}")["type"] == "unwatching"
    told = (m for m in [*talk.heard, talk.ask("ping")] if m["type"] == "jobs" and m["jobs"])
    if "done" not in [m["jobs"][0]["state"] for m in told]:
        talk.until(lambda m: m["type"] == "jobs" and m["jobs"][0]["state"] == "done")


def test_topics_that_are_none(client: TestClient, talk: Talker) -> None:
    for topic, code in (("moon", "gone"), ("", "gone")):
        answer = talk.ask("watch", topic=topic)
        assert (answer["type"], answer["code"], answer["topic"]) == ("error", code, topic)
    for topic in ("job:20200101-000000-abcd", "job:../..", "job:", "jobs:1"):
        talk.ask("watch", topic=topic)
        gone = talk.until(lambda m, topic=topic: m.get("topic") == topic and "rid" not in m)
        assert (gone["type"], gone["code"]) == ("error", "gone")
    assert talk.refused("watch") == "bad"
    assert talk.refused("watch", topic=3) == "bad"
    assert talk.refused("watch", topic="x" * 200) == "bad"


def test_who_hangs_up_watches_no_more(client: TestClient) -> None:
    lab = client.app.state.lab  # type: ignore[attr-defined]
    with Talker(client) as talker:
        talker.ask("watch", topic="jobs")
        assert list(lab.subscriptions._topics) == ["jobs"]
    client.get("/api/jobs")
    assert list(lab.subscriptions._topics) == []
