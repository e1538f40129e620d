"""``playproof paper chokozero``: the paper's experiments with our nets, and its game solved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.match_options import FileOption, WorkersOption, check_writable
from playproof.cli.output import JsonOption, SeedOption, emit, note, working, write_text
from playproof.cli.papers import choko_solved
from playproof.core.errors import UsageError, one_of
from playproof.papers.choko_solved import report as choko_truth_report
from playproof.papers.choko_solved import truth as choko_truth
from playproof.papers.choko_solved.make import as_text, make_truth
from playproof.papers.choko_solved.sample_games import positions_to_query
from playproof.papers.chokozero import curves as chokozero_curves

if TYPE_CHECKING:
    from playproof.cli.papers.chokozero_experiments import ExperimentPlan

PARTS = ("table", "empty", "curves", "openings", "times", "claims")
LETTER, SEEDS = "letter", "seeds"
ONLY_BY_NAME = (LETTER, SEEDS)  # parts that do not run unless they are named: they take long
_PICTURES = (".svg", ".png")
_RECORD = ".json"


def chokozero(
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="PART",
            help="table, empty, curves, openings, times, claims, letter or seeds; may be repeated.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=10**6,
            help="Games of every pair: 400 if not given, 20 with --quick (of "
            "two runs in the part seeds: 100, 10).",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Play only with these agents: pgts, v3, v2 ...; may be repeated."
        ),
    ] = None,
    all_pairs: Annotated[
        bool,
        typer.Option("--all-pairs", help="Also play the pairs of slow searches that say little."),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A small version of everything, in minutes.")
    ] = False,
    train: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="First train all nets in this folder, then play with them."
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="With --train: N runs of each agent, --workers at once, then the part seeds.",
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="Where --train computes PPO's updates: cpu or cuda.")
    ] = "cpu",
    runs: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Take the curves, and the nets of --only claims, from the runs in this "
            "folder, or with --only seeds play all of them against each other.",
        ),
    ] = None,
    file: FileOption = None,
    workers: WorkersOption = None,
    truth: Annotated[
        bool, typer.Option("--truth", help="Show the results of a full solve of Choko instead.")
    ] = False,
    svg: Annotated[
        Path | None,
        typer.Option(help="Draw the curves; with --truth, what each first placement is worth."),
    ] = None,
    positions: Annotated[
        Path | None, typer.Option(help="Write the positions that --make-truth needs answers about.")
    ] = None,
    make_truth: Annotated[
        tuple[Path, Path, Path] | None,
        typer.Option(
            metavar="OFF ON ANSWERS",
            help="Make the data of --truth from the JSON of two full solves and the answers.",
        ),
    ] = None,
    make_curves: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Make the data of the curves from the runs there."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="File for --make-truth or --make-curves; else for the curves, as .svg or .png; "
            "with --only seeds also for the games between runs, as .json."
        ),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """The ChokoZero paper: its agents trained, its Table 1 played again, its game solved."""
    instead = {
        "--truth": truth, "--positions FILE": positions is not None,
        "--make-truth OFF ON ANSWERS": make_truth is not None,
        "--make-curves FOLDER": make_curves is not None,
    }  # fmt: skip
    named = [name for name, given in instead.items() if given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} cannot be combined: want one of them")
    making = make_truth is not None or make_curves is not None
    if making and out is None:
        raise UsageError(f"{named[0]} and --out FILE go together")
    if named:
        experiments = {
            "--only": only, "--games": games, "--agent": agent, "--all-pairs": all_pairs,
            "--quick": quick, "--train": train, "--seeds": seeds, "--runs": runs, "--file": file,
            "--workers": workers, "--seed": seed is not None,
            "--device": device != "cpu", "--out": not making and out, "--svg": not truth and svg,
            "--json": not truth and as_json,
        }  # fmt: skip
        for name, given in experiments.items():
            if given:
                raise UsageError(f"{name} means nothing with {named[0]}: leave it out")
    if positions is not None:
        _write_positions(positions)
    elif make_truth is not None and out is not None:
        _make_truth(*make_truth, out)
    elif make_curves is not None and out is not None:
        _make_curves(make_curves, out)
    elif truth:
        _print_truth(svg, as_json)
    else:
        from playproof.cli.papers.chokozero_experiments import ExperimentPlan, run

        plan = ExperimentPlan(
            parts=_parts(only or (["seeds"] if seeds else [])),
            agents=tuple(agent or ()), games=games, quick=quick,
            all_pairs=all_pairs or bool(agent), train=train, seeds=seeds, device=device, runs=runs,
            file=file, workers=workers, pictures=_pictures(svg, out), record=_record(out),
            seed=seed, as_json=as_json,
        )  # fmt: skip
        _check(plan)
        run(plan)


def _parts(only: list[str]) -> tuple[str, ...]:
    every = (*PARTS, *ONLY_BY_NAME)
    for name in only:
        if name not in every:
            raise UsageError(f"there is no part {name!r}: want {one_of(every)}")
    return tuple(part for part in every if part in (only or PARTS))


def _pictures(svg: Path | None, out: Path | None) -> tuple[Path, ...]:
    files = tuple(file for file in (svg, out) if file is not None and file != _record(out))
    for file in files:
        if file.suffix.lower() not in _PICTURES:
            raise UsageError(f"{file}: want a name that ends with .svg or .png")
    return files


def _record(out: Path | None) -> Path | None:
    """The file for the games between runs, if --out names one."""
    return out if out is not None and out.suffix.lower() == _RECORD else None


def _check(plan: ExperimentPlan) -> None:
    if plan.runs is not None and plan.train is not None:
        raise UsageError("with --train the curves are of its runs: leave out --runs")
    if plan.pictures and not {"curves", SEEDS} & set(plan.parts):
        raise UsageError("a picture is of the curves: add --only curves")
    if plan.runs is not None and not {"curves", "claims", SEEDS} & set(plan.parts):
        raise UsageError("--runs is for curves and claims: add --only curves or --only claims")
    if plan.agents and LETTER in plan.parts and len(plan.parts) > 1:
        raise UsageError(f"--only {LETTER} has agents of its own: with --agent name it alone")
    _check_seeds(plan)
    if plan.device != "cpu" and plan.train is None:
        raise UsageError("--device says where nets are trained: add --train FOLDER")


# Data that comes with the package, made again


def _write_positions(file: Path) -> None:
    check_writable(file)
    with working("positions to query the tables about") as update:
        queries = positions_to_query(update)
    write_text(file, "".join(f"{position}\n" for position in queries))
    note(f"{len(queries):,} positions in {file}")


def _make_truth(off: Path, on: Path, answers: Path, out: Path) -> None:
    check_writable(out)
    with working("the data of the solve") as update:
        text = as_text(make_truth(off, on, answers, update))
    write_text(out, text)
    note(f"{len(text) / 1000:,.0f} kB in {out}")


def _make_curves(folder: Path, out: Path) -> None:
    check_writable(out)
    text = chokozero_curves.as_text(chokozero_curves.as_data(chokozero_curves.of_runs(folder)))
    write_text(out, text)
    note(f"{len(text) / 1000:,.0f} kB in {out}")


def _print_truth(svg: Path | None, as_json: bool) -> None:
    truth = choko_truth.shipped()
    if svg is not None:
        from playproof.formats.svg.drawing import render

        write_text(svg, render(choko_truth_report.first_placements(truth)))
        note(f"drew {svg}")
    if as_json:
        emit(choko_truth_report.as_data(truth))
    else:
        choko_solved.print_truth(truth)


def _check_seeds(plan: ExperimentPlan) -> None:
    """The options of the part seeds, and that it is alone."""
    if SEEDS in plan.parts and len(plan.parts) > 1:
        raise UsageError("the part seeds runs alone: leave out the other --only, or --only seeds")
    if plan.seeds is not None and (plan.train is None or plan.parts != (SEEDS,)):
        raise UsageError("--seeds N needs --train FOLDER, and is for the part seeds alone")
    if plan.train is not None and plan.parts == (SEEDS,) and plan.seeds is None:
        raise UsageError("say how many runs of each agent --train is to make: --seeds 5")
    if plan.record is not None and plan.parts != (SEEDS,):
        raise UsageError(f"{plan.record}: want a name that ends with .svg or .png")
