"""Asking an agent, given by spec, about many positions: in one process, or in several."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple

import numpy as np

from playproof.agents import registry as agents
from playproof.agents.base import Decision
from playproof.agents.limits import Limits
from playproof.arena.yardstick.sample import stratified_sample
from playproof.core.batch import Batch
from playproof.core.bits import derive_seed
from playproof.core.errors import PlayproofError, UsageError
from playproof.core.game import Game
from playproof.core.kernels import Words
from playproof.core.parallel import executor as jobs
from playproof.core.registry import make


class ChosenMove(NamedTuple):
    """What an agent does in a position.

    move    the place of its move among the legal ones, in rising order
    policy  the probability of each of these before any search, if it has one for every move
    """

    move: int
    policy: tuple[float, ...] | None = None


def checked_spec(agent: str) -> str:
    """The one way to write the spec of an agent, which must not be a person."""
    spec = agents.settled_spec(agent)
    if agents.find(spec.partition(":")[0]).interactive:
        raise UsageError(f"{spec} cannot be asked about so many positions: name an agent")
    return spec


def sample_evenly(groups: Sequence[str], limit: int | None, seed: int) -> list[int]:
    """The numbers of the positions to ask about, in rising order: all, or ``limit`` that the seed
    chooses, as many of each group as of any other.  ``groups[i]`` is that of position ``i``."""
    everything = range(len(groups))
    if not everything:
        raise UsageError("the set is empty: there is nothing to measure with")
    if limit is None:
        return list(everything)
    if limit < 1:
        raise UsageError(f"{limit} positions measure nothing: want 1 or more")
    chance = np.random.default_rng(seed)
    return sorted(stratified_sample(everything, limit, [lambda index: groups[index]], chance))


def choose_moves(
    spec: str,
    game: Game,
    rows: Words,
    numbers: Sequence[int],
    *,
    seed: int = 0,
    workers: int | None = 1,
    together: int = 32,
    policies: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[ChosenMove]:
    """An answer for each row, ``together`` of them put before the agent at once.

    What it draws at random depends on ``seed`` and on the row's number alone.  Its policy is
    told if ``policies`` are wanted.
    """
    agents.make_agent(spec, game, seed=seed)  # refuses here, before any process starts
    parts = [slice(i, i + together) for i in range(0, len(rows), together)]
    tasks = [
        (spec, game.spec, seed, rows[part], list(numbers[part]), _modules(), policies)
        for part in parts
    ]

    def tell(done: int) -> None:
        if progress:
            progress(min(done * together, len(rows)), len(rows))

    answers = jobs.run(choose_batch, tasks, workers=workers, on_progress=tell)
    return list(itertools.chain.from_iterable(answers))


def choose_batch(
    spec: str,
    game: str,
    seed: int,
    rows: Words,
    numbers: list[int],
    modules: tuple[str, ...],
    policies: bool = False,
) -> list[ChosenMove]:
    """One batch, in whatever process this is."""
    for module in modules:
        import_module(module)
    batch = Batch(make(game), rows)
    batch.seeds[:] = [derive_seed(seed, number) for number in numbers]
    agent = agents.make_agent(spec, batch.game, seed=seed)
    lists = batch.legal_lists()
    out = []
    for row, decision in enumerate(agent.choose(batch, limits=Limits(priors=policies))):
        legal = sorted(lists.of(row).tolist())
        if decision.action not in legal:
            position = batch[row].position
            raise PlayproofError(f"{spec} gives no legal move in {position}: it cannot be measured")
        policy = _policy(decision, legal) if policies else None
        out.append(ChosenMove(legal.index(decision.action), policy))
    return out


def _policy(decision: Decision, legal: list[int]) -> tuple[float, ...] | None:
    """The agent's priors, if it has one for every move and they are not all the same: a search
    without a net follows moves by priors that say nothing."""
    priors = {move.action: move.prior for move in decision.moves if move.prior is not None}
    if not set(legal) <= set(priors) or len(set(priors.values())) < 2:
        return None
    return tuple(priors[action] for action in legal)


def _modules() -> tuple[str, ...]:
    """The modules that registered agents in this process, for others to import."""
    found = {cls.__module__ for cls in agents.registered()}
    return tuple(sorted(found - {"__main__", "__mp_main__"}))
