"""The options that the commands about proofs share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from playproof.core.errors import UsageError


def _sat_solver(solver: str | None) -> str | None:
    """Reject z3, which the library accepts as a solver and the option does not."""
    if solver == "z3":
        raise UsageError("no solver 'z3': want cadical or kissat")
    return solver


SolverOption = Annotated[
    str | None,
    typer.Option(callback=_sat_solver, help="cadical or kissat; by default the fastest installed."),
]
SecondsOption = Annotated[
    float | None, typer.Option(min=0.0, help="Give up after this many seconds.")
]
CertificateOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="New folder for the certificate of a refutation."),
]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Check the certificate as soon as it is written.")
]
DimacsOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the formula to a file, without solving.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=4096, help="Solvers at once; by default one per core.")
]


def require_certificate(check: bool, certificate: Path | None) -> None:
    """Reject ``--check`` without a certificate to check."""
    if check and certificate is None:
        raise UsageError("--check needs something to check: want --certificate DIR too")


def require_exclusive(options: Mapping[str, object]) -> None:
    """Reject a combination of options of which one would be silently ignored."""
    used = [name for name, value in options.items() if value]
    if len(used) > 1:
        raise UsageError(f"{used[0]} and {used[1]} do not go together: leave one out")
