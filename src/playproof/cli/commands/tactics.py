"""``playproof tactics``: tests whether agents see a secure capture, an evasion, a sacrifice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.agents.registry import make_agent
from playproof.arena.evaluate_positions import checked_spec
from playproof.arena.tactics.make import make_tactics
from playproof.arena.tactics.measure import measure
from playproof.arena.tactics.positions import checked_families, playable, read, shipped
from playproof.cli.match_options import check_writable
from playproof.cli.output import (
    GameArgument,
    JsonOption,
    SeedOption,
    emit,
    note,
    progress,
    settle_seed,
)
from playproof.cli.tactics_report import draw, print_reports
from playproof.core.errors import UsageError
from playproof.core.registry import make as make_game
from playproof.tables.choko.game import open_source
from playproof.tables.choko.store import default_folder

if TYPE_CHECKING:
    from playproof.arena.tactics.positions import Tactics
    from playproof.core.game import Game


def tactics(
    game: GameArgument,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="The agents to test.")
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            help="secure-capture, evasion, capture-and-defend, sacrifice-and-fork or paper; more "
            "than once for several; all if not given."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Number of positions, evenly by family; all if not given."),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Draw the positions, with what is right in them.")
    ] = False,
    set_file: Annotated[
        Path | None, typer.Option("--set", help="A set of tactics; the shipped one if not given.")
    ] = None,
    workers: Annotated[
        int,
        typer.Option(min=1, max=4096, help="Processes; a single one asks about 1,024 at once."),
    ] = 1,
    make: Annotated[
        Path | None, typer.Option("--make", metavar="FILE", help="Make a set from tables.")
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(help="The folder of the tables for --make; in the data folder if not given."),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask agents for the right move in positions that tactics decide, as in the ChokoZero paper."""
    if make is not None and (agents or show or family or limit or set_file):
        raise UsageError("--make FILE writes a set: it takes --tables and --seed, nothing else")
    if make is None and not agents and not show:
        raise UsageError("want one of: agents to test, --show, --make FILE")
    if tables is not None and make is None:
        raise UsageError("--tables is for --make FILE: testing agents needs no tables")
    if show and as_json:
        raise UsageError("--show draws, --json does not: want one of them")
    playable_game = playable(make_game(game))
    families = checked_families(family or ())
    seed = settle_seed(seed)
    if make is not None:
        _make(make, tables, seed)
        return
    tactics_set = shipped() if set_file is None else read(set_file)
    _measure(
        playable_game, tactics_set, agents or [], families, limit, show, workers, seed, as_json
    )


def _make(out: Path, folder: Path | None, seed: int) -> None:
    store = open_source(folder or default_folder(lone_jump=False), lone_jump=False)
    check_writable(out)
    command = f"playproof tactics choko --make FILE --tables DIR --seed {seed}"
    with progress("tactics", "positions") as bar:
        tactics_set = make_tactics(
            store, seed=seed, provenance={"command": command}, on_progress=bar
        )
    tactics_set.write(out)
    for name, positions in tactics_set.families.items():
        won = sum(one.value > 0 for one in positions)
        print(f"{name:<18} {won:5,} won  {len(positions) - won:5,} drawn")
    for one in tactics_set.paper:
        print(f"{one.figure.name:<18} {one.critical.position}")
    note(f"{out}, {out.stat().st_size / 1000:,.0f} kB, seed {seed}")


def _measure(
    game: Game,
    tactics_set: Tactics,
    agents: list[str],
    families: tuple[str, ...],
    limit: int | None,
    show: bool,
    workers: int,
    seed: int,
    as_json: bool,
) -> None:
    specs = [checked_spec(agent) for agent in agents]
    for spec in specs:  # so that a wrong spec is reported before the first agent is asked
        make_agent(spec, game, seed=seed)
    reports = []
    for spec in specs:
        with progress(spec, "positions") as bar:
            reports.append(
                measure(
                    tactics_set, spec, game=game, families=families, limit=limit,
                    seed=seed, workers=workers, on_progress=bar,
                )
            )  # fmt: skip
    if as_json:
        head = {"game": game.spec, "seed": seed, "made": tactics_set.provenance}
        emit({**head, "agents": [report.to_json() for report in reports]})
        return
    if show:
        draw(game, tactics_set, reports, families=families, limit=limit, seed=seed)
    if reports:
        print_reports(reports)
    note(f"seed {seed}")
