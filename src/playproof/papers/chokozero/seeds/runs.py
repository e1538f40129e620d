"""The training runs of ChokoZero's agents in a folder, found by their settings and not by the
names of their folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from playproof.agents.registry import identity
from playproof.core.errors import DataError, PlayproofError
from playproof.core.registry import make
from playproof.learning.presets import find as find_preset
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.run import NET, Run
from playproof.learning.setting import apply_changes
from playproof.learning.settings import RunSettings
from playproof.nets import files, shipped
from playproof.papers.chokozero import curves as chokozero_curves
from playproof.papers.chokozero import train
from playproof.papers.chokozero.curves import EvaluatedRun
from playproof.papers.chokozero.players import GAME, PaperAgent
from playproof.papers.chokozero.seeds.agents import TRAINED, Entry

CURVE_PARTS = 20  # of a run: a curve has one point for each
# What two runs of one agent may differ in: how often a run is evaluated does not touch its weights.
_FREE = ("seed", "evaluate_every")


@dataclass(frozen=True)
class SeedRun:
    """A finished training run; ``net`` is its file or, of a shipped net, its name."""

    preset: str
    seed: int
    net: str
    evaluations: EvaluatedRun  # condensed to ``CURVE_PARTS`` points

    @property
    def title(self) -> str:
        return f"{chokozero_curves.title_of(self.preset)}, seed {self.seed}"


@dataclass(frozen=True)
class RunsInFolder:
    """The runs that count, in the order of agents and seeds, and why others do not."""

    runs: tuple[SeedRun, ...]
    left_out: tuple[str, ...] = ()  # one line each

    def seeds(self, preset: str) -> list[int]:
        return [run.seed for run in self.runs if run.preset == preset]


def expected_settings(preset: str, folder: Path, *, small: bool, seed: int) -> RunSettings:
    """The settings of the agent's runs."""
    changes = train.settings(preset, folder, small=small, seed=seed)
    return apply_changes(find_preset(preset).settings, changes)


def find(folder: Path, *, small: bool = False) -> RunsInFolder:
    """The finished runs in a folder and below, and the shipped nets for the seeds that these lack.

    Shipped nets count only where the runs are to have the preset's own settings: ``small`` ones do
    not."""
    runs: dict[tuple[str, int], SeedRun] = {}
    left_out = []
    for preset, path in _of_presets(folder):
        try:
            run = _finished(path, preset, small=small)
        except PlayproofError as error:
            left_out.append(f"{path.name}: {error}")
            continue
        twin = runs.setdefault((preset, run.seed), run)
        if twin is not run:
            left_out.append(f"{path.name}: {run.title} is there already, in {twin.net}")
    for run in shipped_runs():
        wanted = expected_settings(run.preset, folder, small=small, seed=run.seed)
        if _bound(wanted) == _bound(find_preset(run.preset).settings):
            runs.setdefault((run.preset, run.seed), run)
    return RunsInFolder(tuple(sorted(runs.values(), key=_order)), tuple(left_out))


def existing(folder: Path, preset: str, settings: RunSettings) -> Path | None:
    """The folder of the run with these settings, finished or not; None if there is none."""
    for other, path in _of_presets(folder) if folder.is_dir() else ():
        if other == preset:
            found = Run.open(path).settings
            if found.seed == settings.seed and _bound(found) == _bound(settings):
                return path
    return None


def shipped_runs() -> list[SeedRun]:
    """The nets that come with the package as runs, with the seeds that they were trained with."""
    curves = {run.preset: run for run in chokozero_curves.shipped()}
    runs = []
    for agent in TRAINED:
        if agent.preset in shipped.names():
            seed = shipped.find(agent.preset).metadata["seed"]
            evaluations = chokozero_curves.condense(curves[agent.preset], CURVE_PARTS)
            runs.append(SeedRun(agent.preset, seed, agent.preset, evaluations))
    return sorted(runs, key=_order)


def entries(runs: Sequence[SeedRun], agents: Sequence[PaperAgent]) -> tuple[Entry, ...]:
    """The players: the agents in their order, each with the nets of its runs by seed."""
    game = make(GAME)
    by_preset: dict[str, list[SeedRun]] = {}
    for run in sorted(runs, key=lambda run: run.seed):
        by_preset.setdefault(run.preset, []).append(run)
    players = []
    for agent in agents:
        if not agent.preset:
            players.append(Entry(agent))
        for run in by_preset.get(agent.preset, ()):
            digest = dict(identity(agent.spec(run.net), game).digests)["net"]
            players.append(Entry(agent, run.seed, run.net, digest))
    return tuple(players)


def _of_presets(folder: Path) -> Iterator[tuple[str, Path]]:
    """(preset, folder) of every run of one of the agents, damaged or not."""
    presets = {agent.preset for agent in TRAINED}
    for path in run_logs.find([folder]):
        try:
            preset = Run.open(path).preset
        except DataError:
            continue  # somebody else's: what is damaged here belongs to no agent
        if preset in presets:
            yield preset, path


def _finished(path: Path, preset: str, *, small: bool) -> SeedRun:
    """The run in a folder; an error that says why it does not count."""
    settings = Run.open(path).settings
    wanted = expected_settings(preset, path, small=small, seed=settings.seed)
    differences = _differences(settings, wanted)
    if differences:
        raise DataError(f"not the settings of {preset}: {differences}")
    trained = iterations_of_net(path)
    if trained != settings.iterations:
        raise DataError(f"at iteration {trained:,} of {settings.iterations:,}, not finished")
    log = chokozero_curves.of_log(run_logs.read(path))
    evaluations = chokozero_curves.condense(log, CURVE_PARTS)
    return SeedRun(preset, settings.seed, str(path / NET), evaluations)


def iterations_of_net(path: Path) -> int:
    """The iterations behind the net of the run in a folder; 0 if it has none yet.

    The last metrics are written a moment before the last net, so the net says when a run is
    finished."""
    net = path / NET
    return int(files.load(net, make(GAME)).metadata["iterations"]) if net.is_file() else 0


def _bound(settings: RunSettings) -> Mapping[str, Any]:
    """The settings that all runs of an agent share."""
    return {name: value for name, value in asdict(settings).items() if name not in _FREE}


def _differences(settings: RunSettings, wanted: RunSettings) -> str:
    has, wants = _bound(settings), _bound(wanted)
    return ", ".join(
        f"{name}={has.get(name)} instead of {wants.get(name)}"
        for name in wants
        if has.get(name) != wants.get(name)
    )


def _order(run: SeedRun) -> tuple[int, int]:
    return [agent.preset for agent in TRAINED].index(run.preset), run.seed
