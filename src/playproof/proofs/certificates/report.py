"""What a check of a certificate found, part by part."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from playproof.proofs.checker.external import Check
from playproof.proofs.statements import Statement

NEEDED = ("manifest", "formula", "proof")  # the checks without which nothing is verified


@dataclass(frozen=True)
class PartReport:
    """One refuted statement and everything that was checked about it."""

    part: str
    title: str  # what the statement looks for, or why that cannot be said
    statement: Statement | None  # None if it cannot be read
    checks: tuple[Check, ...]
    sha256: dict[str, str]  # of the bytes that were checked, by file; those that could be read

    @property
    def verified(self) -> bool:
        """Our own checks passed, and no other checker that is there objects."""
        needed = {check.name: check.passed for check in self.checks}
        ours = all(needed.get(name) is True for name in NEEDED)
        return ours and False not in needed.values()


@dataclass(frozen=True)
class CertificateReport:
    """What a check of a certificate found; a chain holds if each part does, and the parts are
    those that its theorem needs.

    >>> import playproof, tempfile
    >>> folder = f"{tempfile.mkdtemp()}/no-9"
    >>> _ = playproof.prove("othello-mobility", size=4, at_least=9, certificate=folder)
    >>> report = playproof.check(folder)
    >>> report.verified, len(report.parts)
    (True, 1)
    """

    title: str
    parts: tuple[PartReport, ...]
    whole: Check | None = None  # of a chain alone

    @property
    def verified(self) -> bool:
        whole = self.whole is None or self.whole.passed is True
        return whole and bool(self.parts) and all(part.verified for part in self.parts)

    @property
    def objection(self) -> str | None:
        """The first thing that is wrong, in one line; None if the certificate is good."""
        if self.verified:
            return None
        for verdict in (False, None):  # what failed, or else what could not be made
            for part in self.parts:
                for check in part.checks:
                    if check.passed is verdict and (verdict is False or check.name in NEEDED):
                        where = f"part {part.part}, {check.name}" if part.part else check.name
                        return f"{where}: {check.detail}"
        return "a check is missing" if self.whole is None else f"theorem: {self.whole.detail}"

    def to_json(self) -> dict[str, object]:
        """As ``playproof check --json`` prints it."""
        parts = [
            {
                "part": part.part,
                "says": part.statement.sentence() if part.statement else None,
                "verified": part.verified,
                "checks": [asdict(check) for check in part.checks],
                "sha256": part.sha256,
            }
            for part in self.parts
        ]
        whole = None if self.whole is None else asdict(self.whole)
        return {"title": self.title, "verified": self.verified, "whole": whole, "parts": parts}
