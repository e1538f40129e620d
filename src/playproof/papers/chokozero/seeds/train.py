"""ChokoZero's nets trained with several seeds, several at once, each on one core.

A run that exists is resumed, whatever its folder is called, so a killed command can simply be
repeated.  New runs are where ``playproof train PRESET --seeds N --out FOLDER/PRESET`` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from pathlib import Path

from playproof.core.parallel.executor import cores, executor
from playproof.learning.runs import log as run_logs
from playproof.learning.runs.run import Run
from playproof.papers.chokozero import train
from playproof.papers.chokozero.players import PaperAgent
from playproof.papers.chokozero.seeds import runs as seed_runs
from playproof.papers.chokozero.seeds.agents import TRAINED

_POLL = 5.0  # seconds between two reports of progress
_FIRST_SEED = 1

OnProgress = Callable[[Run, int], None]  # a run and its iterations so far


def runs(
    folder: Path,
    seeds: int,
    *,
    small: bool = False,
    first: int | None = None,
    agents: Sequence[PaperAgent] = TRAINED,
) -> Iterator[Run]:
    """The runs of the agents with ``seeds`` seeds from ``first``; created where there are none.

    All agents have their first seed before one has its second."""
    start = _FIRST_SEED if first is None else first
    trained = [agent for agent in TRAINED if agent.preset in {a.preset for a in agents}]
    for seed in range(start, start + seeds):
        for agent in reversed(trained):  # what is quick to train comes first
            wanted = seed_runs.expected_settings(agent.preset, folder, small=small, seed=seed)
            path = seed_runs.existing(folder, agent.preset, wanted)
            if path is not None:
                yield Run.open(path)
                continue
            changes = train.settings(agent.preset, folder, small=small, seed=seed)
            yield Run.create(folder / agent.preset / f"seed-{seed}", agent.preset, changes)


def train_all(
    all_runs: Sequence[Run],
    *,
    workers: int | None = None,
    device: str = "cpu",
    on_progress: OnProgress = lambda run, done: None,
) -> None:
    """Train the runs to their end, ``workers`` at once, by default one for each core."""
    missing = [
        run for run in all_runs
        if seed_runs.iterations_of_net(run.folder) < run.settings.iterations
    ]  # fmt: skip
    count = min(cores() if workers is None else workers, len(missing))
    if count <= 1:
        for run in missing:
            _train(run.folder, device, lambda done, run=run: on_progress(run, done))  # type: ignore[misc]
        return
    with executor(count) as pool:
        active = {pool.submit(_train, run.folder, device): run for run in missing}
        while active:
            finished, _ = wait(active, timeout=_POLL, return_when=FIRST_COMPLETED)
            for future, run in active.items():
                if future.running() or future in finished:
                    on_progress(run, run_logs.inspect(run.folder).done)
            for future in finished:
                del active[future]
                future.result()


def _train(
    folder: Path, device: str, on_iteration: Callable[[int], None] = lambda done: None
) -> None:
    run = Run.open(folder)
    chosen = device if run.algorithm.runs_on(device) else "cpu"
    run.resume(device=chosen, on_iteration=lambda m: on_iteration(int(m["iteration"])))
