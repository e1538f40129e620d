"""The claims of papers: the paper's statement and figures, and the check that we run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of


@dataclass(frozen=True)
class Claim:
    """A claim of a paper.

    ``run`` returns our result as text, and whether it confirms the claim; None for an
    estimate, where the paper has no figure to confirm.
    """

    name: str
    text: str  # one line for a person
    paper: str  # the paper's figure; empty if it has none
    seconds: float | None  # the paper's time, if it gives one
    run: Callable[[], tuple[str, bool | None]]
    long: bool = False  # takes more than a few minutes
    our_seconds: float | None = None  # on one core, if long


@dataclass(frozen=True)
class ClaimOutcome:
    """A claim's outcome; ``holds`` is None for an estimate and for a claim that was not run."""

    claim: Claim
    result: str
    holds: bool | None
    seconds: float


def skipped(claims: Sequence[Claim], only: Sequence[str], include_long: bool) -> list[Claim]:
    """The claims that ``run`` leaves out because they are long."""
    return [] if include_long or only else [claim for claim in claims if claim.long]


def duration(claim: Claim) -> str:
    """How long a claim takes us, in words."""
    if claim.our_seconds is None:
        return "long"
    return f"about {max(1, round(claim.our_seconds / 60))} min of one core"


def run(
    claims: Sequence[Claim], *, only: Sequence[str] = (), include_long: bool = False
) -> Iterator[ClaimOutcome]:
    """Run the claims and yield their outcomes; ``only`` names those to run."""
    names = [claim.name for claim in claims]
    for name in only:
        if name not in names:
            raise UsageError(f"there is no claim {name!r}: want {one_of(names)}")
    for claim in claims:
        if only and claim.name not in only:
            continue
        if claim.long and not include_long and not only:
            yield ClaimOutcome(
                claim, f"not run: it takes {duration(claim)}, give --long", None, 0.0
            )
            continue
        began = time.perf_counter()
        result, holds = claim.run()
        yield ClaimOutcome(claim, result, holds, time.perf_counter() - began)
