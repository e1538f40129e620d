"""``playproof paper``: a paper's claims, run again, beside its own figures."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from playproof.cli.output import JsonOption, emit, note, table, working
from playproof.core.errors import PlayproofError

app = typer.Typer(no_args_is_help=True, help="Run a paper's claims again.")


@app.command("othello33")
def othello33(
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Run this claim alone; may be repeated.")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Run the long ones as well.")] = False,
    as_json: JsonOption = False,
) -> None:
    """The Othello paper: 33 legal moves are the most, with proofs and records."""
    from playproof.papers import claims, othello33

    outcomes = []
    with working(othello33.TITLE) as update:
        for outcome in claims.run(othello33.CLAIMS, only=only or (), include_long=long):
            outcomes.append(outcome)
            update(f"{outcome.claim.name} done")
            if not as_json and outcome.holds is not None:
                note(f"{outcome.claim.name}: {outcome.found} ({outcome.seconds:.1f} s)")
    _tell(othello33.TITLE, outcomes, as_json)


def _tell(title: str, outcomes: list[Any], as_json: bool) -> None:
    if as_json:
        emit(
            [
                {
                    "claim": o.claim.name,
                    "says": o.claim.says,
                    "paper": o.claim.paper,
                    "paper_seconds": o.claim.seconds,
                    "found": o.found,
                    "holds": o.holds,
                    "seconds": round(o.seconds, 2),
                }
                for o in outcomes
            ]
        )
    else:
        mark = {True: "holds", False: "DOES NOT HOLD", None: "-"}
        rows = [
            [
                o.claim.name,
                o.claim.says,
                o.claim.paper or "-",
                "-" if o.claim.seconds is None else f"{o.claim.seconds:,.0f} s",
                mark[o.holds],
                "-" if o.holds is None else f"{o.seconds:,.1f} s",
            ]
            for o in outcomes
        ]
        columns = ["claim", "says", "paper", "its time", "here", "time"]
        table(title, columns, rows, right="   r r")
    wrong = [o.claim.name for o in outcomes if o.holds is False]
    if wrong:
        raise PlayproofError(f"{len(wrong)} claims do not hold here: {', '.join(wrong)}")
