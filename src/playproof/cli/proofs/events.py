"""The events of a proof, printed as they come and written into the job that the command is."""

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
from playproof.proofs.event_json import figures
from playproof.proofs.events import ProofEvent
from playproof.proofs.registry import file_of, source_of

if TYPE_CHECKING:
    from playproof.proofs.statements import Statement

_MANY = 100  # parts: of more of them, a job stores only those that are not plain


class ProofPrinter:
    """Hears the events of one command.  Closing it ends what moves on the terminal.

    ``quiet``: nothing but notes is printed, for the result will be JSON.  ``label``: what stands
    on the terminal from the start, where there is no formula to name.  ``statement``: what the
    command that checks the certificate will need to know.
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
        self._follows = False  # a theorem that is the second half of a proof
        self._display = ExitStack()
        self._update: Callable[[str], None] = _ignore
        self._move: Callable[[int, int], None] = _ignore

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

    # What moves on the terminal

    def wait(self, label: str) -> None:
        """A moving sign with this label, instead of what moved before."""
        self._display.close()
        self._update = self._display.enter_context(working(label))

    def count(self, label: str, unit: str = "") -> None:
        """A bar, instead of what moved before."""
        self._display.close()
        self._move = self._display.enter_context(progress(label, unit))

    def _show_progress(self, event: ProofEvent) -> None:
        match event:
            case events.SolverProgress():
                self._update(f"{event.seconds:.0f} s")
            case events.PartsProgress():
                self._move(event.done, event.parts)
            case events.PositionsProgress():
                self._move(event.found, event.wanted or event.found)
            case _:
                self._update(event.text)

    # What stays

    def _show(self, event: ProofEvent) -> None:
        match event:
            case events.ProofStarted():
                self.started = event
                if self.label is not None:
                    self.wait(self.label)
                elif event.parts > 1:
                    self.count("proofs", "parts")
            case events.TheoremStarted():
                self._follows = True
                self.count("proofs", "parts")
            case events.FormulaBuilt():
                self._formula = event
                self.wait(self.started.sentence)
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
        says = "there is" if event.status == "sat" else "there is no such thing:"
        print(f"{event.status.upper()}  {says} {self.started.sentence}")
        if self._formula is not None:
            size = f"{self._formula.variables:,} variables, {self._formula.clauses:,} clauses"
            note(f"{size}, {event.seconds:.2f} s by {event.solver}")

    def _theorem_answered(self, event: events.TheoremAnswered) -> None:
        if event.status == "unsat" and self.certificate is not None:
            self._note_certificate(self.certificate)
        if self.quiet or self._follows:
            return
        self.print_parts()
        if event.status == "unsat":
            print(f"proved   {self.started.sentence}")
            note(f"{event.parts} parts refuted, {event.seconds:.1f} s of solving")

    def print_parts(self) -> None:
        """What a command says of the parts of its theorem; nothing, unless it knows better."""

    def _note_certificate(self, folder: Path) -> None:
        """Where a certificate is, and the command that checks it, to be copied as it is."""
        words = ["playproof check", quote(str(folder)), *_load(self.statement)]
        note(f"certificate in {folder}: {' '.join(words)}")

    def _witness(self, event: events.WitnessFound) -> None:
        if event.game == "othello":
            print(make("othello", size=event.size).position(event.position))
            print(f"position  {event.position}")
            print(f"moves     {event.moves}")
        elif self.started.parts == 1:
            print(f"position  {event.position}")


def _ignore(*given: object) -> None:
    pass


def _load(statement: Statement | None) -> Iterator[str]:
    """The option that a check on this machine needs to know the statement."""
    file = None if statement is None else file_of(statement)
    if statement is None or file is None or "file" not in (source_of(statement) or {}):
        return
    near = file.is_relative_to(Path.cwd())
    yield f"--load {quote(str(file.relative_to(Path.cwd()) if near else file))}"


# The job


def record(event: ProofEvent) -> None:
    """Write an event into the job that this command is, if it is one."""
    job = current()
    if job is None:
        return
    if isinstance(event, events.ProofStep) and _is_kept(event):
        job.add_step(event.text, what=event.what, **figures(event))
    _tell(job, event)


def _is_kept(event: events.ProofStep) -> bool:
    """Whether a job stores a step: of very many parts those alone that are not plain, and of
    the checks of a part only what came of all of them."""
    match event:
        case events.PartAnswered():
            return event.parts <= _MANY or event.status != "unsat"
        case events.CheckFinished():
            return not event.part
        case events.PartChecked():
            return int(event.part) <= _MANY or bool(event.detail)
    return True


def _tell(job: JobRecorder, event: ProofEvent) -> None:
    """How far it is after the event."""
    match event:
        case events.ProofStarted() | events.TheoremStarted():
            job.report("building the formula")
        case events.FormulaBuilt():
            job.report("solving", variables=event.variables, clauses=event.clauses)
        case events.SolverProgress():
            _tell_solver(job, "solving", round(event.seconds, 1), event.conflicts)
            if event.proof_bytes is not None:
                job.report(proof_bytes=event.proof_bytes)
        case events.SolverAnswered():
            # The last sign of life was a moment earlier: one proof has one number of each.
            _tell_solver(job, "solved", round(event.seconds, 1), event.conflicts)
        case events.ProofWritten(of_parts=False):
            job.report(proof_bytes=event.proof_bytes)
        case events.CheckProgress():
            where = f"part {event.part}, " if event.part else ""
            job.report(f"checking: {where}{event.check}", round(100 * event.share), 100)
        case events.CertificateChecked():
            job.report("checked", 100, 100)


def _tell_solver(job: JobRecorder, label: str, seconds: float, conflicts: int | None) -> None:
    counted = {} if conflicts is None else {"conflicts": conflicts}
    job.report(label, solving=seconds, **counted)
