"""The report on a certificate, part by part."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from playproof.proofs.checker.external import CheckOutcome
from playproof.proofs.statements import Statement

PLAIN, LRAT = "plain", "lrat"  # checks on request
# The checks without which nothing is verified; those on request are needed if they were requested.
NEEDED = ("manifest", "formula", "proof")


@dataclass(frozen=True)
class PartReport:
    """One refuted statement with all its checks."""

    part: str
    title: str  # the statement's sentence, or why there is none
    statement: Statement | None  # None if it cannot be read
    checks: tuple[CheckOutcome, ...]
    sha256: dict[str, str]  # digests of the checked bytes by file, without unreadable files
    lrat: Path | None = None  # the proof with hints, if it was requested and is verified
    assumptions: tuple[str, ...] = ()  # of the statement, beyond its sentence

    @property
    def needed(self) -> tuple[str, ...]:
        """The checks that must have passed."""
        return (*NEEDED, *(one.name for one in self.checks if one.name in (PLAIN, LRAT)))

    @property
    def verified(self) -> bool:
        """Whether our own checks passed and no external checker rejected the proof."""
        passed = {check.name: check.passed for check in self.checks}
        ours = all(passed.get(name) is True for name in self.needed)
        return ours and False not in passed.values()


@dataclass(frozen=True)
class CertificateReport:
    """The result of checking a certificate.

    A chain is verified if each part is, and the parts are those that its theorem needs.

    >>> import playproof, tempfile
    >>> folder = f"{tempfile.mkdtemp()}/no-9"
    >>> _ = playproof.prove("othello-mobility", size=4, at_least=9, certificate=folder)
    >>> report = playproof.check(folder)
    >>> report.verified, len(report.parts)
    (True, 1)
    """

    title: str
    parts: tuple[PartReport, ...]
    whole: CheckOutcome | None = None  # whether a chain has the parts that its theorem needs
    assumptions: tuple[str, ...] = ()  # of the statement or theorem, beyond the title

    @property
    def verified(self) -> bool:
        """Whether all needed checks passed, so that the certificate proves its claim."""
        whole = self.whole is None or self.whole.passed is True
        return whole and bool(self.parts) and all(part.verified for part in self.parts)

    @property
    def objection(self) -> str | None:
        """The first thing that is wrong, in one line; None if the certificate is verified."""
        if self.verified:
            return None
        for passed in (False, None):  # first a rejection, else a check that could not be run
            for part in self.parts:
                for check in part.checks:
                    if check.passed is passed and (passed is False or check.name in part.needed):
                        where = f"part {part.part}, {check.name}" if part.part else check.name
                        return f"{where}: {check.detail}"
        return "a check is missing" if self.whole is None else f"theorem: {self.whole.detail}"

    def to_json(self) -> dict[str, object]:
        """The report as ``playproof check --json`` prints it."""
        parts = [
            {
                "part": part.part,
                "says": part.statement.sentence() if part.statement else None,
                "assumes": list(part.assumptions),
                "verified": part.verified,
                "checks": [asdict(check) for check in part.checks],
                "sha256": part.sha256,
                "lrat": None if part.lrat is None else str(part.lrat),
            }
            for part in self.parts
        ]
        whole = None if self.whole is None else asdict(self.whole)
        return {
            "title": self.title,
            "assumes": list(self.assumptions),
            "verified": self.verified,
            "whole": whole,
            "parts": parts,
        }
