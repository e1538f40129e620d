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
from playproof.tables.choko.probe import Probe
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
    from playproof.tables.choko.build import BuildPlan, BuildResult, SliceSummary
    from playproof.tables.choko.probe import Probe
    from playproof.tables.choko.slices import Slice
    from playproof.tables.choko.solve import Device
    from playproof.tables.choko.store import FileStore, MemoryStore

TablesOption = Annotated[
    Path | None,
    typer.Option("--out", help="The folder of the tables; in the data folder if not given."),
]


def build(
    game: GameArgument,
    hands: Annotated[
        int | None, typer.Option(help="Only positions with at most so many pieces in a hand.")
    ] = None,
    pieces: Annotated[
        int | None,
        typer.Option(help="Only positions with at most so many pieces in play, hands included."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="The whole game.")] = False,
    distance: Annotated[
        bool, typer.Option("--distance", help="Keep distances too: a byte instead of two bits.")
    ] = False,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    out: TablesOption = None,
    in_memory: Annotated[
        bool, typer.Option("--in-memory", help="Write no tables: solve, report, answer, forget.")
    ] = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Derive every position again in a second way.")
    ] = False,
    query: Annotated[
        Path | None, typer.Option(help="Positions, one a line, to answer when it is done.")
    ] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Where the answers go, as JSON lines.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Begin nothing new after so long; go on later.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Solve Choko slice by slice; a build that was stopped goes on where it was."""
    lone_jump = choko_options(game)
    if everything == (pieces is not None or hands is not None):
        raise UsageError("say how much: --all, or --pieces N and --hands N (or one of them)")
    if verify and not distance:
        raise UsageError("--verify compares distances: want --distance too")
    if in_memory and out is not None:
        raise UsageError("--in-memory writes no tables: leave --out away")
    if (query is None) != (answers is None):
        raise UsageError("--query FILE and --answers FILE go together")
    if query is not None and not query.is_file():
        raise DataError(f"{query} cannot be read: no such file")
    made = plan_build(lone_jump, DISTANCE if distance else OUTCOME, hands=hands, pieces=pieces)
    worker = _device(device)
    folder = out or default_folder(lone_jump)
    store: FileStore | MemoryStore
    if in_memory:
        store = MemoryStore(lone_jump, made.kind, worker)
    else:
        store = FileStore(folder, lone_jump, made.kind, worker)
        store.check_rules()
    todo = [pair for pair in made.pairs if not all(store.has(one) for one in pair)]
    keep_all = _announce(made, todo, worker, None if in_memory else folder, query is not None)
    built = _run(made, worker, store, verify, keep_all, seconds, as_json)
    _finish(made, built, store, query, answers, as_json)


def choko_options(game: str) -> bool:
    """Whether the game is Choko with lone jumps; other games have no tables."""
    made = make(game)
    if made.name != "choko":
        raise UsageError(f"there are no tables of {made.name}: want choko or choko:lone_jump=on")
    return bool(made.options["lone_jump"])


def _device(name: str) -> Device:
    if name == "cpu":
        from playproof.tables.choko.cpu import Cpu

        return Cpu()
    if name == "cuda":
        try:
            from playproof.tables.choko.cuda import Cuda
        except ImportError as error:
            raise PlayproofError(
                f"CUDA cannot be used here ({error}): install numba-cuda, or use --device cpu"
            ) from None
        return Cuda()
    raise UsageError(f"--device {name}: want cpu or cuda")


def _announce(
    made: BuildPlan, todo: list[tuple[Slice, ...]], worker: Device, folder: Path | None, asked: bool
) -> bool:
    """Say what will be done and what it takes, and refuse what cannot be; whether all slices
    stay in memory."""
    rest = BuildPlan(made.lone_jump, made.kind, todo)
    free = worker.free_memory()
    keep_all = folder is not None or asked or made.peak_memory(keep_all=True) < free
    memory = made.memory if folder is not None else made.peak_memory(keep_all)
    note(
        f"{len(made.slices)} slices, {made.cells:,} positions up to symmetry, of which "
        f"{rest.cells:,} are to be solved"
    )
    takes = duration(rest.seconds(worker.name, os.cpu_count() or 1))
    disk = f", {rest.disk / 2**30:.1f} GiB of disk in {folder}" if folder is not None else ""
    note(f"about {takes} on {worker.name}, {memory / 2**30:.1f} GiB of memory{disk}")
    if memory > free:
        smaller = "leave --in-memory away, or " if folder is None else ""
        raise PlayproofError(
            f"{worker.name} has {free / 2**30:.1f} GiB of memory free: {smaller}want fewer "
            "--pieces, or no --distance"
        )
    if folder is not None:
        home = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
        there = shutil.disk_usage(home).free
        if rest.disk > there:
            raise PlayproofError(
                f"{folder} has {there / 2**30:.1f} GiB left and the tables need "
                f"{rest.disk / 2**30:.1f}: want another --out, fewer --pieces, or no --distance"
            )
    return keep_all


def _run(
    made: BuildPlan, worker: Device, store: FileStore | MemoryStore, verify: bool, keep_all: bool,
    seconds: float | None, as_json: bool,
) -> BuildResult:  # fmt: skip

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
            made, worker, store, verify=verify, keep_all=keep_all, small_device=small,
            on_slice=on_slice, on_progress=update, until=until,
        )  # fmt: skip


def row(line: SliceSummary) -> str:
    """One line of a slice's figures."""
    raw = line.slice.raw
    shares = "".join(f"{n / raw:>9.2%} " for n in (line.wins, line.draws, line.losses))
    checked = "" if line.wrong is None else f"  {line.wrong} wrong"
    longest = f"{line.longest_win:>5}/{line.longest_loss}"
    return f"{line.slice.name:<10}{raw:>17,} {shares} {longest}{checked}"


def shares_text(total: dict[str, int]) -> str:
    """won/drawn/lost in percent."""
    parts = (total[key] / total["positions"] for key in ("wins", "draws", "losses"))
    return "/".join(f"{part:.2%}" for part in parts)


def _finish(
    made: BuildPlan, built: BuildResult, store: FileStore | MemoryStore, query: Path | None,
    answers: Path | None, as_json: bool,
) -> None:  # fmt: skip

    start = Slice(PIECES, 0, 0, 0)
    facts: dict[str, Any] = {
        "game": f"choko:lone_jump={'on' if made.lone_jump else 'off'}", "kind": made.kind,
        **timing(built),
    }  # fmt: skip
    if built.summaries:
        facts |= summary(built.summaries)
    complete = len(built.summaries) == len(made.slices)
    probe = Probe(store)
    whole = all(store.has(one) for one in made.slices)
    if complete and start in made.slices:
        facts["start"] = start_values(probe, line=whole and made.kind == "distance")
    if complete and whole and made.kind == "distance":
        facts["examples"] = notable_positions(store, probe.game, built.summaries)
    if query is not None and answers is not None and complete:
        write_answers(probe, query, answers)
    if as_json:
        emit(facts)
    else:
        _tell(facts, built, made)
    if built.wrong:
        raise PlayproofError(f"{built.wrong:,} positions are wrong: do not use these tables")
    if not complete:
        left = made.cells - sum(line.slice.cells for line in built.summaries)
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
        raise DataError(f"{query} is no text: want one position a line") from None


def _tell(facts: dict[str, Any], built: BuildResult, made: BuildPlan) -> None:
    whole = facts.get("all")
    if whole:
        shares = "/".join(
            f"{whole[k] / whole['positions']:.2%}" for k in ("wins", "draws", "losses")
        )
        print(f"all: {whole['positions']:,} positions, won/drawn/lost {shares}")
    if "start" in facts:
        value = facts["start"]["value"]
        exact = made.kind == "distance"
        told = "drawn" if value == 0 else ("Blue" if value > 0 else "Red") + " wins"
        print(f"from the empty board: {told}" + (f" in {abs(value)} actions" if exact else ""))
        if "line" in facts["start"]:
            print(" ".join(facts["start"]["line"]))
    note(
        f"solved {built.solved:,} positions in {duration(built.solving)}"
        + (f", checked them in {duration(built.checking)}" if built.checking else "")
    )


def duration(seconds: float) -> str:
    """Seconds for a person."""
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
