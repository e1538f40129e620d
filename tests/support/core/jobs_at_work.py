"""Jobs that are this process, for the tests of their book."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playproof.core.jobs.index import Book, Entry
from playproof.core.jobs.recorder import Job, new_card, opened


def card(**fields: Any) -> dict[str, Any]:
    given = {"by": "command line", "resume": ["match"], "mine": True, **fields}
    return new_card("match", "Match", ["match", "a b", "c"], **given)


@contextmanager
def at_work(**fields: Any) -> Iterator[Job]:
    """A job that is this process, and long enough to have a folder."""
    with opened(card(**fields)) as job:
        job.open()
        yield job


def only(book: Book) -> Entry:
    (entry,) = book.entries()
    return entry
