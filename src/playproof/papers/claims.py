"""A paper's claims: what it says, what it took, and how we find out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from playproof.core.errors import UsageError, one_of


@dataclass(frozen=True)
class Claim:
    """``run`` gives what we find, and whether it bears the claim out: None for an estimate,
    where the paper says nothing that could be borne out."""

    name: str
    says: str  # in a line, for a person
    paper: str  # the paper's figure; empty for what it does not have
    seconds: float | None  # the paper's time, where it gives one
    run: Callable[[], tuple[str, bool | None]]
    long: bool = False  # takes more than a few minutes
    takes: float | None = None  # our seconds on one core, of what is long


@dataclass(frozen=True)
class Outcome:
    """``holds`` is None for an estimate, and for a claim that was not run."""

    claim: Claim
    found: str
    holds: bool | None
    seconds: float


def skipped(claims: Sequence[Claim], only: Sequence[str], include_long: bool) -> list[Claim]:
    """The claims that ``run`` leaves out because they are long."""
    return [] if include_long or only else [claim for claim in claims if claim.long]


def duration(claim: Claim) -> str:
    """How long a claim takes, in words."""
    if claim.takes is None:
        return "long"
    return f"about {max(1, round(claim.takes / 60))} min of one core"


def run(
    claims: Sequence[Claim], *, only: Sequence[str] = (), include_long: bool = False
) -> Iterator[Outcome]:
    """Each claim's outcome as it comes; ``only`` names those to run."""
    names = [claim.name for claim in claims]
    for name in only:
        if name not in names:
            raise UsageError(f"no claim is called {name!r}: want {one_of(names)}")
    for claim in claims:
        if only and claim.name not in only:
            continue
        if claim.long and not include_long and not only:
            yield Outcome(claim, f"not run: it takes {duration(claim)}, give --long", None, 0.0)
            continue
        began = time.perf_counter()
        found, holds = claim.run()
        yield Outcome(claim, found, holds, time.perf_counter() - began)
