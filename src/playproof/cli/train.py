"""``playproof train``: teach a network by playing."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from playproof.cli.output import JsonOption, emit, note, progress
from playproof.core.errors import UsageError

if TYPE_CHECKING:
    from playproof.learning.runs import Run


def train(
    preset: Annotated[
        str, typer.Argument(metavar="PRESET", help="choko-ppo-v1, choko-ppo-v2 or choko-ppo-v3.")
    ] = "",
    out: Annotated[Path | None, typer.Option(help="The folder of the run.")] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Another setting than the preset's."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder.")
    ] = False,
    seed: Annotated[int | None, typer.Option(min=0, help="Short for --set seed=N.")] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Stop after so long; go on with --resume.")
    ] = None,
    checkpoint: Annotated[
        int, typer.Option(min=1, help="Iterations between two checkpoints.")
    ] = 25,
    as_json: JsonOption = False,
) -> None:
    """Train a network; a run that was stopped, even killed, goes on with --resume."""
    from playproof.learning.runs import NET, Run

    if out is None:
        raise UsageError("say where the run is kept: --out FOLDER")
    given = _changes(changes or [], seed)
    if resume:
        if given:
            raise UsageError("a run goes on with its own settings: leave --set and --seed away")
        run = Run.open(out)
    else:
        run = Run.begin(out, preset, given)
    size = run.settings.architecture().parameters
    note(f"{run.preset}: {size:,} parameters, seed {run.settings.seed}, in {out}")
    began = time.perf_counter()
    last = _go_on(run, seconds, checkpoint, as_json)
    done = int(last.get("iteration", 0))
    if as_json:
        emit({"preset": run.preset, "iterations": done, "of": run.settings.iterations, **last})
    note(
        f"{done:,} of {run.settings.iterations:,} iterations, {time.perf_counter() - began:.0f} s; "
        f"the network is net:{out / NET}"
    )


def _changes(texts: list[str], seed: int | None) -> dict[str, str]:
    changes = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name or not value:
            raise UsageError(f"--set {text}: want KEY=VALUE, as in --set rate=3e-4")
        changes[name.strip()] = value.strip()
    if seed is not None:
        changes["seed"] = str(seed)
    return changes


def _go_on(run: Run, seconds: float | None, checkpoint: int, as_json: bool) -> dict[str, Any]:
    """Run on, telling what is evaluated; the last metrics."""
    last: dict[str, Any] = {}
    until = None if seconds is None else time.monotonic() + seconds
    with progress(run.preset, "iterations") as update:

        def each(facts: dict[str, float]) -> None:
            last.clear()
            last.update(facts)
            update(int(facts["iteration"]), run.settings.iterations)
            if "earlier_wins" in facts and not as_json:
                print(_line(facts), flush=True)

        ppo = run.go_on(checkpoint_every=checkpoint, until=until, each=each)
    last.setdefault("iteration", ppo.iteration)
    return last


def _line(facts: dict[str, float]) -> str:
    """One line for an evaluation."""
    earlier = "/".join(str(int(facts[f"earlier_{k}"])) for k in ("wins", "draws", "losses"))
    chance = "/".join(str(int(facts[f"random_{k}"])) for k in ("wins", "draws", "losses"))
    return (
        f"iteration {int(facts['iteration']):>5}  against 10 earlier {earlier:>11}  "
        f"random {chance:>9}  entropy {facts['entropy']:.2f}  clipped {facts['clipped']:.1%}  "
        f"value loss {facts['value_loss']:.3f}"
    )
