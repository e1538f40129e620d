"""``playproof prove``: statements about games, settled by SAT and certified."""

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
    needs_certificate,
    one_way,
)
from playproof.cli.proofs.own_statements import StatementGroup
from playproof.cli.proofs.results import (
    finish_statement,
    finish_theorem,
    in_time,
    print_file,
    print_report,
)
from playproof.core.errors import PlayproofError, UsageError, one_of
from playproof.proofs.api import Z3, export_dimacs, find_positions, prove
from playproof.proofs.othello.equivalence import FIGURES
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.unrolled import OthelloUnroll, plies_that_suffice
from playproof.proofs.theorems import ByCubes

if TYPE_CHECKING:
    from playproof.proofs.othello.mobility import OthelloMobility

app = typer.Typer(
    cls=StatementGroup,
    no_args_is_help=True,
    help="Prove statements about games, with certificates.\n\nOne of your own: --load FILE.",
)

SizeOption = Annotated[int, typer.Option(help="Of the board: 4, 6 or 8.")]


@app.command("othello-mobility")
def othello_mobility(
    at_least: Annotated[int, typer.Option(min=0, max=64, help="Legal moves of the mover.")] = 35,
    empties_at_least: Annotated[int, typer.Option(min=0, max=64, help="Empty squares.")] = 0,
    size: SizeOption = 8,
    enumerate_: Annotated[
        int | None,
        typer.Option("--enumerate", min=1, help="Find so many positions, none twice."),
    ] = None,
    cubes: Annotated[
        bool, typer.Option("--cubes", help="Refute a hard bound in 231 parts, on all cores.")
    ] = False,
    workers: WorkersOption = None,
    smt: Annotated[bool, typer.Option("--z3", help="Ask z3, as the paper did.")] = False,
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    dimacs: DimacsOption = None,
    as_json: JsonOption = False,
) -> None:
    """A position of Othello with that many legal moves, reachable or not, or a proof of none."""
    statement = OthelloMobility(at_least, size, empties_at_least)
    ways = {"--dimacs": dimacs, "--enumerate": enumerate_, "--z3": smt}
    one_way({**ways, "--cubes": cubes})
    one_way({**ways, "--certificate": certificate})
    needs_certificate(check, certificate)
    if dimacs is not None:
        print_file(export_dimacs(statement, dimacs), as_json)
        return
    if enumerate_ is not None:
        _enumerate(statement, enumerate_, seconds, as_json)
        return
    if smt:
        with ProofPrinter(quiet=as_json, label=f"z3: {statement.sentence()}") as printer:
            proof = prove(statement, solver=Z3, seconds=seconds, on_event=printer)
        in_time(proof)
        solver = f"z3 {proof.decisions[0].answer.version}"
        if as_json:
            emit({
                "statement": proof.sentence, "status": proof.status, "position": proof.position,
                "solver": solver, "seconds": round(proof.seconds, 3),
            })  # fmt: skip
        else:
            note(f"{proof.seconds:.2f} s by {solver}")
        return
    question = ByCubes(at_least, size, empties_at_least) if cubes else statement
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        proof = prove(
            question, certificate=certificate, check=check, solver=solver, seconds=seconds,
            workers=workers, on_event=printer,
        )  # fmt: skip
    if cubes:
        finish_theorem(proof, as_json)
        return
    in_time(proof)
    finish_statement(proof, as_json, position=proof.position)


@app.command("othello-reachable")
def othello_reachable(
    at_least: Annotated[int, typer.Option(min=1, max=64, help="Legal moves of the mover.")] = 34,
    size: SizeOption = 8,
    max_stones: Annotated[
        int | None, typer.Option(min=5, max=64, help="Look at positions with so many at most.")
    ] = None,
    method: Annotated[str, typer.Option(help="pipeline, or unroll as the paper did.")] = "pipeline",
    plies: Annotated[int | None, typer.Option(min=0, help="Of the unrolled game.")] = None,
    mover: Annotated[str, typer.Option(help="Unrolled: any, black or white.")] = "any",
    workers: WorkersOption = None,
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    dimacs: DimacsOption = None,
    as_json: JsonOption = False,
) -> None:
    """A game of Othello that reaches that many legal moves, or a proof that none does."""
    if method == "unroll":
        one_way({"--dimacs": dimacs, "--certificate": certificate})
        if max_stones is not None:
            raise UsageError("--max-stones is of the pipeline: an unrolled game has --plies")
        _unroll(at_least, size, plies, mover, solver, seconds, certificate, dimacs, as_json)
        return
    if method != "pipeline":
        raise UsageError(f"no method {method!r}: want {one_of(['pipeline', 'unroll'])}")
    if dimacs is not None or plies is not None or mover != "any":
        raise UsageError(
            "--dimacs, --plies and --mover are of the unrolled game: want --method unroll"
        )

    printer = ProofPrinter(quiet=as_json, certificate=certificate, label="othello-reachable")
    with printer:
        proof = prove(
            "othello-reachable", at_least=at_least, size=size, max_stones=max_stones,
            certificate=certificate, check=certificate is not None, solver=solver,
            seconds=seconds, workers=workers, on_event=printer,
        )  # fmt: skip
    found, spent = proof.search, proof.seconds
    in_time(proof)
    assert found is not None
    if as_json:
        emit(
            {
                "at_least": at_least,
                "size": size,
                "max_stones": found.max_stones,
                "reachable": found.exists,
                "sets": found.sets.by_stones(),
                "colourings": found.colourings.total if found.colourings else None,
                "retrograde": found.retreat.counts if found.retreat else None,
                "records": list(proof.records),
                "seconds": {name: round(value, 3) for name, value in found.seconds.items()},
                "verified": proof.verified,
            }
        )
        return
    for record in proof.records:
        print(f"record   {record}")
    says = "is reachable" if found.exists else "is not reachable"
    few = "" if max_stones is None else f" and at most {max_stones} stones"
    print(f"a position with at least {at_least} legal moves{few} {says} ({spent:.1f} s)")
    if proof.report is not None:
        print_report(proof.report)


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
    chosen = plies_that_suffice(size, at_least) if plies is None else plies
    statement = OthelloUnroll(at_least, chosen, size, mover)
    if dimacs is not None:
        print_file(export_dimacs(statement, dimacs), as_json)
        return
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        proof = prove(
            statement, certificate=certificate, solver=solver, seconds=seconds, on_event=printer
        )
    in_time(proof)
    # A pass is written out, unlike in the transcript that ``proof.record`` is.
    record = None if proof.witness is None else "".join(statement.moves_of(proof.witness))
    finish_statement(proof, as_json, record=record)
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
    """Our rules equal the functions of the Othello paper's Figures 2, 3 and 4."""
    needs_certificate(check, certificate)
    with _FigurePrinter(quiet=as_json, certificate=certificate) as printer:
        proof = prove(
            "equivalence", certificate=certificate, check=check, solver=solver, seconds=seconds,
            workers=1, on_event=printer,
        )  # fmt: skip
    finish_theorem(proof, as_json)


class _FigurePrinter(ProofPrinter):
    """Says of each figure of the paper whether it equals our rules."""

    def print_parts(self) -> None:
        says = {"unsat": "equals", "sat": "DIFFERS FROM", "unknown": "not compared in time with"}
        for part, (figure, about) in zip(self.parts, FIGURES.items(), strict=False):
            print(f"Figure {figure}, {about}: {says[part.status]} our rules ({part.seconds:.2f} s)")


@app.command("choko-mobility")
def choko_mobility(
    at_least: Annotated[
        int | None, typer.Option(min=0, help="Legal actions; the largest is sought if not given.")
    ] = None,
    condition: Annotated[
        str, typer.Option(help="none, material or placed: what the position must satisfy.")
    ] = "none",
    lone_jump: Annotated[bool, typer.Option("--lone-jump", help="With that rule on.")] = False,
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    as_json: JsonOption = False,
) -> None:
    """The largest number of legal actions of a Choko position."""
    needs_certificate(check, certificate)
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        if at_least is None:
            printer.wait("choko-mobility")
        proof = prove(
            "choko-mobility", at_least=at_least, condition=condition, lone_jump=lone_jump,
            certificate=certificate, check=check, solver=solver, seconds=seconds, workers=1,
            on_event=printer,
        )  # fmt: skip
    if certificate is not None and proof.decisions:
        finish_theorem(proof, as_json)
        return
    in_time(proof)
    if at_least is not None:
        finish_statement(proof, as_json, position=proof.position)
    elif as_json:
        emit(
            {
                "condition": condition, "lone_jump": lone_jump, "largest": proof.largest,
                "position": proof.position, "seconds": round(proof.seconds, 3),
            }
        )  # fmt: skip


def _enumerate(
    statement: OthelloMobility, count: int, seconds: float | None, as_json: bool
) -> None:
    with ProofPrinter(quiet=as_json) as printer:
        printer.count("positions")
        found = find_positions(statement, count, seconds=seconds, on_event=printer)
    if as_json:
        texts = list(found.positions)
        emit({"positions": texts, "all": found.complete, "seconds": round(found.seconds, 3)})
        return
    for text in found.positions:
        print(text)
    number = len(found.positions)
    more = "there are no others" if found.complete else "there may be others"
    note(f"{number} positions, none the image of another, {found.seconds:.1f} s; {more}")
    if number < count and not found.complete:
        raise PlayproofError(f"only {number} of {count} in {found.seconds:.1f} s")
