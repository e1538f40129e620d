"""``playproof yardstick``: how far players are from perfect, by phase of the game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.agents.registry import make_agent
from playproof.arena.evaluate_positions import checked_spec
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
    from playproof.arena.yardstick.positions import Yardstick
    from playproof.core.game import Game


def yardstick(
    game: GameArgument,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="Who is measured.")
    ] = None,
    set_file: Annotated[
        Path | None, typer.Option("--set", help="A set of positions; the shipped one if not given.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="So many positions, evenly by phase; all if none.")
    ] = None,
    workers: WorkersOption = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, max=10**7, help="Write so many positions to ask the tables about."),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option("--make", metavar="ANSWERS", help="Make a set from the tables' answers."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Where --sample and --make write to.")] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how often agents keep what a position is worth, where a move can throw it away."""
    if (bool(agents), sample is not None, answers is not None).count(True) != 1:
        raise UsageError("want one of: agents to measure, --sample N, --make ANSWERS")
    if out is None and not agents:
        raise UsageError("there is nowhere to write to: want --out FILE")
    if out is not None and agents:
        raise UsageError("--out is where --sample and --make write to: measuring takes --json")
    made = uncapped(make(game))
    seed = settle_seed(seed)
    if agents:
        _measure(made, agents, set_file, limit, workers, seed, as_json)
    elif sample is not None and out is not None:
        _sample(made, sample, seed, out)
    elif answers is not None and out is not None:
        _make(made, answers, seed, out)


def _sample(game: Game, count: int, seed: int, out: Path) -> None:
    check_writable(out)
    with progress("playing", "positions") as bar:
        positions = sample(game, count, seed, bar)
    write_text(out, "".join(f"{position}\n" for position in positions))
    note(f"{len(positions):,} positions in {out}, seed {seed}")


def _make(game: Game, answers: Path, seed: int, out: Path) -> None:
    # Not splitlines: an error names the line as an editor counts it.
    lines = read_text(answers).split("\n")
    check_writable(out)
    command = f"playproof yardstick {game.name} --make {answers.name} --seed {seed}"
    with progress("reading", "lines") as bar:
        found = make_set(
            lines,
            game,
            seed=seed,
            made={"command": command},
            source=str(answers),
            progress=lambda done: bar(done, len(lines)),
        )
    found.write(out)
    for phase, counts in found.counts.items():
        print(f"{phase:<8} {counts['won']:5,} won  {counts['drawn']:5,} drawn")
    size = out.stat().st_size / 1000
    note(f"{len(found.positions):,} critical positions in {out}, {size:,.0f} kB, seed {seed}")


def _measure(
    game: Game,
    agents: list[str],
    file: Path | None,
    limit: int | None,
    workers: int | None,
    seed: int,
    as_json: bool,
) -> None:
    specs = [checked_spec(agent) for agent in agents]
    found = shipped(game) if file is None else read(file)
    if found.game != game:
        raise UsageError(f"{file} is a set of {found.game.spec}, not of {game.spec}")
    for spec in specs:  # the last one's mistake is told before the first one is asked
        make_agent(spec, game, seed=seed)
    results = []
    for spec in specs:
        with progress(spec, "positions") as bar:
            results.append(
                measure(found, spec, seed=seed, limit=limit, workers=workers, progress=bar)
            )
    if as_json:
        told = {"game": game.spec, "seed": seed, "made": found.made}
        emit({**told, "agents": [result.to_json() for result in results]})
    else:
        _show(found, results)
        note(f"seed {seed}")


def _show(found: Yardstick, results: list[YardstickReport]) -> None:
    columns = (*PHASES, ALL)
    rows = [
        [result.agent, *(str(result.parts[name].kept) for name in columns)] for result in results
    ]
    parts = results[0].parts
    shares = [parts[name].random for name in columns]
    rows.append(["(by chance)", *("-" if s is None else f"{100 * s:.1f} %" for s in shares)])
    asked = parts[ALL].kept.positions
    title = f"{found.game.title}: the value kept in {asked:,} critical positions"
    table(title, ["agent", *columns], rows, right="lrrrr")
    for result in results:
        whole = result.parts[ALL]
        print(f"{result.agent}: keeps a win {whole.wins}, a draw {whole.draws}")
