"""ChokoZero's section 4.3 in a terminal: the paper's words, our figures and a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.cli.output import table
from playproof.cli.papers.choko_solved import print_heading, print_paragraph
from playproof.papers.chokozero.claims.assess import ELSEWHERE
from playproof.papers.chokozero.claims.results import CONSISTENTLY, QUARTILES

if TYPE_CHECKING:
    from playproof.papers.chokozero.claims.assess import Assessment
    from playproof.papers.chokozero.claims.results import ClaimResult, Estimate, MoveDistribution


def claims(assessment: Assessment) -> None:
    """Print each claim with its figures, then all verdicts."""
    print_heading("Section 4.3, claim by claim")
    print_paragraph(
        f"The nets play {assessment.sizes.games} games against themselves. Intervals are of "
        "95\u00a0%. Figures with a verdict decide; the others stand beside them. Consistently "
        f"means: in at least {100 * CONSISTENTLY:.0f}\u00a0% of the situations."
    )
    for claim in assessment.claims:
        if claim.estimates:
            _print_claim(claim)
    rows = [[claim.name, claim.section, claim.words, claim.verdict] for claim in assessment.claims]
    table("Verdicts", ["claim", "section", "the paper", "here"], rows)
    for claim in assessment.claims:
        if not claim.estimates:
            print_paragraph(f"{claim.name}: {claim.why}")
    deserved = [one.name for one in assessment.consistently if one.verdict == "holds"]
    print_paragraph(
        f"Of {len(assessment.consistently)} claims with the word consistently, "
        f"{len(deserved)} deserve it{': ' + ', '.join(deserved) if deserved else ''}."
    )
    for section, text in ELSEWHERE.items():
        print_paragraph(f"Section {section}: {text}.")


def _print_claim(claim: ClaimResult) -> None:
    print_paragraph(f"{claim.name} (section {claim.section}): \N{LEFT DOUBLE QUOTATION MARK}"
                    f"{claim.words}\N{RIGHT DOUBLE QUOTATION MARK}")  # fmt: skip
    columns = ["", "figure [95 %]", "samples", "at random", ""]
    rows = [
        [one.measure, _figure(one), f"{one.samples:,} {one.unit}",
         "" if one.chance is None else _number(one, one.chance), one.verdict]
        for one in claim.estimates
    ]  # fmt: skip
    table("", columns, rows, right=" rrr")
    if claim.distributions:
        head = ["", "move", "probability: least, quartiles, most", "ranks"]
        table("", head, [_row(one) for one in claim.distributions])
    if claim.why:
        print_paragraph(claim.why)
    print_paragraph(f"Test: {claim.test}. Verdict: {claim.verdict}.")


def _row(one: MoveDistribution) -> list[str]:
    shares = np.quantile(one.probability, QUARTILES).tolist()
    median = int(np.median(one.rank))
    ranks = f"{one.rank.min()} to {one.rank.max()}, median {median}"
    return [f"{one.net}, {one.ways}", one.move, " ".join(map(_percent, shares)), ranks]


def _percent(share: float) -> str:
    """A share that may be tiny."""
    if share < 1e-6:
        return "0"
    return f"{100 * share:.1g}" if share < 0.01 else f"{100 * share:.0f}"


def _figure(one: Estimate) -> str:
    if one.interval is None:
        return "-"
    lower, upper = (_number(one, end) for end in one.interval)
    return f"{_number(one, one.value)}{' %' if one.percent else ''} [{lower}, {upper}]"


def _number(one: Estimate, figure: float) -> str:
    return f"{100 * figure:.1f}" if one.percent else f"{figure:.2f}"
