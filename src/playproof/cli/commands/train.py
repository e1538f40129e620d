"""``playproof train``: teach a network, by playing or by games that others played."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.commands.train_settings import show_presets, show_settings
from playproof.cli.output import JsonOption, emit, note, working
from playproof.core.errors import UsageError
from playproof.core.jobs.recorder import current
from playproof.learning.columns import Columns
from playproof.learning.runs.run import NET, Run
from playproof.learning.training import TimeBudget, run_to_resume

if TYPE_CHECKING:
    from playproof.learning.columns import Columns
    from playproof.learning.learner import Learner, Meter
    from playproof.learning.training import TimeBudget, run_to_resume


def train(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET",
            help="What is trained, such as choko-ppo-v3 or alphazero:GAME: --presets lists all.",
        ),
    ] = "",
    out: Annotated[Path | None, typer.Option(help="The folder of the run.")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Another setting than the preset's: see --settings."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Go on with the run in the folder; begin it if a PRESET is given."
        ),
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Short for --set seed=N.")] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Stop so long after the first iteration began, also in the middle of one; "
            "--resume goes on.",
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0.0, help="The same in minutes.")] = None,
    checkpoint: Annotated[
        int, typer.Option(min=1, help="Iterations between two checkpoints.")
    ] = 25,
    keep: Annotated[
        int, typer.Option(min=0, metavar="N", help="Keep the net of every N-th iteration too.")
    ] = 0,
    device: Annotated[
        str, typer.Option(help="cpu, or cuda: what PyTorch computes, on a GPU.")
    ] = "cpu",
    seeds: Annotated[
        int, typer.Option(min=1, help="As many runs with seeds one apart, in sub-folders.")
    ] = 1,
    folds: Annotated[
        bool, typer.Option("--folds", help="A run for each fold of the data held out.")
    ] = False,
    settings: Annotated[
        bool,
        typer.Option(
            "--settings", help="List what --set can change, with its meaning; train nothing."
        ),
    ] = False,
    presets: Annotated[
        bool, typer.Option("--presets", help="List what can be trained; train nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Train a network; a run that was stopped, even killed, goes on with --resume."""
    if presets:
        show_presets(as_json=as_json)
        return
    if settings:
        show_settings(preset, as_json=as_json)
        return
    if out is None:
        raise UsageError("say where the run is kept: --out FOLDER")
    given = read_changes(changes or [], seed)
    if resume:
        runs = _runs_to_resume(out, preset, given, several=seeds > 1 or folds)
    elif folds:
        runs = Run.begin_folds(out, preset, given)
    elif seeds > 1:
        runs = Run.begin_all(out, preset, given, seeds)
    else:
        runs = [Run.begin(out, preset, given)]
    if minutes is not None:
        seconds = 60.0 * minutes
    job = current()
    if job is not None:
        job.set_folder(out.resolve())
    plan = Plan(TimeBudget(seconds), checkpoint, keep, device, as_json)
    for run in runs:
        _train(run, plan)
    if len(runs) > 1 and not as_json:
        _tell_folds(runs)


def _runs_to_resume(out: Path, preset: str, given: dict[str, str], *, several: bool) -> list[Run]:
    """The runs of a folder.  With a preset it is one command for both: it begins the run, and
    given again goes on with it, if it is the same."""
    if several or (given and not preset):
        raise UsageError(
            "a run goes on with its own settings: leave --set, --seed, --seeds and --folds away, "
            "or begin another run from its network with --set start=RUN/net.safetensors"
        )
    return [run_to_resume(out, preset, given)] if preset else Run.open_all(out)


@dataclass(frozen=True)
class Plan:
    """How runs are run: for how long, what is kept how often, where, and how it is told."""

    budget: TimeBudget
    checkpoint: int
    keep: int
    device: str
    as_json: bool


def _train(run: Run, plan: Plan) -> None:
    size = run.settings.architecture().parameters
    note(f"{run.preset}: {size:,} parameters, seed {run.settings.seed}, in {run.folder}")
    began = time.perf_counter()
    last, meter = _resume(run, plan)
    done = int(last.get("iteration", 0))
    if plan.as_json:
        emit({"preset": run.preset, "iterations": done, "of": run.settings.iterations, **last})
    for line in meter.summary() if meter else ():
        note(line)
    note(
        f"{done:,} of {run.settings.iterations:,} iterations, {time.perf_counter() - began:.0f} s; "
        f"the network is net:{run.folder / NET}"
    )


def read_changes(texts: list[str], seed: int | None = None) -> dict[str, str]:
    """Settings given as KEY=VALUE."""
    changes = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise UsageError(f"--set {text}: want KEY=VALUE, as in --set rate=3e-4")
        changes[name.strip()] = value.strip()
    if seed is not None:
        changes["seed"] = str(seed)
    return changes


def _resume(run: Run, plan: Plan) -> tuple[dict[str, Any], Meter | None]:
    """Run on, telling what is evaluated; the last metrics, and how fast it was if it can tell."""
    last: dict[str, Any] = {}
    columns = Columns([run.algorithm])
    meter: Meter | None = None
    job = current()
    began, first = time.perf_counter(), 0
    with working(run.preset) as tell:

        def start(made: Learner) -> None:
            nonlocal meter
            if run.algorithm.meter and made.iteration < run.settings.iterations:
                meter = run.algorithm.meter(made)
            plan.budget.start()

        def hear(facts: dict[str, float]) -> None:
            nonlocal first
            last.clear()
            last.update(facts)
            if columns.is_evaluated(facts) and not plan.as_json:
                print(columns.evaluation_line(facts), flush=True)
            iteration = int(facts["iteration"])
            first = first or iteration
            if job is not None:
                job.report(done=iteration, total=run.settings.iterations)
            seconds = time.perf_counter() - began
            words = _progress(run, columns, facts, iteration - first, seconds)
            tell(words if meter is None else f"{words}  {meter}")

        made = run.resume(
            checkpoint_every=plan.checkpoint, stopped=plan.budget.is_over, device=plan.device,
            keep_every=plan.keep, on_start=start, on_iteration=hear,
        )  # fmt: skip
    last.setdefault("iteration", made.iteration)
    return last, meter


def _progress(
    run: Run, columns: Columns, facts: dict[str, float], done: int, seconds: float
) -> str:
    """One line while it runs: how far, how fast, how long still."""
    iteration, whole = int(facts["iteration"]), run.settings.iterations
    words = f"{iteration:,}/{whole:,}  {columns.line(facts)}"
    if done > 0:
        rate = done / seconds
        left = (whole - iteration) / rate
        steps = rate * run.settings.steps_per_iteration
        words += f"  {steps:,.0f} steps/s" if steps else ""
        words += f"  {int(left // 60)}:{int(left % 60):02d} left"
    return words


def _tell_folds(runs: list[Run]) -> None:
    """Mean and spread of the held-out figures over folds."""
    import statistics

    folds = runs[0].algorithm.folds
    found = [run.metrics()[-1] for run in runs if run.folder.name.startswith("fold-")]
    if folds is None or not found:
        return
    for name in found[0]:
        if not name.startswith(folds.prefix):
            continue
        figures = [facts[name] for facts in found if name in facts]
        if len(figures) > 1:
            mean, spread = statistics.mean(figures), statistics.stdev(figures)
            print(f"{name.removeprefix(folds.prefix):<20} {mean:.4f} +- {spread:.4f} over folds")
