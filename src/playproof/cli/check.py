"""``playproof check``: is this certificate good?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from playproof.cli.output import JsonOption, emit
from playproof.cli.proving import SecondsOption, checked, objection, tell_report
from playproof.core.errors import DataError


def check(
    bundle: Annotated[Path, typer.Argument(metavar="BUNDLE", help="The certificate's folder.")],
    seconds: SecondsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a certificate: formula rebuilt and compared, proof checked step by step."""
    report = checked(bundle, seconds)
    if as_json:
        emit(report.as_dict())
    else:
        tell_report(report)
    if not report.verified:
        raise DataError(f"{bundle} is not verified: {objection(report)}")
