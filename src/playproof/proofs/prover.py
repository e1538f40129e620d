"""One call of ``prove``: a question settled, certified and checked, each step told of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playproof.core.errors import PlayproofError, UsageError
from playproof.core.parallel.executor import cores
from playproof.proofs import events
from playproof.proofs.certificates.files import check_free, writing
from playproof.proofs.events import OnEvent, Status
from playproof.proofs.proof import Proof
from playproof.proofs.questions import ChokoLargest, OthelloReachable
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, SolverAnswer
from playproof.proofs.statements import Decision, Statement, decide
from playproof.proofs.theorems import ChokoAtMost, Theorem

if TYPE_CHECKING:
    from playproof.core.stopping import StopFlag
    from playproof.proofs.certificates.report import CertificateReport
    from playproof.proofs.checker.external import Check
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.othello.pipeline import ReachabilityResult


@dataclass(frozen=True)
class Prover:
    """The settings of one call; a method for each kind of question."""

    certificate: Path | None = None
    check: bool = False
    solver: str | None = None
    seconds: float | None = None
    workers: int | None = None
    on_event: OnEvent = lambda event: None
    stop: StopFlag | None = None

    def stopped(self) -> bool:
        return self.stop is not None and bool(self.stop[0])

    # One formula

    def statement(self, statement: Statement) -> Proof:
        """Decide a statement; a certificate is left if it is refuted."""
        from playproof.proofs.certificates.bundle import write_bundle

        sentence = sentence_of(statement)
        self.on_event(events.ProofStarted(sentence, certificate=self._name()))
        cnf = statement.cnf
        self.on_event(events.FormulaBuilt(cnf.variables, len(cnf.clauses)))
        if self.certificate is None:
            decision = decide(
                statement, solver=self.solver, seconds=self.seconds, on_progress=self.on_event,
                stopped=self.stopped,
            )  # fmt: skip
        else:
            with writing(self.certificate):
                decision = write_bundle(
                    self.certificate, statement, solver=self.solver, seconds=self.seconds,
                    on_progress=self.on_event, stopped=self.stopped,
                )  # fmt: skip
        return self._decided(sentence, decision)

    def by_z3(self, statement: OthelloMobility) -> Proof:
        """Have z3 decide a statement, by an encoding of its own; there is no certificate."""
        from playproof.proofs.sat import smt

        sentence = sentence_of(statement)
        self.on_event(events.ProofStarted(sentence))
        found = smt.othello_mobility(statement, self.seconds, self.stopped)
        answer = SolverAnswer(found.status, None, None, found.seconds, "z3", found.version)
        witness = None
        if found.position is not None:
            witness = {"own": found.position[0], "opponent": found.position[1]}
        return self._decided(sentence, Decision(statement, answer, witness))

    def _decided(self, sentence: str, decision: Decision) -> Proof:
        answer = decision.answer
        self.on_event(
            events.SolverAnswered(
                answer.status, round(answer.seconds, 2), answer.conflicts, _solver(answer)
            )
        )
        size = _size(answer)
        if size is not None:
            self.on_event(events.ProofWritten(size))
        proof = Proof(
            sentence, _verdict(answer.status, holds=SAT), answer.status, answer.seconds, (decision,)
        )
        return self._certified(self._witnessed(proof, decision))

    # Several formulas

    def theorem(self, theorem: Theorem) -> Proof:
        """Refute all statements that a theorem needs; a certificate is left if it holds."""
        sentence = theorem.sentence()
        decisions = self._refute(theorem, events.ProofStarted, self.seconds)
        last = decisions[-1]
        status = last.answer.status
        proof = Proof(
            sentence, _verdict(status, holds=UNSAT), status, _seconds(decisions), tuple(decisions)
        )
        return self._certified(self._witnessed(proof, last))

    def _refute(
        self,
        theorem: Theorem,
        started: type[events.ProofStarted] | type[events.TheoremStarted],
        seconds: float | None,
    ) -> list[Decision]:
        from playproof.proofs.certificates.bundle import refute, write_chain

        parts = len(theorem.statements())
        workers = cores() if self.workers is None else self.workers
        self.on_event(started(theorem.sentence(), parts, self._name()))

        def on_part(number: int, decision: Decision) -> None:
            self.on_event(_part(number, parts, decision))
            if decision.answer.status == UNSAT:
                self.on_event(events.PartsProgress(number + 1, parts))

        if self.certificate is None:
            decisions = refute(
                theorem, solver=self.solver, seconds=seconds, workers=workers, on_part=on_part,
                stopped=self.stopped,
            )  # fmt: skip
        else:
            with writing(self.certificate):
                decisions = write_chain(
                    self.certificate, theorem, solver=self.solver, seconds=seconds,
                    workers=workers, on_part=on_part, stopped=self.stopped,
                )  # fmt: skip
        last = decisions[-1].answer
        counts = [n for one in decisions if (n := one.answer.conflicts) is not None]
        answered = events.TheoremAnswered(
            last.status, round(_seconds(decisions), 2), _solver(last),
            sum(counts) if counts else None, len(decisions),
        )  # fmt: skip
        self.on_event(answered)
        sizes = [size for one in decisions if (size := _size(one.answer)) is not None]
        if sizes:
            self.on_event(events.ProofWritten(sum(sizes), of_parts=True))
        return decisions

    # Searches

    def reachable(self, question: OthelloReachable) -> Proof:
        """Look for a reachable position; where there is none, a certificate of chains is left."""
        from playproof.proofs.othello.pipeline import search

        if self.certificate is not None:
            check_free(self.certificate)
        self.on_event(events.ProofStarted(question.sentence()))
        found = search(
            question.at_least, size=question.size, max_stones=question.max_stones,
            seconds=self.seconds, stop=self.stop,
            on_finding=lambda line: self.on_event(events.SearchFinding(line)),
        )  # fmt: skip
        status: Status = UNKNOWN if found.exists is None else SAT if found.exists else UNSAT
        seconds = sum(found.seconds.values())
        self._tell_search(found, status, seconds)
        most = question.max_stones
        few = "" if most is None else f" and at most {most} stones"
        proof = Proof(
            question.sentence() + few, _verdict(status, holds=SAT), status, seconds,
            records=tuple(one.record for one in found.reachable), search=found,
        )  # fmt: skip
        if status == UNSAT and self.certificate is not None:
            if found.retreat is None:
                raise PlayproofError("this bound has too many sets for a certificate of chains")
            # What is known to be so must be written to the end, whatever the search took.
            decisions = self._refute(found.theorem(), events.TheoremStarted, None)
            whole = decisions[-1].answer.status == UNSAT
            proof = replace(proof, decisions=tuple(decisions))
            return self._certified(proof) if whole else proof
        return proof

    def _tell_search(self, found: ReachabilityResult, status: Status, seconds: float) -> None:
        if found.retreat is not None and found.colourings is not None:
            levels = events.LevelsCounted(
                (found.colourings.total, *found.retreat.counts), found.at_least, found.size,
                len(found.sets.sets), found.retreat.exhausted,
            )  # fmt: skip
            self.on_event(levels)
        self.on_event(events.SearchAnswered(status, round(seconds, 2)))
        for one in found.reachable:
            self.on_event(events.RecordFound("othello", found.size, one.record))

    def choko_largest(self, question: ChokoLargest) -> Proof:
        """The largest number of legal actions; the certificate is that there are no more."""
        from playproof.proofs.choko.mobility import CONDITIONS, largest, position_text

        if self.certificate is not None:
            check_free(self.certificate)
        best = largest(
            question.condition, question.lone_jump, solver=self.solver, seconds=self.seconds,
            on_progress=lambda *now: self.on_event(events.BoundsProgress(*now)),
            stopped=self.stopped,
        )  # fmt: skip
        about = f"legal actions of a Choko position ({CONDITIONS[question.condition]})"
        if best.value is None or best.best is None or best.best.witness is None:
            return Proof(f"the largest number of {about}", "undecided", UNKNOWN, best.seconds)
        position = position_text(best.best.witness)
        seconds = round(best.seconds, 2)
        self.on_event(events.LargestFound("choko", best.value, position, seconds))
        proof = Proof(
            f"{best.value} is the largest number of {about}", "holds", SAT, best.seconds,
            (best.best,), position=position, largest=best.value,
        )  # fmt: skip
        if self.certificate is None:
            return proof
        theorem = ChokoAtMost(best.value + 1, question.condition, question.lone_jump)
        refuted = self.theorem(theorem)
        return replace(
            refuted, largest=best.value, position=position, seconds=best.seconds + refuted.seconds
        )

    # What follows an answer

    def _witnessed(self, proof: Proof, decision: Decision) -> Proof:
        """With the witness as its game writes it, where it is known what that is."""
        shown = witness_of(decision)
        if shown is None:
            return proof
        self.on_event(shown)
        if isinstance(shown, events.RecordFound):
            return replace(proof, records=(shown.record,))
        return replace(proof, position=shown.position)

    def _certified(self, proof: Proof) -> Proof:
        """With the certificate that was written, if all is refuted, and its check if wanted."""
        if self.certificate is None or proof.decisions[-1].answer.status != UNSAT:
            return proof
        report = None
        if self.check:
            report = check_certificate(self.certificate, None, self.on_event, self.stopped)
        return replace(proof, certificate=self.certificate, report=report)

    def _name(self) -> str | None:
        return None if self.certificate is None else self.certificate.name


# Parts of it


def sentence_of(statement: Statement) -> str:
    """What a statement says, which must be one printable line."""
    sentence: object = statement.sentence()
    if not isinstance(sentence, str):
        label = f"{type(statement).__name__}.sentence()"
        raise UsageError(f"{label} must return text, not {type(sentence).__name__}")
    if not sentence.isprintable():
        raise UsageError(f"the sentence of {statement.family} must be one printable line")
    return sentence


def witness_of(decision: Decision) -> events.WitnessFound | events.RecordFound | None:
    """The position or the game that a witness is, counted by the game's own rules; None if
    there is none, or if nothing is known of the statement's words."""
    from playproof.core.registry import make
    from playproof.proofs.choko import mobility as choko_mobility
    from playproof.proofs.othello import boards as othello_boards
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.othello.unrolled import OthelloUnroll

    statement, witness = decision.statement, decision.witness
    if witness is None:
        return None
    if isinstance(statement, OthelloMobility):
        size = statement.size
        text = othello_boards.position_text((witness["own"], witness["opponent"]), size)
        state = make("othello", size=size).position(text)
        return events.WitnessFound("othello", size, text, len(state.legal_actions()))
    if isinstance(statement, choko_mobility.ChokoMobility):
        text = choko_mobility.position_text(witness)
        state = make("choko", lone_jump=statement.lone_jump).position(text)
        return events.WitnessFound("choko", None, text, len(state.legal_actions()))
    if isinstance(statement, OthelloUnroll):
        names = statement.moves_of(witness)
        state = make("othello", size=statement.size).start().play(names)
        if len(state.legal_actions()) < statement.at_least:
            raise PlayproofError(f"the record {names} does not have the moves: a wrong encoding")
        return events.RecordFound("othello", statement.size, state.game.join_moves(names))
    return None


def check_certificate(
    folder: Path, seconds: float | None, on_event: OnEvent, stopped: Callable[[], bool]
) -> CertificateReport:
    """Check a certificate and tell of each check."""
    from playproof.proofs.certificates.bundle import check_bundle
    from playproof.proofs.checker.external import TOOLS

    if seconds is not None and seconds <= 0:
        raise UsageError("nothing is checked in 0 seconds: want more")
    on_event(events.CheckStarted())
    last, so_far = list(TOOLS)[-1], list["Check"]()

    def on_check(part: str, check: Check) -> None:
        on_event(
            events.CheckFinished(
                part, check.name, check.passed, check.detail, round(check.seconds, 2)
            )
        )
        so_far.append(check)
        if part and check.name == last:
            on_event(_part_checked(part, so_far))
            so_far.clear()

    report = check_bundle(
        folder, seconds=seconds, on_check=on_check, stopped=stopped,
        on_progress=lambda *now: on_event(events.CheckProgress(*now)),
    )  # fmt: skip
    good = sum(part.verified for part in report.parts)
    on_event(
        events.CertificateChecked(
            report.verified, report.title, len(report.parts), good, report.whole is not None
        )
    )
    return report


def _part_checked(part: str, checks: Sequence[Check]) -> events.PartChecked:
    bad = next((one for one in checks if one.passed is False), None)
    return events.PartChecked(
        part,
        {one.name: one.passed for one in checks},
        f"{bad.name}: {bad.detail}" if bad else "",
        round(sum(one.seconds for one in checks), 2),
    )


def _part(number: int, parts: int, decision: Decision) -> events.PartAnswered:
    answer, cnf = decision.answer, decision.statement.cnf
    return events.PartAnswered(
        number + 1, decision.statement.sentence(), answer.status, round(answer.seconds, 2),
        answer.conflicts, cnf.variables, len(cnf.clauses), _size(answer), parts,
    )  # fmt: skip


def _solver(answer: SolverAnswer) -> str:
    return f"{answer.solver} {answer.version}"


def _seconds(decisions: Sequence[Decision]) -> float:
    return sum(one.answer.seconds for one in decisions)


def _size(answer: SolverAnswer) -> int | None:
    """Bytes of the proof that was written, if there is one."""
    try:
        return None if answer.proof is None else answer.proof.stat().st_size
    except OSError:
        return None


def _verdict(status: Status, *, holds: Status) -> Literal["holds", "refuted", "undecided"]:
    if status == UNKNOWN:
        return "undecided"
    return "holds" if status == holds else "refuted"
