"""``playproof bench``: measure our code against others, in one run."""

from __future__ import annotations

import platform
from importlib import import_module
from typing import Annotated, Any, NamedTuple, Protocol

import typer

from playproof.cli.output import JsonOption, emit, note, progress, table
from playproof.core.errors import UsageError, one_of


class BenchLayout(NamedTuple):
    """A module of ``benches`` and the layout of its report."""

    module: str
    title: str
    columns: tuple[str, ...]
    right: str  # an ``r`` for each column that is aligned right
    peer: str  # what is measured beside us; empty if nothing is


class BenchReport(Protocol):
    """The result of a module's ``measure(seconds, progress)``."""

    @property
    def peer(self) -> str | None:
        """The peer's version; None if it is not installed."""

    def rows(self) -> list[list[str]]: ...

    def to_json(self) -> dict[str, Any]: ...


_BENCHES = {
    "engines": BenchLayout(
        "engines", "Random play and perft, one core",
        ("engine", "game", "each step gives", "steps / CPU s", "of OpenSpiel"), "   rr",
        "OpenSpiel",
    ),
    "search": BenchLayout(
        "search", "Search, one core", ("game", "search", "measured", ""), "  r", "OpenSpiel"
    ),
    "learning": BenchLayout(
        "learning", "PPO's update on 128 samples of Choko, one core",
        ("engine", "head computes", "update", "samples / CPU s", "of PyTorch"), "  rrr", "PyTorch",
    ),
    "data": BenchLayout(
        "data", "Games in PGN to packed positions, one core",
        ("engine", "gives", "plies / CPU s", "of python-chess"), "  rr", "python-chess",
    ),
    "self-play": BenchLayout(
        "self_play", "Self-play, and the bare network at the same batch",
        ("game", "leaves / s", "bare network / s", "share", ""), " rrr", "PyTorch",
    ),
    "lab": BenchLayout(
        "lab", "From a click to the new position, Go 19\u00d719",
        ("engines", "clicks", "median", "95 % within", "slowest"), " rrrr", "",
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
    """Measure our engines, search, learning or data against a peer in the same run; self-play
    against the bare network; or how soon the lab answers a click."""
    if what not in _BENCHES:
        raise UsageError(f"there is no benchmark '{what}': want {one_of(list(_BENCHES))}")
    layout = _BENCHES[what]
    measure = import_module(f"playproof.cli.benches.{layout.module}").measure
    with progress("measuring", "done") as update:
        report: BenchReport = measure(seconds, update)
    if as_json:
        machine = f"{platform.system()} {platform.machine()}"
        emit({"bench": what, "machine": machine, **report.to_json()})
        return
    table(layout.title, list(layout.columns), report.rows(), right=layout.right)
    if not layout.peer:
        note(getattr(report, "note", ""))
    elif report.peer is None:
        note(f"{layout.peer} is not installed, so there is nothing to compare with: make install")
    else:
        others = getattr(report, "others", {})
        versions = {layout.peer: report.peer} | {
            name: version for name, version in others.items() if version
        }
        note(", ".join(f"{name} {version}" for name, version in versions.items()))
