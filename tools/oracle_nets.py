"""Trains nets of several sizes on the solved game at the same time, for the package.

    python tools/oracle_nets.py --out DIR --device cuda --seconds 400

solves Choko in memory, measures for a while how fast all nets learn together, gives them as many
iterations as fit into the rest of the time, trains them on the same labelled positions, and writes
to DIR:

``NAME.safetensors``  each net, in 16 bits
``report.json``       its settings, the metrics of its evaluations, and the speeds

``--start DIR`` goes on from the nets of an earlier leg.  ``--set KEY=VALUE`` changes a setting of
all presets: ``--set tables=DIR`` reads tables instead of solving.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playproof.core.errors import PlayproofError, UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.learning import presets
from playproof.learning.algorithms.distillation.held_out import JudgedMoves
from playproof.learning.algorithms.distillation.learner import Distillation
from playproof.learning.algorithms.distillation.settings import DistillationSettings
from playproof.learning.algorithms.distillation.speed import LearningSpeed
from playproof.learning.algorithms.distillation.truth import open_truth
from playproof.learning.learner import Learner
from playproof.learning.registry import find
from playproof.learning.runs.run import NET, Run
from playproof.learning.setting import apply_changes, format_setting
from playproof.nets import files

_MARGIN = 0.92  # of the time is planned; evaluations take the rest
_LAST = 15.0  # seconds for the last evaluations and for writing
_EVALUATIONS = 8  # of a run, about


@dataclass(frozen=True)
class Plan:
    """What is trained: the nets by name, with the changes to their presets."""

    names: tuple[str, ...]
    changes: dict[str, str]
    start: Path | None
    device: str

    def changes_of(self, name: str) -> dict[str, str]:
        if self.start is None:
            return self.changes
        return {**self.changes, "start": str(self.start / f"{name}.safetensors")}

    def settings_of(self, name: str) -> DistillationSettings:
        settings = apply_changes(presets.find(name).settings, self.changes_of(name))
        if not isinstance(settings, DistillationSettings):
            raise UsageError(f"{name} does not learn from tables: want a preset that does")
        settings.check()
        return settings


def main(words: Sequence[str] | None = None) -> None:
    args = _arguments(words)
    names = tuple(args.presets or find("distillation").presets)
    changes = {**dict(_change(text) for text in args.set or []), "seed": str(args.seed)}
    plan = Plan(names, changes, args.start, args.device)
    settings = {name: plan.settings_of(name) for name in names}
    started = time.perf_counter()
    truth = open_truth(next(iter(settings.values())), args.device)
    solving = time.perf_counter() - started
    _say(f"{len(truth.slices)} slices, {truth.sizes.sum():,.0f} positions after {solving:.0f} s")
    speed = measure(plan, args.calibrate)
    steps = next(iter(settings.values())).steps_per_iteration
    left = args.seconds - _LAST - (time.perf_counter() - started)
    if left <= 0:
        raise UsageError(f"--seconds {args.seconds:.0f} leave no time to learn: want more")
    iterations = max(1, int(_MARGIN * left * speed / steps))
    _say(
        f"{speed:,.0f} positions/s: {iterations} iterations of {steps:,} positions in {left:.0f} s"
    )
    plan = replace(plan, changes={
        **plan.changes, "iterations": str(iterations),
        "evaluate_every": str(max(1, iterations // _EVALUATIONS)),
    })  # fmt: skip
    report = train(plan, left, args.out)
    report |= {"solving_seconds": solving, "measured_positions_per_second": speed}
    write_atomically(args.out / "report.json", json.dumps(report, indent=1).encode() + b"\n")
    _say(f"everything after {time.perf_counter() - started:.0f} s, in {args.out}")


def measure(plan: Plan, seconds: float) -> float:
    """Positions per second that each net learns from while all of them learn.

    The first third of the time does not count: blocks are prepared and graphs recorded then."""
    endless = replace(
        plan, changes={**plan.changes, "iterations": "1000000", "evaluate_every": "0"}
    )
    learners = [Distillation(endless.settings_of(one), device=plan.device) for one in plan.names]
    counts: list[tuple[float, int]] = []
    end = time.perf_counter() + seconds

    def learn(learner: Distillation) -> None:
        try:
            while time.perf_counter() < end:
                learner.iterate(lambda: time.perf_counter() >= end)
        finally:  # or the others would wait for this one
            learner.close()

    def watch() -> None:
        time.sleep(seconds / 3)
        counts.append((time.perf_counter(), min(one.positions_learned for one in learners)))

    together([*(lambda one=one: learn(one) for one in learners), watch])  # type: ignore[misc]
    counts.append((time.perf_counter(), min(one.positions_learned for one in learners)))
    (first, before), (last, after) = counts
    if after == before:
        raise PlayproofError(
            f"nothing was learned in {seconds:.0f} s: want more seconds for --calibrate"
        )
    return (after - before) / (last - first)


def train(plan: Plan, seconds: float, out: Path) -> dict[str, Any]:
    """Train all nets at once, write them to ``out``; what the report says of them."""
    out.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:

        def one(name: str) -> None:
            results[name] = train_one(plan, name, Path(folder), out, end)

        together([lambda name=name: one(name) for name in plan.names])  # type: ignore[misc]
    return {"nets": {name: results[name] for name in plan.names}}


def train_one(plan: Plan, name: str, folder: Path, out: Path, end: float) -> dict[str, Any]:
    """Train a net until ``end`` (a monotonic time) at the latest, and write it to ``out``."""
    run = Run.create(folder / name, name, plan.changes_of(name))
    learners: list[Distillation] = []
    speeds: list[LearningSpeed] = []

    def start(learner: Learner) -> None:
        assert isinstance(learner, Distillation)
        learners.append(learner)
        speeds.append(LearningSpeed(learner))

    def show(metrics: dict[str, float]) -> None:
        if "held_out_all" in metrics:
            yardstick = metrics.get("kept", float("nan"))
            _say(
                f"{name}, iteration {metrics['iteration']:.0f}: held out "
                f"{metrics['held_out_all']:.2%}, yardstick {yardstick:.2%}, policy loss "
                f"{metrics['policy_loss']:.4f}, {speeds[0]}"
            )

    try:
        run.resume(
            checkpoint_every=1 << 30, stopped=lambda: time.monotonic() >= end,
            device=plan.device, on_start=start, on_iteration=show,
        )  # fmt: skip
        (learner,), (speed,) = learners, speeds
        positions, waiting = speed.positions, speed.waiting
    finally:
        for one in learners:  # or the other nets would wait for this one
            one.close()
    evaluation = learner.evaluation()
    net = files.load(run.folder / NET)
    net = replace(net, metadata={**net.metadata, "positions": learner.positions_learned})
    files.save(net, out / f"{name}.safetensors", half=True)
    settings = {key: format_setting(value) for key, value in vars(run.settings).items()}
    return {
        "parameters": learner.architecture.parameters, "settings": settings,
        "iterations": learner.iteration, "positions": learner.positions_learned,
        "positions_per_second": positions, "waiting": waiting,
        "chance": held_out_chance(learner), "final": evaluation, "metrics": run.metrics(),
    }  # fmt: skip


def held_out_chance(learner: Distillation) -> float:
    """The share of held-out critical positions in which a random move keeps the result."""
    return JudgedMoves.of(learner.held_out).chance


def together(jobs: Sequence[Callable[[], None]]) -> None:
    """Run functions in threads, and raise the first error of any."""
    errors: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def _change(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise UsageError(f"--set {text}: want KEY=VALUE, as in --set rate=3e-4")
    return name, value


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("presets", nargs="*", help="what to train; the four oracles if not given")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=400.0, help="of everything")
    parser.add_argument("--calibrate", type=float, default=30.0, help="seconds to measure speed")
    parser.add_argument("--start", type=Path, help="the folder of an earlier leg's nets")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


if __name__ == "__main__":
    try:
        main()
    except PlayproofError as error:
        sys.exit(f"error: {error}")
