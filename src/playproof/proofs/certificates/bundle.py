"""Certificates: a folder that proves a statement to whoever does not trust us.

A bundle holds the statement (``statement.json``), its formula
(``formula.cnf``), the solver's DRAT proof that it has no model
(``proof.drat``), and who wrote them (``manifest.json``).  A chain is a folder
of numbered bundles and an ``index.json`` that names the theorem which follows
from them together.

``check_bundle`` believes none of it: it reads each file once, rebuilds the
formulas from the statements and compares the bytes, has the proofs checked, and
rebuilds the list of statements from the theorem.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from playproof import __version__
from playproof.core.errors import DataError
from playproof.proofs.certificates.files import (
    FORMULA,
    INDEX,
    MANIFEST,
    PROOF,
    STATEMENT,
    PartFiles,
    draft_of,
    read_once,
)
from playproof.proofs.certificates.report import CertificateReport, PartReport
from playproof.proofs.checker import external as outside
from playproof.proofs.checker.external import Check, NotMade, attempt
from playproof.proofs.registry import UnknownStatement, read, source_of
from playproof.proofs.sat.solvers import UNSAT, Progress, Stopped, choose
from playproof.proofs.statements import Decision, Statement, decide
from playproof.proofs.theorems import Theorem, read_theorem

FORMAT = 1
_SUMMED = (STATEMENT, FORMULA, PROOF)  # the files that the manifest has the sums of
OnPart = Callable[[int, Decision], None]

_PART = re.compile(r"\d{3,6}")
_SOURCE = re.compile(r"[\w.+][\w.+ -]{0,80}", re.ASCII)


def write_bundle(
    folder: Path,
    statement: Statement,
    *,
    solver: str | None = None,
    seconds: float | None = None,
    on_progress: Progress | None = None,
    stopped: Stopped | None = None,
) -> Decision:
    """Decide a statement; if it is refuted, leave the certificate in ``folder``.

    The folder must not hold anything yet.  Nothing is left of it if there is a
    witness or no answer, and nothing that looks like a certificate if we are killed.
    """
    solver = choose(solver)
    with draft_of(folder) as draft:
        (draft / STATEMENT).write_text(statement.json() + "\n")
        (draft / FORMULA).write_bytes(statement.dimacs())
        decision = decide(
            statement, solver=solver, proof=draft / PROOF, seconds=seconds,
            on_progress=on_progress, stopped=stopped,
        )  # fmt: skip
        answer = decision.answer
        if answer.status != UNSAT:
            return decision
        manifest = {
            "format": FORMAT,
            "playproof": __version__,
            "solver": answer.solver,
            "version": answer.version,
            "seconds": round(answer.seconds, 3),
            **({"source": source} if (source := source_of(statement)) else {}),
            "sha256": {name: _digest(read_once(draft / name)) for name in _SUMMED},
        }
        _write_json(draft / MANIFEST, manifest)
    return replace(decision, answer=replace(answer, proof=folder / PROOF))


def write_chain(
    folder: Path,
    theorem: Theorem,
    *,
    solver: str | None = None,
    seconds: float | None = None,
    workers: int = 1,
    on_part: OnPart | None = None,
    stopped: Stopped | None = None,
) -> list[Decision]:
    """Refute every statement that a theorem needs, each in a numbered part of ``folder``.

    It stops at the first that is not refuted: then nothing is left, and that
    decision is the last one.  ``seconds`` is for each part.
    """
    with draft_of(folder) as draft:
        decisions = refute(
            theorem, folder=draft, solver=solver, seconds=seconds, workers=workers,
            on_part=on_part, stopped=stopped,
        )  # fmt: skip
        if decisions[-1].answer.status != UNSAT:
            return decisions
        parts = [
            {"part": _number(i), "says": f"there is no such thing: {one.statement.sentence()}"}
            for i, one in enumerate(decisions)
        ]
        index = {"theorem": json.loads(theorem.json()), "parts": parts}
        _write_json(draft / INDEX, {"format": FORMAT, **index})
    return [
        replace(one, answer=replace(one.answer, proof=folder / _number(i) / PROOF))
        for i, one in enumerate(decisions)
    ]


def refute(
    theorem: Theorem,
    *,
    folder: Path | None = None,
    solver: str | None = None,
    seconds: float | None = None,
    workers: int = 1,
    on_part: OnPart | None = None,
    stopped: Stopped | None = None,
) -> list[Decision]:
    """Decide the theorem's statements, ``workers`` at a time, in order; the first that
    is not refuted ends it and is the last of the list.  With ``folder``, certified.
    ``on_part(part from 0, its decision)`` is called in this thread, in order."""
    statements = theorem.statements()
    ended = threading.Event()

    def over() -> bool:
        return ended.is_set() or (stopped is not None and stopped())

    def one(number: int) -> Decision:
        # Solvers are processes of their own, so threads are enough to wait for them.
        if folder is None:
            return decide(statements[number], solver=solver, seconds=seconds, stopped=over)
        part = folder / _number(number)
        return write_bundle(part, statements[number], solver=solver, seconds=seconds, stopped=over)

    decisions: list[Decision] = []
    pool = ThreadPoolExecutor(workers)
    try:
        for future in [pool.submit(one, number) for number in range(len(statements))]:
            decisions.append(future.result())
            if on_part is not None:
                on_part(len(decisions) - 1, decisions[-1])
            if decisions[-1].answer.status != UNSAT:
                break
    finally:
        ended.set()
        pool.shutdown(cancel_futures=True)
    return decisions


def _number(part: int) -> str:
    return f"{part + 1:03}"


def _write_json(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data, indent=2) + "\n")


def _parse_json(name: str | Path, text: bytes) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError(f"{name} is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise DataError(f'{name} must be a JSON object with "format": {FORMAT}')
    return data


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def check_bundle(
    folder: Path,
    *,
    seconds: float | None = None,
    on_progress: Callable[[str, str, float], None] | None = None,
    on_check: Callable[[str, Check], None] | None = None,
    stopped: Stopped | None = None,
) -> CertificateReport:
    """Check a bundle or a chain; ``seconds`` is for each check of each proof.

    ``on_progress(part, check, share)`` is told what is being checked, and how much
    of it is done, from 0 to 1; ``on_check(part, check)`` what came of each.  When
    ``stopped()``, the rest is not checked, and so nothing is verified.
    """
    how = _How(seconds, on_progress, on_check, stopped)
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder: want a certificate")
    if not any((folder / name).exists() for name in (INDEX, MANIFEST, *_SUMMED)):
        raise DataError(f"{folder} is no certificate: want a folder with {STATEMENT} or {INDEX}")
    if not (folder / INDEX).exists():
        part = _check_part(folder, "", how)
        return CertificateReport(part.title, (part,))
    index = _parse_json(folder / INDEX, read_once(folder / INDEX))
    names = [str(part.get("part")) for part in index.get("parts", ()) if isinstance(part, dict)]
    if not names or names != [_number(part) for part in range(len(names))]:
        raise DataError(f"{folder / INDEX} must list the parts 001, 002 ... in order")
    beside = sorted(entry.name for entry in folder.iterdir() if _PART.fullmatch(entry.name))
    if beside != names:
        raise DataError(f"{folder} has parts that its index does not name, or lacks some")
    theorem = read_theorem(json.dumps(index.get("theorem")))
    parts = tuple(_check_part(folder / name, name, how) for name in names)
    whole = attempt("theorem", partial(_compare_parts, theorem, parts, how))
    if on_check is not None:
        on_check("", whole)
    return CertificateReport(theorem.sentence(), parts, whole)


def _compare_parts(theorem: Theorem, parts: tuple[PartReport, ...], how: _How) -> str:
    how.go_on()
    needed = theorem.statements()
    if len(parts) != len(needed):
        raise DataError(f"{len(parts)} parts, but the theorem needs {len(needed)}")
    for part, statement in zip(parts, needed, strict=True):
        if part.statement != statement:
            raise DataError(f"part {part.part} is not the statement that the theorem needs there")
    return f"its {len(parts)} parts are those it follows from"


@dataclass(frozen=True)
class _How:
    """What all checks of a certificate share."""

    seconds: float | None
    on_progress: Callable[[str, str, float], None] | None
    on_check: Callable[[str, Check], None] | None
    stopped: Stopped | None

    def go_on(self) -> None:
        """Give up the check that this is asked in, if all is to stop."""
        if self.stopped and self.stopped():
            raise NotMade("stopped")

    def tell(self, part: str, check: str, share: float) -> None:
        self.go_on()
        if self.on_progress is not None:
            self.on_progress(part, check, share)


def _check_part(folder: Path, part: str, how: _How) -> PartReport:
    statement: Statement | None = None
    title = "an unreadable statement"
    # Once and for all checks: what changes in the folder from here on changes nothing.
    files = PartFiles(folder)
    digests: dict[str, str] = {}

    def share(done: int, steps: int) -> None:
        how.tell(part, "proof", done / max(1, steps))

    def begin(name: str, task: Callable[[], str]) -> str:
        how.tell(part, name, 0.0)
        return task()

    def same_formula() -> str:
        nonlocal statement, title
        try:
            statement = read(files[STATEMENT].decode(errors="replace"))
        except UnknownStatement as error:
            if error.name:
                title = f"{error.name}, a statement that is not known here"
            raise NotMade(_advice(files, error)) from None
        title = statement.sentence()
        return _compare(files[FORMULA], statement.dimacs())

    def sums() -> str:
        for name in files.readable():
            digests[name] = _digest(files[name])
        wanted = _parse_json(MANIFEST, files[MANIFEST]).get("sha256")
        for name in _SUMMED:
            files[name]  # one that cannot be read says why
            if not isinstance(wanted, dict) or wanted.get(name) != digests[name]:
                raise DataError(f"{name} is not the file that the manifest names")
        return "the files are those that it names"

    def own_checker() -> str:
        from playproof.proofs.checker.check import check

        verdict = check(files[FORMULA], files[PROOF], progress=share, seconds=how.seconds)
        if not verdict.finished:
            raise NotMade(verdict.reason)
        if not verdict.verified:
            raise DataError(verdict.reason)
        return verdict.reason

    def other_checker(tool: outside.Tool) -> str:
        return tool(files[FORMULA], files[PROOF], how.seconds, how.stopped)

    work: dict[str, Callable[[], str]] = {
        "manifest": sums,
        "formula": same_formula,
        "proof": own_checker,
    }
    for name, tool in outside.TOOLS.items():
        work[name] = partial(other_checker, tool)
    checks = []
    for name, task in work.items():
        checks.append(attempt(name, partial(begin, name, task)))
        if how.on_check is not None:
            how.on_check(part, checks[-1])
    return PartReport(part, title, statement, tuple(checks), digests)


_WANTED = {
    "file": "ask its author for {0}, then want --load {0}",
    "package": "want the package {0} installed",
}


def _advice(files: PartFiles, unknown: UnknownStatement) -> str:
    """What to do about a statement whose class is not here: the manifest says who has it,
    which is a hint and nothing more."""
    try:
        source = _parse_json(MANIFEST, files[MANIFEST]).get("source")
    except DataError:
        return str(unknown)
    for kind, wanted in _WANTED.items():
        name = source.get(kind) if isinstance(source, dict) else None
        if unknown.name and isinstance(name, str) and _SOURCE.fullmatch(name):
            return f"the statement {unknown.name} is not known here: {wanted.format(name)}"
    return str(unknown)


def _compare(there: bytes, rebuilt: bytes) -> str:
    if there == rebuilt:
        return "rebuilt from the statement, byte for byte"
    lines = zip(there.split(b"\n"), rebuilt.split(b"\n"), strict=False)
    line = next((n for n, (a, b) in enumerate(lines, 1) if a != b), None)
    where = f"line {line}" if line else "its length"
    raise DataError(f"{FORMULA} is not the statement's formula: they differ in {where}")
