"""``playproof train``: teach a network, by playing or by games that others played."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.output import JsonOption, emit, note, working
from playproof.cli.train_settings import show_settings
from playproof.core.errors import UsageError
from playproof.core.job_book import current

if TYPE_CHECKING:
    from playproof.learning.learner import Learner
    from playproof.learning.runs import Run
    from playproof.learning.self_play_speed import Throughput


def train(
    preset: Annotated[
        str,
        typer.Argument(
            metavar="PRESET",
            help="choko-dql, choko-ppo-v1 (v2, v3, plus), imitation (-10x128, -paper), "
            "rl-chess or alphazero:GAME.",
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
        bool, typer.Option("--folds", help="A run for each fold of the data held out, imitation.")
    ] = False,
    settings: Annotated[
        bool,
        typer.Option(
            "--settings", help="List what --set can change, with its meaning; train nothing."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Train a network; a run that was stopped, even killed, goes on with --resume."""
    from playproof.learning.runs import Run

    if settings:
        show_settings(preset, as_json=as_json)
        return
    if out is None:
        raise UsageError("say where the run is kept: --out FOLDER")
    given = read_changes(changes or [], seed)
    if resume:
        runs = _runs_to_go_on_with(out, preset, given, several=seeds > 1 or folds)
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
        job.results_in(out.resolve())
    plan = Plan(Clock(seconds), checkpoint, keep, device, as_json)
    for run in runs:
        _train(run, plan)
    if len(runs) > 1 and not as_json:
        _tell_folds(runs)


def _runs_to_go_on_with(
    out: Path, preset: str, given: dict[str, str], *, several: bool
) -> list[Run]:
    """The runs of a folder.  With a preset it is one command for both: it begins the run, and
    given again goes on with it, if it is the same."""
    from playproof.learning.presets import find
    from playproof.learning.run_logs import is_run
    from playproof.learning.runs import Run, changed

    if several or (given and not preset):
        raise UsageError(
            "a run goes on with its own settings: leave --set, --seed, --seeds and --folds away, "
            "or begin another run from its network with --set start=RUN/net.safetensors"
        )
    if not preset:
        return Run.open_all(out)
    if not is_run(out):
        return [Run.begin(out, preset, given)]
    run = Run.open(out)
    if (run.preset, run.settings) != (preset, changed(find(preset), given)):
        raise UsageError(
            f"{out} holds another run, of {run.preset} or with other settings: --resume alone "
            "goes on with it"
        )
    return [run]


class Clock:
    """The time that runs have together, from the first iteration on; None is for ever."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._end: float | None = None

    def start(self) -> None:
        """What came before, such as compiling and recording graphs, does not count."""
        if self._end is None and self._seconds is not None:
            self._end = time.monotonic() + self._seconds

    def is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end


@dataclass(frozen=True)
class Plan:
    """How runs are run: for how long, what is kept how often, where, and how it is told."""

    clock: Clock
    checkpoint: int
    keep: int
    device: str
    as_json: bool


def _train(run: Run, plan: Plan) -> None:
    from playproof.learning.runs import NET

    size = run.settings.architecture().parameters
    note(f"{run.preset}: {size:,} parameters, seed {run.settings.seed}, in {run.folder}")
    began = time.perf_counter()
    last, speed = _go_on(run, plan)
    done = int(last.get("iteration", 0))
    if plan.as_json:
        emit({"preset": run.preset, "iterations": done, "of": run.settings.iterations, **last})
    if speed is not None and speed.leaves:
        note(f"self-play over whole iterations: {speed}")
        note(f"where the time went: {speed.profile()}")
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


def _go_on(run: Run, plan: Plan) -> tuple[dict[str, Any], Throughput | None]:
    """Run on, telling what is evaluated; the last metrics, and how fast games were played."""
    last: dict[str, Any] = {}
    speed: Throughput | None = None
    job = current()
    began, first = time.perf_counter(), 0
    with working(run.preset) as tell:

        def ready(made: Learner) -> None:
            nonlocal speed
            if made.iteration < run.settings.iterations:
                speed = _throughput(run, made)
            plan.clock.start()

        def each(facts: dict[str, float]) -> None:
            nonlocal first
            last.clear()
            last.update(facts)
            if ("earlier_wins" in facts or "test_top1" in facts) and not plan.as_json:
                print(_line(facts), flush=True)
            iteration = int(facts["iteration"])
            first = first or iteration
            if job is not None:
                job.tell(done=iteration, total=run.settings.iterations)
            words = _progress(run, facts, iteration - first, time.perf_counter() - began)
            tell(words if speed is None else f"{words}  {speed}")

        made = run.go_on(
            checkpoint_every=plan.checkpoint, stopped=plan.clock.is_over, device=plan.device,
            keep_every=plan.keep, ready=ready, each=each,
        )  # fmt: skip
    last.setdefault("iteration", made.iteration)
    return last, speed


def _throughput(run: Run, made: Learner) -> Throughput | None:
    """How fast the games of a run are, where a network judges them; others need no PyTorch."""
    from playproof.learning.presets import algorithm_of

    if algorithm_of(run.settings) != "alphazero":
        return None
    from playproof.learning.self_play_speed import Throughput

    return Throughput.of(made)


# What an iteration tells, in the order it is told; those of other algorithms are left away.
_TOLD = {
    "loss": "loss {:.3f}", "value": "value {:.2f}", "policy_loss": "policy loss {:.4f}",
    "value_loss": "value loss {:.3f}", "test_top1": "held out {:.2%}", "test_top3": "{:.2%}",
    "test_value_error": "value {:.3f}", "label_top1": "labelled {:.2%}",
    "entropy": "entropy {:.2f}", "clipped": "clipped {:.1%}",
}  # fmt: skip


def _told(facts: dict[str, float]) -> str:
    return "  ".join(form.format(facts[name]) for name, form in _TOLD.items() if name in facts)


def _progress(run: Run, facts: dict[str, float], done: int, seconds: float) -> str:
    """One line while it runs: how far, how fast, how long still."""
    iteration, whole = int(facts["iteration"]), run.settings.iterations
    words = f"{iteration:,}/{whole:,}  {_told(facts)}"
    if done > 0:
        rate = done / seconds
        left = (whole - iteration) / rate
        steps = rate * getattr(run.settings, "steps", 0) * getattr(run.settings, "batch", 1)
        words += f"  {steps:,.0f} steps/s" if steps else ""
        words += f"  {int(left // 60)}:{int(left % 60):02d} left"
    return words


def _line(facts: dict[str, float]) -> str:
    """One line for an evaluation."""
    if "earlier_wins" not in facts:
        return f"iteration {int(facts['iteration']):>5}  {_told(facts)}"
    earlier = "/".join(str(int(facts[f"earlier_{k}"])) for k in ("wins", "draws", "losses"))
    chance = "/".join(str(int(facts[f"random_{k}"])) for k in ("wins", "draws", "losses"))
    return (
        f"iteration {int(facts['iteration']):>5}  against earlier {earlier:>11}  "
        f"random {chance:>9}  {_told(facts)}"
    )


def _tell_folds(runs: list[Run]) -> None:
    """Mean and spread of the held-out figures over folds."""
    import statistics

    found = [run.metrics()[-1] for run in runs if run.folder.name.startswith("fold-")]
    names = [name for name in found[0] if name.startswith("test_")] if found else []
    for name in names:
        figures = [facts[name] for facts in found if name in facts]
        if len(figures) > 1:
            mean, spread = statistics.mean(figures), statistics.stdev(figures)
            print(f"{name.removeprefix('test_'):<20} {mean:.4f} +- {spread:.4f} over folds")
