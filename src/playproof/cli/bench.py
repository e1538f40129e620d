"""``playproof bench``: measure ourselves beside others, in one run."""

from __future__ import annotations

import platform
from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit, note, progress, table
from playproof.core.errors import UsageError, one_of

_BENCHES = ("engines", "search", "learning", "data", "self-play")


def bench(
    what: Annotated[str, typer.Argument(help=f"What to measure: {one_of(_BENCHES)}.")] = "engines",
    seconds: Annotated[
        float, typer.Option(min=0.05, max=600, help="Seconds for each measurement.")
    ] = 3.0,
    as_json: JsonOption = False,
) -> None:
    """Measure engines, search, learning or data on one core, beside a peer in the same run;
    self-play on a GPU if there is one, beside the bare network."""
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
        elif what == "self-play":
            from playproof.cli.benches import self_play

            title, peer = "Self-play, and the bare network at the same batch", "PyTorch"
            columns = ["game", "leaves / s", "bare network / s", "share", ""]
            right, report = " rrr", self_play.measure(seconds, update)  # type: ignore[assignment]
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
    if report.peer is None:
        note(f"{peer} is not installed, so there is nothing to compare with: make install")
    else:
        others = getattr(report, "others", {})
        known = {peer: report.peer} | {name: found for name, found in others.items() if found}
        note(", ".join(f"{name} {found}" for name, found in known.items()))
