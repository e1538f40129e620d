"""``playproof bench``: measure ourselves beside others, in one run."""

from __future__ import annotations

import platform
from importlib import import_module
from typing import Annotated, Any, NamedTuple, Protocol

import typer

from playproof.cli.output import JsonOption, emit, note, progress, table
from playproof.core.errors import UsageError, one_of


class Bench(NamedTuple):
    """How the report of a module of ``benches`` is shown."""

    module: str
    title: str
    columns: tuple[str, ...]
    right: str  # an ``r`` for each column that is aligned right
    peer: str  # who is measured beside us; empty if it is we ourselves


class Report(Protocol):
    """What a module's ``measure(seconds, progress)`` returns."""

    @property
    def peer(self) -> str | None:
        """The peer's version; None if it is not installed."""

    def rows(self) -> list[list[str]]: ...

    def to_json(self) -> dict[str, Any]: ...


_BENCHES = {
    "engines": Bench(
        "engines", "Random play and perft, one core",
        ("engine", "game", "each step gives", "steps / CPU s", "of OpenSpiel"), "   rr",
        "OpenSpiel",
    ),
    "search": Bench(
        "search", "Search, one core", ("game", "search", "measured", ""), "  r", "OpenSpiel"
    ),
    "learning": Bench(
        "learning", "PPO's update on 128 samples of Choko, one core",
        ("engine", "head computes", "update", "samples / CPU s", "of PyTorch"), "  rrr", "PyTorch",
    ),
    "data": Bench(
        "data", "Games in PGN to packed positions, one core",
        ("engine", "gives", "plies / CPU s", "of python-chess"), "  rr", "python-chess",
    ),
    "self-play": Bench(
        "self_play", "Self-play, and the bare network at the same batch",
        ("game", "leaves / s", "bare network / s", "share", ""), " rrr", "PyTorch",
    ),
    "lab": Bench(
        "lab", "From a click to the new position, Go 19\u00d719",
        ("thinkers", "clicks", "median", "95 % within", "slowest"), " rrrr", "",
    ),
}  # fmt: skip


def bench(
    what: Annotated[
        str, typer.Argument(help=f"What to measure: {one_of(list(_BENCHES))}.")
    ] = "engines",
    seconds: Annotated[
        float, typer.Option(min=0.05, max=600, help="Seconds for each measurement.")
    ] = 3.0,
    as_json: JsonOption = False,
) -> None:
    """Measure our engines, search, learning or data beside a peer in the same run; self-play
    beside the bare network; or how soon the lab answers a click."""
    if what not in _BENCHES:
        raise UsageError(f"there is no benchmark '{what}': want {one_of(list(_BENCHES))}")
    shown = _BENCHES[what]
    measure = import_module(f"playproof.cli.benches.{shown.module}").measure
    with progress("measuring", "done") as update:
        report: Report = measure(seconds, update)
    if as_json:
        machine = f"{platform.system()} {platform.machine()}"
        emit({"bench": what, "machine": machine, **report.to_json()})
        return
    table(shown.title, list(shown.columns), report.rows(), right=shown.right)
    if not shown.peer:
        note(getattr(report, "note", ""))
    elif report.peer is None:
        note(f"{shown.peer} is not installed, so there is nothing to compare with: make install")
    else:
        others = getattr(report, "others", {})
        known = {shown.peer: report.peer} | {name: found for name, found in others.items() if found}
        note(", ".join(f"{name} {found}" for name, found in known.items()))
