"""``playproof table serve``: hold tables in memory and answer other processes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.commands.table_build import (
    AllOption,
    DeviceOption,
    DistanceOption,
    FolderOption,
    HandsOption,
    PiecesOption,
    check_resources,
    choko_options,
    chosen_plan,
    duration,
    solve,
)
from playproof.cli.output import GameArgument, JsonOption, emit, note
from playproof.core.errors import UsageError
from playproof.tables.choko.devices import open_device
from playproof.tables.choko.game import open_store
from playproof.tables.choko.probe_server.server import ProbeServer, check_address
from playproof.tables.choko.store import DISTANCE, MemoryStore, default_folder

if TYPE_CHECKING:
    from playproof.tables.choko.build import BuildPlan
    from playproof.tables.choko.store import FileStore


def serve(
    game: GameArgument,
    socket: Annotated[
        Path, typer.Option(help="Where to listen: the path of a socket, which only you may use.")
    ],
    in_memory: Annotated[
        bool, typer.Option("--in-memory", help="Solve the tables first, and keep them in memory.")
    ] = False,
    hands: HandsOption = None,
    pieces: PiecesOption = None,
    everything: AllOption = False,
    distance: DistanceOption = False,
    device: DeviceOption = "cpu",
    out: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer look-ups in tables of Choko until Ctrl-C.

    Other commands and agents on this machine use them as unix:SOCKET. The tables are those in a
    folder, or with --in-memory the part of the game that --all, --pieces and --hands ask for.
    """
    lone_jump = choko_options(game)
    path = socket.expanduser()
    check_address(path)  # before minutes of work
    store: FileStore | MemoryStore
    if in_memory:
        if out is not None:
            raise UsageError("--in-memory reads no tables: leave out --out")
        store = _solved(chosen_plan(lone_jump, hands, pieces, everything, distance), device)
    else:
        if hands is not None or pieces is not None or everything or distance or device != "cpu":
            raise UsageError(
                "tables in files are served as they are: --all, --pieces, --hands, --distance and "
                "--device go with --in-memory"
            )
        store = open_store(out or default_folder(lone_jump), lone_jump)
    server = ProbeServer(store, path)
    with _stopped_by_signals(server):
        server.serve(lambda: _print_ready(server, as_json))
    note("stopped")


def _solved(plan: BuildPlan, device: str) -> MemoryStore:
    """The tables of a plan, solved in the memory of a device."""
    worker = open_device(device)
    store = MemoryStore(plan.lone_jump, plan.kind, worker)
    check_resources(plan, plan.pairs, worker, None, True)
    built = solve(plan, worker, store, False, True, None, True)
    note(f"solved {built.solved:,} positions in {duration(built.solving)}")
    return store


def _print_ready(server: ProbeServer, as_json: bool) -> None:
    hello, address = server.hello, f"unix:{server.path}"
    cells = sum(slice_.cells for slice_ in hello.parsed_slices())
    if as_json:
        data = {"address": address, "game": hello.game, "kind": hello.kind, "cells": cells}
        emit(data | {"slices": len(hello.slices), "fingerprint": hello.fingerprint})
    else:
        kind = "with distances" if hello.kind == DISTANCE else "without distances"
        print(
            f"{len(hello.slices)} slices of {hello.game} {kind}, {cells:,} positions up to "
            f"symmetry, are at {address}; Ctrl-C ends it"
        )
    sys.stdout.flush()


@contextmanager
def _stopped_by_signals(server: ProbeServer) -> Iterator[None]:
    """Ctrl-C and SIGTERM stop the server, which then removes its socket."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(one, lambda *_: server.stop()) for one in signals]
    try:
        yield
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)
