"""``playproof train``: train a network by self-play or from games that others played."""

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
from playproof.learning.training import TimeBudget, open_or_create

if TYPE_CHECKING:
    from playproof.learning.learner import Learner, Meter


def train(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET",
            help="What to train, such as choko-ppo-v3 or alphazero:GAME: --presets lists all.",
        ),
    ] = "",
    out: Annotated[Path | None, typer.Option(help="The folder of the run.")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a setting of the preset: see --settings."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Continue the run in the folder; start it if a PRESET is given."
        ),
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Short for --set seed=N.")] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Stop this long after the first iteration starts, even in the middle of one; "
            "--resume continues.",
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(min=0.0, help="The same in minutes.")] = None,
    checkpoint: Annotated[
        int, typer.Option(min=1, help="Iterations between two checkpoints.")
    ] = 25,
    keep: Annotated[
        int, typer.Option(min=0, metavar="N", help="Also keep the net of every N-th iteration.")
    ] = 0,
    device: Annotated[
        str, typer.Option(help="cpu, or cuda for PyTorch's computations on a GPU.")
    ] = "cpu",
    seeds: Annotated[
        int, typer.Option(min=1, help="The number of runs, with consecutive seeds, in sub-folders.")
    ] = 1,
    folds: Annotated[
        bool, typer.Option("--folds", help="One run for each fold of the data, held out by it.")
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
    """Train a network; --resume continues a run that was stopped or killed."""
    if presets:
        show_presets(as_json=as_json)
        return
    if settings:
        show_settings(preset, as_json=as_json)
        return
    if out is None:
        raise UsageError("say where the run is kept: --out FOLDER")
    overrides = read_changes(changes or [], seed)
    if resume:
        runs = _runs_to_resume(out, preset, overrides, several=seeds > 1 or folds)
    elif folds:
        runs = Run.create_folds(out, preset, overrides)
    elif seeds > 1:
        runs = Run.create_seeds(out, preset, overrides, seeds)
    else:
        runs = [Run.create(out, preset, overrides)]
    if minutes is not None:
        seconds = 60.0 * minutes
    job = current()
    if job is not None:
        job.set_folder(out.resolve())
    options = TrainOptions(TimeBudget(seconds), checkpoint, keep, device, as_json)
    for run in runs:
        _train(run, options)
    if len(runs) > 1 and not as_json:
        _print_folds(runs)


def _runs_to_resume(
    out: Path, preset: str, overrides: dict[str, str], *, several: bool
) -> list[Run]:
    """The runs in a folder.  With a preset, the run is created if there is none."""
    if several or (overrides and not preset):
        raise UsageError(
            "a run goes on with its own settings: leave --set, --seed, --seeds and --folds away, "
            "or start another run from its network with --set start=RUN/net.safetensors"
        )
    return [open_or_create(out, preset, overrides)] if preset else Run.open_all(out)


@dataclass(frozen=True)
class TrainOptions:
    """The options of the command that apply to every run."""

    budget: TimeBudget
    checkpoint: int  # iterations between checkpoints
    keep: int  # iterations between nets that are kept; 0: only the latest
    device: str
    as_json: bool


def _train(run: Run, options: TrainOptions) -> None:
    size = run.settings.architecture().parameters
    note(f"{run.preset}: {size:,} parameters, seed {run.settings.seed}, in {run.folder}")
    started = time.perf_counter()
    last, meter = _resume(run, options)
    done = int(last.get("iteration", 0))
    if options.as_json:
        emit({"preset": run.preset, "iterations": done, "of": run.settings.iterations, **last})
    for line in meter.summary() if meter else ():
        note(line)
    seconds = time.perf_counter() - started
    note(
        f"{done:,} of {run.settings.iterations:,} iterations, {seconds:.0f} s; "
        f"the network is net:{run.folder / NET}"
    )


def read_changes(texts: list[str], seed: int | None = None) -> dict[str, str]:
    """Parse settings given as KEY=VALUE."""
    changes = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise UsageError(f"--set {text}: want KEY=VALUE, as in --set rate=3e-4")
        changes[name.strip()] = value.strip()
    if seed is not None:
        changes["seed"] = str(seed)
    return changes


def _resume(run: Run, options: TrainOptions) -> tuple[dict[str, Any], Meter | None]:
    """Run to the end and print evaluations; the last metrics, and the meter if there is one."""
    last: dict[str, Any] = {}
    columns = Columns([run.algorithm])
    meter: Meter | None = None
    job = current()
    started, first = time.perf_counter(), 0
    with working(run.preset) as on_progress:

        def start(learner: Learner) -> None:
            nonlocal meter
            if run.algorithm.meter and learner.iteration < run.settings.iterations:
                meter = run.algorithm.meter(learner)
            options.budget.start()

        def record(metrics: dict[str, float]) -> None:
            nonlocal first
            last.clear()
            last.update(metrics)
            if columns.is_evaluated(metrics) and not options.as_json:
                print(columns.evaluation_line(metrics), flush=True)
            iteration = int(metrics["iteration"])
            first = first or iteration
            if job is not None:
                job.report(done=iteration, total=run.settings.iterations)
            seconds = time.perf_counter() - started
            line = _progress_line(run, columns, metrics, iteration - first, seconds)
            on_progress(line if meter is None else f"{line}  {meter}")

        learner = run.resume(
            checkpoint_every=options.checkpoint, stopped=options.budget.is_over,
            device=options.device, keep_every=options.keep, on_start=start, on_iteration=record,
        )  # fmt: skip
    last.setdefault("iteration", learner.iteration)
    return last, meter


def _progress_line(
    run: Run, columns: Columns, metrics: dict[str, float], done: int, seconds: float
) -> str:
    """The line shown during training: progress, metrics, speed and the time left."""
    iteration, whole = int(metrics["iteration"]), run.settings.iterations
    line = f"{iteration:,}/{whole:,}  {columns.line(metrics)}"
    if done > 0:
        rate = done / seconds
        left = (whole - iteration) / rate
        steps = rate * run.settings.steps_per_iteration
        line += f"  {steps:,.0f} steps/s" if steps else ""
        line += f"  {int(left // 60)}:{int(left % 60):02d} left"
    return line


def _print_folds(runs: list[Run]) -> None:
    """Print the mean and the standard deviation of the held-out metrics over folds."""
    import statistics

    folds = runs[0].algorithm.folds
    last = [run.metrics()[-1] for run in runs if run.folder.name.startswith("fold-")]
    if folds is None or not last:
        return
    for name in last[0]:
        if not name.startswith(folds.prefix):
            continue
        figures = [metrics[name] for metrics in last if name in metrics]
        if len(figures) > 1:
            mean, spread = statistics.mean(figures), statistics.stdev(figures)
            print(f"{name.removeprefix(folds.prefix):<20} {mean:.4f} +- {spread:.4f} over folds")
