"""What the ``prove`` commands share: solving a statement, telling, certificates."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli import proof_steps as steps
from playproof.cli.output import emit, note, progress, working, write_text
from playproof.core.errors import DataError, PlayproofError, UsageError

if TYPE_CHECKING:
    from playproof.proofs.certificates import Report
    from playproof.proofs.solvers import Answer
    from playproof.proofs.statements import Decision, Statement
    from playproof.proofs.theorems import Theorem

SolverOption = Annotated[
    str | None, typer.Option(help="cadical or kissat; the quickest there is if not given.")
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


def decided(
    statement: Statement,
    *,
    solver: str | None,
    seconds: float | None,
    certificate: Path | None,
) -> Decision:
    """The statement decided, and its certificate written if it is refuted."""
    from playproof.proofs.certificates import write_bundle
    from playproof.proofs.statements import decide

    steps.begin(statement.sentence(), certificate=certificate)
    steps.formula(statement)
    with _clock(statement.sentence()) as tell:
        how: Any = {"solver": solver, "seconds": seconds, "progress": tell, "watch": steps.signs}
        if certificate is None:
            found = decide(statement, **how)
        else:
            with written(certificate):
                found = write_bundle(certificate, statement, **how)
    steps.answer(found)
    if found.answer.status == "unsat" and certificate is not None:
        _tell_certificate(certificate, *_load(statement))
    if found.answer.status == "sat" and certificate is not None:
        note(f"no certificate in {certificate}: there is a witness, so nothing is refuted")
    return found


def _tell_certificate(folder: Path, *options: str) -> None:
    """Where a certificate is, and the command that checks it, to be copied as it is."""
    note(f"certificate in {folder}: {' '.join(['playproof check', quote(str(folder)), *options])}")


def _load(statement: Statement) -> Iterator[str]:
    """The option that a check on this machine needs to know the statement."""
    from playproof.proofs.registry import file_of, source_of

    file = file_of(statement)
    if file is not None and "file" in (source_of(statement) or {}):
        near = file.is_relative_to(Path.cwd())
        yield f"--load {quote(str(file.relative_to(Path.cwd()) if near else file))}"


def settled(
    theorem: Theorem,
    solver: str | None,
    seconds: float | None,
    workers: int | None,
    certificate: Path | None,
    *,
    begun: bool = False,
) -> list[Decision]:
    """The statements that a theorem needs, decided, and certified if all are refuted.
    ``begun``: the theorem is the second half of a proof whose story was begun before."""
    from playproof.core.jobs import cores
    from playproof.proofs.certificates import refute, write_chain

    count = cores() if workers is None else workers
    parts = len(theorem.statements())
    ask = steps.follow if begun else steps.begin
    ask(theorem.sentence(), parts=parts, certificate=certificate)
    with progress("proofs", "parts") as bar:
        how: Any = {
            "solver": solver, "seconds": seconds, "workers": count, "progress": bar,
            "told": steps.part(parts),
        }  # fmt: skip
        if certificate is None:
            found = refute(theorem, **how)
        else:
            with written(certificate):
                found = write_chain(certificate, theorem, **how)
    steps.theorem(found)
    if found[-1].answer.status == "unsat" and certificate is not None:
        _tell_certificate(certificate)
    return found


def checked(folder: Path, seconds: float | None = None) -> Report:
    """A certificate's report, under a moving sign."""
    from playproof.proofs.certificates import check_bundle

    if seconds is not None and seconds <= 0:
        raise UsageError("nothing is checked in 0 seconds: want more")
    story = steps.Checking()
    with working("checking") as update:

        def told(part: str, name: str, share: float) -> None:
            update(f"{part} {name} {share:.0%}")
            story.share(part, name, share)

        report = check_bundle(folder, seconds=seconds, progress=told, told=story.told)
    story.verdict(report)
    return report


def check_now(wanted: bool, certificate: Path | None, *, quiet: bool = False) -> Report | None:
    """The report on a certificate that was just written, if it is wanted; an error if the
    certificate is not good, and nothing if there is none because nothing was refuted."""
    if not wanted or certificate is None or not certificate.exists():
        return None
    report = checked(certificate)
    if not quiet:
        tell_report(report)
    if not report.verified:
        raise DataError(f"{certificate} is not verified: {objection(report)}")
    return report


def in_time(answer: Answer) -> None:
    """Refuse to call a time-out an answer."""
    if answer.status == "unknown":
        raise PlayproofError(f"not decided in {answer.seconds:.1f} s: give it more time")


def export(statement: Statement, path: Path) -> dict[str, Any]:
    """Write the formula; its size."""
    cnf = statement.cnf
    write_text(path, statement.dimacs().decode())
    return {"file": str(path), "variables": cnf.variables, "clauses": len(cnf.clauses)}


def tell_export(statement: Statement, path: Path, as_json: bool) -> None:
    """Write the formula and say how large it is."""
    size = export(statement, path)
    if as_json:
        emit({"statement": statement.sentence(), **size})
    else:
        print(f"{size['file']}: {size['variables']:,} variables, {size['clauses']:,} clauses")


def needs_certificate(check: bool, certificate: Path | None) -> None:
    """Refuse ``--check`` without anything to check."""
    if check and certificate is None:
        raise UsageError("--check needs something to check: want --certificate DIR too")


def verified(report: Report | None) -> dict[str, bool]:
    """What ``--json`` says of a check that was made."""
    return {} if report is None else {"verified": report.verified}


def one_way(options: dict[str, Any]) -> None:
    """Refuse options of which one would be passed over in silence."""
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} do not go together: leave one out")


@contextmanager
def written(path: Path) -> Iterator[None]:
    """A file or folder that cannot be written is the user's, in one line."""
    try:
        yield
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from None


def facts(decision: Decision) -> dict[str, Any]:
    """What every ``--json`` of a proof holds."""
    answer, cnf = decision.answer, decision.statement.cnf
    return {
        "statement": decision.statement.sentence(),
        "status": answer.status,
        "variables": cnf.variables,
        "clauses": len(cnf.clauses),
        "solver": f"{answer.solver} {answer.version}",
        "seconds": round(answer.seconds, 3),
    }


def tell_decision(decision: Decision) -> None:
    """The verdict, and what it took."""
    told = facts(decision)
    says = "there is" if told["status"] == "sat" else "there is no such thing:"
    print(f"{told['status'].upper()}  {says} {told['statement']}")
    note(
        f"{told['variables']:,} variables, {told['clauses']:,} clauses, "
        f"{told['seconds']:.2f} s by {told['solver']}"
    )


def tell_theorem(
    theorem: Theorem, found: list[Decision], as_json: bool, to_check: Path | None = None
) -> None:
    """A theorem's verdict; a part with a witness is an error, for all else stands on it.
    ``to_check``: its certificate, if that is to be checked."""
    last = found[-1]
    in_time(last.answer)
    holds = last.answer.status == "unsat"
    seconds = sum(one.answer.seconds for one in found)
    if as_json:
        report = check_now(to_check is not None, to_check, quiet=True)
        emit(
            {
                "theorem": theorem.sentence(), "holds": holds, "parts": len(found),
                "seconds": round(seconds, 3), "witness": last.witness, **verified(report),
            }
        )  # fmt: skip
    elif holds:
        print(f"proved   {theorem.sentence()}")
        note(f"{len(found)} parts refuted, {seconds:.1f} s of solving")
        check_now(to_check is not None, to_check)
    if not holds:
        raise PlayproofError(
            f"not so: part {len(found)}, {last.statement.sentence()}, has a witness"
        )


def tell_report(report: Report) -> None:
    """A certificate's checks, each on its line; of a long chain only what is not plain."""
    for part in report.parts:
        if len(report.parts) == 1 or not part.verified:
            claim = "there is no such thing: " if part.statement else ""
            print(f"{part.part or 'certificate'}  {claim}{part.title}")
            for check in part.checks:
                mark = {True: "ok", False: "REJECTED", None: "not run"}[check.passed]
                print(f"  {check.name:<10} {mark:<9} {check.detail}  ({check.seconds:.1f} s)")
    if len(report.parts) > 1:
        good = sum(part.verified for part in report.parts)
        seconds = sum(check.seconds for part in report.parts for check in part.checks)
        print(f"{report.title}: {good} of {len(report.parts)} parts verified in {seconds:.1f} s")
        if report.whole is not None:
            mark = "ok" if report.whole.passed else "REJECTED"
            print(f"  {'theorem':<10} {mark}, {report.whole.detail}")
        for name in [check.name for check in report.parts[0].checks]:
            found = [c.passed for part in report.parts for c in part.checks if c.name == name]
            print(
                f"  {name:<10} {found.count(True)} ok, {found.count(False)} rejected, "
                f"{found.count(None)} not run"
            )
    print("verified" if report.verified else "NOT VERIFIED")


def objection(report: Report) -> str:
    """The first thing that is wrong with a certificate."""
    from playproof.proofs.certificates import NEEDED

    for verdict in (False, None):  # what failed, or else what could not be made
        for part in report.parts:
            for check in part.checks:
                if check.passed is verdict and (verdict is False or check.name in NEEDED):
                    where = f"part {part.part}, {check.name}" if part.part else check.name
                    return f"{where}: {check.detail}"
    return "a check is missing" if report.whole is None else f"theorem: {report.whole.detail}"


@contextmanager
def _clock(label: str) -> Iterator[Any]:
    with working(label) as update:
        yield lambda seconds: update(f"{seconds:.0f} s")
