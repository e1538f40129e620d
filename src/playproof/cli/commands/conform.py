"""``playproof conform``: test a game against the laws that every game keeps."""

from __future__ import annotations

from typing import Annotated

import typer

from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    progress,
    settle_seed,
)
from playproof.core.conformance.run import conform as test_laws
from playproof.core.registry import make


def conform(
    game: GameArgument,
    games: Annotated[
        int, typer.Option(min=1, max=10**6, help="Random games to test each law in.")
    ] = 3,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Test a game against the laws that every game keeps, and name each law that it breaks."""
    subject = make(game)
    seed = settle_seed(seed)
    with progress(f"conform {subject.spec}", "laws") as update:
        # In its own process: a game that crashes it has broken a law.
        report = test_laws(subject, games=games, seed=seed, isolated=True, on_progress=update)
    if as_json:
        emit(report.to_json())
    else:
        print(report)
        note(f"{games} random {'game' if games == 1 else 'games'} to a law, seed {seed}")
    if not report.ok:
        raise typer.Exit(1)
