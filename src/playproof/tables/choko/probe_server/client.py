"""The client: a store whose codes come from a probe server.

If the connection is lost, for instance because the server was killed, the client connects again and
repeats its request. It gives up after ``PLAYPROOF_TABLES_WAIT`` seconds, by default 30: less than
an agent has for a move in a match. A server that then holds other tables than before is refused, so
that all that is asked in one game is answered by one set of tables.
"""

from __future__ import annotations

import math
import os
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt

from playproof.core.errors import DataError, UnavailableError, UsageError
from playproof.tables.choko.probe_server import protocol
from playproof.tables.choko.probe_server.protocol import Hello, MalformedMessage
from playproof.tables.choko.slices import Slice, belongs
from playproof.tables.choko.solve import Counts
from playproof.tables.choko.store import CellGroups, Cells, MissingTable

WAIT = "PLAYPROOF_TABLES_WAIT"  # environment variable: seconds to wait for a server that is gone
_DEFAULT_WAIT = 30.0
_PAUSES = 0.05, 2.0  # the first and the longest between two attempts to connect, in seconds
_MAX_HELLO = 1 << 20  # bytes
_ATTEMPTS = 5  # at one request, each with a new connection
_LEAST_TIMEOUT = 30.0  # seconds
# Servers that this process has reached: one that is gone may come back, others may not exist.
_reached: set[Path] = set()


def socket_of(source: Path | str) -> Path | None:
    """The path of the socket in ``unix:PATH``; None for any other source of tables."""
    kind, _, path = str(source).partition(":")
    return Path(path).expanduser() if kind == "unix" and path else None


class TablesUnavailable(UnavailableError):
    """A probe server does not answer as it should."""


class NoServer(TablesUnavailable):
    """No probe server answers at all."""


class RemoteStore:
    """The tables that a probe server holds, for look-ups. Threads may share it."""

    def __init__(self, path: Path, *, wait: float | None = None) -> None:
        """Connect to the server at ``path``.

        ``wait``: seconds to wait for a server that is gone; by default those of the environment.
        """
        if not hasattr(socket, "AF_UNIX"):
            raise UsageError("this system has no Unix domain sockets")
        self.path = path
        self._wait = _wait_of_environment() if wait is None else wait
        self._lock = threading.Lock()
        self._connection: socket.socket | None = None
        self._hello: Hello | None = None
        with self._lock:
            self.hello = self._reconnect() if path in _reached else self._connect()
        _reached.add(path)
        self.lone_jump, self.kind = self.hello.lone_jump, self.hello.kind
        self._slices = self.hello.parsed_slices()
        self._held = set(self._slices)

    def has(self, slice_: Slice) -> bool:
        return slice_ in self._held

    def slices(self) -> list[Slice]:
        """The slices that the server holds, in the order of solving."""
        return list(self._slices)

    def counts(self, slice_: Slice) -> Counts:
        """How many positions have each code."""
        self._check_held(slice_)
        body = self._ask(protocol.COUNT, protocol.encode_slice(slice_), protocol.COUNTS, 256 * 8)
        return np.frombuffer(body, "<i8").astype(np.int64)

    def read(self, slice_: Slice, cells: Cells) -> npt.NDArray[np.uint8]:
        """The codes of some cells."""
        return self.read_many([(slice_, cells)])

    def read_many(self, groups: CellGroups) -> npt.NDArray[np.uint8]:
        """The codes of the cells of all groups, in one request if they fit into one."""
        for slice_, cells in groups:
            self._check_held(slice_)
            if len(cells) and not 0 <= int(cells.min()) <= int(cells.max()) < slice_.cells:
                raise DataError(f"{slice_.name} has {slice_.cells:,} cells, and no cell beyond")
        out = [self._read_part(part) for part in _parts(groups)]
        return np.concatenate(out) if out else np.empty(0, np.uint8)

    def _read_part(self, groups: CellGroups) -> npt.NDArray[np.uint8]:
        total = sum(len(cells) for _, cells in groups)
        body = self._ask(protocol.READ, protocol.encode_read(groups), protocol.CODES, total)
        return np.frombuffer(body, np.uint8)

    def close(self) -> None:
        """Close the connection; the next look-up opens it again."""
        with self._lock:
            self._disconnect()

    def __reduce__(self) -> tuple[type[RemoteStore], tuple[Path]]:
        return RemoteStore, (self.path,)  # another process has a connection of its own

    def _check_held(self, slice_: Slice) -> None:
        if slice_ in self._held:
            return
        if not belongs(slice_, self.lone_jump):
            raise DataError(f"no game comes to {slice_.name}")
        raise MissingTable(
            f"the server at {self.path} has no table of {slice_.name}: start it with more --pieces"
        )

    def _ask(self, kind: int, request: bytes, reply: int, length: int) -> bytearray:
        """The body of the reply to a request, which is repeated if the connection is lost."""
        with self._lock:
            for _ in range(_ATTEMPTS):
                if self._connection is None:
                    self._reconnect()
                assert self._connection is not None
                try:
                    protocol.send(self._connection, kind, request)
                    answer, body = protocol.receive(self._connection, protocol.MAX_REPLY)
                except MalformedMessage as error:
                    self._disconnect()
                    raise TablesUnavailable(f"the server at {self.path}: {error}") from None
                except OSError:
                    self._disconnect()
                    continue
                if answer == protocol.ERROR:
                    raise TablesUnavailable(f"the server at {self.path}: {_line(body)}")
                if answer != reply or len(body) != length:
                    self._disconnect()
                    raise TablesUnavailable(
                        f"the server at {self.path} does not answer what was asked"
                    )
                return body
            raise NoServer(f"the server at {self.path} closes the connection at every request")

    def _reconnect(self) -> Hello:
        """Connect, trying for as long as a server that is gone may take to come back."""
        until, pause = time.monotonic() + self._wait, _PAUSES[0]
        while True:
            try:
                return self._connect()
            except NoServer as error:
                left = until - time.monotonic()
                if left <= 0:
                    raise NoServer(
                        f"{error}; waited {self._wait:g} seconds for it (set {WAIT} to wait longer)"
                    ) from None
            time.sleep(min(pause, left))
            pause = min(2 * pause, _PAUSES[1])

    def _connect(self) -> Hello:
        """Connect once; the server must hold the same tables as at the first time."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # No look-up takes so long: a server that is silent is as good as gone.
        connection.settimeout(max(self._wait, _LEAST_TIMEOUT))
        try:
            connection.connect(os.fspath(self.path))
            kind, body = protocol.receive(connection, _MAX_HELLO)
            if kind == protocol.ERROR:
                raise NoServer(f"the server at {self.path}: {_line(body)}")
            if kind != protocol.HELLO:
                raise MalformedMessage("its first message does not say what it holds")
            hello = protocol.decode_hello(body)
            if self._hello is not None and hello.fingerprint != self._hello.fingerprint:
                raise TablesUnavailable(_difference(self.path, self._hello, hello))
        except MalformedMessage as error:
            connection.close()
            raise TablesUnavailable(
                f"what listens at {self.path} is no probe server: {error}"
            ) from None
        except OSError as error:
            connection.close()
            raise NoServer(
                f"no probe server answers at {self.path} ({error.strerror or error}): start one "
                f"with 'playproof table serve choko --socket {self.path}'"
            ) from None
        except TablesUnavailable:
            connection.close()
            raise
        self._connection, self._hello = connection, hello
        return hello

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(OSError):
                self._connection.close()
        self._connection = None


def _parts(groups: CellGroups) -> list[list[tuple[Slice, Cells]]]:
    """The groups as requests that are not too large."""
    parts: list[list[tuple[Slice, Cells]]] = []
    room = 0
    for slice_, cells in groups:
        first = 0
        while first < len(cells):
            if room == 0 or len(parts[-1]) == protocol.MAX_GROUPS:
                parts.append([])
                room = protocol.MAX_CELLS
            piece = cells[first : first + room]
            parts[-1].append((slice_, piece))
            first, room = first + len(piece), room - len(piece)
    return parts


def _difference(path: Path, before: Hello, now: Hello) -> str:
    """What is different about a server's tables, in one line."""
    if now.lone_jump != before.lone_jump:
        what = f"tables of {now.game}, not of {before.game}"
    elif now.kind != before.kind:
        what = f"tables with {now.kind}s, not with {before.kind}s"
    else:
        missing = [name for name in before.slices if name not in set(now.slices)]
        what = f"no table of {missing[0]} any more" if missing else "other tables than before"
    return f"the server at {path} now has {what}: start it again with the tables it had"


def _line(body: bytearray) -> str:
    return " ".join(body.decode("utf-8", "replace").split())


def _wait_of_environment() -> float:
    text = os.environ.get(WAIT, "")
    try:
        seconds = float(text) if text else _DEFAULT_WAIT
    except ValueError:
        seconds = -1.0
    if not seconds >= 0.0 or not math.isfinite(seconds):
        raise UsageError(f"{WAIT}={text}: want a number of seconds, such as 30")
    return seconds
