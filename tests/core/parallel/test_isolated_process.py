"""Isolated processes: every way in which a call may fail, none of which takes us along."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from playproof import UsageError
from playproof.core.parallel.isolated_process import (
    CallRaised,
    CallTimedOut,
    IsolatedProcess,
    ProcessDied,
)


class Guest:
    def __init__(self, start: int = 0) -> None:
        if start < 0:
            raise UsageError(f"{start} is below 0")
        self.count = start

    def add(self, number: int) -> int:
        self.count += number
        return self.count

    def pid(self) -> int:
        return os.getpid()

    def fail(self) -> None:
        raise KeyError("no\nsuch key")

    def refuse(self) -> None:
        raise UsageError("not today")

    def hang(self) -> None:
        time.sleep(3600)

    def die(self, how: str) -> None:
        if how == "exit":
            sys.exit(5)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(0)

    def unsendable(self) -> Any:
        return threading.Lock()

    def unreadable(self) -> Any:
        return Unreadable()


class Unreadable:
    def __reduce__(self) -> Any:
        return int, ("no number",)


@pytest.fixture
def guest() -> Iterator[IsolatedProcess]:
    with IsolatedProcess(Guest, 3) as process:
        yield process


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_it_answers_from_another_process_and_remembers(guest: IsolatedProcess) -> None:
    assert guest.call("add", 4, limit=60.0) == 7
    assert guest.call("add", 1, limit=60.0) == 8
    assert guest.call("pid", limit=60.0) != os.getpid()


@pytest.mark.parametrize(
    ("method", "why"),
    [("fail", "raised KeyError: 'no\\nsuch key'"), ("refuse", "raised UsageError: not today")],
)
def test_an_error_is_reported_and_survived(guest: IsolatedProcess, method: str, why: str) -> None:
    assert guest.call("add", 4, limit=60.0) == 7
    with pytest.raises(CallRaised) as raised:
        guest.call(method, limit=60.0)
    assert str(raised.value) == why
    assert guest.call("add", 0, limit=60.0) == 7


def test_a_hung_call_is_killed_and_the_next_one_starts_anew(guest: IsolatedProcess) -> None:
    assert guest.call("add", 4, limit=60.0) == 7
    pid = guest.call("pid", limit=60.0)
    began = time.monotonic()
    with pytest.raises(CallTimedOut, match=r"^gave no answer within 0\.3 s$"):
        guest.call("hang", limit=0.3)
    assert time.monotonic() - began < 10.0
    assert gone(pid)
    assert guest.call("add", 0, limit=60.0) == 3


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("exit", "ended its process with exit code 5"),
        ("kill", "ended its process by SIGKILL"),
        ("quietly", "ended its process with exit code 0"),
    ],
)
def test_a_death_is_reported_and_the_next_call_starts_anew(
    guest: IsolatedProcess, how: str, why: str
) -> None:
    with pytest.raises(ProcessDied) as died:
        guest.call("die", how, limit=60.0)
    assert str(died.value) == why
    assert guest.call("add", 0, limit=60.0) == 3


def test_answers_that_cannot_travel_are_failures(guest: IsolatedProcess) -> None:
    with pytest.raises(CallRaised, match=r"^gave an answer that cannot be sent"):
        guest.call("unsendable", limit=60.0)
    with pytest.raises(ProcessDied, match=r"^sent an answer that cannot be read"):
        guest.call("unreadable", limit=60.0)
    assert guest.call("add", 0, limit=60.0) == 3


def test_an_object_that_refuses_to_be_made_says_so() -> None:
    with IsolatedProcess(Guest, -1) as process, pytest.raises(UsageError, match=r"^-1 is below 0$"):
        process.call("add", 1, limit=60.0)


def test_closing_ends_the_process_and_may_be_done_twice(guest: IsolatedProcess) -> None:
    pid = guest.call("pid", limit=60.0)
    guest.close()
    assert gone(pid)
    guest.close()


def test_one_killed_while_idle_is_started_anew(guest: IsolatedProcess) -> None:
    os.kill(guest.call("pid", limit=60.0), signal.SIGKILL)
    time.sleep(0.2)
    assert guest.call("add", 0, limit=60.0) == 3
