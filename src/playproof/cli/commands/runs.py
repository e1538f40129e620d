"""``playproof runs``: what was trained, how far it has come, how runs differ; and runs packed to
go on on another machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from playproof.cli.output import JsonOption, emit, note, table
from playproof.learning.columns import listed
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.summary import differences, facts_of
from playproof.learning.runs.transfer import export_run, import_run

if TYPE_CHECKING:
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
    help="List and compare runs of training (FOLDER...), or pack one to go on elsewhere.",
)


@app.command("list")
def list_(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER...]", help="Where to look; here if not given."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List runs of training; two or more named ones are compared."""
    named = folders or [Path()]
    logs = [run_logs.look(path) for path in run_logs.find(named)]
    facts = [facts_of(log) for log in logs]
    compared = len(named) > 1 and all(run_logs.is_run(folder) for folder in named)
    differ = differences(logs) if compared else {}
    if as_json:
        emit({"runs": facts, "differ": differ} if compared else {"runs": facts})
        return
    if not facts:
        note(f"no runs in {', '.join(map(str, named))} and {run_logs.DEPTH} folders below")
    elif compared:
        _compare(facts, differ)
    else:
        _list(facts)
    for log in logs:
        if log.fault:
            note(log.fault)


@app.command("export")
def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the run.")],
    out: Annotated[Path, typer.Option(help="A new folder for the files to carry.")],
    as_json: JsonOption = False,
) -> None:
    """Pack a run into few files of at most 16 MB, to go on on another machine."""
    package = export_run(run, out)
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
    package: Annotated[Path, typer.Argument(metavar="FOLDER", help="What export has written.")],
    out: Annotated[Path, typer.Option(help="The folder of the run.")],
    as_json: JsonOption = False,
) -> None:
    """Unpack a run; playproof train --resume --out RUN goes on with it."""
    unpacked = import_run(package, out)
    if as_json:
        emit(_packed(unpacked))
        return
    print(
        f"{unpacked.preset} after {unpacked.iteration:,} iterations, in {out}: go on with "
        f"playproof train --resume --out {out}"
    )


def _packed(package: Package) -> dict[str, Any]:
    return {
        "folder": str(package.folder), "preset": package.preset, "files": list(package.files),
        "iteration": package.iteration, "bytes": package.size, "whole": package.whole,
    }  # fmt: skip


# As tables


def _list(facts: list[dict[str, Any]]) -> None:
    names = [listed(run["algorithm"], run["figures"]) for run in facts]
    shared = {name for name in names if name}  # one figure for all is said once, above them
    rows = []
    for run, name in zip(facts, names, strict=True):
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


def _compare(facts: list[dict[str, Any]], differ: dict[str, list[Any]]) -> None:
    names = [_name(run) for run in facts]
    if differ:
        rows = [[name, *map(_setting, values)] for name, values in differ.items()]
        table("Settings that differ", ["", *names], rows)
    else:
        print("The settings are the same.")
    rows = [
        ["state", *map(_state, facts)],
        ["iterations", *(f"{run['iterations']:,} of {run['of']:,}" for run in facts)],
    ]
    scores = [_scores(run) for run in facts]
    for name in dict.fromkeys(name for side in scores for name in side):
        rows.append([f"score against {name}, %", *(side.get(name, _DASH) for side in scores)])
    figures = [run["figures"] for run in facts]
    for name in dict.fromkeys(name for side in figures for name in side):
        rows.append([_plain(name), *(_number(side.get(name)) for side in figures)])
    for name, title in (("seconds_spent", "time spent"), ("seconds_left", "time left")):
        rows.append([title, *(_duration(run[name]) for run in facts)])
    table("Figures", ["", *names], rows)


def _name(run: dict[str, Any]) -> str:
    from rich.markup import escape

    return escape(run["run"])


def _plain(metric: str) -> str:
    return metric.replace("_", " ")


def _state(run: dict[str, Any]) -> str:
    """An unfinished run says when it last moved: it may be going on."""
    if run["state"] != "unfinished" or run["seconds_since"] is None:
        return str(run["state"])
    return f"unfinished, {_duration(run['seconds_since'])} ago"


def _scores(run: dict[str, Any]) -> dict[str, str]:
    """``99.5 [97, 100]`` for each opponent."""
    evaluation = run["evaluation"] or {"scores": {}}
    found = {}
    for name, told in evaluation["scores"].items():
        if told["score"] is not None:
            lower, upper = (100 * end for end in told["interval"])
            found[name] = f"{100 * told['score']:.1f} [{lower:.0f}, {upper:.0f}]"
    return found


def _times(run: dict[str, Any]) -> str:
    told = {"spent": run["seconds_spent"], "left": run["seconds_left"] or None}
    lines = [
        f"{_duration(seconds)} {word}" for word, seconds in told.items() if seconds is not None
    ]
    return "\n".join(lines) or _DASH


def _setting(value: Any) -> str:
    if value is None:
        return _DASH
    return "/".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(value: float | None) -> str:
    return _DASH if value is None else f"{value:.3g}"


def _duration(seconds: float | None) -> str:
    """``41 s``, ``12 min``, ``3.5 h``: roughly, as a person would say it."""
    if seconds is None:
        return _DASH
    for unit, name in _ROUGH:
        if seconds >= 2 * unit:
            count = seconds / unit
            return f"{count:.1f} {name}" if count < 10 else f"{count:.0f} {name}"
    return f"{seconds:.0f} s"
