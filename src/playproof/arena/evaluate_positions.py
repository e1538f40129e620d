"""An agent's moves in many positions, chosen in one process or in several."""

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
    """An agent's move in a position.

    move    the index of its move among the legal ones, in rising order
    policy  the probability of each legal move before any search, if the agent has them all
    """

    move: int
    policy: tuple[float, ...] | None = None


def checked_spec(agent: str) -> str:
    """The canonical form of the spec of an agent, which must not be a person."""
    spec = agents.settled_spec(agent)
    if agents.find(spec.partition(":")[0]).interactive:
        raise UsageError(f"{spec} cannot be asked about so many positions: name an agent")
    return spec


def sample_evenly(groups: Sequence[str], limit: int | None, seed: int) -> list[int]:
    """Indices of positions in rising order: all of them, or a random sample of ``limit``.

    The sample has as many positions of each group as of any other.  ``groups[i]`` is the group of
    position ``i``.
    """
    indices = range(len(groups))
    if not indices:
        raise UsageError("the set is empty: there is nothing to measure with")
    if limit is None:
        return list(indices)
    if limit < 1:
        raise UsageError(f"cannot measure with {limit} positions: want 1 or more")
    rng = np.random.default_rng(seed)
    return sorted(stratified_sample(indices, limit, [lambda index: groups[index]], rng))


def choose_moves(
    spec: str,
    game: Game,
    rows: Words,
    numbers: Sequence[int],
    *,
    seed: int = 0,
    workers: int | None = 1,
    batch_size: int | None = None,
    policies: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> list[ChosenMove]:
    """The agent's move in each row; it gets ``batch_size`` positions at a time, or its own number.

    What it draws at random depends only on ``seed`` and on the number of the row.  ``policies``
    asks for its policy too.  ``on_progress(done, total)`` counts rows.
    """
    agents.make_agent(spec, game, seed=seed)  # a wrong spec is an error before any process starts
    batch_size = batch_size or agents.find(spec.partition(":")[0]).batch_size
    parts = [slice(i, i + batch_size) for i in range(0, len(rows), batch_size)]
    tasks = [
        (spec, game.spec, seed, rows[part], list(numbers[part]), _modules(), policies)
        for part in parts
    ]

    def count_rows(done: int) -> None:
        if on_progress:
            on_progress(min(done * batch_size, len(rows)), len(rows))

    moves = jobs.run(choose_batch, tasks, workers=workers, on_progress=count_rows)
    return list(itertools.chain.from_iterable(moves))


def choose_batch(
    spec: str,
    game: str,
    seed: int,
    rows: Words,
    numbers: list[int],
    modules: tuple[str, ...],
    policies: bool = False,
) -> list[ChosenMove]:
    """The agent's moves in one batch; it runs in whichever process works on the batch."""
    for module in modules:
        import_module(module)
    batch = Batch(make(game), rows)
    batch.seeds[:] = [derive_seed(seed, number) for number in numbers]
    agent = agents.make_agent(spec, batch.game, seed=seed)
    lists = batch.legal_lists()
    moves = []
    for row, decision in enumerate(agent.choose(batch, limits=Limits(priors=policies))):
        legal = sorted(lists.of(row).tolist())
        if decision.action not in legal:
            position = batch[row].position
            raise PlayproofError(f"{spec} gives no legal move in {position}: it cannot be measured")
        policy = _policy(decision, legal) if policies else None
        moves.append(ChosenMove(legal.index(decision.action), policy))
    return moves


def _policy(decision: Decision, legal: list[int]) -> tuple[float, ...] | None:
    """The agent's priors, if it has one for every move and they are not all the same.

    A search without a net has uniform priors, which say nothing.
    """
    priors = {move.action: move.prior for move in decision.moves if move.prior is not None}
    if not set(legal) <= set(priors) or len(set(priors.values())) < 2:
        return None
    return tuple(priors[action] for action in legal)


def _modules() -> tuple[str, ...]:
    """The modules that registered agents in this process, for worker processes to import."""
    names = {cls.__module__ for cls in agents.registered()}
    return tuple(sorted(names - {"__main__", "__mp_main__"}))
