"""The options that the commands about proofs share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from playproof.core.errors import UsageError
from playproof.proofs.sat.options import split_options
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import Theorem


def require_sat_solver(solver: str | None) -> str | None:
    """Reject z3, which works on few questions."""
    if solver == "z3":
        raise UsageError("no solver 'z3': want cadical or kissat")
    return solver


SizeOption = Annotated[int, typer.Option(help="Size of the board: 4, 6 or 8.")]
SolverOption = Annotated[
    str | None,
    typer.Option(
        callback=require_sat_solver, help="cadical or kissat; by default the fastest installed."
    ),
]
GameSolverOption = Annotated[
    str | None,
    typer.Option(
        help="cadical or kissat, or z3 with --method unroll; by default the fastest installed."
    ),
]
SecondsOption = Annotated[
    float | None, typer.Option(min=0.0, metavar="N", help="Give up after this many seconds.")
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
SolutionOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="The model that any solver found for the formula of --dimacs; - is stdin.",
    ),
]
ProofOption = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="Any solver's proof, DRAT or LRAT, that the formula has no model."
    ),
]
SolverOptionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--solver-option", metavar="NAME=VALUE", help="An option of the solver; may be repeated."
    ),
]
PortfolioOption = Annotated[
    str | None,
    typer.Option(
        metavar="[SETTINGS]",
        help="Run several solvers at once and take the first answer: kissat,cadical for instance; "
        "without SETTINGS one per core.",
    ),
]
PartOption = Annotated[
    int | None, typer.Option(min=1, help="Only this part of a statement of several parts.")
]


def solving_options(
    *,
    solver: str | None,
    solver_option: list[str] | None,
    portfolio: str | None,
    solution: str | None = None,
    proof: str | None = None,
    certificate: Path | None = None,
    others: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """The arguments of ``prove`` that say who answers; ``others`` are options that exclude them."""
    files = {"--solution": solution, "--proof": proof}
    require_exclusive({**files, "--portfolio": portfolio, "--solver": solver})
    ways = {**(others or {}), **files, "--portfolio": portfolio}
    require_exclusive(ways)
    for name, value in ways.items():
        require_exclusive({name: value, "--solver-option": solver_option})
    require_exclusive({"--solution": solution, "--certificate": certificate})
    return {
        "solver": solver, "solver_options": split_options(solver_option or ()),
        "portfolio": portfolio or False, "solution": solution, "proof": proof,
    }  # fmt: skip


def select_part(
    question: Statement | Theorem, part: int | None, files: Mapping[str, object]
) -> Statement | Theorem:
    """The part of a theorem with this number, or all of it; ``files`` are options that need one
    formula."""
    if not isinstance(question, Theorem):
        if part is not None:
            raise UsageError(f"--part {part}: this is one formula, so leave it out")
        return question
    parts = question.statements()
    used = next((name for name, value in files.items() if value), None)
    if part is None:
        if used is not None:
            raise UsageError(
                f"{used} is for one formula, and this is {len(parts)}: want --part N, from 1 to "
                f"{len(parts)}"
            )
        return question
    if part > len(parts):
        raise UsageError(f"--part {part}: want 1 to {len(parts)}")
    return parts[part - 1]


def require_certificate(check: bool, certificate: Path | None) -> None:
    """Reject ``--check`` without a certificate to check."""
    if check and certificate is None:
        raise UsageError("--check needs something to check: want --certificate DIR too")


def require_exclusive(options: Mapping[str, object]) -> None:
    """Reject a combination of options of which one would be silently ignored."""
    used = [name for name, value in options.items() if value]
    if len(used) > 1:
        raise UsageError(f"{used[0]} and {used[1]} do not go together: leave one out")
