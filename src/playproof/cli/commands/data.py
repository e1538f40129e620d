"""``playproof data``: builds folders of positions to learn from, and shows what is in them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from playproof.cli.commands.train import read_changes
from playproof.cli.output import JsonOption, SeedOption, emit, note, progress, settle_seed, table
from playproof.core.errors import UsageError, one_of
from playproof.formats import terminal
from playproof.learning.algorithms.imitation.held_out import evaluate_net
from playproof.learning.datasets import label_build
from playproof.learning.datasets.build import BuildConfig
from playproof.learning.datasets.build import build as make
from playproof.learning.datasets.label_walks import WalkConfig
from playproof.learning.datasets.packed import IS_SHARED
from playproof.learning.datasets.positions import Positions
from playproof.learning.presets import find
from playproof.learning.registry import available
from playproof.learning.setting import apply_changes

app = typer.Typer(
    help="Make positions to learn from out of chess games (PGN), and inspect them.",
    no_args_is_help=True,
)

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that data build made.")]

# The figures of Reinforcement Learning in Chess (Chu, Li and Loh)
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
    config = BuildConfig(tuple(games), sample, settle_seed(seed), folds)
    note(f"seed {config.seed}")
    started = time.perf_counter()
    with progress("reading", "games") as update:
        metadata = make(config, out, workers=workers, on_progress=update)
    seconds = time.perf_counter() - started
    note(f"{sum(metadata['games_read']):,} games in {seconds:.1f} s, positions in {out}")
    _print_metadata(metadata, as_json)


@app.command("label")
def label(
    out: Annotated[Path, typer.Option(help="The folder to make, or to continue.")],
    engine: Annotated[str, typer.Option(help="A program that speaks UCI.")] = "stockfish",
    positions: Annotated[
        str,
        typer.Option(metavar="DIR|random", help="Where walks start: a folder, or random openings."),
    ] = "random",
    count: Annotated[int, typer.Option(min=1, help="Positions to label.")] = 10_000,
    multipv: Annotated[
        int, typer.Option(min=1, max=16, help="Moves that it evaluates in a position.")
    ] = 4,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes for a position.")] = 2000,
    blunders: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="The share of moves that are random.")
    ] = 0.15,
    longest: Annotated[int, typer.Option(min=1, help="The most positions of a walk.")] = 80,
    replies: Annotated[
        int,
        typer.Option(min=0, help="Moves whose expected reply is kept too, as another position."),
    ] = 0,
    folds: Annotated[int, typer.Option(min=1, max=255, help="Parts of the split.")] = 5,
    workers: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Engines; all cores if not given.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0.0, help="Stop after this time; the same command continues."),
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let an engine label positions of generated games: several moves each, with their scores."""
    seed = _seed_of(out, "label.json") if seed is None else seed
    walks = WalkConfig(
        lines=multipv, nodes=nodes, blunders=blunders, longest=longest, replies=replies
    )
    config = label_build.LabelConfig(engine, positions, count, walks, folds, settle_seed(seed))
    note(f"seed {config.seed}")
    started = time.perf_counter()
    until = None if seconds is None else time.monotonic() + seconds
    with progress("labelling", "positions") as update:
        metadata = label_build.build(config, out, workers=workers, until=until, on_progress=update)
    note(f"{time.perf_counter() - started:.1f} s, positions in {out}")
    _print_label_metadata(metadata, as_json)


@app.command("test")
def held_out(
    folder: Folder,
    net: Annotated[str, typer.Option(help="A network: a shipped one's name, or a file.")],
    fold: Annotated[int, typer.Option(min=0, help="The fold that was held out.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="The most positions to test.")] = 20_000,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "cpu",
    as_json: JsonOption = False,
) -> None:
    """Test a network on held-out positions: accuracy, value error, calibration."""
    report = evaluate_net(net, str(folder), fold, limit, device)
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
    for name, reliability in (("policy", report.policy), ("value", report.value)):
        rows = [
            [f"{row['positions']:,.0f}", f"{row['said']:.3f}", f"{row['was']:.3f}"]
            for row in reliability.to_json()
        ]
        columns = ["positions", "predicted", "observed"]
        table(f"Calibration of the {name}", columns, rows, right="rrr")


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
    """Measure how fast a network learns from a folder, compared with numbers in memory."""
    chosen = find(preset)
    measure = chosen.algorithm.data_speed
    if measure is None:
        able = one_of([algorithm.name for algorithm in available() if algorithm.data_speed])
        raise UsageError(f"{preset} does not learn from positions: want {able}, or one like it")
    settings = apply_changes(chosen.settings, {"data": str(folder), **read_changes(changes or [])})
    result = measure(settings, device, seconds)
    if as_json:
        parts = {"fed": result.fed, "bare": result.bare, "data": result.data, "share": result.share}
        emit({"preset": preset, "device": device, **parts})
        return
    rows = [
        ["learned from the folder", f"{result.fed:,.0f}", f"{result.share:.0%}".replace("%", " %")],
        ["the same net on numbers in memory", f"{result.bare:,.0f}", ""],
        ["prepared, not learned", f"{result.data:,.0f}", ""],
    ]
    table(f"{preset} on {device}", ["", "positions / s", ""], rows, right=" rr")


@app.command("stats")
def stats(folder: Folder, as_json: JsonOption = False) -> None:
    """Show the contents of a folder of positions, next to the paper's figures."""
    metadata = Positions(folder).metadata
    (_print_label_metadata if "lines" in metadata else _print_metadata)(metadata, as_json)


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
    entry = data.array[position]
    description = {
        "position": state.position,
        "action": int(entry["action"]),
        "move": state.game.san(state, int(entry["action"])),  # type: ignore[attr-defined]
        "value": int(entry["value"]),
        "file": data.metadata["files"][int(entry["source"])],
        "game": int(entry["game"]) + 1,
        "ply": int(entry["ply"]),
        "fold": int(entry["fold"]),
        "shared": bool(entry["flags"] & IS_SHARED),
    }
    if as_json:
        emit(description)
        return
    out = sys.stdout
    colour, signs = terminal.supports_colour(out), terminal.supports_unicode(out)
    print(terminal.render(state.view(), colour=colour, unicode=signs))
    value = {1: "won", 0: "drawn", -1: "lost"}[int(entry["value"])]
    move = f"{description['move']} (action {description['action']})"
    print(f"Played: {move}; {value} for the side to move")
    shared = ", its board occurs in another fold" if description["shared"] else ""
    game = f"{description['file']}, game {description['game']}, ply {description['ply']}"
    print(f"From {game}; fold {description['fold']}{shared}")
    print(f"Position: {state.position}")


def _seed_of(out: Path, plan: str = "plan.json") -> int | None:
    """The seed of a build that was started there, so that the same command finishes it."""
    import json

    try:
        seed = json.loads((out / plan).read_text(encoding="utf-8"))["seed"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return seed if isinstance(seed, int) else None


def _print_label_metadata(metadata: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(metadata)
        return
    rows = [
        [
            "engine",
            f"{metadata['engine']}, {metadata['nodes']:,} nodes, {metadata['lines']} moves each",
        ],
        ["walks start at", metadata["start"]],
        ["walks", f"{metadata['walks']:,}"],
        ["blunders", f"{metadata['blunders']:.0%} of moves".replace("%", " %")],
        ["positions", f"{metadata['positions']:,}"],
        ["distinct boards", f"{metadata['distinct_boards']:,}"],
        ["positions on boards in two folds", f"{metadata['shared']:,}"],
        ["complete", "yes" if metadata["complete"] else "no: the same command continues"],
    ]
    table("Labelled positions", ["", "here"], rows)


def _print_metadata(metadata: dict[str, Any], as_json: bool) -> None:
    if as_json:
        emit(metadata)
        return
    games = metadata["games"]

    def share(name: str) -> str:
        return f"{metadata[name] / games:.1%}".replace("%", " %") if games else "-"

    first = metadata["by_fold"][0]
    ours = {
        "games": f"{games:,}",
        "White won": share("white"),
        "drawn": share("drawn"),
        "Black won": share("black"),
        "plies": f"{metadata['plies']:,}",
        "sample": f"{metadata['sample']:g}",
        "positions": f"{metadata['positions']:,}",
        "distinct boards": f"{metadata['distinct_boards']:,}",
        "positions on boards in two folds": f"{metadata['shared']:,}",
        "folds": str(metadata["folds"]),
        "positions, fold 0": f"{first['positions']:,}",
        "test positions, fold 0": f"{first['test']:,}",
        "rejected games": f"{metadata['rejected']:,}",
    }
    paper = {**_PAPER, "sample": "0.2", "folds": "5"}
    rows = [[name, value, paper.get(name, "")] for name, value in ours.items()]
    table("Positions from games", ["", "here", "the paper"], rows, right=" rr")
    for reason, count in metadata["reasons"].items():
        print(f"rejected: {reason}: {count:,}")
    for line in metadata["first_rejected"]:
        print(f"  {line}")
    if metadata["rejected"] > len(metadata["first_rejected"]):
        print("  … all are in rejected.txt")
