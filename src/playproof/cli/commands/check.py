"""``playproof check``: check a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit, note
from playproof.cli.proofs.events import ProofPrinter
from playproof.cli.proofs.options import SecondsOption
from playproof.cli.proofs.results import print_report, require_verified
from playproof.proofs.api import check as check_certificate


def check(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="The certificate's folder.")],
    seconds: SecondsOption = None,
    memory: Annotated[
        int | None,
        typer.Option(min=100, help="Memory limit in megabytes; by default none."),
    ] = None,
    plain: Annotated[
        bool,
        typer.Option(
            "--plain", help="Check each proof once more with the plain checker, which is slow."
        ),
    ] = False,
    lrat: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for each verified proof as LRAT, with hints."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a certificate: rebuild and compare its formula, check its proof step by step.

    If the statement is not built into Playproof, load its file: --load FILE.
    """
    with ProofPrinter(quiet=as_json) as printer:
        report = check_certificate(
            bundle, seconds=seconds, memory=memory, plain=plain, lrat=lrat, on_event=printer
        )
    if as_json:
        emit(report.to_json())
    else:
        print_report(report)
        files = [part.lrat for part in report.parts if part.lrat is not None]
        if files:
            note(f"{len(files)} LRAT {'proof' if len(files) == 1 else 'proofs'} in {lrat}")
    require_verified(report, bundle)
