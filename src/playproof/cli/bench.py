"""``playproof bench``: measure ourselves beside others, in one run."""

from __future__ import annotations

import platform
from dataclasses import asdict
from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit, note, progress, table
from playproof.core.errors import UsageError, one_of

_BENCHES = ("engines",)


def bench(
    what: Annotated[str, typer.Argument(help=f"What to measure: {one_of(_BENCHES)}.")] = "engines",
    seconds: Annotated[
        float, typer.Option(min=0.1, max=600, help="CPU seconds for each measurement.")
    ] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """Measure random play on one core, beside OpenSpiel in the same run."""
    if what not in _BENCHES:
        raise UsageError(f"there is no benchmark '{what}': want {one_of(_BENCHES)}")
    from playproof.cli.benches import engines

    with progress("measuring", "of all") as update:
        report = engines.measure(seconds, update)
    if as_json:
        emit(
            {
                "bench": what,
                "machine": f"{platform.system()} {platform.machine()}",
                "open_spiel": report.peer,
                "measurements": [
                    {**asdict(m), "ratio": report.ratio(m)} for m in report.measurements
                ],
            }
        )
        return
    rows = []
    for m in report.measurements:
        ratio = report.ratio(m)
        shown = f"{ratio:,.1f}x" if ratio is not None and m.engine == "playproof" else ""
        rows.append([m.engine, m.game, m.how, f"{m.steps_per_second:,.0f}", shown])
    table(
        "Random play, one core",
        ["engine", "game", "each step gives", "steps / CPU s", "of OpenSpiel's Othello"],
        rows,
        right="   rr",
    )
    if report.peer is None:
        note("OpenSpiel is not installed, so there is nothing to compare with: make install")
    else:
        note(f"OpenSpiel {report.peer}; best of five rounds each")
