"""``playproof paper chokozero``: the game of the paper, solved, and what that says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playproof.cli import paper_truth
from playproof.cli.arena import check_writable
from playproof.cli.output import JsonOption, emit, note, working, write_text
from playproof.core.errors import UsageError


def chokozero(
    truth: Annotated[
        bool, typer.Option("--truth", help="What a full solve of Choko says; so without options.")
    ] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Also draw what each first placement is worth.")
    ] = None,
    positions: Annotated[
        Path | None, typer.Option(help="Write the positions that --make-truth needs answers about.")
    ] = None,
    make_truth: Annotated[
        tuple[Path, Path, Path] | None,
        typer.Option(
            metavar="OFF ON ANSWERS",
            help="Make the data of --truth from the JSON of two full solves and the answers.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where --make-truth writes to.")] = None,
    as_json: JsonOption = False,
) -> None:
    """The ChokoZero paper: its game is solved, and this is what the truth says."""
    if (truth, positions is not None, make_truth is not None).count(True) > 1:
        raise UsageError("want one of --truth, --positions FILE and --make-truth OFF ON ANSWERS")
    if (make_truth is None) != (out is None):
        raise UsageError("--make-truth OFF ON ANSWERS and --out FILE go together")
    for name, given in (("--json", as_json), ("--svg", svg is not None)):
        if given and (positions is not None or make_truth is not None):
            raise UsageError(f"{name} goes with --truth: leave it away here")
    if positions is not None:
        _write_positions(positions)
    elif make_truth is not None and out is not None:
        _make(*make_truth, out)
    else:
        _tell(svg, as_json)


def _write_positions(file: Path) -> None:
    from playproof.papers.choko_games import to_ask

    check_writable(file)
    with working("positions to ask the tables about") as update:
        found = to_ask(update)
    write_text(file, "".join(f"{position}\n" for position in found))
    note(f"{len(found):,} positions in {file}")


def _make(off: Path, on: Path, answers: Path, out: Path) -> None:
    from playproof.papers.choko_truth_make import as_text, make_truth

    check_writable(out)
    with working("what the truth says") as update:
        text = as_text(make_truth(off, on, answers, update))
    write_text(out, text)
    note(f"{len(text) / 1000:,.0f} kB in {out}")


def _tell(svg: Path | None, as_json: bool) -> None:
    from playproof.papers import choko_truth, choko_truth_told

    truth = choko_truth.shipped()
    if svg is not None:
        from playproof.formats.svg import render

        write_text(svg, render(choko_truth_told.first_placements(truth)))
        note(f"drew {svg}")
    if as_json:
        emit(choko_truth_told.as_data(truth))
    else:
        paper_truth.tell(truth)
