"""The result of a proof or a check at the end of its command: text, JSON, or an error."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playproof.cli.output import emit
from playproof.core.errors import DataError, PlayproofError

if TYPE_CHECKING:
    from playproof.proofs.certificates.report import CertificateReport
    from playproof.proofs.proof import DimacsFile, Proof


def require_decided(proof: Proof) -> None:
    """Raise an error if the proof is undecided, since a time-out is no answer."""
    if proof.verdict == "undecided":
        seconds = proof.decisions[-1].answer.seconds if proof.decisions else proof.seconds
        raise PlayproofError(f"not decided in {seconds:.1f} s: give it more time")


def decision_json(proof: Proof) -> dict[str, object]:
    """The ``--json`` fields shared by all commands that decide one statement."""
    (decision,) = proof.decisions
    answer, cnf = decision.answer, decision.statement.cnf
    return {
        "statement": proof.sentence,
        "status": answer.status,
        "variables": cnf.variables,
        "clauses": len(cnf.clauses),
        "solver": f"{answer.solver} {answer.version}",
        "seconds": round(answer.seconds, 3),
        **({"solver_options": dict(answer.options)} if answer.options else {}),
    }


def verified_json(proof: Proof) -> dict[str, object]:
    """The ``--json`` field about the check of the certificate, if there was one."""
    return {} if proof.report is None else {"verified": proof.verified}


def print_statement_result(proof: Proof, as_json: bool, **witness: object) -> None:
    """Print the result of one statement; in text the verdict has been printed already."""
    if as_json:
        require_certificate_verified(proof)
        emit({**decision_json(proof), **witness, **verified_json(proof)})
    else:
        print_check(proof)


def print_theorem_result(proof: Proof, as_json: bool) -> None:
    """Print the result of a theorem; a part with a witness is an error, since it refutes the
    theorem."""
    require_decided(proof)
    parts = proof.decisions
    if as_json:
        require_certificate_verified(proof)
        emit(
            {
                "theorem": proof.sentence, "holds": proof.holds, "parts": len(parts),
                "seconds": round(sum(one.answer.seconds for one in parts), 3),
                "witness": proof.witness, **verified_json(proof),
            }
        )  # fmt: skip
    elif proof.holds:
        print_check(proof)
    if not proof.holds:
        sentence = parts[-1].statement.sentence()
        raise PlayproofError(f"not so: part {len(parts)}, {sentence}, has a witness")


def print_check(proof: Proof) -> None:
    """Print the report on the certificate that was just written, if it was checked."""
    if proof.report is not None:
        print_report(proof.report)
        require_certificate_verified(proof)


def require_certificate_verified(proof: Proof) -> None:
    """Raise an error if the certificate that was just written was checked and is not verified."""
    if proof.report is not None and proof.certificate is not None:
        require_verified(proof.report, proof.certificate)


def require_verified(report: CertificateReport, folder: Path) -> None:
    """Raise an error unless the certificate is verified."""
    if not report.verified:
        raise DataError(f"{folder} is not verified: {report.objection}")


def print_report(report: CertificateReport) -> None:
    """Print the checks of a certificate, one per line; of a chain only the parts that fail, and
    totals."""
    for part in report.parts:
        if len(report.parts) == 1 or not part.verified:
            claim = "there is no such thing: " if part.statement else ""
            print(f"{part.part or 'certificate'}  {claim}{part.title}")
            for check in part.checks:
                mark = {True: "ok", False: "REJECTED", None: "not run"}[check.passed]
                print(f"  {check.name:<10} {mark:<9} {check.detail}  ({check.seconds:.1f} s)")
            print_assumptions(part.assumptions)
    if len(report.parts) > 1:
        good = sum(part.verified for part in report.parts)
        seconds = sum(check.seconds for part in report.parts for check in part.checks)
        print(f"{report.title}: {good} of {len(report.parts)} parts verified in {seconds:.1f} s")
        if report.whole is not None:
            mark = "ok" if report.whole.passed else "REJECTED"
            print(f"  {'theorem':<10} {mark}, {report.whole.detail}")
        for name in [check.name for check in report.parts[0].checks]:
            marks = [c.passed for part in report.parts for c in part.checks if c.name == name]
            print(
                f"  {name:<10} {marks.count(True)} ok, {marks.count(False)} rejected, "
                f"{marks.count(None)} not run"
            )
        print_assumptions(report.assumptions)
    print("verified" if report.verified else "NOT VERIFIED")


def print_assumptions(lines: tuple[str, ...]) -> None:
    """Print what a statement assumes beyond its sentence, one assumption per line."""
    for line in lines:
        print(f"  {'assumes':<10} {line}")


def print_file(file: DimacsFile, as_json: bool) -> None:
    """Print the name and size of a formula that was written."""
    if as_json:
        size = {"variables": file.variables, "clauses": file.clauses}
        emit({"statement": file.sentence, "file": str(file.path), **size})
    else:
        print(f"{file.path}: {file.variables:,} variables, {file.clauses:,} clauses")
