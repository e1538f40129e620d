"""``playproof runs``: lists and compares training runs, packs and measures them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from playproof.cli.commands.runs_yardstick import measure_run
from playproof.cli.output import JsonOption, emit, note, table
from playproof.learning.columns import headline_figure
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.summary import differences, summarise_run
from playproof.learning.runs.transfer import export_run, import_run

if TYPE_CHECKING:
    from playproof.learning.runs.summary import RunSummary
    from playproof.learning.runs.transfer import Package

_DASH = "\N{EN DASH}"
_ROUGH = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))


class _ListByDefault(TyperGroup):
    """``playproof runs FOLDER`` lists, as ``playproof runs list FOLDER`` does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_ListByDefault,
    help="List and compare training runs (FOLDER...), move one to another machine, measure nets.",
)


@app.command("list")
def list_(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER...]", help="Where to look; by default here."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List training runs; two or more that are named are compared."""
    named = folders or [Path()]
    logs = [run_logs.inspect(path) for path in run_logs.find(named)]
    summaries = [summarise_run(log) for log in logs]
    compared = len(named) > 1 and all(run_logs.is_run(folder) for folder in named)
    differ = differences(logs) if compared else {}
    if as_json:
        emit({"runs": summaries, "differ": differ} if compared else {"runs": summaries})
        return
    if not summaries:
        note(f"no runs in {', '.join(map(str, named))} and {run_logs.DEPTH} folders below")
    elif compared:
        _compare(summaries, differ)
    else:
        _list(summaries)
    for log in logs:
        if log.fault:
            note(log.fault)


@app.command("export")
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the run.")],
    out: Annotated[Path, typer.Option(help="A new folder for the files to carry.")],
    nets: Annotated[
        bool, typer.Option("--nets", help="Also pack the nets that --keep has kept, in 16 bits.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Pack a run into files of at most 16 MB, to continue it on another machine."""
    package = export_run(run, out, nets=nets)
    if as_json:
        emit(_packed(package))
        return
    print(
        f"{package.preset} after {package.iteration:,} iterations: {len(package.files)} files, "
        f"{package.size / 1e6:.1f} MB, in {out}"
    )
    if package.note:
        note(package.note)


@app.command("import")
def import_(
    package: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder export wrote.")],
    out: Annotated[Path, typer.Option(help="The folder of the run.")],
    as_json: JsonOption = False,
) -> None:
    """Unpack a run; playproof train --resume --out RUN continues it."""
    unpacked = import_run(package, out)
    if as_json:
        emit(_packed(unpacked))
        return
    print(
        f"{unpacked.preset} after {unpacked.iteration:,} iterations, in {out}: go on with "
        f"playproof train --resume --out {out}"
    )


app.command("yardstick")(measure_run)


def _packed(package: Package) -> dict[str, Any]:
    return {
        "folder": str(package.folder), "preset": package.preset, "files": list(package.files),
        "iteration": package.iteration, "bytes": package.size, "whole": package.whole,
    }  # fmt: skip


# As tables


def _list(summaries: Sequence[RunSummary]) -> None:
    names = [headline_figure(run["algorithm"], run["figures"]) for run in summaries]
    shared = {name for name in names if name}  # a figure that all runs show is named in the header
    rows = []
    for run, name in zip(summaries, names, strict=True):
        figure = _number(run["figures"].get(name))
        seed = "" if run["seed"] is None else f", seed {run['seed']}"
        rows.append([
            _name(run), f"{run['preset'] or _DASH}\n{run['game']}{seed}",
            f"{run['iterations']:,} of {run['of']:,}\n{_state(run)}",
            "\n".join(f"{name} {text}" for name, text in _scores(run).items()) or _DASH,
            f"{_plain(name)}\n{figure}" if name and len(shared) > 1 else figure,
            _times(run),
        ])  # fmt: skip
    above = _plain(shared.pop()) if len(shared) == 1 else "figure"
    columns = ["run", "preset", "iterations", "score against, %", above, "time"]
    table("Runs", columns, rows, right="    r")


def _compare(summaries: Sequence[RunSummary], differ: dict[str, list[Any]]) -> None:
    names = [_name(run) for run in summaries]
    if differ:
        rows = [[name, *map(_setting, values)] for name, values in differ.items()]
        table("Settings that differ", ["", *names], rows)
    else:
        print("The settings are the same.")
    rows = [
        ["state", *map(_state, summaries)],
        ["iterations", *(f"{run['iterations']:,} of {run['of']:,}" for run in summaries)],
    ]
    scores = [_scores(run) for run in summaries]
    for name in dict.fromkeys(name for side in scores for name in side):
        rows.append([f"score against {name}, %", *(side.get(name, _DASH) for side in scores)])
    figures = [run["figures"] for run in summaries]
    for name in dict.fromkeys(name for side in figures for name in side):
        rows.append([_plain(name), *(_number(side.get(name)) for side in figures)])
    rows.append(["time spent", *(_duration(run["seconds_spent"]) for run in summaries)])
    rows.append(["time left", *(_duration(run["seconds_left"]) for run in summaries)])
    table("Figures", ["", *names], rows)


def _name(run: RunSummary) -> str:
    from rich.markup import escape

    return escape(run["run"])


def _plain(metric: str) -> str:
    return metric.replace("_", " ")


def _state(run: RunSummary) -> str:
    """The state of a run; an unfinished one may be in progress, so with the age of its files."""
    if run["state"] != "unfinished" or run["seconds_since"] is None:
        return str(run["state"])
    return f"unfinished, {_duration(run['seconds_since'])} ago"


def _scores(run: RunSummary) -> dict[str, str]:
    """The scores by opponent, such as ``99.5 [97, 100]``."""
    scores = {}
    for name, summary in (run["evaluation"] or {"scores": {}})["scores"].items():
        score, (lower, upper) = summary["score"], summary["interval"]
        if score is not None and lower is not None and upper is not None:
            scores[name] = f"{100 * score:.1f} [{100 * lower:.0f}, {100 * upper:.0f}]"
    return scores


def _times(run: RunSummary) -> str:
    times = {"spent": run["seconds_spent"], "left": run["seconds_left"] or None}
    lines = [
        f"{_duration(seconds)} {word}" for word, seconds in times.items() if seconds is not None
    ]
    return "\n".join(lines) or _DASH


def _setting(value: Any) -> str:
    if value is None:
        return _DASH
    return "/".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(value: float | None) -> str:
    return _DASH if value is None else f"{value:.3g}"


def _duration(seconds: float | None) -> str:
    """A duration, rounded: ``41 s``, ``12 min``, ``3.5 h``."""
    if seconds is None:
        return _DASH
    for unit, name in _ROUGH:
        if seconds >= 2 * unit:
            count = seconds / unit
            return f"{count:.1f} {name}" if count < 10 else f"{count:.0f} {name}"
    return f"{seconds:.0f} s"
