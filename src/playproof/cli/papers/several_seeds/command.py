"""What the part ``seeds`` does: train, find the runs, play, and say what they show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.arena.database import GameDatabase
from playproof.arena.tournament import MatchConfig, pairs_of
from playproof.cli.match_options import print_failures, run_with_progress
from playproof.cli.output import note, working, write_text
from playproof.cli.papers.several_seeds.report import print_record
from playproof.core.errors import DataError
from playproof.papers.chokozero import games
from playproof.papers.chokozero.seeds import agents as seed_agents
from playproof.papers.chokozero.seeds import curves, recorded, runs, statements, tournament, train

if TYPE_CHECKING:
    from playproof.cli.papers.chokozero_experiments import ExperimentPlan
    from playproof.learning.runs.run import Run
    from playproof.papers.chokozero.seeds.recorded import SeedRecord


def seeds(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    """The part ``seeds``: recorded figures, or those of the runs in a folder."""
    folder = plan.train or plan.runs
    record = recorded.shipped() if folder is None else _play(plan, folder)
    for file in plan.pictures:
        curves.chart(record.curves).save(file)
        note(f"drew {file}")
    if plan.record is not None:
        text = recorded.as_text(record)
        write_text(plan.record, text)
        note(f"{len(text) / 1000:,.0f} kB in {plan.record}")
    if not plan.as_json:
        print_record(record, shipped=folder is None)
    return {"seeds": _as_data(record)}


def train_seeds(plan: ExperimentPlan, folder: Path) -> None:
    """Train ``plan.seeds`` runs of each agent in the folder; what is there is resumed."""
    assert plan.seeds is not None
    chosen = seed_agents.select(plan.agents)
    with working("training") as update:
        finished: set[Path] = set()

        def on_progress(run: Run, done: int) -> None:
            whole = run.settings.iterations
            update(f"{run.preset} seed {run.settings.seed}  {done:,}/{whole:,}")
            if done == whole and run.folder not in finished:
                finished.add(run.folder)
                note(f"{run.preset} seed {run.settings.seed}: {done:,} iterations in {run.folder}")

        all_runs = list(
            train.runs(folder, plan.seeds, small=plan.quick, first=plan.seed, agents=chosen)
        )
        train.train_all(all_runs, workers=plan.workers, device=plan.device, on_progress=on_progress)


def _play(plan: ExperimentPlan, folder: Path) -> SeedRecord:
    chosen = seed_agents.select(plan.agents)
    in_folder = runs.find(folder, small=plan.quick and plan.train is not None)
    for line in in_folder.left_out:
        note(f"left out: {line}")
    entries = runs.entries(in_folder.runs, chosen)
    if not any(entry.agent.stochastic for entry in entries) or len(entries) < 2:
        raise DataError(
            f"{folder} holds no finished run of these agents: want runs of playproof train "
            "choko-ppo-v1 and so on, or --train FOLDER --seeds 5"
        )
    for agent in chosen:
        if agent.stochastic:
            note(f"{agent.title}: {_seeds_of(in_folder.seeds(agent.preset))}")
    count = plan.games or (seed_agents.FEW_GAMES if plan.quick else seed_agents.GAMES)
    config = MatchConfig(
        pairs=pairs_of(count), openings=games.OPENINGS, seed=plan.settled_seed,
        workers=plan.workers,
    )  # fmt: skip
    with GameDatabase(plan.file) as database:
        event = tournament.prepare(database, entries, config)
        standings = run_with_progress(event)
        results = tournament.results(event, entries)
    if not plan.as_json:
        print_failures(standings.failures)
    return recorded.trained_runs(results, [run.evaluations for run in in_folder.runs])


def _seeds_of(seeds: list[int]) -> str:
    if not seeds:
        return "no finished run, left out"
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(map(str, seeds))}"


def _as_data(record: SeedRecord) -> dict[str, Any]:
    return {
        **record.results.to_json(),
        "statements": [entry.to_json() for entry in statements.check(record.results)],
        "curves": [curve.to_json() for curve in curves.curves(record.curves)],
        "trends": [count.to_json() for count in curves.count_trends(record.curves)],
    }
