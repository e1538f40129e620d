"""Playproof run as people run it: arguments in, an exit code and two streams out."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import playproof

SOURCES = Path(playproof.__file__).resolve().parent.parent
ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# What a machine that runs the tests may set, and what would change the output.
DECORATIONS = (
    "NO_COLOR",
    "FORCE_COLOR",
    "PY_COLORS",
    "CLICOLOR_FORCE",
    "GITHUB_ACTIONS",
    "COLUMNS",
)


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one line of JSON that stdout must be."""
        assert self.code == 0, self.err
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1, f"not one line: {self.out[:200]!r}"
        return json.loads(self.out)


def environment(**variables: str) -> dict[str, str]:
    """This process's environment, with Playproof to import and nothing that decorates."""
    plain = {key: value for key, value in os.environ.items() if key not in DECORATIONS}
    return {**plain, "PYTHONPATH": str(SOURCES), "TERM": "xterm-256color", **variables}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "playproof", *arguments]


def process(*arguments: str, stdin: str | bytes = "", **variables: str) -> Answer:
    """The command in a process of its own, its streams pipes."""
    done = subprocess.run(
        command(*arguments),
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        env=environment(**variables),
        capture_output=True,
        timeout=120,
    )
    return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())


class Terminal:
    """The command in a real terminal: what it shows, and a keyboard.

    >>> with Terminal("play", "othello") as terminal:
    ...     terminal.wait_for("your move")
    ...     terminal.type("f5")
    """

    def __init__(self, *arguments: str, **variables: str) -> None:
        self._master, slave = pty.openpty()
        self.raw = b""  # every byte it wrote
        self.shown = ""  # the same as text, without escape codes
        self._seen = 0
        self._process = subprocess.Popen(
            command(*arguments),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment(**variables),
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # its own terminal
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._master)

    def wait_for(self, text: str, *, seconds: float = 60) -> str:
        """Wait until ``text`` is shown; all that was shown since the last wait."""
        end = time.monotonic() + seconds
        while (found := self.shown.find(text, self._seen)) < 0:
            assert self._read(end - time.monotonic()), f"{text!r} did not come:\n{self.shown}"
        begin, self._seen = self._seen, found + len(text)
        return self.shown[begin : self._seen]

    def type(self, line: str) -> None:
        os.write(self._master, line.encode() + b"\n")

    def interrupt(self) -> None:
        """Ctrl-C, as the terminal passes it on."""
        os.write(self._master, b"\x03")

    def close(self, *, seconds: float = 60) -> int:
        """Wait for the end; the exit code."""
        end = time.monotonic() + seconds
        while self._read(end - time.monotonic()):
            pass
        return self._process.wait(timeout=max(0.1, end - time.monotonic()))

    def _read(self, seconds: float) -> bool:
        """Take in what is shown next; False when there is nothing more or no more time."""
        if not select.select([self._master], [], [], max(0.0, seconds))[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # how a terminal says that the other side is gone
            return False
        self.raw += data
        self.shown = ANSI.sub("", self.raw.decode(errors="replace")).replace("\r\n", "\n")
        return bool(data)


@contextmanager
def screen() -> Iterator[list[bytes]]:
    """A terminal for stdout and stderr of this process; what it was given is there at the end."""
    master, slave = pty.openpty()
    given: list[bytes] = []

    def read() -> None:
        with contextlib.suppress(OSError):  # how a terminal says that the other side is gone
            while data := os.read(master, 65536):
                given.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with (
            open(slave, "w", encoding="utf-8") as out,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            yield given
    finally:
        reader.join()
        os.close(master)


def interrupted(*arguments: str, after: float, within: float) -> tuple[Answer, float]:
    """The command stopped by SIGINT: its answer, and how many seconds it took to stop."""
    running = subprocess.Popen(
        command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    )
    try:
        time.sleep(after)
        assert running.poll() is None, "it was over before it could be stopped"
        running.send_signal(signal.SIGINT)
        sent = time.monotonic()
        out, err = running.communicate(timeout=within)
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
    return Answer(running.returncode, out.decode(), err.decode()), time.monotonic() - sent
