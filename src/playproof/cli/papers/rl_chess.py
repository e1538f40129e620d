"""``playproof paper rl-chess``: runs the chess paper's pipeline and compares it with the paper."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.commands.train import read_changes
from playproof.cli.output import JsonOption, SeedOption, emit, note, settle_seed, table, working
from playproof.core.errors import UsageError
from playproof.papers import rl_chess as paper
from playproof.papers.rl_chess import TITLE

if TYPE_CHECKING:
    from playproof.papers.rl_chess import Figure, Sizes


def rl_chess(
    quick: Annotated[
        bool, typer.Option("--quick", help="All of it, very small, on games of its own.")
    ] = False,
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Positions to learn from, made by playproof data build."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep data, runs and games there, and continue them."),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PART.KEY=VALUE",
            help="Another size: imitation.KEY, self-play.KEY, level or games.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where networks are trained: cpu or cuda.")] = "cpu",
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the chess paper again: games, imitation, self-play, Elo; its sizes next to ours."""
    if not quick and data is None:
        raise UsageError("want --quick, or --data DIR with positions (playproof data build)")
    if not quick and out is None:
        raise UsageError("the whole of it takes many hours: say where it is kept, --out DIR")
    sizes = paper.apply_changes(paper.QUICK if quick else paper.FULL, read_changes(changes or []))
    seed = settle_seed(seed)
    note(f"seed {seed}")
    if out is not None:
        _run(out, sizes, data, device, seed, as_json)
        return
    with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
        _run(Path(folder), sizes, data, device, seed, as_json)


def _run(
    folder: Path, sizes: Sizes, data: Path | None, device: str, seed: int, as_json: bool
) -> None:
    with working(paper.TITLE) as on_progress:
        figures = paper.run(
            folder, sizes, data=data, device=device, seed=seed, on_progress=on_progress
        )
    if as_json:
        emit({"seed": seed, "figures": [asdict(figure) for figure in figures]})
    else:
        _print_figures(figures)


def _print_figures(figures: list[Figure]) -> None:
    rows, last = [], ""
    for figure in figures:
        rows.append(["" if figure.part == last else figure.part, figure.what, figure.paper,
                     figure.here])  # fmt: skip
        last = figure.part
    table(TITLE, ["part", "", "paper", "here"], rows)
