"""The options that the commands about proofs share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from playproof.core.errors import UsageError


def _of_sat(solver: str | None) -> str | None:
    """Refuse what the library would take for a solver, and the option would not."""
    if solver == "z3":
        raise UsageError("no solver 'z3': want cadical or kissat")
    return solver


SolverOption = Annotated[
    str | None,
    typer.Option(callback=_of_sat, help="cadical or kissat; the quickest there is if not given."),
]
SecondsOption = Annotated[
    float | None, typer.Option(min=0.0, help="Give up after so many seconds.")
]
CertificateOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write a certificate of what is refuted into a new folder."),
]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Check the certificate as soon as it is written.")
]
DimacsOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the formula and do not solve it.")
]
WorkersOption = Annotated[
    int | None, typer.Option(min=1, max=4096, help="Solvers at once; all cores if not given.")
]


def needs_certificate(check: bool, certificate: Path | None) -> None:
    """Refuse ``--check`` without anything to check."""
    if check and certificate is None:
        raise UsageError("--check needs something to check: want --certificate DIR too")


def one_way(options: Mapping[str, object]) -> None:
    """Refuse options of which one would be passed over in silence."""
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} do not go together: leave one out")
