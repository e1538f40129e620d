"""Checking certificates without relying on any of their files.

``check_bundle`` reads each file once, rebuilds the formulas from the statements and compares the
bytes, checks the proofs, and rebuilds the list of statements from the theorem.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any, BinaryIO, TypeVar

from playproof.core.errors import DataError, UsageError, one_of
from playproof.core.stopping import StopFlag
from playproof.core.time_limit import TimeLimit, limited
from playproof.proofs.certificates.files import (
    FORMAT,
    FORMULA,
    HASHED,
    INDEX,
    MANIFEST,
    PROOF,
    STATEMENT,
    PartFiles,
    digest,
    list_folder,
    new_file,
    part_name,
    read_once,
    require_folder,
)
from playproof.proofs.certificates.report import LRAT, PLAIN, CertificateReport, PartReport
from playproof.proofs.checker import external, plain
from playproof.proofs.checker.external import CheckOutcome, Inconclusive, run_check
from playproof.proofs.registry import UnknownStatement, read_statement
from playproof.proofs.sat.solvers import ShouldStop
from playproof.proofs.statements import Statement, assumptions_of, claim_of
from playproof.proofs.strict_json import NotStrict, read_object
from playproof.proofs.theorems import Theorem, read_theorem

T = TypeVar("T")

OnCheckProgress = Callable[[str, str, float], None]  # part, check, share done from 0 to 1
OnCheck = Callable[[str, CheckOutcome], None]  # part, outcome of one check

_PART = re.compile(r"\d{3,6}", re.ASCII)  # the name of a part's folder
_SOURCE = re.compile(r"[\w.+][\w.+ -]{0,80}", re.ASCII)  # a file or package safe to print


def _parse_json(name: str | Path, text: bytes) -> dict[str, Any]:
    """The object in a manifest or an index; ``name`` is the file's, for error messages."""
    try:
        data = read_object(text)
    except NotStrict as error:
        raise DataError(f"{name} is not JSON as a certificate needs it: {error}") from None
    version = data.get("format")
    if type(version) is not int or version != FORMAT:
        raise DataError(f'{name} must be a JSON object with "format": {FORMAT}')
    return data


def check_bundle(
    folder: Path,
    *,
    seconds: float | None = None,
    plain: bool = False,
    lrat: Path | None = None,
    on_progress: OnCheckProgress | None = None,
    on_check: OnCheck | None = None,
    should_stop: ShouldStop | None = None,
) -> CertificateReport:
    """Check a bundle or a chain; ``seconds`` limits each check of each proof.

    With ``plain`` the plain checker follows the hints that the fast one found.  ``lrat`` is a
    folder for each verified proof with these hints: ``001.lrat`` and so on, or ``proof.lrat``.
    ``on_progress(part, check, share)`` is called with the share of a check that is
    done, from 0 to 1, and ``on_check(part, check)`` with the outcome of each check.
    Once ``should_stop()`` is true, the remaining checks are not run, and the certificate is
    not verified.
    """
    options = _CheckOptions(seconds, plain, lrat, on_progress, on_check, should_stop)
    if not folder.is_dir():
        raise DataError(f"{folder} is not a folder: want the folder of a certificate")
    present = list_folder(folder)
    if not any(name in present for name in (INDEX, MANIFEST, *HASHED)):
        raise DataError(f"{folder} is not a certificate: want a folder with {STATEMENT} or {INDEX}")
    if INDEX not in present:
        options.require_new_files([""])
        part = _PartChecker(folder, "", options).run()
        return CertificateReport(part.title, (part,), assumptions=part.assumptions)
    theorem, names, claims = _read_index(folder)
    options.require_new_files(names)
    parts = tuple(_PartChecker(folder / name, name, options).run() for name in names)
    theorem_check = run_check("theorem", partial(_check_theorem, theorem, parts, claims, options))
    if on_check is not None:
        on_check("", theorem_check)
    return CertificateReport(theorem.sentence(), parts, theorem_check, tuple(theorem.assumptions()))


def _read_index(folder: Path) -> tuple[Theorem, list[str], list[str | None]]:
    """The theorem of a chain, the names of its parts, and what its index says of each."""
    path = folder / INDEX
    index = _parse_json(path, read_once(path))
    parts = index.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise DataError(f'{path} must list its parts, each as in {{"part": "001"}}')
    names = [part.get("part") for part in parts]
    if not names or names != [part_name(part) for part in range(len(names))]:
        raise DataError(f"{path} must list the parts 001, 002 ... in order")
    claims = [part.get("says") for part in parts]
    if not all(claim is None or isinstance(claim, str) for claim in claims):
        raise DataError(f"{path} must say what its parts are in text")
    present = list_folder(folder)
    if [name for name in present if _PART.fullmatch(name)] != names:
        raise DataError(f"{folder} must have exactly the parts that its index lists")
    for name in names:
        require_folder(folder / name)
    stray = [name for name in (MANIFEST, *HASHED) if name in present]
    if stray:
        raise DataError(f"{folder} has {INDEX} and {stray[0]}: want a theorem or one statement")
    theorem = read_theorem(json.dumps(index.get("theorem")))
    theorem.sentence()  # raises if its fields make no sense, before anything long
    return theorem, names, claims


def _check_theorem(
    theorem: Theorem,
    parts: tuple[PartReport, ...],
    claims: list[str | None],
    options: _CheckOptions,
) -> str:
    """Check that the parts are the statements that the theorem needs, and that the index, which
    people read, says the same of them; returns a line of detail."""
    options.raise_if_stopped()
    statements = theorem.statements()
    if len(parts) != len(statements):
        raise DataError(f"{len(parts)} parts, but the theorem needs {len(statements)}")
    for part, statement in zip(parts, statements, strict=True):
        if part.statement != statement:
            raise DataError(f"part {part.part} is not the statement that the theorem needs there")
    for part, statement, claim in zip(parts, statements, claims, strict=True):
        if claim not in (None, claim_of(statement)):
            raise DataError(f"{INDEX} says of part {part.part} what its statement does not say")
    return f"its {len(parts)} parts are those it follows from"


@dataclass(frozen=True)
class _CheckOptions:
    """The options shared by all checks of a certificate."""

    seconds: float | None
    plain: bool
    lrat: Path | None
    on_progress: OnCheckProgress | None
    on_check: OnCheck | None
    should_stop: ShouldStop | None

    def lrat_file(self, part: str) -> Path | None:
        """Where the proof of a part is written with hints, if it is."""
        return None if self.lrat is None else self.lrat / f"{part or 'proof'}.lrat"

    def require_new_files(self, parts: list[str]) -> None:
        for part in parts:
            file = self.lrat_file(part)
            if file is not None and os.path.lexists(file):
                raise UsageError(f"{file} is there already: want another folder for LRAT proofs")

    def raise_if_stopped(self) -> None:
        """Raise Inconclusive, which ends the current check, if the checks should stop."""
        if self.should_stop and self.should_stop():
            raise Inconclusive("stopped")

    def limited(self, work: Callable[[StopFlag], T], on_wait: Callable[[], object]) -> T:
        """The result of ``work``, unless the limit of seconds or a stop ends the current check."""
        try:
            return limited(work, self.seconds, on_wait=on_wait)
        except TimeLimit:
            raise Inconclusive(f"not done after {self.seconds} s") from None

    def report_progress(self, part: str, check: str, share: float) -> None:
        self.raise_if_stopped()
        if self.on_progress is not None:
            self.on_progress(part, check, share)


class _PartChecker:
    """Runs all checks of one bundle.

    A check is a method that returns a line of detail.  It raises a DataError if the bundle is
    wrong, or Inconclusive if it cannot tell.
    """

    def __init__(self, folder: Path, part: str, options: _CheckOptions) -> None:
        self.part, self.options = part, options
        # Each file is read only once, so that changes during the checks have no effect.
        self.files = PartFiles(folder)
        self.statement: Statement | None = None
        self.assumptions: tuple[str, ...] = ()
        self.title = "an unreadable statement"
        self.digests: dict[str, str] = {}
        self.rebuilt: bytes | None = None  # the formula of the statement
        self.hinted: BinaryIO | None = None  # the proof as LRAT, if it is wanted
        self.has_hints = False

    def run(self) -> PartReport:
        """Run all checks; an LRAT proof is left behind if all of them pass."""
        if not (self.options.plain or self.options.lrat is not None or which(external.CAKE_LPR)):
            return self._run()
        file = self.options.lrat_file(self.part)
        if file is None:
            with tempfile.TemporaryFile() as self.hinted:
                return self._run()
        with new_file(file) as draft:
            self.hinted = draft.file
            report = self._run()
            draft.is_complete = report.verified
        return replace(report, lrat=file if report.verified else None)

    def _run(self) -> PartReport:
        checks: dict[str, Callable[[], str]] = {
            "manifest": self._check_manifest,
            "formula": self._check_formula,
            "proof": self._check_proof,
        }
        if self.options.plain:
            checks[PLAIN] = self._check_plain
        if self.options.lrat is not None:
            checks[LRAT] = self._check_lrat
        checks[external.DRAT_TRIM] = self._check_with_drat_trim
        checks[external.CAKE_LPR] = self._check_with_cake_lpr
        outcomes = []
        for name, check in checks.items():
            outcomes.append(run_check(name, partial(self._start, name, check)))
            if self.options.on_check is not None:
                self.options.on_check(self.part, outcomes[-1])
        return PartReport(
            self.part, self.title, self.statement, tuple(outcomes), self.digests,
            assumptions=self.assumptions,
        )  # fmt: skip

    def _start(self, name: str, check: Callable[[], str]) -> str:
        self.options.report_progress(self.part, name, 0.0)
        return check()

    def _check_manifest(self) -> str:
        for name in self.files.readable():
            self.digests[name] = digest(self.files[name])
        manifest = _parse_json(MANIFEST, self.files[MANIFEST])
        listed = manifest.get("sha256")
        for name in HASHED:
            self.files[name]  # raises a DataError that says why if the file cannot be read
            if not isinstance(listed, dict) or listed.get(name) != self.digests[name]:
                raise DataError(f"{name} is not the file that the manifest names")
        assert isinstance(listed, dict)
        if stray := sorted(listed.keys() - set(HASHED)):
            raise DataError(f"{MANIFEST} names {stray[0][:80]!a}: want {one_of(list(HASHED))}")
        for name in ("playproof", "solver", "version"):
            if not isinstance(manifest.get(name, ""), str | None):
                raise DataError(f"{name} in {MANIFEST} must be text")
        return "the files are those that it names"

    def _check_formula(self) -> str:
        try:
            self.statement = read_statement(self.files[STATEMENT])
        except UnknownStatement as error:
            if error.name:
                self.title = f"{error.name}, a statement that is not known here"
            raise Inconclusive(_advice(self.files, error)) from None
        self.title = self.statement.sentence()
        self.assumptions = assumptions_of(self.statement)
        statement = self.statement
        # A few bytes can ask for a huge formula.
        self.rebuilt = self.options.limited(
            lambda _: statement.dimacs(), self.options.raise_if_stopped
        )
        return _compare_formulas(self.files[FORMULA], self.rebuilt)

    def _check_proof(self) -> str:
        from playproof.proofs.checker.check import check

        try:
            verdict = check(
                self.files[FORMULA], self.files[PROOF], seconds=self.options.seconds,
                on_progress=self._on_proof_progress, on_wait=self.options.raise_if_stopped,
                lrat=self.hinted,
            )  # fmt: skip
        except BrokenPipeError:
            raise  # nobody reads the progress any more
        except OSError as error:
            raise Inconclusive(f"hints cannot be written: {error.strerror or error}") from None
        if not verdict.finished:
            raise Inconclusive(verdict.reason)
        if not verdict.verified:
            raise DataError(verdict.reason)
        self.has_hints = True
        return verdict.reason

    def _hinted_proof(self) -> tuple[bytes, BinaryIO, int]:
        """The rebuilt formula, and its proof with hints with its size."""
        if self.rebuilt is None:
            raise Inconclusive("there is no formula to check it with")
        if self.hinted is None or not self.has_hints:
            raise Inconclusive("there are no hints, because the proof is not verified")
        size = self.hinted.seek(0, os.SEEK_END)
        self.hinted.seek(0)
        return self.rebuilt, self.hinted, size

    def _check_plain(self) -> str:
        """Follow the hints once more, on the rebuilt formula, with the plain checker."""
        formula, proof, size = self._hinted_proof()
        done = 0

        def lines() -> Iterator[str]:
            nonlocal done
            for line in proof:
                done += len(line)
                yield line.decode()

        try:
            self.options.limited(
                lambda _: plain.refute(formula.decode(errors="replace").split("\n"), lines()),
                lambda: self.options.report_progress(self.part, PLAIN, done / max(1, size)),
            )
        except plain.Rejected as error:
            raise DataError(str(error)) from None
        return "verified by its hints"

    def _check_lrat(self) -> str:
        """Check what is written with hints, on the rebuilt formula."""
        from playproof.proofs.checker.lrat import check

        formula, proof, _ = self._hinted_proof()
        verdict = check(
            formula, proof.read(), seconds=self.options.seconds,
            on_wait=self.options.raise_if_stopped,
            on_progress=lambda done, steps: self.options.report_progress(
                self.part, LRAT, done / max(1, steps)
            ),
        )  # fmt: skip
        if not verdict.finished:
            raise Inconclusive(verdict.reason)
        if not verdict.verified:
            raise DataError(verdict.reason)
        return "verified by its hints"

    def _on_proof_progress(self, done: int, steps: int) -> None:
        self.options.report_progress(self.part, "proof", done / max(1, steps))

    def _check_with_drat_trim(self) -> str:
        return external.drat_trim(
            self.files[FORMULA], self.files[PROOF], self.options.seconds, self.options.should_stop
        )

    def _check_with_cake_lpr(self) -> str:
        external.find_program(external.CAKE_LPR)
        _, proof, _ = self._hinted_proof()
        return external.cake_lpr(
            self.files[FORMULA], proof.read(), self.options.seconds, self.options.should_stop
        )


_ADVICE = {
    "file": "ask its author for {0}, then add --load {0}",
    "package": "install the package {0}",
}


def _advice(files: PartFiles, unknown: UnknownStatement) -> str:
    """The error line for a statement whose class is not registered here.

    It advises to get the file or package that the manifest names.  The manifest is not trusted,
    so this is only printed, and nothing is loaded.
    """
    try:
        source = _parse_json(MANIFEST, files[MANIFEST]).get("source")
    except DataError:
        return str(unknown)
    for kind, advice in _ADVICE.items():
        name = source.get(kind) if isinstance(source, dict) else None
        if unknown.name and isinstance(name, str) and _SOURCE.fullmatch(name):
            return f"the statement {unknown.name} is not known here: {advice.format(name)}"
    return str(unknown)


def _compare_formulas(stored: bytes, rebuilt: bytes) -> str:
    """A line of detail if the formulas are equal; otherwise a DataError says where they differ."""
    if stored == rebuilt:
        return "rebuilt from the statement, byte for byte"
    lines = zip(stored.split(b"\n"), rebuilt.split(b"\n"), strict=False)
    line = next((n for n, (a, b) in enumerate(lines, 1) if a != b), None)
    where = f"line {line}" if line else "its length"
    raise DataError(f"{FORMULA} is not the statement's formula: they differ in {where}")
