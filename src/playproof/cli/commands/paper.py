"""``playproof paper``: a paper's claims, run again, beside its own figures."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.output import (
    JsonOption,
    SeedOption,
    emit,
    note,
    settle_seed,
    table,
    working,
)
from playproof.cli.papers import chokozero as paper_chokozero
from playproof.cli.papers import rl_chess as paper_rl_chess
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.jobs.recorder import current
from playproof.formats import terminal
from playproof.papers import claims
from playproof.papers.quantum_go.example1 import replay
from playproof.papers.quantum_go.komi import Effort

if TYPE_CHECKING:
    from playproof.core.state import State

app = typer.Typer(no_args_is_help=True, help="Run a paper's claims again.")
app.command("chokozero")(paper_chokozero.chokozero)
app.command("rl-chess")(paper_rl_chess.rl_chess)


@app.command("othello33")
def othello33(
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Run this claim alone; may be repeated.")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Run the long claims as well.")] = False,
    solvers: Annotated[
        bool, typer.Option("--solvers", help="Compare z3, CaDiCaL and Kissat instead.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.1, help="With --solvers, the limit of each run.", show_default="60"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """The Othello paper: 33 legal moves are the most, with proofs and records."""
    from playproof.papers import othello33

    if solvers:
        from playproof.cli.papers.othello33 import compare_solvers

        if long:
            raise UsageError("--long runs claims and --solvers compares: want one of them")
        compare_solvers(only or (), 60.0 if seconds is None else seconds, as_json)
        return
    if seconds is not None:
        raise UsageError("--seconds limits the runs of --solvers: want both")
    for claim in claims.skipped(othello33.CLAIMS, only or (), long):
        note(f"{claim.name} needs --long or --only {claim.name}: {claims.duration(claim)}")
    outcomes = []
    with working(othello33.TITLE) as update:
        for outcome in claims.run(othello33.CLAIMS, only=only or (), include_long=long):
            outcomes.append(outcome)
            update(f"{outcome.claim.name} done")
            _add_job_step(outcome)
            if not as_json and outcome.holds is not None:
                note(f"{outcome.claim.name}: {outcome.result} ({outcome.seconds:.1f} s)")
    _print_outcomes(othello33.TITLE, outcomes, as_json)


@app.command("quantum-go")
def quantum_go(
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Run this claim alone; may be repeated.")
    ] = None,
    long: Annotated[bool, typer.Option("--long", help="Estimate the fair komi as well.")] = False,
    draw: Annotated[
        bool, typer.Option("--draw", help="First draw Example 1, turn by turn.")
    ] = False,
    games: Annotated[
        int, typer.Option(min=2, max=100_000, help="Games of self-play for each komi.")
    ] = 60,
    simulations: Annotated[
        int,
        typer.Option(min=1, max=1_000_000, help="Simulations per decision of mcts in these games."),
    ] = 200,
    komi: Annotated[float, typer.Option(min=-50.0, max=50.0, help="Komi of these games.")] = 0.0,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """The Quantum Go paper: its examples and formula, small boards solved, the fair komi."""
    from playproof.papers.quantum_go import paper as quantum_go

    if draw and as_json:
        raise UsageError("--draw makes pictures, not JSON: want one of --draw and --json")
    if draw:
        _draw_example_1()
    effort = Effort(games, simulations, settle_seed(seed))
    outcomes = []
    with working(quantum_go.TITLE) as update:
        quantum_claims = quantum_go.claims(effort, komi)
        for outcome in claims.run(quantum_claims, only=only or (), include_long=long):
            outcomes.append(outcome)
            update(f"{outcome.claim.name} done")
            _add_job_step(outcome)
            if not as_json:
                _print_outcome(outcome)
    if as_json:
        emit(_as_data(outcomes))
    _refuse_wrong(outcomes)


def _add_job_step(outcome: Any) -> None:
    """Record the outcome as a step of the job, if this command is one."""
    job = current()
    if job is not None:
        name, seconds = outcome.claim.name, round(outcome.seconds, 2)
        job.add_step(
            f"{name}: {outcome.result}",
            claim=name, found=outcome.result, holds=outcome.holds, seconds=seconds,
        )  # fmt: skip


def _draw_example_1() -> None:
    """Print the board after every turn and every collapse, each under a caption."""
    colour, signs = terminal.supports_colour(sys.stdout), terminal.supports_unicode(sys.stdout)

    def print_board(caption: str, state: State) -> None:
        print(f"{caption}\n\n{terminal.render(state.view(), colour=colour, unicode=signs)}\n")

    replay(on_position=print_board)


def _print_outcome(outcome: Any) -> None:
    """Print a claim in a few lines, since its result may be a formula, too long for a table."""
    claim = outcome.claim
    ran = outcome.holds is not None or outcome.seconds > 0.0
    verdict = {True: "holds", False: "DOES NOT HOLD", None: "estimated" if ran else "-"}
    time = f" ({outcome.seconds:.1f} s)" if ran else ""
    print(f"{claim.name}: {claim.text}")
    if claim.paper:
        print(f"    paper: {claim.paper}")
    first, *more = outcome.result.splitlines()
    print(f"    found: {first}")
    for line in more:
        print(f"           {line}")
    print(f"    {verdict[outcome.holds]}{time}", flush=True)


def _print_outcomes(title: str, outcomes: list[Any], as_json: bool) -> None:
    if as_json:
        emit(_as_data(outcomes))
    else:
        mark = {True: "holds", False: "DOES NOT HOLD", None: "needs --long"}
        rows = [
            [
                o.claim.name,
                o.claim.text,
                o.claim.paper or "-",
                "-" if o.claim.seconds is None else f"{o.claim.seconds:,.0f} s",
                mark[o.holds],
                "-" if o.holds is None else f"{o.seconds:,.1f} s",
            ]
            for o in outcomes
        ]
        columns = ["claim", "says", "paper", "its time", "here", "time"]
        table(title, columns, rows, right="   r r")
    _refuse_wrong(outcomes)


def _as_data(outcomes: list[Any]) -> list[dict[str, Any]]:
    return [
        {
            "claim": o.claim.name,
            "says": o.claim.text,
            "paper": o.claim.paper,
            "paper_seconds": o.claim.seconds,
            "long": o.claim.long,
            "found": o.result,
            "holds": o.holds,
            "seconds": round(o.seconds, 2),
        }
        for o in outcomes
    ]


def _refuse_wrong(outcomes: list[Any]) -> None:
    wrong = [o.claim.name for o in outcomes if o.holds is False]
    if wrong:
        raise PlayproofError(f"{len(wrong)} claims do not hold here: {', '.join(wrong)}")
