"""``playproof tactics``: do agents see a secure capture, an evasion, a sacrifice?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from playproof.agents.registry import make_agent
from playproof.arena.evaluate_positions import checked_spec
from playproof.arena.tactics.make import make_tactics
from playproof.arena.tactics.measure import measure
from playproof.arena.tactics.positions import checked_families, playable, read, shipped
from playproof.cli import tactics_report as tactics_told
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
from playproof.core.errors import UsageError
from playproof.core.registry import make as make_game
from playproof.tables.choko.game import open_store
from playproof.tables.choko.store import default_folder

if TYPE_CHECKING:
    from playproof.arena.tactics.positions import Tactics
    from playproof.core.game import Game


def tactics(
    game: GameArgument,
    agents: Annotated[
        list[str] | None, typer.Argument(metavar="AGENT", help="Who is tested.")
    ] = None,
    family: Annotated[
        list[str] | None,
        typer.Option(
            help="secure-capture, evasion, capture-and-defend, sacrifice-and-fork or paper; more "
            "than once for several; all if not given."
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="So many positions, evenly by family; all if none.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Draw the positions, with what is right in them.")
    ] = False,
    set_file: Annotated[
        Path | None, typer.Option("--set", help="A set of tactics; the shipped one if not given.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=4096, help="Processes; one asks a thousand at once.")
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
    """Ask agents for the right move where tactics decide, as in the ChokoZero paper."""
    if make is not None and (agents or show or family or limit or set_file):
        raise UsageError("--make FILE writes a set: it takes --tables and --seed, nothing else")
    if make is None and not agents and not show:
        raise UsageError("want one of: agents to test, --show, --make FILE")
    if tables is not None and make is None:
        raise UsageError("--tables is for --make FILE: the set that is asked about needs none")
    if show and as_json:
        raise UsageError("--show draws, --json does not: want one of them")
    made = playable(make_game(game))
    families = checked_families(family or ())
    seed = settle_seed(seed)
    if make is not None:
        _make(make, tables, seed)
        return
    found = shipped() if set_file is None else read(set_file)
    _measure(made, found, agents or [], families, limit, show, workers, seed, as_json)


def _make(out: Path, folder: Path | None, seed: int) -> None:
    store = open_store(folder or default_folder(lone_jump=False), lone_jump=False)
    check_writable(out)
    command = f"playproof tactics choko --make FILE --tables DIR --seed {seed}"
    with progress("tactics", "positions") as bar:
        found = make_tactics(store, seed=seed, made={"command": command}, progress=bar)
    found.write(out)
    for name, positions in found.families.items():
        won = sum(one.value > 0 for one in positions)
        print(f"{name:<18} {won:5,} won  {len(positions) - won:5,} drawn")
    for one in found.paper:
        print(f"{one.figure.name:<18} {one.critical.position}")
    note(f"{out}, {out.stat().st_size / 1000:,.0f} kB, seed {seed}")


def _measure(
    game: Game,
    found: Tactics,
    agents: list[str],
    families: tuple[str, ...],
    limit: int | None,
    show: bool,
    workers: int,
    seed: int,
    as_json: bool,
) -> None:
    specs = [checked_spec(agent) for agent in agents]
    for spec in specs:  # the last one's mistake is told before the first one is asked
        make_agent(spec, game, seed=seed)
    results = []
    for spec in specs:
        with progress(spec, "positions") as bar:
            results.append(
                measure(
                    found, spec, game=game, families=families, limit=limit,
                    seed=seed, workers=workers, progress=bar,
                )
            )  # fmt: skip
    if as_json:
        told = {"game": game.spec, "seed": seed, "made": found.made}
        emit({**told, "agents": [result.to_json() for result in results]})
        return
    if show:
        tactics_told.draw(game, found, results, families=families, limit=limit, seed=seed)
    if results:
        tactics_told.tell(results)
    note(f"seed {seed}")
