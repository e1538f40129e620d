"""``playproof runs yardstick``: the learning curve of a run's nets, against exact values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.cli.match_options import WorkersOption
from playproof.cli.output import JsonOption, emit, note, progress, table
from playproof.core.errors import UsageError
from playproof.core.files.atomic_write import write_atomically
from playproof.formats.svg.theme import PAPERS

if TYPE_CHECKING:
    from playproof.learning.net_curve.report import NetCurveReport, NetResult

REPORT, PICTURE = "yardstick.json", "yardstick.svg"
_DASH = "\N{EN DASH}"


def measure_run(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the run.")],
    simulations: Annotated[
        list[int] | None,
        typer.Option(
            min=1, metavar="N", help="Also measure a search with N simulations; may be repeated."
        ),
    ] = None,
    positions: Annotated[
        int | None,
        typer.Option(min=1, help="Number of positions, evenly by phase; all if not given."),
    ] = None,
    set_file: Annotated[
        Path | None, typer.Option("--set", help="A set of positions; the shipped one if not given.")
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Each net plays this agent too; may be repeated."),
    ] = None,
    games: Annotated[int, typer.Option(min=2, help="Games against each agent.")] = 100,
    openings: Annotated[
        str, typer.Option(help="random:plies=6,balance=0.3, or a file of openings.")
    ] = "random:plies=6,balance=0.3",
    match_every: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="Only nets of every N-th iteration play, and the last one."
        ),
    ] = 1,
    device: Annotated[str, typer.Option(help="cpu, or cuda for residual networks.")] = "cpu",
    workers: WorkersOption = 1,
    theme: Annotated[str, typer.Option(help="Of the picture: light or dark.")] = "light",
    seed: Annotated[
        int, typer.Option(min=0, max=2**63 - 1, help="Of positions, searches and openings.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Measure the nets that a run keeps by solved positions; the same command goes on."""
    from playproof.arena.yardstick.positions import read
    from playproof.learning.net_curve.chart import chart
    from playproof.learning.net_curve.measure import NetCurveConfig, measure_nets
    from playproof.learning.net_curve.report import NetCurveReport

    if theme not in PAPERS:
        raise UsageError(f"--theme {theme}: want light or dark")
    config = NetCurveConfig(
        simulations=tuple(simulations or ()), positions=positions, seed=seed,
        against=tuple(against or ()), games=games, openings=openings, match_every=match_every,
        device=device, workers=workers,
    )  # fmt: skip
    yardstick = None if set_file is None else read(set_file)
    with progress("measuring") as bar:
        curve = measure_nets(
            run, config, yardstick=yardstick, on_progress=lambda _, done, total: bar(done, total)
        )
    report = NetCurveReport(curve)
    write_atomically(run / REPORT, json.dumps(report.to_json(), indent=1).encode() + b"\n")
    chart(report, theme).save(run / PICTURE)
    if as_json:
        emit(report.to_json())
        return
    _print_results(report)
    _print_stages(report)
    note(f"seed {seed}; {run / REPORT} has all figures, {run / PICTURE} the curves")


def _print_results(report: NetCurveReport) -> None:
    from playproof.arena.yardstick.measure import ALL
    from playproof.arena.yardstick.sample import PHASES
    from playproof.learning.net_curve.measure import POLICY
    from playproof.learning.net_curve.report import player_name

    curve = report.curve
    searches = [player for player in curve.kept if player != POLICY]
    columns = ["iteration", "minutes", *PHASES, ALL]
    columns += [player_name(player) for player in searches]
    columns += [f"against {opponent}" for opponent in curve.matches]
    rows = []
    for result in report.results:
        phases = result.kept[POLICY]
        rows.append([
            f"{result.iteration:,}",
            _DASH if result.minutes is None else f"{result.minutes:.1f}",
            *(_percent(phases[phase].kept.mean) for phase in PHASES),
            str(phases[ALL].kept),
            *(str(result.kept[player][ALL].kept) for player in searches),
            *(_games(result, opponent) for opponent in curve.matches),
        ])  # fmt: skip
    count = len(curve.positions)
    title = f"{curve.log.preset}: the value kept by the policy in {count:,} critical positions"
    table(title, columns, rows, right="r" * len(columns))


def _games(result: NetResult, opponent: str) -> str:
    score = result.scores.get(opponent)
    if score is None:
        return _DASH
    counts = f"{score.wins}/{score.draws}/{score.losses}"
    ends = _DASH.join(_percent(end).removesuffix(" %") for end in score.interval())
    return f"{counts}, {_percent(score.mean)} ({ends})"


def _print_stages(report: NetCurveReport) -> None:
    from playproof.learning.net_curve.measure import POLICY
    from playproof.learning.net_curve.stages import LEVELS

    columns = ["position", "number", "by chance", "first", "last"]
    columns += [*(f"{100 * level:.0f} % from" for level in LEVELS), "half the gain from"]
    rows = [
        [
            f"{stage.group.aspect}: {stage.group.name}", f"{stage.positions:,}",
            *map(_percent, (stage.chance, stage.shares[0], stage.shares[-1])),
            *(_DASH if one is None else f"{one:,}" for one in (*stage.reached, stage.half)),
        ]
        for stage in report.stages[POLICY]
    ]  # fmt: skip
    table("What the policy learns, first to last", columns, rows, right=" rrrrrrr")


def _percent(share: float | None) -> str:
    return _DASH if share is None else f"{100 * share:.1f} %"
