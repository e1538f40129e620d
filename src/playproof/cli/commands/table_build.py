"""``playproof table build``: solve Choko, or a part of it, by working backwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.output import GameArgument, JsonOption, emit, note, progress
from playproof.core.errors import DataError, PlayproofError, UsageError
from playproof.core.registry import make
from playproof.rules.choko import PIECES
from playproof.tables.choko.build import BuildPlan, plan_build
from playproof.tables.choko.build import build as run
from playproof.tables.choko.devices import open_device
from playproof.tables.choko.probe import Probe
from playproof.tables.choko.probe_server.client import socket_of
from playproof.tables.choko.report import (
    answer_positions,
    notable_positions,
    start_values,
    summary,
    timing,
)
from playproof.tables.choko.slices import Slice
from playproof.tables.choko.store import DISTANCE, OUTCOME, FileStore, MemoryStore, default_folder

if TYPE_CHECKING:
    from playproof.tables.choko.build import BuildResult, SliceSummary
    from playproof.tables.choko.solve import Device

FolderOption = Annotated[
    Path | None,
    typer.Option("--out", help="The folder of the tables; in the data folder if not given."),
]
HandsOption = Annotated[
    int | None, typer.Option(help="Only positions with at most this many pieces in a hand.")
]
PiecesOption = Annotated[
    int | None,
    typer.Option(help="Only positions with at most this many pieces in play, hands included."),
]
AllOption = Annotated[bool, typer.Option("--all", help="The whole game.")]
DistanceOption = Annotated[
    bool,
    typer.Option(
        "--distance", help="Store distances too: a byte per position instead of two bits."
    ),
]
DeviceOption = Annotated[str, typer.Option(help="cpu or cuda.")]


def build(
    game: GameArgument,
    hands: HandsOption = None,
    pieces: PiecesOption = None,
    everything: AllOption = False,
    distance: DistanceOption = False,
    device: DeviceOption = "cpu",
    out: FolderOption = None,
    in_memory: Annotated[
        bool,
        typer.Option(
            "--in-memory", help="Write no tables: solve, report and answer queries in memory."
        ),
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Derive every position again in a second way.")
    ] = False,
    query: Annotated[
        Path | None, typer.Option(help="Positions, one per line, to answer at the end.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="File for the answers, as JSON lines.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.0, help="Start no further slice after this long; continue later."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve Choko slice by slice; a build that was stopped continues where it was."""
    lone_jump = choko_options(game)
    plan = chosen_plan(lone_jump, hands, pieces, everything, distance)
    if verify and not distance:
        raise UsageError("--verify compares distances: want --distance too")
    if in_memory and out is not None:
        raise UsageError("--in-memory writes no tables: leave out --out")
    if (query is None) != (answers is None):
        raise UsageError("--query FILE and --answers FILE go together")
    if query is not None and not query.is_file():
        raise DataError(f"{query} cannot be read: no such file")
    if out is not None and socket_of(out) is not None:
        raise UsageError(f"--out {out} is a server, which only answers: want a folder")
    worker = open_device(device)
    folder = out or default_folder(lone_jump)
    store: FileStore | MemoryStore
    if in_memory:
        store = MemoryStore(lone_jump, plan.kind, worker)
    else:
        store = FileStore(folder, lone_jump, plan.kind, worker)
        store.check_rules()
    todo = [pair for pair in plan.pairs if not all(store.has(one) for one in pair)]
    keep_all = check_resources(plan, todo, worker, None if in_memory else folder, query is not None)
    built = solve(plan, worker, store, verify, keep_all, seconds, as_json)
    _finish(plan, built, store, query, answers, as_json)


def choko_options(game: str) -> bool:
    """Whether lone jumps are on; raises UsageError unless the game is Choko."""
    chosen_game = make(game)
    if chosen_game.name != "choko":
        raise UsageError(
            f"there are no tables of {chosen_game.name}: want choko or choko:lone_jump=on"
        )
    return bool(chosen_game.options["lone_jump"])


def chosen_plan(
    lone_jump: bool, hands: int | None, pieces: int | None, everything: bool, distance: bool
) -> BuildPlan:
    """The plan for the part of the game that the options ask for."""
    part = pieces is not None or hands is not None
    if everything and part:
        raise UsageError("--all cannot be combined with --pieces or --hands: want one of them")
    if not everything and not part:
        raise UsageError("no part of the game given: want --all, or --pieces N, --hands N or both")
    return plan_build(lone_jump, DISTANCE if distance else OUTCOME, hands=hands, pieces=pieces)


def check_resources(
    plan: BuildPlan, todo: list[tuple[Slice, ...]], worker: Device, folder: Path | None, asked: bool
) -> bool:
    """Print what the build will take, and raise if memory or disk is short.

    Returns whether all slices stay in memory.
    """
    rest = BuildPlan(plan.lone_jump, plan.kind, todo)
    free = worker.free_memory()
    keep_all = folder is not None or asked or plan.peak_memory(keep_all=True) < free
    memory = plan.memory if folder is not None else plan.peak_memory(keep_all)
    note(
        f"{len(plan.slices)} slices, {plan.cells:,} positions up to symmetry, of which "
        f"{rest.cells:,} are to be solved"
    )
    takes = duration(rest.seconds(worker.name, os.cpu_count() or 1))
    disk = f", {rest.disk / 2**30:.1f} GiB of disk in {folder}" if folder is not None else ""
    note(f"about {takes} on {worker.name}, {memory / 2**30:.1f} GiB of memory{disk}")
    if memory > free:
        smaller = "leave out --in-memory, or " if folder is None else ""
        raise PlayproofError(
            f"{worker.name} has {free / 2**30:.1f} GiB of memory free: {smaller}want fewer "
            "--pieces, or no --distance"
        )
    if folder is not None:
        home = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
        free_disk = shutil.disk_usage(home).free
        if rest.disk > free_disk:
            raise PlayproofError(
                f"{folder} has {free_disk / 2**30:.1f} GiB left and the tables need "
                f"{rest.disk / 2**30:.1f}: want another --out, fewer --pieces, or no --distance"
            )
    return keep_all


def solve(
    plan: BuildPlan, worker: Device, store: FileStore | MemoryStore, verify: bool, keep_all: bool,
    seconds: float | None, as_json: bool,
) -> BuildResult:  # fmt: skip
    """Run a build and print a line for each slice, unless ``as_json``."""
    small = None
    if worker.name != "cpu":
        from playproof.tables.choko.cpu import Cpu

        small = Cpu()

    def on_slice(line: SliceSummary) -> None:
        if not as_json:
            print(row(line), flush=True)

    if not as_json:
        print("slice             positions       won     drawn      lost  longest win/loss")
    until = None if seconds is None else time.monotonic() + seconds
    with progress("solving", "cells") as update:
        return run(
            plan, worker, store, verify=verify, keep_all=keep_all, small_device=small,
            on_slice=on_slice, on_progress=update, until=until,
        )  # fmt: skip


def row(line: SliceSummary) -> str:
    """A slice's figures in one line."""
    raw = line.slice.raw
    shares = "".join(f"{n / raw:>9.2%} " for n in (line.wins, line.draws, line.losses))
    checked = "" if line.wrong is None else f"  {line.wrong} wrong"
    longest = f"{line.longest_win:>5}/{line.longest_loss}"
    return f"{line.slice.name:<10}{raw:>17,} {shares} {longest}{checked}"


def shares_text(total: dict[str, int]) -> str:
    """Won/drawn/lost in percent."""
    parts = (total[key] / total["positions"] for key in ("wins", "draws", "losses"))
    return "/".join(f"{part:.2%}" for part in parts)


def _finish(
    plan: BuildPlan, built: BuildResult, store: FileStore | MemoryStore, query: Path | None,
    answers: Path | None, as_json: bool,
) -> None:  # fmt: skip

    start = Slice(PIECES, 0, 0, 0)
    data: dict[str, Any] = {
        "game": f"choko:lone_jump={'on' if plan.lone_jump else 'off'}", "kind": plan.kind,
        **timing(built),
    }  # fmt: skip
    if built.summaries:
        data |= summary(built.summaries)
    complete = len(built.summaries) == len(plan.slices)
    probe = Probe(store)
    whole = all(store.has(one) for one in plan.slices)
    if complete and start in plan.slices:
        data["start"] = start_values(probe, line=whole and plan.kind == "distance")
    if complete and whole and plan.kind == "distance":
        data["examples"] = notable_positions(store, probe.game, built.summaries)
    if query is not None and answers is not None and complete:
        write_answers(probe, query, answers)
    if as_json:
        emit(data)
    else:
        _print_result(data, built, plan)
    if built.wrong:
        raise PlayproofError(f"{built.wrong:,} positions are wrong: do not use these tables")
    if not complete:
        left = plan.cells - sum(line.slice.cells for line in built.summaries)
        rate = built.solved / built.solving if built.solving else 0.0
        note(
            f"stopped with {left:,} positions left"
            + (f": about {duration(left / rate)} more at the rate of this run" if rate else "")
        )


def write_answers(probe: Probe, query: Path, answers: Path | None) -> None:
    """Answer a file of positions into another file, or to stdout."""
    import json

    try:
        with contextlib.ExitStack() as opened:
            lines = opened.enter_context(query.open(encoding="utf-8"))
            file = sys.stdout
            if answers is not None:
                file = opened.enter_context(answers.open("w", encoding="utf-8"))
            for answer in answer_positions(probe, probe.game, lines):
                file.write(json.dumps(answer, separators=(",", ":")) + "\n")
    except OSError as error:
        raise DataError(f"{error.filename} cannot be used: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{query} is not text: want one position per line") from None


def _print_result(data: dict[str, Any], built: BuildResult, plan: BuildPlan) -> None:
    whole = data.get("all")
    if whole:
        shares = "/".join(
            f"{whole[k] / whole['positions']:.2%}" for k in ("wins", "draws", "losses")
        )
        print(f"all: {whole['positions']:,} positions, won/drawn/lost {shares}")
    if "start" in data:
        value = data["start"]["value"]
        exact = plan.kind == "distance"
        result = "drawn" if value == 0 else ("Blue" if value > 0 else "Red") + " wins"
        print(f"from the empty board: {result}" + (f" in {abs(value)} actions" if exact else ""))
        if "line" in data["start"]:
            print(" ".join(data["start"]["line"]))
    note(
        f"solved {built.solved:,} positions in {duration(built.solving)}"
        + (f", checked them in {duration(built.checking)}" if built.checking else "")
    )


def duration(seconds: float) -> str:
    """Seconds as text, such as 12 min."""
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
