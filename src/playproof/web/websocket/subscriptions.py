"""Watching: connections name a topic, "run:choko" or "jobs", and hear what changes.

A part of the lab offers a kind of topic with a function that looks::

    lab.watching.offer("run", look)

``look(id, mark)`` is called in a worker thread, about twice a second while somebody
watches "run:ID".  It gives ``(mark, message)``: a mark of what it has seen, handed back
next time (None at first), and what to say, or None for nothing new.  A message says
``fresh: true`` when it answers to no mark: a page then forgets what it had.

A look that raises a Refusal has ended the topic, and those who watch are told.  Any other
error, and a Refusal that says "busy", may pass: it is looked again, ever more slowly,
and told after the last time.
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
from playproof.web.http.redaction import hidden
from playproof.web.protocol.refusal import Refusal
from playproof.web.protocol.replies.base import Message, News
from playproof.web.protocol.replies.games import Error

PAUSE = 0.5  # seconds between two looks
MOST_TOPICS = 60  # of one connection: the page of jobs shows all that wait
MOST_OF_ONE = 100  # of one person, all connections together
_TRIES = 5  # looks that fail one after the other before those who watch are told
_EYES = 3  # threads that look: however much is watched, others find theirs free

Seen = tuple[Any, News | None]
Look = Callable[..., Seen]


class Listener(Protocol):
    """Who is told: a connection."""

    @property
    def person(self) -> Person: ...

    @property
    def is_behind(self) -> bool:
        """Whether it has not read what it was told: then it hears less often."""
        ...

    def hear(self, message: Message) -> None: ...


@dataclass
class _Topic:
    """Those who watch one topic, with what each has seen."""

    look: Look
    marks: dict[Listener, Any] = field(default_factory=dict)
    task: asyncio.Task[None] | None = None
    woken: asyncio.Event = field(default_factory=asyncio.Event)


class Watching:
    def __init__(self, pause: float = PAUSE) -> None:
        self.pause = pause
        self._looks: dict[str, tuple[Look, bool]] = {}
        self._topics: dict[str, _Topic] = {}
        self._eyes = ThreadPoolExecutor(_EYES, "look")

    def offer(self, kind: str, look: Look, *, personal: bool = False) -> None:
        """Topics ``kind:ID`` can be watched from now on, or ``kind`` alone with id "".

        ``personal``: the look is called as ``look(id, mark, owner)``, with whether it is
        for who started the lab.
        """
        self._looks[kind] = look, personal

    def watch(self, listener: Listener, topic: str) -> None:
        """Begin to watch, or hear all of it once more."""
        kind, _, id = topic.partition(":")
        if kind not in self._looks:
            known = ", ".join(sorted(self._looks))
            raise Refusal("gone", f"there is nothing to watch as {kind[:40]!r}: want {known}")
        if len(self.topics_of(listener) - {topic}) >= MOST_TOPICS:
            raise Refusal("limit", f"{MOST_TOPICS} topics at a time are enough: unwatch one")
        if len(self._topics_of(listener.person) - {topic}) >= MOST_OF_ONE:
            raise Refusal("limit", f"{MOST_OF_ONE} topics are enough: close some other pages")
        if topic not in self._topics:
            look, personal = self._looks[kind]
            found = _Topic(_bound(look, id, personal))
            self._topics[topic] = found
            found.task = asyncio.get_running_loop().create_task(self._look_on(topic, found))
        self._topics[topic].marks[listener] = None
        self._topics[topic].woken.set()

    def unwatch(self, listener: Listener, topic: str | None = None) -> None:
        """Watch a topic no longer, or none at all."""
        for name in self.topics_of(listener) if topic is None else {topic}:
            found = self._topics.get(name)
            if found is not None:
                found.marks.pop(listener, None)
                if not found.marks:
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
        self._eyes.shutdown(wait=False, cancel_futures=True)

    def _drop(self, name: str) -> None:
        topic = self._topics.pop(name)
        if topic.task is not None and topic.task is not asyncio.current_task():
            topic.task.cancel()

    async def _look_on(self, name: str, topic: _Topic) -> None:
        failed = 0
        while topic.marks:
            topic.woken.clear()
            try:
                await self._round(name, topic)
                failed = 0
            except Exception as error:  # whatever it is, those who watch are told
                failed += 1
                if _is_last_word(error) or failed == _TRIES:
                    self._end(name, topic, error)
                    return
            try:
                async with asyncio.timeout(self.pause * 2**failed):
                    await topic.woken.wait()
            except TimeoutError:
                pass

    async def _round(self, name: str, topic: _Topic) -> None:
        """One look for all who have seen the same, and are shown the same."""
        groups: list[tuple[Any, bool, list[tuple[Listener, Any]]]] = []
        for listener, mark in topic.marks.items():
            if listener.is_behind:
                continue
            for seen, owner, alike in groups:
                if owner == listener.person.owner and seen == mark:
                    alike.append((listener, mark))
                    break
            else:
                groups.append((mark, listener.person.owner, [(listener, mark)]))
        for seen, owner, alike in groups:
            loop = asyncio.get_running_loop()
            mark, message = await loop.run_in_executor(self._eyes, topic.look, seen, owner)
            for listener, own in alike:
                # Meanwhile it may have gone, or have asked to hear everything again.
                if listener in topic.marks and topic.marks[listener] is own:
                    topic.marks[listener] = mark
                    if message is not None:
                        news = msgspec.structs.replace(message, topic=name)
                        if seen is None:
                            news.fresh = True
                        listener.hear(news)

    def _end(self, name: str, topic: _Topic, cause: Exception) -> None:
        """What is watched is no more, or cannot be looked at: say so, once."""
        refusal = cause if isinstance(cause, Refusal) else Refusal("busy", _why(cause))
        for listener in list(topic.marks):
            error = Error.of(refusal)
            error.topic = name
            if not listener.person.owner:
                error.msg = hidden(error.msg)
            listener.hear(error)
        topic.marks.clear()
        if self._topics.get(name) is topic:
            self._drop(name)


def _is_last_word(error: Exception) -> bool:
    """Whether looking again would be no use."""
    return isinstance(error, Refusal) and error.code != "busy"


def _why(error: Exception) -> str:
    """In a line; of what nobody foresaw, which may say anything, the kind alone."""
    if isinstance(error, PlayproofError):
        return one_line(error)
    return f"this cannot be looked at ({type(error).__name__})"


def _bound(look: Look, id: str, personal: bool) -> Look:
    if personal:
        return lambda mark, owner: look(id, mark, owner)
    return lambda mark, owner: look(id, mark)
