"""``playproof paper othello33 --solvers``: z3, CaDiCaL and Kissat side by side."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.cli.output import emit, note, table, working
from playproof.core.errors import PlayproofError
from playproof.papers import othello33_solvers
from playproof.papers.othello33_solvers import SolverRun

LABELS = {"z3": "z3", "cadical": "CaDiCaL", "kissat": "Kissat"}


def compare_solvers(only: Sequence[str], seconds: float, as_json: bool) -> None:
    """Put the paper's questions to every installed solver and print what each needed."""
    questions = othello33_solvers.chosen(only)
    solvers = othello33_solvers.installed()
    runs: list[SolverRun] = []
    with working("the paper's questions, solver by solver") as update:
        for run in othello33_solvers.compare(questions, seconds, solvers):
            runs.append(run)
            update(f"{run.question.name} by {LABELS[run.solver]}")
            if not as_json:
                note(f"{run.question.name} by {LABELS[run.solver]}: {_cell(run, seconds)}")
    if as_json:
        emit({"seconds": seconds, "runs": [_as_data(run) for run in runs]})
    else:
        rows = [
            [
                question.name,
                question.text,
                *(_cell(run, seconds) for run in runs if run.question is question),
            ]
            for question in questions
        ]
        columns = ["question", "asks for", *(LABELS[solver] for solver in solvers)]
        table("CPU seconds of each solver", columns, rows, right="  " + "r" * len(solvers))
        versions = {run.solver: run.version for run in runs if run.version}
        note(", ".join(f"{LABELS[name]} {version}" for name, version in versions.items()))
    wrong = [f"{run.question.name} by {LABELS[run.solver]}" for run in runs if run.is_wrong]
    if wrong:
        raise PlayproofError(f"{len(wrong)} answers are wrong: {', '.join(wrong)}")


def _cell(run: SolverRun, limit: float) -> str:
    if run.status is None:
        return "-"
    if run.status == "unknown":
        return f"not within {limit:g} s"
    return f"{run.status.upper()} {run.cpu_seconds:,.1f} s"


def _as_data(run: SolverRun) -> dict[str, object]:
    return {
        "question": run.question.name,
        "asks_for": run.question.text,
        "solver": run.solver,
        "version": run.version or None,
        "status": run.status,
        "expected": run.question.status,
        "seconds": round(run.seconds, 2),
        "cpu_seconds": round(run.cpu_seconds, 2),
    }
