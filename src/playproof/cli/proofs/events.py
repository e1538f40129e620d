"""Printing the events of a proof as they come, and recording them in the command's job."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Self

from playproof.cli.output import note, progress, working
from playproof.core.jobs.recorder import JobRecorder, current
from playproof.core.registry import make
from playproof.proofs import events
from playproof.proofs.event_json import json_fields
from playproof.proofs.events import ProofEvent
from playproof.proofs.registry import file_of, source_of

if TYPE_CHECKING:
    from playproof.proofs.statements import Statement

_MANY = 100  # parts: beyond so many, a job stores only those with an unusual outcome


class ProofPrinter:
    """Prints the events of one command.  As a context manager it ends the live display.

    ``quiet``: print nothing but notes, because the result will be JSON.  ``label``: text of the
    live display from the start, for questions without a single formula.  ``statement``: the
    statement that the command for checking the certificate will have to load.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        certificate: Path | None = None,
        label: str | None = None,
        statement: Statement | None = None,
    ) -> None:
        self.quiet, self.certificate, self.label = quiet, certificate, label
        self.statement = statement
        self.started = events.ProofStarted("")
        self.parts: list[events.PartAnswered] = []
        self._formula: events.FormulaBuilt | None = None
        self._outside_proof: events.OutsideProofVerified | None = None
        self._after_search = False  # a theorem that certifies the result of a search
        self._display = ExitStack()
        self._update_text: Callable[[str], None] = _ignore
        self._update_bar: Callable[[int, int], None] = _ignore

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._display.close()

    def __call__(self, event: ProofEvent) -> None:
        if isinstance(event, events.ProofProgress):
            self._show_progress(event)
            record(event)
        else:
            record(event)
            self._show(event)

    # The live display

    def wait(self, label: str) -> None:
        """Show a spinner with this label instead of the previous display."""
        self._display.close()
        self._update_text = self._display.enter_context(working(label))

    def count(self, label: str, unit: str = "") -> None:
        """Show a progress bar instead of the previous display."""
        self._display.close()
        self._update_bar = self._display.enter_context(progress(label, unit))

    def _show_progress(self, event: ProofEvent) -> None:
        match event:
            case events.SolverProgress():
                self._update_text(f"{event.seconds:.0f} s")
            case events.PartsProgress():
                self._update_bar(event.done, event.parts)
            case events.PositionsProgress():
                self._update_bar(event.count, event.limit or event.count)
            case _:
                self._update_text(event.text.strip())

    # Printed lines

    def _show(self, event: ProofEvent) -> None:
        match event:
            case events.ProofStarted():
                self.started = event
                if self.label is not None:
                    self.wait(self.label)
                elif event.parts > 1:
                    self.count("proofs", "parts")
            case events.TheoremStarted():
                self._after_search = True
                self.count("proofs", "parts")
            case events.FormulaBuilt():
                self._formula = event
                self.wait(self.started.sentence)
            case events.OutsideProofVerified():
                self._outside_proof = event
            case events.PartAnswered():
                self.parts.append(event)
            case events.SearchFinding():
                (note if self.quiet else print)(event.line)
            case events.SearchAnswered():
                self._display.close()
            case events.SolverAnswered():
                self._display.close()
                self._solver_answered(event)
            case events.TheoremAnswered():
                self._display.close()
                self._theorem_answered(event)
            case events.LargestFound():
                self._display.close()
                if not self.quiet:
                    print(f"largest   {event.largest} legal actions ({event.seconds:.1f} s)")
                    print(f"position  {event.position}")
            case events.WitnessFound() if not self.quiet:
                self._witness(event)
            case events.CheckStarted():
                self.wait("checking")
            case events.CertificateChecked():
                self._display.close()

    def _solver_answered(self, event: events.SolverAnswered) -> None:
        if event.status == "unknown":
            return
        if self.certificate is not None and event.status == "unsat":
            self._note_certificate(self.certificate)
        if self.certificate is not None and event.status == "sat":
            why = "there is a witness, so nothing is refuted"
            note(f"no certificate in {self.certificate}: {why}")
        if self.quiet:
            return
        claim = "there is" if event.status == "sat" else "there is no such thing:"
        print(f"{event.status.upper()}  {claim} {self.started.sentence}")
        self._print_assumptions()
        if self._formula is not None:
            size = f"{self._formula.variables:,} variables, {self._formula.clauses:,} clauses"
            note(f"{size}, {event.seconds:.2f} s by {event.solver}")
        if self._outside_proof is not None:
            note(self._outside_proof.text)

    def _theorem_answered(self, event: events.TheoremAnswered) -> None:
        if event.status == "unsat" and self.certificate is not None:
            self._note_certificate(self.certificate)
        if self.quiet or self._after_search:
            return
        self.print_parts()
        if event.status == "unsat":
            print(f"proved   {self.started.sentence}")
            self._print_assumptions()
            note(f"{event.parts} parts refuted, {event.seconds:.1f} s of solving")

    def _print_assumptions(self) -> None:
        for line in self.started.assumes:
            note(f"assumes   {line}")

    def print_parts(self) -> None:
        """Print the parts of the theorem; a command may override it."""

    def _note_certificate(self, folder: Path) -> None:
        """Note where the certificate is, with the command that checks it, ready to copy."""
        words = ["playproof check", quote(str(folder)), *_load_option(self.statement)]
        note(f"certificate in {folder}: {' '.join(words)}")

    def _witness(self, event: events.WitnessFound) -> None:
        if event.game == "othello":
            print(make("othello", size=event.size).position(event.position))
            print(f"position  {event.position}")
            print(f"moves     {event.moves}")
        elif self.started.parts == 1:
            print(f"position  {event.position}")


def _ignore(*arguments: object) -> None:
    pass


def _load_option(statement: Statement | None) -> Iterator[str]:
    """The ``--load`` option that a check on this machine needs to find the statement's class."""
    file = None if statement is None else file_of(statement)
    if statement is None or file is None or "file" not in (source_of(statement) or {}):
        return
    inside = file.is_relative_to(Path.cwd())
    yield f"--load {quote(str(file.relative_to(Path.cwd()) if inside else file))}"


# The job


def record(event: ProofEvent) -> None:
    """Record an event in this command's job, if it has one."""
    job = current()
    if job is None:
        return
    if isinstance(event, events.ProofStep) and _is_stored(event):
        job.add_step(event.text, what=event.what, **json_fields(event))
    _update_job(job, event)


def _is_stored(event: events.ProofStep) -> bool:
    """Whether a job stores a step.

    Beyond the first ``_MANY`` parts only those with an unusual outcome are stored, and of a
    part's checks only their common outcome.
    """
    match event:
        case events.PartAnswered():
            return event.parts <= _MANY or event.status != "unsat"
        case events.CheckFinished():
            return not event.part
        case events.PartChecked():
            return int(event.part) <= _MANY or bool(event.detail)
    return True


def _update_job(job: JobRecorder, event: ProofEvent) -> None:
    """Update the job's progress after an event."""
    match event:
        case events.ProofStarted() | events.TheoremStarted():
            job.report("building the formula")
        case events.FormulaBuilt():
            job.report("solving", variables=event.variables, clauses=event.clauses)
        case events.SolverProgress():
            _update_solver(job, "solving", round(event.seconds, 1), event.conflicts)
            if event.proof_bytes is not None:
                job.report(proof_bytes=event.proof_bytes)
        case events.PortfolioProgress():
            counts = [count for count in event.conflicts.values() if count is not None]
            _update_solver(job, "solving", round(event.seconds, 1), sum(counts) if counts else None)
        case events.SolverAnswered():
            # The last progress event came a little earlier: report the final figures.
            _update_solver(job, "solved", round(event.seconds, 1), event.conflicts)
        case events.ProofWritten(of_parts=False):
            job.report(proof_bytes=event.proof_bytes)
        case events.CheckProgress():
            where = f"part {event.part}, " if event.part else ""
            job.report(f"checking: {where}{event.check}", round(100 * event.share), 100)
        case events.CertificateChecked():
            job.report("checked", 100, 100)


def _update_solver(job: JobRecorder, label: str, seconds: float, conflicts: int | None) -> None:
    figures = {} if conflicts is None else {"conflicts": conflicts}
    job.report(label, solving=seconds, **figures)
