"""``playproof prove``: settle statements about games by SAT, with certificates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.commands.prove_reachable import othello_reachable
from playproof.cli.output import JsonOption, emit, note
from playproof.cli.proofs.events import ProofPrinter
from playproof.cli.proofs.options import (
    CertificateOption,
    CheckOption,
    DimacsOption,
    PartOption,
    PortfolioOption,
    ProofOption,
    SecondsOption,
    SizeOption,
    SolutionOption,
    SolverOption,
    SolverOptionOption,
    WorkersOption,
    require_certificate,
    require_exclusive,
    select_part,
    solving_options,
)
from playproof.cli.proofs.own_statements import StatementGroup
from playproof.cli.proofs.positions import EnumerateOption, print_positions
from playproof.cli.proofs.results import (
    print_file,
    print_statement_result,
    print_theorem_result,
    require_decided,
)
from playproof.core.errors import UsageError
from playproof.proofs.api import Z3, export_dimacs, prove
from playproof.proofs.othello.equivalence import FIGURES
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.questions import CHOKO, find_question
from playproof.proofs.statements import Statement
from playproof.proofs.theorems import ByCubes, SameRules, Theorem

if TYPE_CHECKING:
    from playproof.proofs.proof import Proof

app = typer.Typer(
    cls=StatementGroup,
    no_args_is_help=True,
    help="Prove statements about games, with certificates.\n\n"
    "For a statement of your own: --load FILE.",
)


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
    part: PartOption = None,
    workers: WorkersOption = None,
    smt: Annotated[bool, typer.Option("--z3", help="Use z3, as in the paper.")] = False,
    solver: SolverOption = None,
    solver_option: SolverOptionOption = None,
    portfolio: PortfolioOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    dimacs: DimacsOption = None,
    solution: SolutionOption = None,
    proof: ProofOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a position of Othello with that many legal moves, reachable or not, or prove that
    there is none."""
    statement = OthelloMobility(at_least, size, empties_at_least)
    ways = {"--dimacs": dimacs, "--enumerate": enumerate_, "--z3": smt}
    options = solving_options(
        solver=solver, solver_option=solver_option, portfolio=portfolio, solution=solution,
        proof=proof, certificate=certificate, others=ways,
    )  # fmt: skip
    for name in ("--enumerate", "--z3"):
        require_exclusive({name: ways[name], "--cubes": cubes})
    require_exclusive({**ways, "--certificate": certificate})
    require_certificate(check, certificate)
    if enumerate_ is not None:
        print_positions(statement, enumerate_, seconds, as_json)
        return
    if smt:
        _prove_with_z3(statement, seconds, as_json)
        return
    cubed = ByCubes(at_least, size, empties_at_least) if cubes else statement
    files = {"--dimacs": dimacs, "--solution": solution, "--proof": proof}
    question = select_part(cubed, part, files)
    if dimacs is not None:
        _export(question, dimacs, as_json)
        return
    options |= {"certificate": certificate, "check": check, "seconds": seconds, "workers": workers}
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        result = prove(question, on_event=printer, **options)
    _print_result(question, result, as_json)


def _export(question: Statement | Theorem, file: Path, as_json: bool) -> None:
    assert isinstance(question, Statement)  # select_part has seen to it
    print_file(export_dimacs(question, file), as_json)


def _print_result(question: Statement | Theorem, result: Proof, as_json: bool) -> None:
    if isinstance(question, Theorem):
        print_theorem_result(result, as_json)
        return
    require_decided(result)
    print_statement_result(result, as_json, position=result.position)


app.command("othello-reachable")(othello_reachable)


@app.command("equivalence")
def equivalence(
    part: PartOption = None,
    solver: SolverOption = None,
    solver_option: SolverOptionOption = None,
    portfolio: PortfolioOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    dimacs: DimacsOption = None,
    solution: SolutionOption = None,
    proof: ProofOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove that our rules equal the functions of the Othello paper's Figures 2, 3 and 4."""
    options = solving_options(
        solver=solver, solver_option=solver_option, portfolio=portfolio, solution=solution,
        proof=proof, certificate=certificate, others={"--dimacs": dimacs},
    )  # fmt: skip
    require_exclusive({"--dimacs": dimacs, "--certificate": certificate})
    require_certificate(check, certificate)
    files = {"--dimacs": dimacs, "--solution": solution, "--proof": proof}
    question = select_part(SameRules(), part, files)
    if dimacs is not None:
        _export(question, dimacs, as_json)
        return
    options |= {"certificate": certificate, "check": check, "seconds": seconds}
    with _FigurePrinter(quiet=as_json, certificate=certificate) as printer:
        result = prove(question, workers=_one_core(portfolio), on_event=printer, **options)
    _print_result(question, result, as_json)


def _one_core(portfolio: str | None) -> int | None:
    """The workers for a few small parts: one, unless several solvers are to work on each."""
    return 1 if portfolio is None else None


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
    part: PartOption = None,
    solver: SolverOption = None,
    solver_option: SolverOptionOption = None,
    portfolio: PortfolioOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    dimacs: DimacsOption = None,
    solution: SolutionOption = None,
    proof: ProofOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the largest number of legal actions of a Choko position, or decide a bound."""
    options = solving_options(
        solver=solver, solver_option=solver_option, portfolio=portfolio, solution=solution,
        proof=proof, certificate=certificate, others={"--dimacs": dimacs},
    )  # fmt: skip
    options |= {"workers": _one_core(portfolio), "seconds": seconds}
    require_exclusive({"--dimacs": dimacs, "--certificate": certificate})
    require_certificate(check, certificate)
    options |= {"certificate": certificate, "check": check}
    files = {"--dimacs": dimacs, "--solution": solution, "--proof": proof}
    fields: dict[str, Any] = {"condition": condition, "lone_jump": lone_jump}
    if at_least is None:
        for name, value in {**files, "--part": part}.items():
            if value is not None:
                raise UsageError(f"{name} is for a bound: want --at-least N too")
        _find_choko_largest(fields, options, as_json)
        return
    whole = find_question(
        CHOKO,
        {"at_least": at_least, **fields},
        certified=certificate is not None or part is not None,
    )
    assert isinstance(whole, Statement | Theorem)
    question = select_part(whole, part, files)
    if dimacs is not None:
        _export(question, dimacs, as_json)
        return
    with ProofPrinter(quiet=as_json, certificate=certificate) as printer:
        result = prove(question, on_event=printer, **options)
    _print_result(question, result, as_json)


def _find_choko_largest(fields: dict[str, Any], options: dict[str, Any], as_json: bool) -> None:
    with ProofPrinter(quiet=as_json, certificate=options["certificate"]) as printer:
        printer.wait(CHOKO)
        result = prove(CHOKO, on_event=printer, **fields, **options)
    if options["certificate"] is not None and result.decisions:
        print_theorem_result(result, as_json)
        return
    require_decided(result)
    if as_json:
        emit(
            {
                **fields, "largest": result.largest, "position": result.position,
                "seconds": round(result.seconds, 3),
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
