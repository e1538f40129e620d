"""What a proof tells its job: every step with its figures.

``what`` names the kind of a step, the other facts are its figures; the lab's page
on proofs shows them while the command runs and long after.  Without a job, as in
a quick command, telling costs nothing and does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.core.job_book import current

if TYPE_CHECKING:
    from playproof.proofs.certificates import Report
    from playproof.proofs.othello_pipeline import Answer as Search
    from playproof.proofs.outside import Check
    from playproof.proofs.solvers import Signs
    from playproof.proofs.statements import Decision, Statement

_MANY = 100  # parts: of more of them, only those that are not plain are told one by one
_MARKS = {True: "ok", False: "rejected", None: "not run"}


def step(what: str, text: str, **facts: Any) -> None:
    """A line of the proof's story."""
    job = current()
    if job is not None:
        job.step(text, what=what, **facts)


def tell(label: str, done: float | None = None, total: float | None = None, **facts: Any) -> None:
    """How far it is at this moment."""
    job = current()
    if job is not None:
        job.tell(label, done, total, **facts)


def begin(sentence: str, *, parts: int = 1, certificate: Path | None = None) -> None:
    """The question.  A job that is run again begins again: earlier steps no longer count."""
    _ask("begin", sentence, parts, certificate)


def follow(sentence: str, *, parts: int, certificate: Path | None) -> None:
    """A question that the answer to the first one leads to."""
    _ask("follow", sentence, parts, certificate)


def _ask(what: str, sentence: str, parts: int, certificate: Path | None) -> None:
    name = None if certificate is None else certificate.name
    step(what, sentence, parts=parts, certificate=name)
    tell("building the formula")


def formula(statement: Statement) -> None:
    """The question as a formula, which is built here if it was not before."""
    cnf = statement.cnf
    variables, clauses = cnf.variables, len(cnf.clauses)
    text = f"formula: {variables:,} variables, {clauses:,} clauses"
    step("formula", text, variables=variables, clauses=clauses)
    tell("solving", variables=variables, clauses=clauses)


def signs(now: Signs) -> None:
    """How far the solver is."""
    facts: dict[str, Any] = {"solving": round(now.seconds, 1)}
    if now.conflicts is not None:
        facts["conflicts"] = now.conflicts
    if now.proof_bytes is not None:
        facts["proof_bytes"] = now.proof_bytes
    tell("solving", **facts)


def answer(decision: Decision) -> None:
    """What the solver said, and the proof that it wrote."""
    found = decision.answer
    told = "" if found.conflicts is None else f", {found.conflicts:,} conflicts"
    step(
        "answer",
        f"{found.status} after {found.seconds:.1f} s by {found.solver} {found.version}{told}",
        status=found.status, seconds=round(found.seconds, 2), conflicts=found.conflicts,
        solver=f"{found.solver} {found.version}",
    )  # fmt: skip
    # The last sign of life was a moment earlier: one proof has one number of each.
    final = {"solving": round(found.seconds, 1), "conflicts": found.conflicts}
    size = _size(found.proof)
    if size is not None:
        step("proof", f"proof: {size / 1e6:.1f} MB", bytes=size)
        final["proof_bytes"] = size
    tell("solved", **{name: value for name, value in final.items() if value is not None})


def part(parts: int) -> Callable[[int, Decision], None]:
    """Tells of each part of a theorem that is decided."""

    def told(number: int, decision: Decision) -> None:
        found, cnf = decision.answer, decision.statement.cnf
        if parts > _MANY and found.status == "unsat":
            return
        step(
            "part",
            f"part {number + 1} of {parts}: {found.status} after {found.seconds:.1f} s",
            part=number + 1, says=decision.statement.sentence(), status=found.status,
            seconds=round(found.seconds, 2), conflicts=found.conflicts,
            variables=cnf.variables, clauses=len(cnf.clauses), bytes=_size(found.proof),
        )  # fmt: skip

    return told


def theorem(decisions: list[Decision]) -> None:
    """What all parts together took."""
    last = decisions[-1].answer
    counted = [one.answer.conflicts for one in decisions if one.answer.conflicts is not None]
    sizes = [size for one in decisions if (size := _size(one.answer.proof)) is not None]
    seconds = sum(one.answer.seconds for one in decisions)
    step(
        "answer",
        f"{last.status} in {len(decisions)} parts, {seconds:.1f} s of solving",
        status=last.status, seconds=round(seconds, 2), solver=f"{last.solver} {last.version}",
        conflicts=sum(counted) if counted else None, parts=len(decisions),
    )  # fmt: skip
    if sizes:
        step("proof", f"proofs: {sum(sizes) / 1e6:.1f} MB", bytes=sum(sizes))


def witness(game: str, size: int | None, position: str, moves: int) -> None:
    """A position that shows that there is such a thing."""
    text = f"found: {moves} moves in {position}"
    step("witness", text, game=game, size=size, position=position, moves=moves)


def record(size: int, text: str) -> None:
    """A game that leads to such a position."""
    step("record", f"found: {text}", game="othello", size=size, record=text)


def search(found: Search) -> None:
    """Candidates by steps of the search backwards, as far as it went."""
    if found.retreat is not None and found.colourings is not None:
        counts = [found.colourings.total, *found.retreat.counts]
        step(
            "levels",
            f"levels backwards: {', '.join(f'{n:,}' for n in counts)}",
            counts=counts, at_least=found.at_least, size=found.size,
            sets=len(found.sets.sets), exhausted=found.retreat.exhausted,
        )  # fmt: skip
    status = {True: "sat", False: "unsat", None: "unknown"}[found.exists]
    seconds = sum(found.seconds.values())
    step("answer", f"{status} after {seconds:.1f} s", status=status, seconds=round(seconds, 2))


# Checking


class Checking:
    """Tells of a certificate that is being checked, step by step."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Check]] = {}
        step("checking", "checking the certificate")

    def share(self, part: str, name: str, share: float) -> None:
        """How much of a check is done."""
        where = f"part {part}, " if part else ""
        tell(f"checking: {where}{name}", round(100 * share), 100)

    def told(self, part: str, check: Check) -> None:
        """What came of a check; a part of several is told when its last check is made."""
        if not part:
            self._step(part, check.name, check)
            return
        checks = self._parts.setdefault(part, [])
        checks.append(check)
        if check.name == _last_check():
            bad = [one for one in checks if one.passed is False]
            if bad or len(self._parts) <= _MANY:
                self._part(part, checks)

    def _step(self, part: str, name: str, check: Check) -> None:
        mark = _MARKS[check.passed]
        step(
            "check", f"{name}: {mark}, {check.detail}", part=part, check=name,
            passed=check.passed, detail=check.detail, seconds=round(check.seconds, 2),
        )  # fmt: skip

    def _part(self, part: str, checks: list[Check]) -> None:
        bad = next((one for one in checks if one.passed is False), None)
        said = f"{bad.name} rejected, {bad.detail}" if bad else "ok"
        step(
            "checked", f"part {part}: {said}", part=part,
            checks={one.name: one.passed for one in checks},
            detail=f"{bad.name}: {bad.detail}" if bad else "",
            seconds=round(sum(one.seconds for one in checks), 2),
        )  # fmt: skip

    def verdict(self, report: Report) -> None:
        """Whether the certificate holds, and what it is about."""
        good = sum(part.verified for part in report.parts)
        step(
            "verdict", "verified" if report.verified else "NOT VERIFIED",
            verified=report.verified, title=report.title, parts=len(report.parts), good=good,
            theorem=report.whole is not None,
        )  # fmt: skip
        tell("checked", 100, 100)


def _last_check() -> str:
    from playproof.proofs.outside import TOOLS

    return list(TOOLS)[-1]


def _size(path: Path | None) -> int | None:
    try:
        return None if path is None else path.stat().st_size
    except OSError:
        return None
