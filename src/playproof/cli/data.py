"""``playproof data``: games in PGN made into positions to learn from."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from playproof.cli.output import JsonOption, SeedOption, emit, note, progress, settle_seed, table

app = typer.Typer(
    help="Make positions to learn from out of games of chess (PGN), and look at them.",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that data build made.")]

# Of Reinforcement Learning in Chess (Chu, Li and Loh).
_PAPER = {
    "games": "1,183,411",
    "White won": "34.4 %",
    "drawn": "40.1 %",
    "Black won": "25.4 %",
    "positions": "5,000,000",
    "test positions, fold 0": "1,000,000",
}


@app.command("build")
def build(
    games: Annotated[
        list[Path],
        typer.Argument(metavar="GAMES...", help="Files in PGN, plain or .gz .bz2 .xz .zst .zip."),
    ],
    out: Annotated[Path, typer.Option(help="The folder to make, or to finish.")],
    sample: Annotated[float, typer.Option(help="The share of positions that are taken.")] = 0.2,
    folds: Annotated[int, typer.Option(min=1, max=255, help="Parts of the split.")] = 5,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Processes; all cores if not given.")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Sample positions from games, split by game and stratified by result."""
    from playproof.learning.position_build import Wishes
    from playproof.learning.position_build import build as make

    seed = _seed_of(out) if seed is None else seed
    wishes = Wishes(tuple(games), sample, settle_seed(seed), folds)
    note(f"seed {wishes.seed}")
    began = time.perf_counter()
    with progress("reading", "games") as update:
        facts = make(wishes, out, workers=workers, tell=lambda read, total: update(read, total))
    seconds = time.perf_counter() - began
    note(f"{sum(facts['games_read']):,} games in {seconds:.1f} s, positions in {out}")
    _tell(facts, as_json)


@app.command("stats")
def stats(folder: Folder, as_json: JsonOption = False) -> None:
    """What is in a folder of positions, beside the paper's figures."""
    from playproof.learning.positions import Positions

    _tell(Positions(folder).facts, as_json)


@app.command("show")
def show(
    folder: Folder,
    position: Annotated[int, typer.Option(min=0, help="Which position, from 0.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Draw one position, with its move and value."""
    import sys

    from playproof.formats import terminal
    from playproof.learning.packed import IS_SHARED
    from playproof.learning.positions import Positions

    data = Positions(folder)
    state = data.state(position)
    kept = data.array[position]
    facts = {
        "position": state.position,
        "action": int(kept["action"]),
        "move": state.game.san(state, int(kept["action"])),  # type: ignore[attr-defined]
        "value": int(kept["value"]),
        "file": data.facts["files"][int(kept["source"])],
        "game": int(kept["game"]) + 1,
        "ply": int(kept["ply"]),
        "fold": int(kept["fold"]),
        "shared": bool(kept["flags"] & IS_SHARED),
    }
    if as_json:
        emit(facts)
        return
    out = sys.stdout
    colour, signs = terminal.wants_colour(out), terminal.wants_unicode(out)
    print(terminal.render(state.view(), colour=colour, unicode=signs))
    value = {1: "won", 0: "drawn", -1: "lost"}[int(kept["value"])]
    print(f"Played: {facts['move']} (action {facts['action']}); {value} for the side to move")
    known = ", its board occurs in another fold" if facts["shared"] else ""
    game = f"{facts['file']}, game {facts['game']}, ply {facts['ply']}"
    print(f"From {game}; fold {facts['fold']}{known}")
    print(f"Position: {state.position}")


def _seed_of(out: Path) -> int | None:
    """The seed of a build that was begun there, so that the same command finishes it."""
    import json

    try:
        seed = json.loads((out / "plan.json").read_text(encoding="utf-8"))["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seed if isinstance(seed, int) else None


def _tell(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(facts)
        return
    games = facts["games"]

    def share(name: str) -> str:
        return f"{facts[name] / games:.1%}".replace("%", " %") if games else "-"

    first = facts["by_fold"][0]
    ours = {
        "games": f"{games:,}",
        "White won": share("white"),
        "drawn": share("drawn"),
        "Black won": share("black"),
        "plies": f"{facts['plies']:,}",
        "sample": f"{facts['sample']:g}",
        "positions": f"{facts['positions']:,}",
        "distinct boards": f"{facts['distinct_boards']:,}",
        "boards in two folds, positions": f"{facts['shared']:,}",
        "folds": str(facts["folds"]),
        "positions, fold 0": f"{first['positions']:,}",
        "test positions, fold 0": f"{first['test']:,}",
        "rejected games": f"{facts['rejected']:,}",
    }
    paper = {**_PAPER, "sample": "0.2", "folds": "5"}
    rows = [[name, value, paper.get(name, "")] for name, value in ours.items()]
    table("Positions from games", ["", "here", "the paper"], rows, right=" rr")
    for reason, count in facts["reasons"].items():
        print(f"rejected: {reason}: {count:,}")
    for line in facts["first_rejected"]:
        print(f"  {line}")
    if facts["rejected"] > len(facts["first_rejected"]):
        print("  … all are in rejected.txt")
