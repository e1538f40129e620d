"""The server: holds a store of tables in memory and answers look-ups over a Unix domain socket.

Every client has a thread, which reads its requests and checks them. Look-ups run one after the
other in the thread that called ``serve``, because the memory of a GPU is best used from the thread
that filled it.
"""

from __future__ import annotations

import os
import queue
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from pathlib import Path

from playproof.core.errors import DataError, PlayproofError, UsageError, one_line
from playproof.tables.choko.probe_server import protocol
from playproof.tables.choko.probe_server.protocol import MalformedMessage
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.store import SliceStore

MAX_CLIENTS = 64
_LONGEST_PATH = 90  # bytes: the address of a socket has 108, and the path gets a suffix at first

Lookup = Callable[[], bytes]


class ProbeServer:
    """Answers look-ups in a store until it is stopped."""

    def __init__(self, store: SliceStore, path: Path) -> None:
        self.store, self.path = store, path
        self.hello = protocol.hello_of(store)
        self._slices = set(self.hello.parsed_slices())
        self._lookups: queue.SimpleQueue[tuple[Future[bytes], Lookup] | None] = queue.SimpleQueue()
        self._clients: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._stopping = False

    def serve(self, on_ready: Callable[[], None] = lambda: None) -> None:
        """Listen and answer until ``stop`` is called; ``on_ready`` is called once it listens."""
        with listening(self.path) as listener:
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
            try:
                on_ready()
                while (task := self._lookups.get()) is not None:
                    future, lookup = task
                    try:
                        future.set_result(lookup())
                    except Exception as error:
                        future.set_exception(error)
            finally:
                self._stopping = True
        self._close_clients()

    def stop(self) -> None:
        """End ``serve``. A signal handler may call this."""
        self._lookups.put(None)

    def _close_clients(self) -> None:
        with self._lock:
            clients = list(self._clients)
        for client in clients:
            with suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)
        with suppress(queue.Empty):
            while True:
                task = self._lookups.get_nowait()
                if task is not None:
                    task[0].cancel()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                if self._stopping:
                    return
                time.sleep(0.1)  # too many open files, for instance
                continue
            with self._lock:
                full = len(self._clients) >= MAX_CLIENTS
                if not full:
                    self._clients.add(client)
            if full:
                with suppress(OSError), client:
                    _send_error(client, f"there are {MAX_CLIENTS} clients, which is the most")
                continue
            threading.Thread(target=self._talk, args=(client,), daemon=True).start()

    def _talk(self, client: socket.socket) -> None:
        """Answer a client until it leaves or sends a malformed message."""
        try:
            with client, suppress(OSError, CancelledError):
                protocol.send(client, protocol.HELLO, self.hello.encode())
                while True:
                    try:
                        self._answer(client, *protocol.receive(client, protocol.MAX_REQUEST))
                    except MalformedMessage as error:
                        _send_error(client, one_line(error))
                        return
        finally:
            with self._lock:
                self._clients.discard(client)

    def _answer(self, client: socket.socket, kind: int, body: bytearray) -> None:
        """Answer a request; MalformedMessage if it is none."""
        try:
            if kind == protocol.READ:
                codes = self._run(self._reading(body))
                protocol.send(client, protocol.CODES, codes)
            elif kind == protocol.COUNT:
                slice_ = self._held(protocol.decode_slice(body))
                counts = self._run(lambda: self.store.counts(slice_).astype("<i8").tobytes())
                protocol.send(client, protocol.COUNTS, counts)
            else:
                raise MalformedMessage(f"a message of type {kind} is no request")
        except (MalformedMessage, OSError, CancelledError):
            raise
        except PlayproofError as error:
            _send_error(client, one_line(error))
        except Exception as error:  # of the look-up: the message may hold anything
            _send_error(client, f"the look-up failed ({type(error).__name__})")

    def _reading(self, body: bytearray) -> Lookup:
        groups = protocol.decode_read(body)
        for slice_, cells in groups:
            self._held(slice_)
            if len(cells) and int(cells.max()) >= slice_.cells:  # memory that is not the slice's
                raise DataError(f"{slice_.name} has {slice_.cells:,} cells, and no cell beyond")
        return lambda: self.store.read_many(groups).tobytes()

    def _held(self, slice_: Slice) -> Slice:
        if slice_ not in self._slices:
            raise DataError(f"the server has no table of {slice_.name}")
        return slice_

    def _run(self, lookup: Lookup) -> bytes:
        """The result of a look-up, which runs in the thread of ``serve``."""
        future: Future[bytes] = Future()
        self._lookups.put((future, lookup))
        return future.result()


def _send_error(client: socket.socket, line: str) -> None:
    protocol.send(client, protocol.ERROR, line.encode())


# The socket


def check_address(path: Path) -> None:
    """Raise UsageError if no server can listen at a path, for instance because one does."""
    if not hasattr(socket, "AF_UNIX"):
        raise UsageError("this system has no Unix domain sockets")
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise UsageError(f"{path} is too long for a socket: want at most {_LONGEST_PATH} bytes")
    if not path.parent.is_dir():
        raise UsageError(f"{path.parent} is no folder: want a socket in one that exists")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"{path} cannot be used: {error.strerror or error}") from None
    if not stat.S_ISSOCK(mode):
        raise UsageError(f"{path} exists and is no socket: want another path")
    if _answers(path):
        raise UsageError(f"a server listens at {path} already: stop it, or want another path")


def _answers(path: Path) -> bool:
    """Whether a process listens at a socket. A killed one leaves its socket behind."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(5.0)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            pass  # busy, or not ours to ask: somebody is there
    return True


@contextmanager
def listening(path: Path) -> Iterator[socket.socket]:
    """A socket that listens at a path, for its owner alone; its file is removed in the end.

    The file of a server that was killed is replaced.
    """
    check_address(path)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        try:
            with suppress(FileNotFoundError):
                fresh.unlink()
            listener.bind(os.fspath(fresh))
            fresh.chmod(0o600)
            listener.listen(MAX_CLIENTS)
            own = fresh.lstat()
            _move(fresh, path)
        except OSError as error:
            raise UsageError(f"{path} cannot be used: {error.strerror or error}") from None
        finally:
            with suppress(OSError):
                fresh.unlink()
        try:
            yield listener
        finally:
            with suppress(OSError):  # wakes up the thread that accepts
                listener.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                here = path.lstat()
                if (here.st_dev, here.st_ino) == (own.st_dev, own.st_ino):
                    path.unlink()


def _move(fresh: Path, path: Path) -> None:
    """Give a socket its name, without taking that of a server that has started meanwhile."""
    try:
        os.link(fresh, path)
    except FileExistsError:
        check_address(path)
        path.unlink()
        os.link(fresh, path)
    except OSError:  # a file system without hard links
        fresh.rename(path)
