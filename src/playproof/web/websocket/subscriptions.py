"""Subscriptions: connections watch a topic, "run:choko" or "jobs", and get its changes.

A page registers a kind of topic with a function that polls it::

    lab.subscriptions.register("run", poll)

``poll(id, mark)`` is called in a worker thread, about twice a second while somebody watches
"run:ID". It returns ``(mark, message)``: a mark of what it has reported, which it gets back the
next time (None at first), and the message to send, or None if nothing is new. A message answering
no mark is sent with ``fresh: true``: the page then discards what it had.

A poll that raises a Refusal ends the topic, and its listeners are told. Any other error, and a
Refusal with the code "busy", may be temporary: polling continues at growing intervals, and the
listeners are told when it has failed several times in a row.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

import msgspec

from playproof.core.errors import PlayproofError, one_line
from playproof.web.http.access import Person
from playproof.web.http.redaction import redact
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Message, News
from playproof.web.protocol.replies.games import Error

PAUSE = 0.5  # seconds between two polls of a topic
MOST_TOPICS = 60  # of one connection: the Jobs page watches all jobs that wait
MOST_OF_ONE = 100  # of one person, over all connections
_TRIES = 5  # failures in a row before listeners are told
_THREADS = 3  # threads that poll: topics never take more threads from other work

Polled = tuple[Any, News | None]
Poll = Callable[..., Polled]


class Listener(Protocol):
    """What messages about a topic are sent to: a connection."""

    @property
    def person(self) -> Person: ...

    @property
    def is_behind(self) -> bool:
        """Whether it has unread messages; its topics are then polled less often."""
        ...

    def send(self, message: Message) -> None: ...


@dataclass
class _Topic:
    """A topic: its listeners, each with the mark of what it was sent last."""

    poll: Poll
    marks: dict[Listener, Any] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Subscriptions:
    """All topics that are being watched."""

    def __init__(self, pause: float = PAUSE) -> None:
        self.pause = pause
        self._kinds: dict[str, tuple[Poll, bool]] = {}
        self._topics: dict[str, _Topic] = {}
        self._threads = ThreadPoolExecutor(_THREADS, "poll")

    def register(self, kind: str, poll: Poll, *, personal: bool = False) -> None:
        """Allow topics ``kind:ID``, or ``kind`` alone, for which the id is "".

        ``personal``: ``poll(id, mark, owner)`` is also told whether it polls for the lab's owner.
        """
        self._kinds[kind] = poll, personal

    def watch(self, listener: Listener, topic: str) -> None:
        """Start to watch a topic; if it is watched already, send everything once more."""
        kind, _, id = topic.partition(":")
        if kind not in self._kinds:
            kinds = ", ".join(sorted(self._kinds))
            raise Refusal("gone", f"there is no topic {kind[:40]!r}: want {kinds}")
        if len(self.topics_of(listener) - {topic}) >= MOST_TOPICS:
            raise Refusal("limit", f"{MOST_TOPICS} topics at a time is the limit: unwatch one")
        if len(self._topics_of(listener.person) - {topic}) >= MOST_OF_ONE:
            raise Refusal("limit", f"{MOST_OF_ONE} topics is the limit: close some other pages")
        if topic not in self._topics:
            poll, personal = self._kinds[kind]
            new = _Topic(_bound(poll, id, personal))
            self._topics[topic] = new
            new.task = asyncio.get_running_loop().create_task(self._poll_repeatedly(topic, new))
        self._topics[topic].marks[listener] = None
        self._topics[topic].woken.set()

    def unwatch(self, listener: Listener, topic: str | None = None) -> None:
        """Stop watching one topic, or all."""
        for name in self.topics_of(listener) if topic is None else {topic}:
            watched = self._topics.get(name)
            if watched is not None:
                watched.marks.pop(listener, None)
                if not watched.marks:
                    self._drop(name)

    def topics_of(self, listener: Listener) -> set[str]:
        return {name for name, topic in self._topics.items() if listener in topic.marks}

    def _topics_of(self, person: Person) -> set[str]:
        return {
            name
            for name, topic in self._topics.items()
            if any(listener.person.id == person.id for listener in topic.marks)
        }

    async def close(self) -> None:
        tasks = [topic.task for topic in self._topics.values() if topic.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._topics.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _drop(self, name: str) -> None:
        topic = self._topics.pop(name)
        if topic.task is not None and topic.task is not asyncio.current_task():
            topic.task.cancel()

    async def _poll_repeatedly(self, name: str, topic: _Topic) -> None:
        failures = 0
        while topic.marks:
            topic.woken.clear()
            try:
                await self._poll_once(name, topic)
                failures = 0
            except Exception as error:  # listeners are told, whatever it is
                failures += 1
                if _is_final(error) or failures == _TRIES:
                    self._end(name, topic, error)
                    return
            try:
                async with asyncio.timeout(self.pause * 2**failures):
                    await topic.woken.wait()
            except TimeoutError:
                pass

    async def _poll_once(self, name: str, topic: _Topic) -> None:
        """Poll once for each group of listeners with the same mark and the same rights."""
        groups: list[tuple[Any, bool, list[tuple[Listener, Any]]]] = []
        for listener, mark in topic.marks.items():
            if listener.is_behind:
                continue
            for group_mark, owner, members in groups:
                if owner == listener.person.owner and group_mark == mark:
                    members.append((listener, mark))
                    break
            else:
                groups.append((mark, listener.person.owner, [(listener, mark)]))
        for group_mark, owner, members in groups:
            loop = asyncio.get_running_loop()
            mark, message = await loop.run_in_executor(self._threads, topic.poll, group_mark, owner)
            for listener, own in members:
                # In the meantime it may have left, or asked for everything once more.
                if listener in topic.marks and topic.marks[listener] is own:
                    topic.marks[listener] = mark
                    if message is not None:
                        news = msgspec.structs.replace(message, topic=name)
                        if group_mark is None:
                            news.fresh = True
                        listener.send(news)

    def _end(self, name: str, topic: _Topic, cause: Exception) -> None:
        """End a topic that no longer exists or cannot be read, and tell its listeners."""
        refusal = cause if isinstance(cause, Refusal) else Refusal("busy", _why(cause))
        for listener in list(topic.marks):
            error = Error.of(refusal)
            error.topic = name
            if not listener.person.owner:
                error.msg = redact(error.msg)
            listener.send(error)
        topic.marks.clear()
        if self._topics.get(name) is topic:
            self._drop(name)


def _is_final(error: Exception) -> bool:
    """Whether polling again would be pointless."""
    return isinstance(error, Refusal) and error.code != "busy"


def _why(error: Exception) -> str:
    """One line. For an unexpected error only its class, since its message may hold anything."""
    if isinstance(error, PlayproofError):
        return one_line(error)
    return f"this cannot be read just now ({type(error).__name__})"


def _bound(poll: Poll, id: str, personal: bool) -> Poll:
    """The poll of one topic, called as ``poll(mark, owner)``."""
    if personal:
        return lambda mark, owner: poll(id, mark, owner)
    return lambda mark, owner: poll(id, mark)
