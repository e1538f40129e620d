"""Probe servers: in this process, or in ones of their own, which can be stopped and killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playproof.tables.choko.probe_server.server import ProbeServer
from playproof.tables.choko.store import SliceStore
from tests.support.core.processes import environment
from tests.support.tables.small_tables import folder


class ServerProcess:
    """``playproof table serve`` with tables in a folder, or with other arguments."""

    def __init__(self, socket: Path, *arguments: str) -> None:
        self.socket, self.address = socket, f"unix:{socket}"
        self.arguments = arguments or ("choko", "--out", str(folder()))
        self._process: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> None:
        """Start it, with other arguments if given; ``wait_until_ready`` waits for it."""
        self.arguments = arguments or self.arguments
        self._process = subprocess.Popen(
            [sys.executable, "-m", "playproof", "table", "serve", *self.arguments,
             "--socket", str(self.socket), "--json"],
            env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def wait_until_ready(self) -> str:
        """The line that it prints when it listens."""
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._process.communicate()[1]
        return line

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self, sent: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """(exit code, what it printed on stderr)."""
        return self._end(sent)

    def _end(self, sent: signal.Signals) -> tuple[int, str]:
        process, self._process = self._process, None
        if process is None:
            return 0, ""
        process.send_signal(sent)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors


@contextmanager
def server(*arguments: str) -> Iterator[ServerProcess]:
    """A server that is ready; it is killed in the end if it still runs."""
    # A path of a socket must be short, and pytest's folders are not.
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        process = ServerProcess(Path(scratch) / "s", *arguments)
        process.start()
        try:
            process.wait_until_ready()
            yield process
        finally:
            process.kill()


@contextmanager
def served(store: SliceStore) -> Iterator[Path]:
    """A server in this process."""
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        running = ProbeServer(store, Path(scratch) / "s")
        ready = threading.Event()
        thread = threading.Thread(target=running.serve, args=(ready.set,))
        thread.start()
        assert ready.wait(20)
        try:
            yield running.path
        finally:
            running.stop()
            thread.join(20)
            assert not thread.is_alive()
        assert not running.path.exists()
