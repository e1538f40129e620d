"""An engine in a process of its own, which never outlives Playproof.

A guard, which is a shell, runs beside the engine.  It reads a pipe whose other end we hold.  When
that end closes, however our process ended, the guard ends the engine and whatever the engine
started.  The protocols that run over the pipes are in ``gtp.client`` and ``uci.client``.
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

# A line on the guard's input asks for the engine's exit code; the end of the input ends everything.
_GUARD = """
feed="/dev/fd/$1"; shift
"$@" <"$feed" &
engine=$!
exec >/dev/null
if read -r _; then kill -9 "$engine" 2>/dev/null; wait "$engine"; exit $?; fi
kill -9 0
"""
_MAX_QUOTE = 200  # characters of an engine's output that an error message quotes


class EngineFailure(PlayproofError):
    """An engine hung, died or refused a command; the message says which."""


class EngineProcess:
    """An engine that runs: lines go in by ``send``, its output collects in ``buffer``.

    Any failure of the engine is an EngineFailure.
    """

    def __init__(self, command: Sequence[str], *, name: str, limit: float) -> None:
        self.name, self.limit = name, limit
        self.buffer = b""  # output that is not parsed yet, without carriage returns
        engine_input, self._feed = os.pipe()
        guard_input, self._watch = os.pipe()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, "sh", str(engine_input), *command],
                stdin=guard_input,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                pass_fds=(engine_input,),
                start_new_session=True,  # Ctrl-C is for us
            )
        except OSError as error:
            os.close(self._feed)
            os.close(self._watch)
            self._errors.close()
            raise EngineFailure(f"{name} cannot be started: {error.strerror or error}") from None
        finally:
            os.close(engine_input)
            os.close(guard_input)
        assert self._process.stdout is not None
        self._output = self._process.stdout.fileno()
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        files = (self._feed, self._watch)
        self.close = weakref.finalize(self, _end, self._process, files, self._errors, os.getpid())

    @property
    def is_running(self) -> bool:
        return self.close.alive

    def send(self, line: str, command: str = "") -> None:
        """Write a line; error messages quote ``command`` instead, if it is given."""
        if not self.is_running:
            raise EngineFailure(f"{self.name} is not running")
        try:
            os.write(self._feed, f"{line}\n".encode())
        except OSError:
            raise self._died(command or line) from None

    def has_more(self, seconds: float) -> bool:
        """Whether within so many seconds the engine writes something or ends."""
        return bool(self._poll.poll(1000 * seconds))

    def wait(self, command: str, limit: float, deadline: float) -> None:
        """Wait for more output, at most until the monotonic time ``deadline``.

        Error messages quote the ``command`` and its ``limit`` in seconds.
        """
        remaining = deadline - time.monotonic()
        if remaining <= 0 or not self._poll.poll(
            None if math.isinf(remaining) else 1000 * remaining
        ):
            self.close()
            raise EngineFailure(
                f"{self.name} gave no answer to '{command}' within {limit:g} s and was ended"
            )
        chunk = os.read(self._output, 1 << 16)
        if not chunk:
            raise self._died(command)
        self.buffer += chunk.replace(b"\r", b"")

    def _died(self, command: str) -> EngineFailure:
        """The error for an engine that ended by itself: its exit code and its last words."""
        with contextlib.suppress(OSError):
            os.write(self._watch, b"\n")
        try:
            code = self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            code = None
        self._errors.seek(0)
        stderr = self._errors.read()[-2000:].decode(errors="replace").strip()
        self.close()
        how = "was killed or closed its output"
        if code is not None and code > 128 and code != 128 + signal.SIGKILL:
            with contextlib.suppress(ValueError):
                how = f"was ended by {signal.Signals(code - 128).name}"
        elif code is not None and code <= 128:
            how = f"ended with exit code {code}"
        last = f": {short(stderr.splitlines()[-1])}" if stderr else ""
        return EngineFailure(f"{self.name} {how} at '{command}'{last}")


def program_digest(name: str, game: Game) -> str:
    """The digest of a program file; empty if the program is not installed."""
    program = find_program(os.path.expanduser(name))
    return "" if program is None else path_digest(program, game)


def command_digest(text: str, game: Game) -> str:
    """The digest of a program and the files among its arguments; empty if it is not installed."""
    try:
        words = shlex.split(text)
    except ValueError:  # the agent reports the mistake when it starts the program
        return ""
    program = program_digest(words[0], game) if words else ""
    if not program:
        return ""
    digests = [path_digest(word, game) for word in words[1:]]
    parts = [digest or word for word, digest in zip(words[1:], digests, strict=True)]
    return digest_of(program.encode(), *(part.encode() for part in parts))


def find_program(name: str) -> str | None:
    """The path of a program, if there is one.  Debian keeps games outside of the usual PATH."""
    return shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/games")


def short(text: str) -> str:
    """One printable line, of limited length, from whatever an engine wrote."""
    line = " ".join(text.split())[:_MAX_QUOTE]
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


def _end(process: Any, files: tuple[int, int], errors: Any, owner: int) -> None:
    """End the engine, its guard and its children, and wait for them."""
    feed, watch = files
    if os.getpid() == owner:  # a fork of this process must not end the engine
        # The guard kills the engine and waits for it, so that no zombie remains ...
        with contextlib.suppress(OSError):
            os.write(watch, b"\n")
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(2.0)
        # ... and everything else in the session is killed by its process group.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    os.close(feed)
    os.close(watch)
    process.stdout.close()
    errors.close()
