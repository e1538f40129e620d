"""``playproof prove``: settle statements about games by SAT, with certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.output import JsonOption, emit, note
from playproof.cli.proofs.events import ProofPrinter
from playproof.cli.proofs.options import (
    CertificateOption,
    CheckOption,
    DimacsOption,
    SecondsOption,
    SolverOption,
    WorkersOption,
    require_certificate,
    require_exclusive,
)
from playproof.cli.proofs.own_statements import StatementGroup
from playproof.cli.proofs.positions import EnumerateOption, print_positions
from playproof.cli.proofs.results import (
    print_file,
    print_report,
    print_statement_result,
    print_theorem_result,
    require_decided,
)
from playproof.core.errors import UsageError, one_of
from playproof.proofs.api import Z3, export_dimacs, prove
from playproof.proofs.othello.equivalence import FIGURES
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled_game import OthelloUnroll, plies_that_suffice
from playproof.proofs.theorems import ByCubes

if TYPE_CHECKING:
    from playproof.proofs.proof import Proof

app = typer.Typer(
    cls=StatementGroup,
    no_args_is_help=True,
    help="Prove statements about games, with certificates.\n\n"
    "For a statement of your own: --load FILE.",
)

SizeOption = Annotated[int, typer.Option(help="Size of the board: 4, 6 or 8.")]


@app.command("othello-mobility")
def othello_mobility(
    at_least: Annotated[
        int, typer.Option(min=0, max=64, help="Legal moves of the side to move, at least.")
    ] = 35,
    empties_at_least: Annotated[
        int, typer.Option(min=0, max=64, help="Empty squares, at least.")
    ] = 0,
    size: SizeOption = 8,
    enumerate_: EnumerateOption = None,
    cubes: Annotated[
        bool, typer.Option("--cubes", help="Refute a hard bound in 231 parts, on all cores.")
    ] = False,
    workers: WorkersOption = None,
    smt: Annotated[bool, typer.Option("--z3", help="Use z3, as in the paper.")] = False,
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    dimacs: DimacsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a position of Othello with that many legal moves, reachable or not, or prove that
    there is none."""
    statement = OthelloMobility(at_least, size, empties_at_least)
    ways = {"--dimacs": dimacs, "--enumerate": enumerate_, "--z3": smt}
    require_exclusive({**ways, "--cubes": cubes})
    require_exclusive({**ways, "--certificate": certificate})
    require_certificate(check, certificate)
    if dimacs is not None:
        print_file(export_dimacs(statement, dimacs), as_json)
        return
    if enumerate_ is not None:
        print_positions(statement, enumerate_, seconds, as_json)
        return
    if smt:
        _prove_with_z3(statement, seconds, as_json)
        return
    question = ByCubes(at_least, size, empties_at_least) if cubes else statement
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        proof = prove(
            question, certificate=certificate, check=check, solver=solver, seconds=seconds,
            workers=workers, on_event=printer,
        )  # fmt: skip
    if cubes:
        print_theorem_result(proof, as_json)
        return
    require_decided(proof)
    print_statement_result(proof, as_json, position=proof.position)


@app.command("othello-reachable")
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
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    dimacs: DimacsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a game of Othello that reaches that many legal moves, or prove that none does."""
    if method == "unroll":
        require_exclusive({"--dimacs": dimacs, "--certificate": certificate})
        if max_stones is not None:
            raise UsageError("--max-stones is for the pipeline: want --plies with an unrolled game")
        _unroll(at_least, size, plies, mover, solver, seconds, certificate, dimacs, as_json)
        return
    if method != "pipeline":
        raise UsageError(f"no method {method!r}: want {one_of(['pipeline', 'unroll'])}")
    if dimacs is not None or plies is not None or mover != "any":
        raise UsageError(
            "--dimacs, --plies and --mover are for an unrolled game: want --method unroll"
        )

    printer = ProofPrinter(quiet=as_json, certificate=certificate, label="othello-reachable")
    with printer:
        proof = prove(
            "othello-reachable", at_least=at_least, size=size, max_stones=max_stones,
            certificate=certificate, check=certificate is not None, solver=solver,
            seconds=seconds, workers=workers, on_event=printer,
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


def _unroll(
    at_least: int,
    size: int,
    plies: int | None,
    mover: str,
    solver: str | None,
    seconds: float | None,
    certificate: Path | None,
    dimacs: Path | None,
    as_json: bool,
) -> None:
    if plies is None:
        plies = plies_that_suffice(size, at_least)
    statement = OthelloUnroll(at_least, plies, size, mover)
    if dimacs is not None:
        print_file(export_dimacs(statement, dimacs), as_json)
        return
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        proof = prove(
            statement, certificate=certificate, solver=solver, seconds=seconds, on_event=printer
        )
    require_decided(proof)
    # Passes are written out here, unlike in the transcript ``proof.record``.
    record = None if proof.witness is None else "".join(statement.moves_of(proof.witness))
    print_statement_result(proof, as_json, record=record)
    if record is not None and not as_json:
        print(f"record   {record}")


@app.command("equivalence")
def equivalence(
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    as_json: JsonOption = False,
) -> None:
    """Prove that our rules equal the functions of the Othello paper's Figures 2, 3 and 4."""
    require_certificate(check, certificate)
    with _FigurePrinter(quiet=as_json, certificate=certificate) as printer:
        proof = prove(
            "equivalence", certificate=certificate, check=check, solver=solver, seconds=seconds,
            workers=1, on_event=printer,
        )  # fmt: skip
    print_theorem_result(proof, as_json)


class _FigurePrinter(ProofPrinter):
    """Prints for each figure of the paper whether it equals our rules."""

    def print_parts(self) -> None:
        verbs = {"unsat": "equals", "sat": "DIFFERS FROM", "unknown": "not compared in time with"}
        for part, (figure, title) in zip(self.parts, FIGURES.items(), strict=False):
            verb = verbs[part.status]
            print(f"Figure {figure}, {title}: {verb} our rules ({part.seconds:.2f} s)")


@app.command("choko-mobility")
def choko_mobility(
    at_least: Annotated[
        int | None,
        typer.Option(min=0, help="Legal actions, at least; by default find the largest number."),
    ] = None,
    condition: Annotated[
        str, typer.Option(help="none, material or placed: a condition on the position.")
    ] = "none",
    lone_jump: Annotated[
        bool, typer.Option("--lone-jump", help="Play with the rule lone_jump.")
    ] = False,
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    as_json: JsonOption = False,
) -> None:
    """Find the largest number of legal actions of a Choko position, or decide a bound."""
    require_certificate(check, certificate)
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        if at_least is None:
            printer.wait("choko-mobility")
        proof = prove(
            "choko-mobility", at_least=at_least, condition=condition, lone_jump=lone_jump,
            certificate=certificate, check=check, solver=solver, seconds=seconds, workers=1,
            on_event=printer,
        )  # fmt: skip
    if certificate is not None and proof.decisions:
        print_theorem_result(proof, as_json)
        return
    require_decided(proof)
    if at_least is not None:
        print_statement_result(proof, as_json, position=proof.position)
    elif as_json:
        emit(
            {
                "condition": condition, "lone_jump": lone_jump, "largest": proof.largest,
                "position": proof.position, "seconds": round(proof.seconds, 3),
            }
        )  # fmt: skip


def _prove_with_z3(statement: OthelloMobility, seconds: float | None, as_json: bool) -> None:
    with ProofPrinter(quiet=as_json, label=f"z3: {statement.sentence()}") as printer:
        proof = prove(statement, solver=Z3, seconds=seconds, on_event=printer)
    require_decided(proof)
    solver = f"z3 {proof.decisions[0].answer.version}"
    if as_json:
        emit({
            "statement": proof.sentence, "status": proof.status, "position": proof.position,
            "solver": solver, "seconds": round(proof.seconds, 3),
        })  # fmt: skip
    else:
        note(f"{proof.seconds:.2f} s by {solver}")
