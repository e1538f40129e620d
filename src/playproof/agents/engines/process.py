"""A program that plays, in a process of its own that never outlives us.

A shell stands guard beside the engine.  It reads a pipe whose other end we
hold: when that end closes, however we ended, the guard ends the engine and
whatever the engine started.  What is said through the pipes is the protocol's
business: see ``gtp.client`` and ``uci.client``.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from playproof.agents.identity import digest_of, path_digest
from playproof.core.errors import PlayproofError

if TYPE_CHECKING:
    from playproof.core.game import Game

# A line on the guard's own input asks for the engine's exit code; its end, for all to end.
_GUARD = """
feed="/dev/fd/$1"; shift
"$@" <"$feed" &
engine=$!
exec >/dev/null
if read -r _; then kill -9 "$engine" 2>/dev/null; wait "$engine"; exit $?; fi
kill -9 0
"""
_LONGEST_LINE = 200  # characters of an engine's words in ours


class EngineFailure(PlayproofError):
    """The engine hung, died or refused; the message says which."""


class EngineProcess:
    """Lines to an engine, and what it says in ``buffer``; EngineFailure where it fails."""

    def __init__(self, command: Sequence[str], *, name: str, limit: float) -> None:
        self.name, self.limit = name, limit
        self.buffer = b""  # said and not yet read, without carriage returns
        theirs, self._feed = os.pipe()
        watched, self._watch = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, "sh", str(theirs), *command],
                stdin=watched,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                pass_fds=(theirs,),
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            os.close(self._feed)
            os.close(self._watch)
            self._errors.close()
            raise EngineFailure(f"{name} cannot be started: {error.strerror or error}") from None
        finally:
            os.close(theirs)
            os.close(watched)
        assert self._process.stdout is not None
        self._answers = self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._answers, select.POLLIN)
        files = (self._feed, self._watch)
        self.close = weakref.finalize(self, _end, self._process, files, self._errors, os.getpid())

    @property
    def is_running(self) -> bool:
        return self.close.alive

    def send(self, line: str, asked: str = "") -> None:
        """Write a line; ``asked`` is what an error calls it."""
        if not self.is_running:
            raise EngineFailure(f"{self.name} is not running")
        try:
            os.write(self._feed, f"{line}\n".encode())
        except OSError:
            raise self._died(asked or line) from None

    def has_more(self, seconds: float) -> bool:
        """Whether the engine says something within so many seconds, or ends."""
        return bool(self._poll.poll(1000 * seconds))

    def wait(self, asked: str, limit: float, deadline: float) -> None:
        """Wait for more in ``buffer``, until the monotonic time ``deadline`` at most."""
        left = deadline - time.monotonic()
        if left <= 0 or not self._poll.poll(None if math.isinf(left) else 1000 * left):
            self.close()
            raise EngineFailure(
                f"{self.name} gave no answer to '{asked}' within {limit:g} s and was ended"
            )
        more = os.read(self._answers, 1 << 16)
        if not more:
            raise self._died(asked)
        self.buffer += more.replace(b"\r", b"")

    def _died(self, asked: str) -> EngineFailure:
        """What is known about the end of an engine that we did not want to end."""
        with contextlib.suppress(OSError):
            os.write(self._watch, b"\n")
        try:
            code = self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            code = None
        self._errors.seek(0)
        said = self._errors.read()[-2000:].decode(errors="replace").strip()
        self.close()
        how = "was killed or closed its output"
        if code is not None and code > 128 and code != 128 + signal.SIGKILL:
            with contextlib.suppress(ValueError):
                how = f"was ended by {signal.Signals(code - 128).name}"
        elif code is not None and code <= 128:
            how = f"ended with exit code {code}"
        last = f": {short(said.splitlines()[-1])}" if said else ""
        return EngineFailure(f"{self.name} {how} at '{asked}'{last}")


def program_digest(name: str, game: Game) -> str:
    """Of the program itself; empty if it is not installed."""
    program = find_program(os.path.expanduser(name))
    return "" if program is None else path_digest(program, game)


def command_digest(text: str, game: Game) -> str:
    """Of a program and of every file among its arguments; empty if it is not installed."""
    try:
        words = shlex.split(text)
    except ValueError:  # whoever starts it says what is wrong
        return ""
    program = program_digest(words[0], game) if words else ""
    if not program:
        return ""
    digests = [path_digest(word, game) for word in words[1:]]
    parts = [digest or word for word, digest in zip(words[1:], digests, strict=True)]
    return digest_of(program.encode(), *(part.encode() for part in parts))


def find_program(name: str) -> str | None:
    """Where a program is; Debian keeps games out of the usual path."""
    return shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")


def short(text: str) -> str:
    """One line that a terminal can bear, whatever an engine says."""
    line = " ".join(text.split())[:_LONGEST_LINE]
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _end(process: Any, files: tuple[int, int], errors: Any, owner: int) -> None:
    """End the engine, its guard and its children; nothing is left to wait for."""
    feed, watch = files
    if os.getpid() == owner:  # a fork of ours has no business here
        # The guard ends the engine and takes note of its end, so that no zombie stays ...
        with contextlib.suppress(OSError):
            os.write(watch, b"\n")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2.0)
        # ... and whoever else is left of the session is ended by its group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    os.close(feed)
    os.close(watch)
    process.stdout.close()
    errors.close()
