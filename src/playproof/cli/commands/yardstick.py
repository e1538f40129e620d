"""``playproof yardstick``: measures how far agents are from perfect, by phase of the game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.agents.registry import make_agent
from playproof.arena.evaluate_positions import checked_spec
from playproof.arena.yardstick import curve
from playproof.arena.yardstick.measure import ALL, measure
from playproof.arena.yardstick.positions import make_set, read, shipped
from playproof.arena.yardstick.sample import PHASES, sample, uncapped
from playproof.cli.match_options import WorkersOption, check_writable
from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    progress,
    settle_seed,
    table,
    write_text,
)
from playproof.core.errors import UsageError
from playproof.core.registry import make
from playproof.formats.record import read_text

if TYPE_CHECKING:
    from playproof.arena.yardstick.measure import YardstickReport
    from playproof.core.game import Game


def yardstick(
    game: GameArgument,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="The agents to measure.")
    ] = None,
    set_file: Annotated[
        Path | None, typer.Option("--set", help="A set of positions; the shipped one if not given.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Number of positions, evenly by phase; all if not given."),
    ] = None,
    workers: WorkersOption = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, max=10**7, help="Number of positions to write for the tables."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--make", metavar="ANSWERS", help="Make a set from the tables' answers."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where --sample and --make write to.")] = None,
    svg: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the results by the sizes of the agents' networks."),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how often agents keep the value of positions in which a move can throw it away."""
    if (bool(agents), sample is not None, answers is not None).count(True) != 1:
        raise UsageError("want one of: agents to measure, --sample N, --make ANSWERS")
    if out is None and not agents:
        raise UsageError("there is nowhere to write to: want --out FILE")
    if out is not None and agents:
        raise UsageError("--out is where --sample and --make write to: measuring takes --json")
    if svg is not None and not agents:
        raise UsageError("--svg draws the results of agents: name some, such as net:NAME")
    uncapped_game = uncapped(make(game))
    seed = settle_seed(seed)
    if agents:
        _measure(uncapped_game, agents, set_file, limit, workers, seed, svg, as_json)
    elif sample is not None and out is not None:
        _sample(uncapped_game, sample, seed, out)
    elif answers is not None and out is not None:
        _make(uncapped_game, answers, seed, out)


def _sample(game: Game, count: int, seed: int, out: Path) -> None:
    check_writable(out)
    with progress("playing", "positions") as bar:
        positions = sample(game, count, seed, bar)
    write_text(out, "".join(f"{position}\n" for position in positions))
    note(f"{len(positions):,} positions in {out}, seed {seed}")


def _make(game: Game, answers: Path, seed: int, out: Path) -> None:
    # Not splitlines, so that errors number the lines as an editor does.
    lines = read_text(answers).split("\n")
    check_writable(out)
    command = f"playproof yardstick {game.name} --make {answers.name} --seed {seed}"
    with progress("reading", "lines") as bar:
        positions = make_set(
            lines,
            game,
            seed=seed,
            provenance={"command": command},
            source=str(answers),
            on_progress=lambda done: bar(done, len(lines)),
        )
    positions.write(out)
    for phase, counts in positions.counts.items():
        print(f"{phase:<8} {counts['won']:5,} won  {counts['drawn']:5,} drawn")
    size = out.stat().st_size / 1000
    note(f"{len(positions.positions):,} critical positions in {out}, {size:,.0f} kB, seed {seed}")


def _measure(
    game: Game,
    agents: list[str],
    file: Path | None,
    limit: int | None,
    workers: int | None,
    seed: int,
    svg: Path | None,
    as_json: bool,
) -> None:
    if svg is not None:
        check_writable(svg)
    specs = [checked_spec(agent) for agent in agents]
    positions = shipped(game) if file is None else read(file)
    if positions.game != game:
        raise UsageError(f"{file} is a set of {positions.game.spec}, not of {game.spec}")
    # So that a wrong spec is reported before the first agent is asked.
    made = [make_agent(spec, game, seed=seed) for spec in specs]
    if svg is not None and not any(agent.options.get("net") for agent in made):
        raise UsageError(curve.NO_NETWORK)
    reports = []
    for spec in specs:
        with progress(spec, "positions") as bar:
            reports.append(
                measure(positions, spec, seed=seed, limit=limit, workers=workers, on_progress=bar)
            )
    if svg is not None:
        chart = curve.draw(f"{game.title}: the value kept, by the size of the network", reports)
        write_text(svg, chart.svg())
        note(f"picture in {svg}")
    if as_json:
        head = {"game": game.spec, "seed": seed, "made": positions.provenance}
        emit({**head, "agents": [report.to_json() for report in reports]})
    else:
        _print_reports(game, reports)
        note(f"seed {seed}")


def _print_reports(game: Game, reports: list[YardstickReport]) -> None:
    columns = (*PHASES, ALL)
    sized = any(report.parameters is not None for report in reports)
    rows = [
        [report.agent, *([_size(report)] if sized else []),
         *(str(report.phases[name].kept) for name in columns)]
        for report in reports
    ]  # fmt: skip
    phases = reports[0].phases
    shares = [phases[name].random for name in columns]
    by_chance = ["-" if s is None else f"{100 * s:.1f} %" for s in shares]
    rows.append(["(by chance)", *([""] if sized else []), *by_chance])
    count = phases[ALL].kept.positions
    title = f"{game.title}: the value kept in {count:,} critical positions"
    head = ["agent", *(["parameters"] if sized else []), *columns]
    table(title, head, rows, right="lrrrrr")
    for report in reports:
        all_phases = report.phases[ALL]
        print(f"{report.agent}: keeps a win {all_phases.wins}, a draw {all_phases.draws}")


def _size(report: YardstickReport) -> str:
    return "-" if report.parameters is None else f"{report.parameters:,}"
