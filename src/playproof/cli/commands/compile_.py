"""``playproof compile``: compile kernels before they are needed."""

from __future__ import annotations

from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit, note, progress
from playproof.core.compile_ahead import compile_ahead


def compile_(
    games: Annotated[
        list[str] | None,
        typer.Argument(metavar="[GAME...]", help="Games to compile for; all if none is given."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Number of processes; one per core if not given.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compile the rules and searches of games on all cores, so that nothing waits for it later."""
    with progress("compiling", "modules") as on_progress:
        compiled = compile_ahead(games or [], processes=processes, on_progress=on_progress)
    if as_json:
        emit(
            {
                "games": games or [],
                "modules": compiled.modules,
                "processes": compiled.processes,
                "seconds": compiled.seconds,
                "failures": list(compiled.failures),
            }
        )
        return
    what = ", ".join(games) if games else "all games"
    print(f"{what}: {compiled.modules} modules ready after {compiled.seconds:.0f} s")
    for failure in compiled.failures:
        note(f"left out: {failure}")
