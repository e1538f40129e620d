"""Small certificates on 4x4, and what a check says of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from playproof.proofs.certificates.check import check_bundle
from playproof.proofs.othello.mobility import OthelloMobility
from playproof.proofs.othello.pipeline import search
from playproof.proofs.theorems import UnreachableBound

IMPOSSIBLE = OthelloMobility(9, 4)
POSSIBLE = OthelloMobility(8, 4)


@functools.cache
def small_theorem() -> UnreachableBound:
    """On 4x4 no game comes to eight moves."""
    return search(8, size=4).theorem()


def failed(folder: Path) -> dict[str, str]:
    """The checks that failed, with their lines."""
    report = check_bundle(folder)
    failures = {
        check.name: check.detail
        for part in report.parts
        for check in part.checks
        if check.passed is False
    }
    assert report.verified == (not failures)
    return failures


def objection(folder: Path) -> str:
    """What the check of a certificate that is not verified objects to."""
    report = check_bundle(folder)
    assert not report.verified
    assert report.objection is not None
    return report.objection


def edit(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a file."""
    before = path.read_bytes()
    path.write_bytes(change(before))
    assert path.read_bytes() != before
