"""``playproof bench``: measure ourselves beside others, in one run."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit, note, progress, table
from playproof.core.errors import UsageError, one_of

_BENCHES = ("engines", "search", "learning", "data", "lab")


def bench(
    what: Annotated[str, typer.Argument(help=f"What to measure: {one_of(_BENCHES)}.")] = "engines",
    seconds: Annotated[
        float, typer.Option(min=0.05, max=600, help="Seconds for each measurement.")
    ] = 3.0,
    as_json: JsonOption = False,
) -> None:
    """Measure engines, search, learning or data on one core, beside a peer in the same run;
    or how soon the lab answers a click."""
    if what not in _BENCHES:
        raise UsageError(f"there is no benchmark '{what}': want {one_of(_BENCHES)}")
    peer = "OpenSpiel"
    with progress("measuring", "done") as update:
        if what == "engines":
            from playproof.cli.benches import engines

            title = "Random play and perft, one core"
            columns = ["engine", "game", "each step gives", "steps / CPU s", "of OpenSpiel"]
            right, report = "   rr", engines.measure(seconds, update)
        elif what == "search":
            from playproof.cli.benches import search

            title, columns = "Search, one core", ["game", "search", "measured", ""]
            right, report = "  r", search.measure(seconds, update)  # type: ignore[assignment]
        elif what == "data":
            from playproof.cli.benches import data

            title, peer = "Games in PGN to packed positions, one core", "python-chess"
            columns = ["engine", "gives", "plies / CPU s", "of python-chess"]
            right, report = "  rr", data.measure(seconds, update)  # type: ignore[assignment]
        elif what == "lab":
            from playproof.cli.benches import lab

            title = "From a click to the new position, Go 19\u00d719"
            columns = ["thinkers", "clicks", "median", "95 % within", "slowest"]
            right, report = " rrrr", lab.measure(seconds, update)  # type: ignore[assignment]
        else:
            from playproof.cli.benches import learning

            title, peer = "PPO's update on 128 samples of Choko, one core", "PyTorch"
            columns = ["engine", "head computes", "update", "samples / CPU s", "of PyTorch"]
            right, report = "  rrr", learning.measure(seconds, update)  # type: ignore[assignment]
    if as_json:
        machine = f"{platform.system()} {platform.machine()}"
        emit({"bench": what, "machine": machine, **report.to_json()})
        return
    table(title, columns, report.rows(), right=right)
    if what == "lab":
        note(f"{report.cores} cores; agents think in processes of their own")  # type: ignore[attr-defined]
    elif report.peer is None:
        note(f"{peer} is not installed, so there is nothing to compare with: make install")
    else:
        others = getattr(report, "others", {})
        known = {peer: report.peer} | {name: found for name, found in others.items() if found}
        note(", ".join(f"{name} {found}" for name, found in known.items()))
