"""``playproof prove othello-reachable``: a bound on the legal moves that any game reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.output import JsonOption, emit
from playproof.cli.proofs.events import ProofPrinter
from playproof.cli.proofs.options import (
    CertificateOption,
    DimacsOption,
    GameSolverOption,
    PortfolioOption,
    ProofOption,
    SecondsOption,
    SizeOption,
    SolutionOption,
    SolverOptionOption,
    WorkersOption,
    require_exclusive,
    require_sat_solver,
    solving_options,
)
from playproof.cli.proofs.results import (
    print_file,
    print_report,
    print_statement_result,
    require_decided,
)
from playproof.core.errors import UsageError, one_of
from playproof.proofs.api import export_dimacs, prove
from playproof.proofs.othello.unrolled_game import OthelloUnroll, plies_that_suffice

if TYPE_CHECKING:
    from playproof.proofs.proof import Proof


def othello_reachable(
    at_least: Annotated[
        int, typer.Option(min=1, max=64, help="Legal moves of the side to move, at least.")
    ] = 34,
    size: SizeOption = 8,
    max_stones: Annotated[
        int | None, typer.Option(min=5, max=64, help="Only positions with at most so many stones.")
    ] = None,
    method: Annotated[str, typer.Option(help="pipeline, or unroll, as in the paper.")] = "pipeline",
    plies: Annotated[
        int | None, typer.Option(min=0, help="Plies of the game, with --method unroll.")
    ] = None,
    mover: Annotated[str, typer.Option(help="any, black or white, with --method unroll.")] = "any",
    workers: WorkersOption = None,
    solver: GameSolverOption = None,
    solver_option: SolverOptionOption = None,
    portfolio: PortfolioOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    dimacs: DimacsOption = None,
    solution: SolutionOption = None,
    proof: ProofOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a game of Othello that reaches that many legal moves, or prove that none does."""
    unrolled = {"--dimacs": dimacs, "--solution": solution, "--proof": proof, "--plies": plies}
    if method not in ("pipeline", "unroll"):
        raise UsageError(f"no method {method!r}: want {one_of(['pipeline', 'unroll'])}")
    if method == "pipeline" and (mover != "any" or any(v is not None for v in unrolled.values())):
        raise UsageError(
            f"{', '.join(unrolled)} and --mover are for an unrolled game: want --method unroll"
        )
    if method == "unroll" and max_stones is not None:
        raise UsageError("--max-stones is for the pipeline: want --plies with an unrolled game")
    options = solving_options(
        solver=solver, solver_option=solver_option, portfolio=portfolio, solution=solution,
        proof=proof, certificate=certificate, others={"--dimacs": dimacs},
    )  # fmt: skip
    options |= {"certificate": certificate, "seconds": seconds, "workers": workers}
    if method == "pipeline":
        require_sat_solver(solver)
        _search(at_least, size, max_stones, options, as_json)
        return
    require_exclusive({"--dimacs": dimacs, "--certificate": certificate})
    if plies is None:
        plies = plies_that_suffice(size, at_least)
    statement = OthelloUnroll(at_least, plies, size, mover)
    if dimacs is not None:
        print_file(export_dimacs(statement, dimacs), as_json)
        return
    _unroll(statement, options, as_json)


def _search(
    at_least: int, size: int, max_stones: int | None, options: dict[str, Any], as_json: bool
) -> None:
    certificate = options["certificate"]
    printer = ProofPrinter(quiet=as_json, certificate=certificate, label="othello-reachable")
    with printer:
        proof = prove(
            "othello-reachable", at_least=at_least, size=size, max_stones=max_stones,
            check=certificate is not None, on_event=printer, **options,
        )  # fmt: skip
    require_decided(proof)
    if as_json:
        emit(_search_json(proof, at_least, size))
        return
    for record in proof.records:
        print(f"record   {record}")
    verdict = "is reachable" if proof.holds else "is not reachable"
    few = "" if max_stones is None else f" and at most {max_stones} stones"
    print(f"a position with at least {at_least} legal moves{few} {verdict} ({proof.seconds:.1f} s)")
    if proof.report is not None:
        print_report(proof.report)


def _search_json(proof: Proof, at_least: int, size: int) -> dict[str, object]:
    search = proof.search
    assert search is not None
    return {
        "at_least": at_least,
        "size": size,
        "max_stones": search.max_stones,
        "reachable": search.exists,
        "sets": search.sets.by_stones(),
        "colourings": search.colourings.total if search.colourings else None,
        "retrograde": search.retreat.counts if search.retreat else None,
        "records": list(proof.records),
        "seconds": {name: round(value, 3) for name, value in search.seconds.items()},
        "verified": proof.verified,
    }


def _unroll(statement: OthelloUnroll, options: dict[str, Any], as_json: bool) -> None:
    with ProofPrinter(quiet=as_json, certificate=options["certificate"]) as printer:
        proof = prove(statement, on_event=printer, **options)
    require_decided(proof)
    # Passes are written out here, unlike in the transcript ``proof.record``.
    record = None if proof.witness is None else "".join(statement.moves_of(proof.witness))
    print_statement_result(proof, as_json, record=record)
    if record is not None and not as_json:
        print(f"record   {record}")
