"""Players in this process: where only the games matter, a process for them is time lost.

``python -m arena.here KILLED WORD ...`` is the command with its players in its own process, which
is killed while it writes its games for the time KILLED (from 1; 0: it is not).
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from playproof.arena import referee
from playproof.arena.database import GameDatabase
from playproof.core.errors import PlayproofError, one_line
from playproof.core.parallel.isolated_process import CallRaised, CallTimedOut, ProcessDied
from tests.support.arena import hostile


class Clock:
    """The time of hostile agents: who sleeps for an hour is asleep for an hour, at once."""

    now = 0.0
    patience = 0.0  # until then

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        if self.now > self.patience:
            raise Asleep


class Asleep(BaseException):
    """An answer would have come too late."""


class Gone(BaseException):
    """A process would have ended; ``why`` is what is told of it."""


class System:
    """What hostile agents do to their process, without one."""

    def getpid(self) -> int:
        return 1

    def kill(self, pid: int, sent: signal.Signals) -> None:
        raise Gone(f"by {sent.name}")

    def _exit(self, code: int) -> None:
        raise Gone(f"with exit code {code}")


class Here:
    """Stands in for ``IsolatedProcess``, with its calls and failures."""

    clock = Clock()
    starts = 0  # processes that there would have been

    def __init__(self, make: Callable[..., Any], *arguments: Any, threads: int = 1) -> None:
        self._make, self._arguments = make, arguments
        self._made: Any = None
        self.is_running = False

    def call(self, method: str, *arguments: Any, limit: float) -> Any:
        if not self.is_running:
            self.is_running = True
            Here.starts += 1
        self.clock.patience = self.clock.now + limit
        try:
            if self._made is None:
                self._made = self._make(*self._arguments)
            return getattr(self._made, method)(*arguments)
        except Asleep:
            self.close()
            raise CallTimedOut(f"gave no answer within {limit:g} s") from None
        except Gone as gone:
            self.close()
            raise ProcessDied(f"ended its process {gone}") from None
        except SystemExit as left:
            self.close()
            raise ProcessDied(f"ended its process with exit code {left.code}") from None
        except Exception as error:
            if self._made is None and isinstance(error, PlayproofError):
                raise
            raise CallRaised(f"raised {type(error).__name__}: {one_line(error)}") from None

    def close(self) -> None:
        self._made, self.is_running = None, False


@contextmanager
def players_here() -> Iterator[None]:
    """Matches and tournaments have their players in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(referee, "IsolatedProcess", Here)
        patch.setattr(hostile, "time", Here.clock)
        patch.setattr(hostile, "os", System())
        yield
        referee.close_player_processes()


def _die_writing(time: int) -> None:
    """Be killed while games are written for this time: when all are, but not for good yet."""
    add, writing, times = GameDatabase.add, GameDatabase._writing, iter(range(1, time + 1))

    @contextmanager
    def dying(self: GameDatabase) -> Iterator[None]:
        with writing(self):
            yield
            os.kill(os.getpid(), signal.SIGKILL)

    def counted(self: GameDatabase, *arguments: Any) -> None:
        if next(times) == time:
            GameDatabase._writing = dying  # type: ignore[method-assign]
        add(self, *arguments)

    GameDatabase.add = counted  # type: ignore[method-assign]


if __name__ == "__main__":
    from playproof.cli.main import main

    if int(sys.argv[1]):
        _die_writing(int(sys.argv[1]))
    with players_here():
        sys.exit(main(sys.argv[2:]))
