"""``playproof check``: is this certificate good?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit
from playproof.cli.proving import SecondsOption, checked, objection, tell_report
from playproof.core.errors import DataError
from playproof.core.memory import at_most


def check(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="The certificate's folder.")],
    seconds: SecondsOption = None,
    memory: Annotated[
        int | None,
        typer.Option(min=100, help="Megabytes that it may take; no limit if not given."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check a certificate: formula rebuilt and compared, proof checked step by step.

    One of a statement that is not Playproof's needs its file: --load FILE.
    """
    import playproof.proofs.checker  # noqa: F401  # what it takes to load is not the proof's

    with at_most(memory, f"checking {bundle.name}"):
        report = checked(bundle, seconds)
    if as_json:
        emit(report.as_dict())
    else:
        tell_report(report)
    if not report.verified:
        raise DataError(f"{bundle} is not verified: {objection(report)}")
