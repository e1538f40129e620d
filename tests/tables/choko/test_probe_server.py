"""The probe server: what it answers is what is in the files, whatever is sent to it."""

from __future__ import annotations

import json
import random
import signal
import socket
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from playproof.core.batch import Batch
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.tables.choko.game import open_source, open_store
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.probe_server import client as client_module
from playproof.tables.choko.probe_server import protocol
from playproof.tables.choko.probe_server.client import NoServer, RemoteStore, TablesUnavailable
from playproof.tables.choko.probe_server.server import ProbeServer, listening
from playproof.tables.choko.slices import Slice, pairs, slice_of
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore, MissingTable, SliceStore
from tests.support.longer import longer
from tests.support.tables.choko_solved import solved
from tests.support.tables.probe_servers import ServerProcess, served, server
from tests.support.tables.small_tables import choko, copied, files, folder, is_forced, positions

COUNT = longer(4000, 40_000)


@pytest.fixture(scope="module")
def process() -> Iterator[ServerProcess]:
    with server() as running:
        yield running


def same_answers(one: SliceStore, other: SliceStore, count: int = COUNT) -> None:
    """Probes of both stores give the same codes for random positions, forced ones too."""
    game = choko(one.lone_jump, cap=0)
    states = positions(game, count, seed=21)
    assert 0.2 < sum(map(is_forced, states)) / count < 0.8
    rows = Batch.of(states).rows
    for mine, theirs in zip(
        Probe(one).action_codes(rows), Probe(other).action_codes(rows), strict=True
    ):
        assert (mine == theirs).all()


# Answers


def test_it_answers_as_the_files_do(process: ServerProcess) -> None:
    store = open_source(process.address, False)
    assert isinstance(store, RemoteStore)
    assert store.slices() == files().slices()
    assert all(store.has(one) for one in store.slices())
    assert not store.has(slice_of(0, 4, 4))
    for one in store.slices():
        assert (store.counts(one) == files().counts(one)).all()
        cells = np.arange(min(one.cells, 2000))
        assert (store.read(one, cells) == files().read(one, cells)).all()
    same_answers(store, files())


@pytest.mark.parametrize(("lone_jump", "kind"), [(True, DISTANCE), (False, OUTCOME)])
def test_it_serves_what_a_device_has_solved(lone_jump: bool, kind: str) -> None:
    with served(solved(lone_jump, 5, kind).store) as path:
        store = RemoteStore(path)
        assert (store.lone_jump, store.kind) == (lone_jump, kind)
        held = solved(lone_jump, 5, kind).store
        for one in held.slices():
            cells = np.random.default_rng(3).integers(0, one.cells, 500)
            assert (store.read(one, cells) == held.read(one, cells)).all()
            assert (held.read(one, cells) == files(lone_jump, kind).read(one, cells)).all()


def test_it_solves_and_serves_with_one_command() -> None:
    arguments = ("choko", "--in-memory", "--pieces", "4", "--distance")
    with server(*arguments) as process:
        store = RemoteStore(process.socket)
        plan = {one for pair in pairs(False) for one in pair if in_play(one) <= 4}
        assert set(store.slices()) == plan
        for one in plan:
            cells = np.arange(min(one.cells, 2000))
            assert (store.read(one, cells) == files().read(one, cells)).all()
    with pytest.raises(NoServer):
        RemoteStore(process.socket, wait=0.0)


def in_play(one: Slice) -> int:
    return one.large + one.small + 2 * one.hands


def test_the_same_tables_have_the_same_fingerprint(tmp_path: Path) -> None:
    hello = protocol.hello_of(files())
    assert hello == protocol.hello_of(solved(False, 6).store)  # files and memory
    others = [
        files(kind=OUTCOME), files(lone_jump=True), open_store(copied(tmp_path, "h0-*"), False),
    ]  # fmt: skip
    assert len({hello.fingerprint, *(protocol.hello_of(s).fingerprint for s in others)}) == 4
    assert protocol.decode_hello(bytearray(hello.encode())) == hello


def test_a_batch_is_one_request(process: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    store, requests = RemoteStore(process.socket), []
    send = protocol.send
    monkeypatch.setattr(protocol, "send", lambda *a: (requests.append(a[1]), send(*a)))
    states = positions(choko(cap=0), 500, seed=2)
    Probe(store).codes_of(states)
    assert requests == [protocol.READ]


def test_large_requests_go_in_parts(
    process: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, chooser = RemoteStore(process.socket), np.random.default_rng(1)
    groups = [
        (one, chooser.integers(0, one.cells, int(count)))
        for one in store.slices() for count in chooser.integers(0, 700, 3)
    ]  # fmt: skip
    expected = files().read_many(groups)
    assert (store.read_many(groups) == expected).all()
    monkeypatch.setattr(protocol, "MAX_CELLS", 500)
    assert (store.read_many(groups) == expected).all()
    monkeypatch.setattr(protocol, "MAX_GROUPS", 2)
    assert (store.read_many(groups) == expected).all()
    assert len(store.read_many([])) == 0


def test_clients_do_not_disturb_each_other(process: ServerProcess) -> None:
    states = positions(choko(cap=0), 60, seed=5)
    expected = Probe(files()).codes_of(states)
    shared = RemoteStore(process.socket)
    errors: list[str] = []

    def ask(store: RemoteStore, seed: int) -> None:
        chooser, probe = random.Random(seed), Probe(store)
        for _ in range(40):
            chosen = [chooser.randrange(len(states)) for _ in range(chooser.randint(1, 60))]
            if probe.codes_of([states[i] for i in chosen]) != [expected[i] for i in chosen]:
                errors.append("wrong codes")

    stores = [shared, shared, RemoteStore(process.socket), RemoteStore(process.socket)]
    threads = [threading.Thread(target=ask, args=(s, i)) for i, s in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_what_is_not_there(process: ServerProcess) -> None:
    store = RemoteStore(process.socket)
    with pytest.raises(MissingTable, match="has no table of h0-4v4: start it with more --pieces"):
        store.read(slice_of(0, 4, 4), np.arange(3))
    with pytest.raises(DataError, match="no game comes to h0-3v2"):
        store.counts(slice_of(0, 3, 2))
    for cell in (-1, slice_of(0, 2, 2).cells):
        with pytest.raises(DataError, match="no cell beyond"):
            store.read(slice_of(0, 2, 2), np.array([0, cell]))
    with pytest.raises(UsageError, match=r"has tables of choko, not of choko:lone_jump=true"):
        open_source(process.address, True)


# Messages that are none


def frame(kind: int, body: bytes, magic: bytes = b"PPCT", version: int = 1, more: int = 0) -> bytes:
    return struct.pack("<4sBBHI", magic, version, kind, 0, len(body) + more) + body


def group(hands: int, own: int, other: int, cells: int) -> bytes:
    return struct.pack("<BBBxI", hands, own, other, cells)


def number(n: int) -> bytes:
    return n.to_bytes(4, "little")


MALFORMED = {
    "no message": (b"GET / HTTP/1.1\r\n\r\n", "no message of the probe server's protocol"),
    "another version": (frame(protocol.READ, b"", version=9), "has version 9 .* want version 1"),
    "too large": (frame(protocol.READ, b"", more=1 << 31), "2,147,483,648 bytes: want at most"),
    "no request": (frame(protocol.HELLO, b"{}"), "type 1 is no request"),
    "an empty request": (frame(protocol.READ, b""), "groups that are not there"),
    "too many groups": (frame(protocol.READ, number(1 << 30)), "groups that are not there"),
    "too few cells": (
        frame(protocol.READ, number(1) + group(0, 2, 2, 3) + number(1)), "does not fit its cells",
    ),
    "cells without end": (
        frame(protocol.READ, number(2) + 2 * group(0, 2, 2, 2**32 - 1)), "does not fit its cells",
    ),
    "too many pieces": (
        frame(protocol.READ, number(1) + group(0, 200, 2, 0)), "more pieces than there are",
    ),
    "counts of nothing": (frame(protocol.COUNT, b"\0"), "names no slice"),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_message_ends_its_connection_only(process: ServerProcess, name: str) -> None:
    message, says = MALFORMED[name]
    good = RemoteStore(process.socket)
    with raw(process.socket) as connection:
        connection.sendall(message)
        kind, body = protocol.receive(connection, 10_000)
        assert kind == protocol.ERROR
        with pytest.raises(PlayproofError, match=says):
            raise PlayproofError(body.decode())
        with pytest.raises(OSError):  # noqa: PT011  closed, in one way or another
            protocol.receive(connection, 10_000)
    same_answers(good, files(), 20)


@contextmanager
def raw(path: Path) -> Iterator[socket.socket]:
    """A connection whose Hello was read."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(20)
        connection.connect(str(path))
        assert protocol.receive(connection, 1 << 20)[0] == protocol.HELLO
        yield connection


@pytest.mark.parametrize(
    ("request_body", "says"),
    [
        (number(1) + group(0, 4, 4, 1) + number(0), "no table of h0-4v4"),
        (number(1) + group(0, 2, 2, 1) + number(2**32 - 1), "no cell beyond"),
    ],
)
def test_memory_outside_the_tables_is_not_read(
    process: ServerProcess, request_body: bytes, says: str
) -> None:
    with raw(process.socket) as connection:
        connection.sendall(frame(protocol.READ, request_body))
        kind, body = protocol.receive(connection, 10_000)
        assert (kind, says in body.decode()) == (protocol.ERROR, True)
        connection.sendall(frame(protocol.READ, number(0)))  # and it goes on
        assert protocol.receive(connection, 10_000) == (protocol.CODES, bytearray())


def test_a_client_that_leaves_in_a_message_harms_nobody(process: ServerProcess) -> None:
    for part in (3, 12, 14):
        with raw(process.socket) as connection:
            connection.sendall(frame(protocol.READ, number(1) + group(0, 2, 2, 1))[:part])
    same_answers(RemoteStore(process.socket), files(), 20)


def test_only_so_many_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.tables.choko.probe_server.server.MAX_CLIENTS", 2)
    with served(files()) as path:
        stores = [RemoteStore(path) for _ in range(2)]
        with pytest.raises(NoServer, match="there are 2 clients, which is the most"):
            RemoteStore(path, wait=0.0)
        stores[0].close()
        same_answers(RemoteStore(path, wait=20.0), files(), 20)


def test_a_failed_look_up_is_an_error_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(folder(), False, DISTANCE)
    with served(store) as path:
        remote = RemoteStore(path)

        def fail(groups: object) -> None:
            raise MemoryError("secret")

        with monkeypatch.context() as patch:
            patch.setattr(store, "read_many", fail)
            with pytest.raises(TablesUnavailable, match=r"the look-up failed \(MemoryError\)$"):
                remote.read(slice_of(0, 2, 2), np.arange(3))
        assert len(remote.read(slice_of(0, 2, 2), np.arange(3))) == 3


# The socket


def test_only_its_owner_may_ask_and_it_leaves_nothing_behind() -> None:
    for sent in (signal.SIGTERM, signal.SIGINT):
        with server() as process:
            assert process.socket.stat().st_mode & 0o777 == 0o600
            assert process.stop(sent) == (0, "stopped\n")
            assert list(process.socket.parent.iterdir()) == []


@pytest.mark.slow
def test_a_second_server_is_refused_and_a_killed_one_replaced() -> None:
    with server() as process:
        second = ServerProcess(process.socket)
        second.start()
        code, errors = wait_for(second)
        assert (code, errors.count("\n")) == (2, 1)
        assert f"a server listens at {process.socket} already" in errors
        RemoteStore(process.socket)
        process.kill()
        assert process.socket.exists()
        process.start()
        assert json.loads(process.wait_until_ready())["slices"] == len(files().slices())
        same_answers(RemoteStore(process.socket), files(), 20)


def wait_for(process: ServerProcess) -> tuple[int, str]:
    assert process._process is not None
    _, errors = process._process.communicate(timeout=60)
    return process._process.returncode, errors


def test_where_no_server_can_listen(tmp_path: Path) -> None:
    short = Path(tempfile.gettempdir())
    occupied = tmp_path / "f"
    occupied.touch()
    for path, says in (
        (short / ("x" * 100), "too long for a socket"),
        (short / "nowhere" / "s", "is no folder"),
        (occupied, "exists and is no socket"),
    ):
        with pytest.raises(UsageError, match=says), listening(path):
            pass
    assert occupied.exists()


# A server that is gone


@pytest.mark.slow
def test_a_restarted_server_is_used_again() -> None:
    with server() as process:
        store = RemoteStore(process.socket)
        process.kill()
        process.start()  # it is not ready when it is asked
        same_answers(store, files(), 50)
        process.stop()
        process.start("choko", "--in-memory", "--pieces", "6", "--distance")
        same_answers(store, files(), 50)  # the same tables, solved anew


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda to: folder(lone_jump=True), "tables of choko:lone_jump=true, not of choko"),
        (lambda to: copied(to, "*.outcome"), "tables with outcomes, not with distances"),
        (lambda to: copied(to, "h[01]-*.distance"), "no table of h2-0v0 any more"),
    ],
)
def test_other_tables_are_refused(
    change: Callable[[Path], Path], says: str, tmp_path: Path
) -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        path = Path(scratch) / "s"
        with served_at(path, files()):
            store = RemoteStore(path)
        there = change(tmp_path)
        lone_jump = there == folder(lone_jump=True)
        with served_at(path, open_store(there, lone_jump)):
            for _ in range(2):
                with pytest.raises(TablesUnavailable, match=says):
                    store.read(slice_of(0, 2, 2), np.arange(3))
        with served_at(path, files()):  # the right ones are welcome
            same_answers(store, files(), 20)


@contextmanager
def served_at(path: Path, store: SliceStore) -> Iterator[None]:
    running, ready = ProbeServer(store, path), threading.Event()
    thread = threading.Thread(target=running.serve, args=(ready.set,))
    thread.start()
    assert ready.wait(20)
    try:
        yield
    finally:
        running.stop()
        thread.join(20)


def test_it_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    with server() as process:
        monkeypatch.setenv(client_module.WAIT, "0.3")
        store = RemoteStore(process.socket)
        process.kill()
        with pytest.raises(NoServer) as error:
            store.read(slice_of(0, 2, 2), np.arange(3))
        assert "waited 0.3 seconds" in str(error.value)
        assert "\n" not in str(error.value)
    monkeypatch.setenv(client_module.WAIT, "soon")
    with pytest.raises(UsageError, match="PLAYPROOF_TABLES_WAIT=soon: want a number of seconds"):
        RemoteStore(process.socket)


def test_a_wrong_address_is_known_at_once(tmp_path: Path) -> None:
    with pytest.raises(NoServer, match="start one with 'playproof table serve"):
        open_source(f"unix:{tmp_path / 'nobody'}", False)


@pytest.mark.parametrize("answer", [b"SSH-2.0-OpenSSH_9.6\r\n", frame(protocol.HELLO, b'{"a": 1}')])
def test_what_is_no_probe_server_is_refused(answer: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="pp-") as scratch:
        path = Path(scratch) / "s"
        with listening(path) as listener:

            def greet() -> None:
                connection, _ = listener.accept()
                with connection:
                    connection.sendall(answer)

            thread = threading.Thread(target=greet)
            thread.start()
            with pytest.raises(TablesUnavailable, match="is no probe server"):
                RemoteStore(path, wait=0.0)
            thread.join(20)
