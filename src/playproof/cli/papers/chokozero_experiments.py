"""ChokoZero's experiments, one after the other: train, play, draw, measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.arena.database import GameDatabase
from playproof.arena.tournament import MatchConfig, pairs_of
from playproof.cli.match_options import (
    check_writable,
    print_failures,
    print_reuse,
    run_with_progress,
)
from playproof.cli.output import emit, note, working
from playproof.cli.papers import chokozero_report as report
from playproof.cli.papers import claims_report
from playproof.cli.papers.several_seeds.command import seeds, train_seeds
from playproof.papers.chokozero import costs, games, letter, openings, times
from playproof.papers.chokozero import curves as chokozero_curves
from playproof.papers.chokozero import trends as chokozero_trends
from playproof.papers.chokozero.claims.assess import assess
from playproof.papers.chokozero.claims.nets import files_of_runs
from playproof.papers.chokozero.empty_board import play
from playproof.papers.chokozero.games import FEW_GAMES, GAMES
from playproof.papers.chokozero.players import SLOW, pairings, select_agents
from playproof.papers.chokozero.seeds.agents import select as select_over_seeds
from playproof.papers.chokozero.statements import check
from playproof.papers.chokozero.train import train

if TYPE_CHECKING:
    from playproof.learning.runs.run import Run
    from playproof.papers.chokozero.players import PaperAgent

DEFAULT_SEED = (
    1  # fixed, so that the same command continues with the games that a killed one has saved
)


@dataclass(frozen=True)
class ExperimentPlan:
    """The options of the command; ``agents`` are names, and empty means all of them."""

    parts: tuple[str, ...]
    agents: tuple[str, ...] = ()
    games: int | None = None
    quick: bool = False
    all_pairs: bool = False
    train: Path | None = None
    seeds: int | None = None  # runs of each agent that ``train`` makes
    device: str = "cpu"
    runs: Path | None = None
    file: Path | None = None
    workers: int | None = None
    pictures: tuple[Path, ...] = ()
    record: Path | None = None  # the file for the games between runs
    seed: int | None = None
    as_json: bool = False

    @property
    def settled_seed(self) -> int:
        return DEFAULT_SEED if self.seed is None else self.seed

    def count(self) -> int:
        """Games in each pair."""
        return self.games or (FEW_GAMES if self.quick else GAMES)

    def selected_agents(self) -> tuple[PaperAgent, ...]:
        agents = select_agents(self.agents)
        if self.quick and not self.agents:
            return tuple(agent for agent in agents if agent.name not in SLOW)
        return agents


def run(plan: ExperimentPlan) -> None:
    """Run and print the parts one after the other, or emit one JSON object at the end."""
    # Unknown agents are refused before any work starts.
    if plan.parts == ("letter",):
        letter.select_agents(plan.agents)
    elif "seeds" in plan.parts:
        select_over_seeds(plan.agents)
    else:
        plan.selected_agents()
    for file in (*plan.pictures, *([plan.record] if plan.record else [])):
        check_writable(file)
    nets: dict[str, str] = {}
    if plan.train is not None and plan.seeds is not None:
        train_seeds(plan, plan.train)
    elif plan.train is not None:
        from playproof.papers.chokozero.games import trained_nets

        _train(plan, plan.train)
        nets = trained_nets(plan.train)
    data: dict[str, Any] = {"seed": plan.settled_seed}
    # For games between processes the arena prints the seed, and curves have none.
    if not {"table", "letter"} & set(plan.parts) and plan.parts not in (("curves",), ("seeds",)):
        note(f"seed {plan.settled_seed}")
    steps = {
        "table": _table_1, "empty": _empty, "curves": _curves, "openings": _openings,
        "times": _times, "claims": _claims, "letter": _letter, "seeds": seeds,
    }  # fmt: skip
    for part in plan.parts:
        data |= steps[part](plan, nets)
    if plan.as_json:
        emit(data)


def _train(plan: ExperimentPlan, folder: Path) -> None:
    with working("training") as update:

        def on_iteration(run: Run, metrics: dict[str, float]) -> None:
            done, whole = int(metrics["iteration"]), run.settings.iterations
            update(f"{run.preset} {done:,}/{whole:,}")
            if done == whole:
                note(f"{run.preset}: {done:,} iterations in {run.folder}")

        train(
            folder, small=plan.quick, seed=plan.seed, device=plan.device, on_iteration=on_iteration
        )


def _table_1(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    agents = plan.selected_agents()
    count = plan.count()
    config = MatchConfig(
        pairs=pairs_of(count), openings=games.OPENINGS, seed=plan.settled_seed,
        workers=plan.workers,
    )  # fmt: skip
    pairs = pairings(agents, all_pairs=plan.all_pairs)
    with GameDatabase(plan.file) as database:
        results = games.RoundRobinResults(
            agents, run_with_progress(games.prepare(database, agents, pairs, config, nets))
        )
    statements = check(results)
    if not plan.as_json:
        report.table_1(results, nets)
        report.statements(statements)
        print_reuse(results.standings.reuse)
        print_failures(results.standings.failures)
    return {
        "games": count,
        "table_1": results.to_json(),
        "reuse": [entry.to_json() for entry in results.standings.reuse],
        "statements": [entry.to_json() for entry in statements],
    }


def _empty(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    with working("from the empty board"):
        games = 2 * pairs_of(plan.count())
        results = play(plan.selected_agents(), nets, games, plan.settled_seed)
    statements = check(results)
    if statements and not plan.as_json:
        report.statements(statements, "Who is stronger from the empty board?")
    return {
        "empty_board": results.to_json(),
        "statements_empty_board": [entry.to_json() for entry in statements],
    }


def _curves(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    folder = plan.train or plan.runs
    runs = chokozero_curves.shipped() if folder is None else chokozero_curves.of_runs(folder)
    for file in plan.pictures:
        chokozero_trends.chart(runs).save(file)
        note(f"drew {file}")
    trends = chokozero_trends.check_trends(runs)
    if not plan.as_json:
        report.curves(runs, trends, shipped=folder is None)
    return {
        "curves": [run.to_json() for run in runs],
        "trends": [{"says": t.text, "found": t.result, "holds": t.holds} for t in trends],
    }


def _openings(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    count = openings.FEW_GAMES if plan.quick else openings.GAMES
    with working("openings"):
        results = openings.all_openings(plan.selected_agents(), nets, count, plan.settled_seed)
    if not plan.as_json:
        report.openings(results)
    return {"openings": [entry.to_json() for entry in results]}


def _letter(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    agents = letter.select_agents(plan.agents)
    config = MatchConfig(
        pairs=pairs_of(plan.count()), openings=games.OPENINGS, seed=plan.settled_seed,
        workers=plan.workers,
    )  # fmt: skip
    with GameDatabase(plan.file) as database:
        event = games.prepare(database, agents, letter.pairings(agents), config, nets)
        results = games.RoundRobinResults(agents, run_with_progress(event))
    with working("from the empty board") as update:
        from_empty = letter.play_from_empty(
            agents, nets, 2 * config.pairs, plan.settled_seed,
            lambda done, total: update(f"{done} of {total} pairs from the empty board"),
        )  # fmt: skip
    if not plan.as_json:
        report.letter(results, from_empty)
        print_reuse(results.standings.reuse)
        print_failures(results.standings.failures)
    return {
        "letter": {
            "games": plan.count(),
            **{
                key: {
                    **games_played.to_json(),
                    "readings": [entry.to_json() for entry in letter.readings(games_played)],
                    "pgts_and_minimax": [pair.to_json() for pair in letter.grid(games_played)],
                }
                for key, games_played in (("openings", results), ("empty_board", from_empty))
            },
            "reuse": [entry.to_json() for entry in results.standings.reuse],
        }
    }


def _times(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    with working("search times") as update:
        search_times = []
        for entry in times.measure(nets, few=plan.quick, seed=plan.settled_seed):
            search_times.append(entry)
            update(f"{entry.title} done")
    net_costs = costs.net_costs(nets)
    if not plan.as_json:
        report.times(search_times)
        report.costs(net_costs)
    return {
        "times": [entry.to_json() for entry in search_times],
        "nets": [entry.to_json() for entry in net_costs],
    }


def _claims(plan: ExperimentPlan, nets: dict[str, str]) -> dict[str, Any]:
    if plan.runs is not None:
        nets = files_of_runs(plan.runs)
        for preset, file in nets.items():
            note(f"{preset}: {file}")
    with working("claims") as update:
        assessment = assess(nets, quick=plan.quick, seed=plan.settled_seed, on_progress=update)
    if not plan.as_json:
        claims_report.claims(assessment)
    return {"claims": assessment.to_json()}
