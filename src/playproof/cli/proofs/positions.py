"""What ``playproof prove NAME`` offers for statements about positions of Othello: a list of the
positions, and the question whether a reachable one is among them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.output import emit, note
from playproof.cli.proofs.events import ProofPrinter
from playproof.cli.proofs.results import print_check, require_certificate_verified, verified_json
from playproof.core.errors import PlayproofError
from playproof.proofs.api import find_positions
from playproof.proofs.othello.positions import OthelloPosition, describe_position
from playproof.proofs.reachable import prove_reachable

if TYPE_CHECKING:
    from playproof.proofs.othello.mobility import OthelloMobility
    from playproof.proofs.proof import Proof

EnumerateOption = Annotated[
    int | None, typer.Option("--enumerate", min=1, help="List up to this many positions.")
]
ReachableOption = Annotated[
    bool, typer.Option("--reachable", help="Look for a reachable position, and for its game.")
]


def print_positions(
    statement: OthelloMobility | OthelloPosition, count: int, seconds: float | None, as_json: bool
) -> None:
    """Find up to ``count`` positions and print them."""
    with ProofPrinter(quiet=as_json) as printer:
        printer.count("positions")
        result = find_positions(statement, count, seconds=seconds, on_event=printer)
    if as_json:
        texts = list(result.positions)
        emit({"positions": texts, "all": result.complete, "seconds": round(result.seconds, 3)})
        return
    for text in result.positions:
        print(text)
    number = len(result.positions)
    more = "there are no others" if result.complete else "there may be others"
    note(f"{number} positions, none the image of another, {result.seconds:.1f} s; {more}")
    if number < count and not result.complete:
        raise PlayproofError(f"only {number} of {count} in {result.seconds:.1f} s")


def print_reachable(
    statement: OthelloPosition,
    *,
    solver: str | None,
    seconds: float | None,
    certificate: Path | None,
    check: bool,
    as_json: bool,
) -> None:
    """Settle whether a reachable position satisfies the statement, and print the result."""
    with ProofPrinter(
        quiet=as_json, certificate=certificate, label=statement.family, statement=statement
    ) as printer:
        proof = prove_reachable(
            statement, certificate=certificate, check=check, solver=solver, seconds=seconds,
            on_event=printer,
        )  # fmt: skip
    if proof.verdict == "undecided":
        raise PlayproofError(f"not decided in {proof.seconds:.1f} s: give it more time")
    if as_json:
        require_certificate_verified(proof)
        emit(_json(proof))
        return
    if proof.position is not None:
        print(describe_position(proof.position, statement.size))
        print(f"record    {proof.record}")
        print(f"REACHED  {proof.sentence} ({proof.seconds:.1f} s)")
        return
    print(f"REFUTED  {proof.sentence} ({proof.seconds:.1f} s)")
    print(f"by {_grounds(proof)}")
    print_check(proof)


def _grounds(proof: Proof) -> str:
    """What a refutation rests on."""
    assert proof.models is not None
    number = len(proof.models.unreachable)
    if proof.certificate is not None:
        return "the certificate's formula"
    if not number:
        return "a formula alone; --certificate DIR writes a certificate"
    return (
        f"search: {number:,} candidates are unreachable, and the solver has no other; "
        "--certificate DIR asks for a proof without the search"
    )


def _json(proof: Proof) -> dict[str, object]:
    models = proof.models
    assert models is not None
    return {
        "statement": proof.sentence,
        "status": proof.status,
        "reachable": proof.holds,
        "position": proof.position,
        "record": proof.record,
        "unreachable": len(models.unreachable),
        "placements": models.statement.placements,
        "certificate": None if proof.certificate is None else str(proof.certificate),
        "seconds": round(proof.seconds, 3),
        **verified_json(proof),
    }
