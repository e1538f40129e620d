"""``playproof prove``: statements about games, settled by SAT and certified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli import proof_steps as steps
from playproof.cli.output import JsonOption, emit, note, progress, working
from playproof.cli.own_statements import StatementGroup
from playproof.cli.proving import (
    CertificateOption,
    CheckOption,
    DimacsOption,
    SecondsOption,
    SolverOption,
    WorkersOption,
    check_now,
    checked,
    decided,
    facts,
    in_time,
    needs_certificate,
    one_way,
    settled,
    tell_decision,
    tell_export,
    tell_report,
    tell_theorem,
    verified,
)
from playproof.core.errors import PlayproofError, UsageError, one_of

if TYPE_CHECKING:
    from playproof.proofs.statements import Decision

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
    from playproof.proofs.othello_mobility import OthelloMobility
    from playproof.proofs.theorems import ByCubes

    statement = OthelloMobility(at_least, size, empties_at_least)
    ways = {"--dimacs": dimacs, "--enumerate": enumerate_, "--z3": smt}
    one_way({**ways, "--cubes": cubes})
    one_way({**ways, "--certificate": certificate})
    needs_certificate(check, certificate)
    if dimacs is not None:
        tell_export(statement, dimacs, as_json)
        return
    if enumerate_ is not None:
        _enumerate(statement, enumerate_, seconds, as_json)
        return
    if smt:
        _ask_z3(statement, seconds, as_json)
        return
    if cubes:
        theorem = ByCubes(at_least, size, empties_at_least)
        parts = settled(theorem, solver, seconds, workers, certificate)
        if parts[-1].witness is not None:
            _show_othello(_position(parts[-1], size), size, quiet=as_json)
        tell_theorem(theorem, parts, as_json, certificate if check else None)
        return
    found = decided(statement, solver=solver, seconds=seconds, certificate=certificate)
    in_time(found.answer)
    text = _position(found, size)
    if as_json:
        _show_othello(text, size, quiet=True)
        report = check_now(check, certificate, quiet=True)
        emit({**facts(found), "position": text, **verified(report)})
        return
    tell_decision(found)
    _show_othello(text, size)
    check_now(check, certificate)


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
    from playproof.proofs.certificate_files import check_free
    from playproof.proofs.othello_pipeline import search

    if certificate is not None:
        check_free(certificate)

    def say(line: str) -> None:
        (note if as_json else print)(line)
        steps.step("found", line)

    steps.begin(
        f"a reachable Othello position on {size}x{size} with at least {at_least} legal moves"
    )
    with working("othello-reachable"):
        answer = search(at_least, size=size, max_stones=max_stones, seconds=seconds, tell=say)
    steps.search(answer)
    spent = sum(answer.seconds.values())
    if answer.exists is None:
        raise PlayproofError(f"not decided in {spent:.1f} s: give it more time")
    report = None
    if answer.exists is False and certificate is not None:
        if answer.retreat is None:
            raise PlayproofError("this bound has too many sets for a certificate of chains")
        settled(answer.theorem(), solver, None, workers, certificate, begun=True)
        report = checked(certificate)
    if as_json:
        emit(
            {
                "at_least": at_least,
                "size": size,
                "max_stones": answer.max_stones,
                "reachable": answer.exists,
                "sets": answer.sets.by_stones(),
                "colourings": answer.colourings.total if answer.colourings else None,
                "retrograde": answer.retreat.counts if answer.retreat else None,
                "records": [found.record for found in answer.found],
                "seconds": {name: round(value, 3) for name, value in answer.seconds.items()},
                "verified": report.verified if report else None,
            }
        )
        return
    for found in answer.found:
        steps.record(size, found.record)
        print(f"record   {found.record}")
    says = "is reachable" if answer.exists else "is not reachable"
    few = "" if max_stones is None else f" and at most {max_stones} stones"
    print(f"a position with at least {at_least} legal moves{few} {says} ({spent:.1f} s)")
    if report is not None:
        tell_report(report)


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
    from playproof.core.registry import make
    from playproof.proofs.othello_unroll import OthelloUnroll, plies_that_suffice

    chosen = plies_that_suffice(size, at_least) if plies is None else plies
    statement = OthelloUnroll(at_least, chosen, size, mover)
    if dimacs is not None:
        tell_export(statement, dimacs, as_json)
        return
    found = decided(statement, solver=solver, seconds=seconds, certificate=certificate)
    in_time(found.answer)
    record = None
    if found.witness is not None:
        record = statement.moves_of(found.witness)
        state = make("othello", size=size).start().play(record)
        if len(state.legal_actions()) < at_least:
            raise PlayproofError(f"the record {record} does not have the moves: a wrong encoding")
        steps.record(size, state.game.join_moves(record))
    if as_json:
        emit({**facts(found), "record": None if record is None else "".join(record)})
        return
    tell_decision(found)
    if record is not None:
        print(f"record   {''.join(record)}")


@app.command("equivalence")
def equivalence(
    solver: SolverOption = None,
    seconds: SecondsOption = None,
    certificate: CertificateOption = None,
    check: CheckOption = False,
    as_json: JsonOption = False,
) -> None:
    """Our rules equal the functions of the Othello paper's Figures 2, 3 and 4."""
    from playproof.proofs.equivalence import FIGURES
    from playproof.proofs.theorems import SameRules

    needs_certificate(check, certificate)
    theorem = SameRules()
    found = settled(theorem, solver, seconds, 1, certificate)
    if not as_json:
        says = {"unsat": "equals", "sat": "DIFFERS FROM", "unknown": "not compared in time with"}
        for one, (figure, about) in zip(found, FIGURES.items(), strict=False):
            told = f"{says[one.answer.status]} our rules ({one.answer.seconds:.2f} s)"
            print(f"Figure {figure}, {about}: {told}")
    tell_theorem(theorem, found, as_json, certificate if check else None)


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
    from playproof.proofs.certificate_files import check_free
    from playproof.proofs.choko_mobility import ChokoMobility, largest, position_text
    from playproof.proofs.theorems import ChokoAtMost

    needs_certificate(check, certificate)
    if certificate is not None:
        check_free(certificate)

    if at_least is None:
        with working("choko-mobility") as update:
            best = largest(
                condition, lone_jump, solver=solver, seconds=seconds,
                progress=lambda low, high, now: update(f"{low} to {high - 1}, {now:.0f} s"),
            )  # fmt: skip
        if best.value is None or best.best is None:
            raise PlayproofError(f"not decided in {best.seconds:.1f} s: give it more time")
        at_least = best.value + 1
        witness = best.best.witness
        assert witness is not None
        shown = position_text(witness)
        if as_json and certificate is None:
            emit(
                {
                    "condition": condition, "lone_jump": lone_jump, "largest": best.value,
                    "position": shown, "seconds": round(best.seconds, 3),
                }
            )  # fmt: skip
            return
        if not as_json:
            print(f"largest   {best.value} legal actions ({best.seconds:.1f} s)")
            print(f"position  {shown}")
        if certificate is None:
            return
    if certificate is not None:
        theorem = ChokoAtMost(at_least, condition, lone_jump)
        parts = settled(theorem, solver, seconds, 1, certificate)
        tell_theorem(theorem, parts, as_json, certificate if check else None)
        return
    statement = ChokoMobility(at_least, condition, lone_jump)
    found = decided(statement, solver=solver, seconds=seconds, certificate=None)
    in_time(found.answer)
    text = None if found.witness is None else position_text(found.witness)
    if text is not None:
        _told_choko(text, lone_jump)
    if as_json:
        emit({**facts(found), "position": text})
        return
    tell_decision(found)
    if text is not None:
        print(f"position  {text}")


def _enumerate(statement: Any, count: int, seconds: float | None, as_json: bool) -> None:
    from playproof.proofs.othello_boards import position_text
    from playproof.proofs.othello_mobility import enumerate_positions

    with progress("positions") as bar:
        found = enumerate_positions(
            statement, count, seconds=seconds, progress=lambda done, now: bar(done, count)
        )
    texts = [position_text(position, statement.size) for position in found.positions]
    if as_json:
        emit({"positions": texts, "all": found.complete, "seconds": round(found.seconds, 3)})
        return
    for text in texts:
        print(text)
    more = "there are no others" if found.complete else "there may be others"
    note(f"{len(texts)} positions, none the image of another, {found.seconds:.1f} s; {more}")
    if len(texts) < count and not found.complete:
        raise PlayproofError(f"only {len(texts)} of {count} in {found.seconds:.1f} s")


def _ask_z3(statement: Any, seconds: float | None, as_json: bool) -> None:
    from playproof.proofs import smt
    from playproof.proofs.othello_boards import position_text

    with working(f"z3: {statement.sentence()}"):
        found = smt.othello_mobility(statement, seconds)
    if found.status == "unknown":
        raise PlayproofError(f"not decided in {found.seconds:.1f} s: give it more time")
    text = None if found.position is None else position_text(found.position, statement.size)
    if as_json:
        emit({
            "statement": statement.sentence(), "status": found.status, "position": text,
            "solver": f"z3 {found.version}", "seconds": round(found.seconds, 3),
        })  # fmt: skip
        return
    says = "there is" if found.status == "sat" else "there is no such thing:"
    print(f"{found.status.upper()}  {says} {statement.sentence()}")
    _show_othello(text, statement.size)
    note(f"{found.seconds:.2f} s by z3 {found.version}")


def _position(decision: Decision, size: int) -> str | None:
    from playproof.proofs.othello_boards import position_text

    if decision.witness is None:
        return None
    return position_text((decision.witness["own"], decision.witness["opponent"]), size)


def _show_othello(text: str | None, size: int, *, quiet: bool = False) -> None:
    from playproof.core.registry import make

    if text is not None:
        state = make("othello", size=size).position(text)
        moves = len(state.legal_actions())
        steps.witness("othello", size, text, moves)
        if not quiet:
            print(state)
            print(f"position  {text}")
            print(f"moves     {moves}")


def _told_choko(text: str, lone_jump: bool) -> None:
    from playproof.core.registry import make

    state = make("choko", lone_jump=lone_jump).position(text)
    steps.witness("choko", None, text, len(state.legal_actions()))
