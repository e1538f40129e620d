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
from playproof.cli.papers import chokozero_report as told
from playproof.papers.chokozero import costs, games, openings, times
from playproof.papers.chokozero import curves as chokozero_curves
from playproof.papers.chokozero import trends as chokozero_trends
from playproof.papers.chokozero.empty_board import play
from playproof.papers.chokozero.games import FEW_GAMES, GAMES
from playproof.papers.chokozero.players import SLOW, chosen, pairs
from playproof.papers.chokozero.statements import check
from playproof.papers.chokozero.train import train

if TYPE_CHECKING:
    from playproof.learning.runs.run import Run
    from playproof.papers.chokozero.players import Agent

DEFAULT_SEED = 1  # fixed, so that the same command goes on with games that a kill has left


@dataclass(frozen=True)
class Plan:
    """What was asked for; ``agents`` are names, none for all."""

    parts: tuple[str, ...]
    agents: tuple[str, ...] = ()
    games: int | None = None
    quick: bool = False
    all_pairs: bool = False
    train: Path | None = None
    device: str = "cpu"
    runs: Path | None = None
    file: Path | None = None
    workers: int | None = None
    pictures: tuple[Path, ...] = ()
    seed: int | None = None
    as_json: bool = False

    @property
    def settled_seed(self) -> int:
        return DEFAULT_SEED if self.seed is None else self.seed

    def count(self) -> int:
        """Games of a pair."""

        return self.games or (FEW_GAMES if self.quick else GAMES)

    def chosen(self) -> tuple[Agent, ...]:
        found = chosen(self.agents)
        if self.quick and not self.agents:
            return tuple(agent for agent in found if agent.name not in SLOW)
        return found


def run(plan: Plan) -> None:
    """Everything, told part by part, or as one object at the end."""
    plan.chosen()  # refused before anything is begun
    for file in plan.pictures:
        check_writable(file)
    nets: dict[str, str] = {}
    if plan.train is not None:
        from playproof.papers.chokozero.games import trained

        _train(plan, plan.train)
        nets = trained(plan.train)
    data: dict[str, Any] = {"seed": plan.settled_seed}
    if "table" not in plan.parts and plan.parts != ("curves",):  # the arena tells it itself
        note(f"seed {plan.settled_seed}")
    steps = {
        "table": _table, "empty": _empty, "curves": _curves, "openings": _openings,
        "times": _times,
    }  # fmt: skip
    for part in plan.parts:
        data |= steps[part](plan, nets)
    if plan.as_json:
        emit(data)


def _train(plan: Plan, folder: Path) -> None:
    with working("training") as update:

        def each(run: Run, facts: dict[str, float]) -> None:
            done, whole = int(facts["iteration"]), run.settings.iterations
            update(f"{run.preset} {done:,}/{whole:,}")
            if done == whole:
                note(f"{run.preset}: {done:,} iterations in {run.folder}")

        train(folder, little=plan.quick, seed=plan.seed, device=plan.device, each=each)


def _table(plan: Plan, nets: dict[str, str]) -> dict[str, Any]:
    agents = plan.chosen()
    count = plan.count()
    config = MatchConfig(
        pairs=pairs_of(count), openings=games.OPENINGS, seed=plan.settled_seed,
        workers=plan.workers,
    )  # fmt: skip
    pairings = pairs(agents, everybody=plan.all_pairs)
    with GameDatabase(plan.file) as database:
        found = games.Results(
            agents, run_with_progress(games.prepare(database, agents, pairings, config, nets))
        )
    statements = check(found)
    if not plan.as_json:
        told.table_1(found, nets)
        told.statements(statements)
        print_reuse(found.standings.reuse)
        print_failures(found.standings.failures)
    return {
        "games": count,
        "table_1": found.to_json(),
        "reuse": [one.to_json() for one in found.standings.reuse],
        "statements": [one.to_json() for one in statements],
    }


def _empty(plan: Plan, nets: dict[str, str]) -> dict[str, Any]:
    with working("from the empty board"):
        games = 2 * pairs_of(plan.count())
        found = play(plan.chosen(), nets, games, plan.settled_seed)
    statements = check(found)
    if statements and not plan.as_json:
        told.statements(statements, "Who is stronger from the empty board?")
    return {
        "empty_board": found.to_json(),
        "statements_empty_board": [one.to_json() for one in statements],
    }


def _curves(plan: Plan, nets: dict[str, str]) -> dict[str, Any]:
    folder = plan.train or plan.runs
    courses = chokozero_curves.shipped() if folder is None else chokozero_curves.of_runs(folder)
    for file in plan.pictures:
        chokozero_trends.chart(courses).save(file)
        note(f"drew {file}")
    trends = chokozero_trends.trends(courses)
    if not plan.as_json:
        told.curves(courses, trends, shipped=folder is None)
    return {
        "curves": [course.to_json() for course in courses],
        "trends": [{"says": t.says, "found": t.found, "holds": t.holds} for t in trends],
    }


def _openings(plan: Plan, nets: dict[str, str]) -> dict[str, Any]:
    count = openings.FEW_GAMES if plan.quick else openings.GAMES
    with working("openings"):
        found = openings.all_openings(plan.chosen(), nets, count, plan.settled_seed)
    if not plan.as_json:
        told.openings(found)
    return {"openings": [one.to_json() for one in found]}


def _times(plan: Plan, nets: dict[str, str]) -> dict[str, Any]:
    with working("search times") as update:
        timed = []
        for one in times.measure(nets, few=plan.quick, seed=plan.settled_seed):
            timed.append(one)
            update(f"{one.title} done")
    learned = costs.of_nets(nets)
    if not plan.as_json:
        told.times(timed)
        told.costs(learned)
    return {
        "times": [one.to_json() for one in timed],
        "nets": [one.to_json() for one in learned],
    }
