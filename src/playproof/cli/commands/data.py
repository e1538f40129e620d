"""``playproof data``: games in PGN made into positions to learn from."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from playproof.cli.commands.train import read_changes
from playproof.cli.output import JsonOption, SeedOption, emit, note, progress, settle_seed, table
from playproof.core.errors import UsageError, one_of
from playproof.formats import terminal
from playproof.learning.algorithms.imitation.held_out import examine_net
from playproof.learning.datasets import label_build
from playproof.learning.datasets.build import Wishes
from playproof.learning.datasets.build import build as make
from playproof.learning.datasets.label_walks import Manner
from playproof.learning.datasets.packed import IS_SHARED
from playproof.learning.datasets.positions import Positions
from playproof.learning.presets import find
from playproof.learning.registry import available
from playproof.learning.runs.run import changed

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
    seed = _seed_of(out) if seed is None else seed
    wishes = Wishes(tuple(games), sample, settle_seed(seed), folds)
    note(f"seed {wishes.seed}")
    began = time.perf_counter()
    with progress("reading", "games") as update:
        facts = make(wishes, out, workers=workers, tell=lambda read, total: update(read, total))
    seconds = time.perf_counter() - began
    note(f"{sum(facts['games_read']):,} games in {seconds:.1f} s, positions in {out}")
    _tell(facts, as_json)


@app.command("label")
def label(
    out: Annotated[Path, typer.Option(help="The folder to make, or to go on with.")],
    engine: Annotated[str, typer.Option(help="A program that speaks UCI.")] = "stockfish",
    positions: Annotated[
        str,
        typer.Option(metavar="DIR|random", help="Where walks begin: a folder, or random openings."),
    ] = "random",
    count: Annotated[int, typer.Option(min=1, help="Positions to label.")] = 10_000,
    multipv: Annotated[int, typer.Option(min=1, max=16, help="Moves it tells of.")] = 4,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes for a position.")] = 2000,
    blunders: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of moves that are any legal one.")
    ] = 0.15,
    longest: Annotated[int, typer.Option(min=1, help="Positions of a walk at most.")] = 80,
    replies: Annotated[
        int, typer.Option(min=0, help="Moves whose expected answer is kept too, a position each.")
    ] = 0,
    folds: Annotated[int, typer.Option(min=1, max=255, help="Parts of the split.")] = 5,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Engines; all cores if not given.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Stop after so long; the same command goes on.")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let an engine judge positions of our choosing: several moves each, with their scores."""
    seed = _seed_of(out, "label.json") if seed is None else seed
    manner = Manner(lines=multipv, nodes=nodes, blunders=blunders, longest=longest, replies=replies)
    wishes = label_build.Wishes(engine, positions, count, manner, folds, settle_seed(seed))
    note(f"seed {wishes.seed}")
    began = time.perf_counter()
    until = None if seconds is None else time.monotonic() + seconds
    with progress("labelling", "positions") as update:
        facts = label_build.build(wishes, out, workers=workers, until=until, tell=update)
    note(f"{time.perf_counter() - began:.1f} s, positions in {out}")
    _tell_labels(facts, as_json)


@app.command("test")
def held_out(
    folder: Folder,
    net: Annotated[str, typer.Option(help="A network: a shipped one's name, or a file.")],
    fold: Annotated[int, typer.Option(min=0, help="The part that was held out.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Positions at most.")] = 20_000,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "cpu",
    as_json: JsonOption = False,
) -> None:
    """How a network does on held-out positions: hits, value error, calibration."""
    report = examine_net(net, str(folder), fold, limit, device)
    if as_json:
        emit(report.to_json())
        return
    rows = [
        ["positions", f"{report.positions:,}"],
        ["first move right", f"{report.top1:.2%}"],
        ["among the first three", f"{report.top3:.2%}"],
        ["value, mean square error", f"{report.value_error:.4f}"],
        ["policy calibration error", f"{report.policy.error:.4f}"],
        ["value calibration error", f"{report.value.error:.4f}"],
    ]
    table("Held-out positions", ["", net], rows, right=" r")
    for name, bins in (("policy", report.policy), ("value", report.value)):
        told = [
            [f"{b['positions']:,.0f}", f"{b['said']:.3f}", f"{b['was']:.3f}"]
            for b in bins.to_json()
        ]
        table(f"Calibration of the {name}", ["positions", "said", "was"], told, right="rrr")


@app.command("speed")
def speed(
    folder: Folder,
    preset: Annotated[str, typer.Option(help="A preset of playproof train.")] = "imitation",
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Another setting.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "cpu",
    seconds: Annotated[float, typer.Option(min=0.1, help="For each measurement.")] = 5.0,
    as_json: JsonOption = False,
) -> None:
    """How fast a network learns from a folder, beside the same one on numbers in memory."""
    chosen = find(preset)
    measure = chosen.algorithm.data_speed
    if measure is None:
        able = one_of([algorithm.name for algorithm in available() if algorithm.data_speed])
        raise UsageError(f"{preset} does not learn from positions: want {able}, or one like it")
    settings = changed(chosen.settings, {"data": str(folder), **read_changes(changes or [])})
    found = measure(settings, device, seconds)
    if as_json:
        parts = {"fed": found.fed, "bare": found.bare, "data": found.data, "share": found.share}
        emit({"preset": preset, "device": device, **parts})
        return
    rows = [
        ["learned from the folder", f"{found.fed:,.0f}", f"{found.share:.0%}".replace("%", " %")],
        ["the same net on numbers in memory", f"{found.bare:,.0f}", ""],
        ["made ready alone", f"{found.data:,.0f}", ""],
    ]
    table(f"{preset} on {device}", ["", "positions / s", ""], rows, right=" rr")


@app.command("stats")
def stats(folder: Folder, as_json: JsonOption = False) -> None:
    """What is in a folder of positions, beside the paper's figures."""
    facts = Positions(folder).facts
    (_tell_labels if "lines" in facts else _tell)(facts, as_json)


@app.command("show")
def show(
    folder: Folder,
    position: Annotated[int, typer.Option(min=0, help="Which position, from 0.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """Draw one position, with its move and value."""
    import sys

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
    colour, signs = terminal.supports_colour(out), terminal.supports_unicode(out)
    print(terminal.render(state.view(), colour=colour, unicode=signs))
    value = {1: "won", 0: "drawn", -1: "lost"}[int(kept["value"])]
    print(f"Played: {facts['move']} (action {facts['action']}); {value} for the side to move")
    known = ", its board occurs in another fold" if facts["shared"] else ""
    game = f"{facts['file']}, game {facts['game']}, ply {facts['ply']}"
    print(f"From {game}; fold {facts['fold']}{known}")
    print(f"Position: {state.position}")


def _seed_of(out: Path, plan: str = "plan.json") -> int | None:
    """The seed of a build that was begun there, so that the same command finishes it."""
    import json

    try:
        seed = json.loads((out / plan).read_text(encoding="utf-8"))["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seed if isinstance(seed, int) else None


def _tell_labels(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(facts)
        return
    rows = [
        ["engine", f"{facts['engine']}, {facts['nodes']:,} nodes, {facts['lines']} moves each"],
        ["walks begin at", facts["start"]],
        ["walks", f"{facts['walks']:,}"],
        ["blunders", f"{facts['blunders']:.0%} of moves".replace("%", " %")],
        ["positions", f"{facts['positions']:,}"],
        ["distinct boards", f"{facts['distinct_boards']:,}"],
        ["boards in two folds, positions", f"{facts['shared']:,}"],
        ["all that was asked for", "yes" if facts["complete"] else "no: the same command goes on"],
    ]
    table("Labelled positions", ["", "here"], rows)


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
