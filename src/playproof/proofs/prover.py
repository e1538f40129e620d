"""One call of ``prove``: it settles a question, certifies and checks the result, and reports
every step as an event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from playproof.core.errors import PlayproofError, UsageError
from playproof.core.parallel.executor import cores
from playproof.proofs import events
from playproof.proofs.certificates.files import check_empty, writing
from playproof.proofs.events import OnEvent, SolverStatus
from playproof.proofs.proof import Proof
from playproof.proofs.questions import ChokoLargest, OthelloReachable
from playproof.proofs.sat.oracles import Oracle, Portfolio
from playproof.proofs.sat.solvers import SAT, UNKNOWN, UNSAT, SolverAnswer
from playproof.proofs.statements import Decision, Statement, assumptions_of, decide
from playproof.proofs.theorems import ChokoAtMost, Theorem

if TYPE_CHECKING:
    from playproof.core.state import State
    from playproof.core.stopping import StopFlag
    from playproof.proofs.certificates.report import CertificateReport
    from playproof.proofs.checker.external import CheckOutcome
    from playproof.proofs.othello.pipeline import ReachabilityResult
    from playproof.proofs.sat.smt import SmtStatement


@dataclass(frozen=True)
class Prover:
    """The settings of one call of ``prove``, with a method for each kind of question."""

    certificate: Path | None = None
    check: bool = False
    solver: Oracle | str | None = None  # z3, which is no oracle, has a method of its own
    seconds: float | None = None
    workers: int | None = None
    on_event: OnEvent = lambda event: None
    stop: StopFlag | None = None

    def should_stop(self) -> bool:
        return self.stop is not None and bool(self.stop[0])

    # One formula

    def prove_statement(self, statement: Statement) -> Proof:
        """Decide a statement; if it is refuted, write the certificate."""
        from playproof.proofs.certificates.write import write_bundle

        sentence = sentence_of(statement)
        self.on_event(
            events.ProofStarted(
                sentence, certificate=self._certificate_name(), assumes=assumptions_of(statement)
            )
        )
        cnf = statement.cnf
        self.on_event(events.FormulaBuilt(cnf.variables, len(cnf.clauses)))
        if self.certificate is None:
            decision = decide(
                statement, solver=self.solver, seconds=self.seconds, on_progress=self.on_event,
                should_stop=self.should_stop,
            )  # fmt: skip
        else:
            with writing(self.certificate):
                decision = write_bundle(
                    self.certificate, statement, solver=self.solver, seconds=self.seconds,
                    on_progress=self.on_event, should_stop=self.should_stop,
                )  # fmt: skip
        return self._proof_of(sentence, decision)

    def prove_with_z3(self, statement: SmtStatement) -> Proof:
        """Decide a statement with z3 and its own encoding; there is no certificate."""
        from playproof.proofs.sat import smt

        sentence = sentence_of(statement)
        self.on_event(events.ProofStarted(sentence, assumes=assumptions_of(statement)))
        z3 = smt.decide(statement, self.seconds, self.should_stop)
        answer = SolverAnswer(z3.status, None, None, z3.seconds, "z3", z3.version)
        return self._proof_of(sentence, Decision(statement, answer, z3.witness))

    def _proof_of(self, sentence: str, decision: Decision) -> Proof:
        """Report a decision and turn it into the result of ``prove``."""
        answer = decision.answer
        self.on_event(
            events.SolverAnswered(
                answer.status, round(answer.seconds, 2), answer.conflicts, answer.label
            )
        )
        size = _proof_bytes(answer)
        if size is not None:
            self.on_event(events.ProofWritten(size))
        proof = Proof(
            sentence, _verdict(answer.status, holds=SAT), answer.status, answer.seconds, (decision,)
        )
        return self._with_certificate(self._with_witness(proof, decision))

    # Several formulas

    def prove_theorem(self, theorem: Theorem) -> Proof:
        """Refute all statements that a theorem needs; if it holds, write the certificate."""
        sentence = theorem.sentence()
        decisions = self._refute(theorem, events.ProofStarted, self.seconds)
        last = decisions[-1]
        status = last.answer.status
        proof = Proof(
            sentence, _verdict(status, holds=UNSAT), status, _solving_seconds(decisions),
            tuple(decisions),
        )  # fmt: skip
        return self._with_certificate(self._with_witness(proof, last))

    def _refute(
        self,
        theorem: Theorem,
        started: type[events.ProofStarted] | type[events.TheoremStarted],
        seconds: float | None,
    ) -> list[Decision]:
        from playproof.proofs.certificates.write import refute, write_chain

        parts = len(theorem.statements())
        workers = cores() if self.workers is None else self.workers
        if isinstance(self.solver, Portfolio):
            workers = max(1, workers // len(self.solver.solvers))
        self.on_event(
            started(
                theorem.sentence(), parts, self._certificate_name(), tuple(theorem.assumptions())
            )
        )

        def on_part(number: int, decision: Decision) -> None:
            self.on_event(_part_answered(number, parts, decision))
            if decision.answer.status == UNSAT:
                self.on_event(events.PartsProgress(number + 1, parts))

        if self.certificate is None:
            decisions = refute(
                theorem, solver=self.solver, seconds=seconds, workers=workers, on_part=on_part,
                should_stop=self.should_stop,
            )  # fmt: skip
        else:
            with writing(self.certificate):
                decisions = write_chain(
                    self.certificate, theorem, solver=self.solver, seconds=seconds,
                    workers=workers, on_part=on_part, should_stop=self.should_stop,
                )  # fmt: skip
        last = decisions[-1].answer
        conflicts = [n for one in decisions if (n := one.answer.conflicts) is not None]
        answered = events.TheoremAnswered(
            last.status, round(_solving_seconds(decisions), 2), last.label,
            sum(conflicts) if conflicts else None, len(decisions),
        )  # fmt: skip
        self.on_event(answered)
        sizes = [size for one in decisions if (size := _proof_bytes(one.answer)) is not None]
        if sizes:
            self.on_event(events.ProofWritten(sum(sizes), of_parts=True))
        return decisions

    # Searches

    def search_reachable(self, question: OthelloReachable) -> Proof:
        """Search for a reachable position; if there is none, write a certificate of chains."""
        from playproof.proofs.othello.pipeline import search

        if self.certificate is not None:
            check_empty(self.certificate)
        self.on_event(events.ProofStarted(question.sentence()))
        result = search(
            question.at_least, size=question.size, max_stones=question.max_stones,
            seconds=self.seconds, stop=self.stop,
            on_finding=lambda line: self.on_event(events.SearchFinding(line)),
        )  # fmt: skip
        status: SolverStatus = UNKNOWN if result.exists is None else SAT if result.exists else UNSAT
        seconds = sum(result.seconds.values())
        self._report_search(result, status, seconds)
        most = question.max_stones
        few = "" if most is None else f" and at most {most} stones"
        proof = Proof(
            question.sentence() + few, _verdict(status, holds=SAT), status, seconds,
            records=tuple(one.record for one in result.reachable), search=result,
        )  # fmt: skip
        if status == UNSAT and self.certificate is not None:
            if result.retreat is None:
                raise PlayproofError("this bound has too many sets for a certificate of chains")
            # The answer is known, so the certificate gets all the time it needs.
            decisions = self._refute(result.theorem(), events.TheoremStarted, None)
            complete = decisions[-1].answer.status == UNSAT
            proof = replace(proof, decisions=tuple(decisions))
            return self._with_certificate(proof) if complete else proof
        return proof

    def _report_search(
        self, result: ReachabilityResult, status: SolverStatus, seconds: float
    ) -> None:
        if result.retreat is not None and result.colourings is not None:
            levels = events.LevelsCounted(
                (result.colourings.total, *result.retreat.counts), result.at_least, result.size,
                len(result.sets.sets), result.retreat.exhausted,
            )  # fmt: skip
            self.on_event(levels)
        self.on_event(events.SearchAnswered(status, round(seconds, 2)))
        for one in result.reachable:
            self.on_event(events.RecordFound("othello", result.size, one.record))

    def find_choko_largest(self, question: ChokoLargest) -> Proof:
        """Find the largest number of legal actions; the certificate says that one more is
        impossible."""
        from playproof.proofs.choko.mobility import CONDITIONS, largest, position_text

        if self.certificate is not None:
            check_empty(self.certificate)
        best = largest(
            question.condition, question.lone_jump, solver=self.solver, seconds=self.seconds,
            on_progress=lambda *bounds: self.on_event(events.BoundsProgress(*bounds)),
            should_stop=self.should_stop,
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
        refuted = self.prove_theorem(theorem)
        return replace(
            refuted, largest=best.value, position=position, seconds=best.seconds + refuted.seconds
        )

    # After an answer

    def _with_witness(self, proof: Proof, decision: Decision) -> Proof:
        """Add the witness in the notation of its game, if there is one."""
        event = witness_event(decision)
        if event is None:
            return proof
        self.on_event(event)
        if isinstance(event, events.RecordFound):
            return replace(proof, records=(event.record,))
        return replace(proof, position=event.position)

    def _with_certificate(self, proof: Proof) -> Proof:
        """Add the certificate, if one was written, and the report if it is to be checked."""
        if self.certificate is None or proof.decisions[-1].answer.status != UNSAT:
            return proof
        report = None
        if self.check:
            report = check_certificate(self.certificate, None, self.on_event, self.should_stop)
        return replace(proof, certificate=self.certificate, report=report)

    def _certificate_name(self) -> str | None:
        return None if self.certificate is None else self.certificate.name


def sentence_of(statement: Statement) -> str:
    """The statement's sentence, checked to be one printable line."""
    sentence: object = statement.sentence()
    if not isinstance(sentence, str):
        label = f"{type(statement).__name__}.sentence()"
        raise UsageError(f"{label} must return text, not {type(sentence).__name__}")
    if not sentence.isprintable():
        raise UsageError(f"the sentence of {statement.family} must be one printable line")
    return sentence


def witness_event(decision: Decision) -> events.WitnessFound | events.RecordFound | None:
    """The event for a witness that is a position or a game, checked by the game's own rules.

    Returns None if there is no witness, or if it belongs to some other statement.
    """
    from playproof.core.registry import make
    from playproof.proofs.choko import mobility as choko_mobility
    from playproof.proofs.othello import boards as othello_boards
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.othello.unrolled_game import OthelloUnroll

    statement, witness = decision.statement, decision.witness
    if witness is None:
        return None
    if isinstance(statement, OthelloMobility):
        size = statement.size
        text = othello_boards.position_text((witness["own"], witness["opponent"]), size)
        state = make("othello", size=size).position(text)
        return _position_event("othello", size, text, state, statement.at_least)
    if isinstance(statement, choko_mobility.ChokoMobility):
        text = choko_mobility.position_text(witness)
        state = make("choko", lone_jump=statement.lone_jump).position(text)
        return _position_event("choko", None, text, state, statement.at_least)
    if isinstance(statement, OthelloUnroll):
        names = statement.moves_of(witness)
        state = make("othello", size=statement.size).start().play(names)
        if len(state.legal_actions()) < statement.at_least:
            raise PlayproofError(f"the record {names} does not have the moves: a wrong encoding")
        return events.RecordFound("othello", statement.size, state.game.join_moves(names))
    return None


def _position_event(
    game: str, size: int | None, text: str, state: State, at_least: int
) -> events.WitnessFound:
    """The event for a witness that is a position; the game counts its moves."""
    moves = len(state.legal_actions())
    if moves < at_least:
        raise PlayproofError(f"{text} has only {moves} moves: a wrong encoding")
    return events.WitnessFound(game, size, text, moves)


def check_certificate(
    folder: Path,
    seconds: float | None,
    on_event: OnEvent,
    should_stop: Callable[[], bool],
    *,
    plain: bool = False,
    lrat: Path | None = None,
) -> CertificateReport:
    """Check a certificate and report each check as an event."""
    from playproof.proofs.certificates.check import check_bundle
    from playproof.proofs.checker.external import PROGRAMS

    if seconds is not None and seconds <= 0:
        raise UsageError("nothing can be checked in 0 seconds: want more")
    on_event(events.CheckStarted())
    last, checks_of_part = PROGRAMS[-1], list["CheckOutcome"]()

    def on_check(part: str, check: CheckOutcome) -> None:
        on_event(
            events.CheckFinished(
                part, check.name, check.passed, check.detail, round(check.seconds, 2)
            )
        )
        checks_of_part.append(check)
        if part and check.name == last:
            on_event(_part_checked(part, checks_of_part))
            checks_of_part.clear()

    report = check_bundle(
        folder, seconds=seconds, plain=plain, lrat=lrat, on_check=on_check, should_stop=should_stop,
        on_progress=lambda *progress: on_event(events.CheckProgress(*progress)),
    )  # fmt: skip
    good = sum(part.verified for part in report.parts)
    on_event(
        events.CertificateChecked(
            report.verified,
            report.title,
            len(report.parts),
            good,
            report.whole is not None,
            report.assumptions,
        )
    )
    return report


def _part_checked(part: str, checks: Sequence[CheckOutcome]) -> events.PartChecked:
    rejected = next((check for check in checks if check.passed is False), None)
    return events.PartChecked(
        part,
        {check.name: check.passed for check in checks},
        f"{rejected.name}: {rejected.detail}" if rejected else "",
        round(sum(check.seconds for check in checks), 2),
    )


def _part_answered(number: int, parts: int, decision: Decision) -> events.PartAnswered:
    answer, cnf = decision.answer, decision.statement.cnf
    return events.PartAnswered(
        number + 1, decision.statement.sentence(), answer.status, round(answer.seconds, 2),
        answer.conflicts, cnf.variables, len(cnf.clauses), _proof_bytes(answer), parts,
    )  # fmt: skip


def _solving_seconds(decisions: Sequence[Decision]) -> float:
    return sum(decision.answer.seconds for decision in decisions)


def _proof_bytes(answer: SolverAnswer) -> int | None:
    """The size of the proof that was written; None if there is none."""
    try:
        return None if answer.proof is None else answer.proof.stat().st_size
    except OSError:
        return None


def _verdict(
    status: SolverStatus, *, holds: SolverStatus
) -> Literal["holds", "refuted", "undecided"]:
    if status == UNKNOWN:
        return "undecided"
    return "holds" if status == holds else "refuted"
