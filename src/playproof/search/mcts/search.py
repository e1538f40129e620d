"""Monte Carlo tree search for many games at once, in any game.

A forest has one tree for each game. A simulation selects a leaf in every tree, evaluates the
leaves, expands them and backs up their values. Leaves are evaluated by random games, entirely in
compiled code, or by a ``LeafEvaluator``, which gets those of all trees at once. ``simulate`` keeps
several forests in flight, so that a GPU and the CPU work at the same time. The same seed grows the
same trees on any number of cores.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.bits import derive_seeds
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, Words
from playproof.core.parallel.threads import share_threads
from playproof.core.playouts import LIMIT
from playproof.core.state import State
from playproof.core.stopping import StopFlag, deadline, interruptible, stop_flag
from playproof.search.evaluators import Evaluation, Evaluator
from playproof.search.mcts import kernels as compiled
from playproof.search.mcts.config import SearchConfig
from playproof.search.mcts.forest import (
    MAX_DEPTH,
    UNKNOWN,
    Forest,
    Params,
    allocate,
    rules_of,
)
from playproof.search.mcts.gumbel import halving_schedule
from playproof.search.mcts.leaves import CallbackEvaluator, LeafEvaluator, Leaves
from playproof.search.mcts.root import Root, read_root, unexpanded_root
from playproof.search.mcts.scheduler import simulate

_PLAYOUT_ROOM = 2048  # plies of a random game that uses history
_ROUND = 64  # simulations between two checks of the stop flag
_WALKS = 8  # walks of a tree in one round, at most, if they end at proven leaves
# Room for edges, as an average per node. With random playouts only inner nodes have edges.
_WIDTH, _PLAYOUT_WIDTH = 48, 12
_NOISE, _CHOICE, _GUMBEL = 0x6E6F6973, 0x63686F69, 0x67756D62  # seeds of independent draws

Reals = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class RootPolicies(NamedTuple):
    """The policies of t roots, with lists of actions end to end as in LegalLists."""

    legal: LegalLists
    policy: npt.NDArray[np.float32]  # (legal.offsets[-1],) to learn; sums to 1 at each root
    chosen: npt.NDArray[np.int64]  # (t,) the actions to play
    values: Reals  # (t,) from the first player's side
    proven: Mask  # (t,) whether the value is proven


class ExploredNodes(NamedTuple):
    """Decision nodes inside the trees.

    They have rows, movers, mean values from the first player's side, and the visits of each action,
    with lists end to end.
    """

    rows: Words
    movers: npt.NDArray[np.int64]
    values: Reals
    legal: LegalLists
    visits: npt.NDArray[np.int32]


class TreeSearch:
    """A search of ``trees`` positions of ``game`` at once, whose memory is reused move after move.

    ``reset_roots`` sets the positions and ``run`` searches them. ``select`` and ``backup`` are the
    separate phases, for callers that evaluate the leaves themselves.
    """

    def __init__(
        self,
        game: Game,
        trees: int,
        config: SearchConfig | None = None,
        evaluator: LeafEvaluator | Evaluator | None = None,
    ) -> None:
        self.game, self.config = game, config or SearchConfig()
        self.simulations_done = np.zeros(trees, np.int64)
        self._goal = self.config.simulations
        self._rules = rules_of(game)
        rows = trees * self.config.leaves
        self._lists = np.zeros((rows, game.action_room), np.int32)
        self._counts = np.zeros(rows, np.int64)
        self._signs = np.zeros(rows, np.float64)
        self._paths = np.zeros((trees, self.config.leaves, 2, MAX_DEPTH), np.int32)
        self._depths = np.full((trees, self.config.leaves), -1, np.int32)
        self._root_values = np.zeros(trees, np.float64)  # the evaluator's values of the roots
        self._unexplored = np.zeros(trees, np.bool_)  # roots still without noise or scores
        self._exploring: Reals = np.ones(trees)
        self._seed = self.config.seed
        self._batch = Batch.start(game, trees)
        self.set_evaluator(evaluator)
        self._forest = self._allocate()

    @classmethod
    def from_states(
        cls,
        states: Sequence[State] | Batch,
        config: SearchConfig | None = None,
        evaluator: LeafEvaluator | Evaluator | None = None,
    ) -> TreeSearch:
        """One tree for each position, ready to run."""
        batch = states.copy() if isinstance(states, Batch) else Batch.of(states)
        search = cls(batch.game, len(batch), config, evaluator)
        search.reset_roots(batch)
        return search

    def __len__(self) -> int:
        return len(self.simulations_done)

    def set_evaluator(self, evaluator: LeafEvaluator | Evaluator | None) -> None:
        """Evaluate leaves with ``evaluator`` from now on; None stands for random games."""
        if evaluator is not None and not hasattr(evaluator, "submit"):
            evaluator = CallbackEvaluator(evaluator)
        self.evaluator: LeafEvaluator | None = evaluator  # type: ignore[assignment]
        if self.evaluator is None:
            return
        observation = self.evaluator.observation
        self._kind, inputs = -1, 0
        if observation is not None:
            self._kind = self.game.observation_kind(observation)
            inputs = math.prod(self.game.observations[observation])
        self._observations = self.evaluator.buffer(len(self._counts), inputs)

    def reset_roots(
        self,
        batch: Batch,
        *,
        simulations: int | None = None,
        seed: int | None = None,
        exploring: Reals | None = None,
        active: Mask | None = None,
    ) -> None:
        """Start new trees from the positions of ``batch``, one each; it must not change meanwhile.

        ``simulations`` and ``seed`` default to those of the config. ``exploring`` (trees,) is 1
        where the root gets noise or Gumbel variates and 0 where it plays its best move. Trees that
        are not ``active`` do not grow.
        """
        goal = self.config.simulations if simulations is None else simulations
        if not 1 <= goal <= self.config.simulations or len(batch) != len(self):
            raise UsageError(
                f"this search has room for {len(self)} trees of {self.config.simulations} "
                f"simulations, not for {len(batch)} of {goal}"
            )
        n = len(self)
        self._batch, self._goal = batch, goal
        self._seed = self.config.seed if seed is None else seed
        self._exploring = np.ones(n) if exploring is None else exploring
        self._forest.rng[:] = derive_seeds(self._seed, batch.seeds)
        self._reset(np.ones(n, np.bool_))
        self.simulations_done[:] = 0 if active is None else np.where(active, 0, goal)

    def _reset(self, trees: Mask) -> None:
        """Start some trees anew from the batch."""
        f, batch = self._forest, self._batch
        if self.game.uses_history:
            room = self._history_room
            if f.hashes.shape[1] < batch.histories.shape[1] + room:
                width = batch.histories.shape[1] + room + MAX_DEPTH
                hashes = np.zeros((len(self), width), np.uint64)
                self._forest = f = f._replace(hashes=hashes)
            f.past[:] = batch.history_lengths
            f.hashes[:, : batch.histories.shape[1]] = batch.histories
        if self.config.policy == "gumbel":
            schedule = halving_schedule(self.config.considered, self._goal)
            self._forest = f = f._replace(schedule=schedule)
        f.states[trees, 0] = batch.rows[trees]
        compiled.reset_roots(self._rules, f, trees)
        self._unexplored |= trees

    # Simulations

    def run(
        self,
        *,
        seconds: float | None = None,
        stop: StopFlag | None = None,
        on_progress: Callable[[], None] | None = None,
        every: float = 0.1,
    ) -> None:
        """Run the simulations of every tree, or stop when time is up or ``stop`` is raised.

        ``on_progress`` is called between simulations, about once in ``every`` seconds, and may read
        the roots. The roots are evaluated even if there is no time.
        """
        flag = stop_flag() if stop is None else stop
        report = _throttled(on_progress, every)
        with deadline(seconds, lambda: flag.fill(1)):
            if self.evaluator is None:
                interruptible(lambda flag: self._run_playouts(flag, report), flag)
            else:
                interruptible(lambda flag: self._run_evaluator(flag, report), flag)

    def _run_playouts(self, flag: StopFlag, report: Callable[[], None]) -> None:
        # One tree is enough work for one core.
        with share_threads(1 if len(self) == 1 else 1000):
            while not flag[0] and (left := self._remaining()).max() > 0:
                # All trees take the same steps, so none depends on another's progress.
                steps = min(_ROUND, int(left.max()))
                compiled.simulate(
                    self._rules, self._forest, self._params, steps, self.simulations_done, flag
                )
                report()

    def _run_evaluator(self, flag: StopFlag, report: Callable[[], None]) -> None:
        before = self.simulations_done.copy()

        def stopped() -> bool:
            report()
            return bool(flag[0]) and bool((self.simulations_done != before).any())

        simulate([self], stopped=stopped)

    @property
    def needs_simulations(self) -> bool:
        """Whether any tree has simulations left to run."""
        return bool(self._remaining().max(initial=0) > 0)

    def _remaining(self) -> npt.NDArray[np.int64]:
        """The simulations that each tree has left: 0 once its root is proven."""
        f = self._forest
        growing = (f.proven[:, 0] == UNKNOWN) & (f.nodes_used < f.states.shape[1])
        return np.where(growing, np.maximum(self._goal - self.simulations_done, 0), 0)

    def select(self) -> Leaves:
        """Select leaves in every tree that has simulations left."""
        game = self.game
        walks = np.minimum(self._remaining(), max(_WALKS, self.config.leaves))
        compiled.select(
            self._rules, self._forest, self._params, walks, self._paths, self._depths,
            self.simulations_done, self._kind, self._lists, self._counts, self._signs,
            self._observations,
        )  # fmt: skip
        offsets = np.zeros(len(self._counts) + 1, np.int64)
        np.cumsum(self._counts, out=offsets[1:])
        actions = np.empty(int(offsets[-1]), np.int32)
        places = np.empty(int(offsets[-1]), np.int64)
        compiled.concatenate(self._lists, offsets, game.num_actions, actions, places)
        self._legal = LegalLists(offsets, actions)
        return Leaves(
            self._observations, self._counts, self._legal, places, self._signs, self._leaf_batch
        )

    def backup(self, evaluation: Evaluation) -> None:
        """Expand the selected leaves and back up their values.

        The evaluation has the priors of the listed actions, end to end, and values (rows,) from the
        first player's side.
        """
        compiled.backup(
            self._forest, self._params, self._paths, self._depths, self._legal.offsets,
            self._legal.actions, evaluation.priors, evaluation.values, self.simulations_done,
        )  # fmt: skip
        if self._unexplored.any():
            self._explore_roots()

    def _explore_roots(self) -> None:
        """Add noise or Gumbel scores to roots that have just received their priors."""
        f, config = self._forest, self.config
        expanded = self._unexplored & (f.first_edge[:, 0] >= 0) & (f.movers[:, 0] != CHANCE)
        self._unexplored &= ~expanded
        self._root_values[expanded] = f.values[expanded, 0] / np.maximum(f.visits[expanded, 0], 1)
        if config.policy == "gumbel":
            words = self._batch.words(self._seed ^ _GUMBEL)
            compiled.draw_scores(f, words, self._exploring, expanded)
        elif config.noise > 0.0:
            words = self._batch.words(self._seed ^ _NOISE)
            shares = config.noise * self._exploring
            compiled.add_noise(f, words, shares, config.noise_alpha, expanded & (shares > 0.0))

    def _leaf_batch(self, rows: npt.NDArray[np.int64]) -> Batch:
        """The leaves of some rows as a batch of positions, with the history of their paths."""
        f, leaves = self._forest, self.config.leaves
        trees, places = rows // leaves, rows % leaves
        depths = self._depths[trees, places].astype(np.int64)
        batch = Batch(self.game, f.states[trees, self._paths[trees, places, 0, depths]])
        batch.seeds = self._batch.seeds[trees] + places.astype(np.uint64)
        batch.plies = self._batch.plies[trees] + depths
        if self.game.uses_history:
            batch.history_lengths = f.past[trees] + depths
            longest = int(batch.history_lengths.max(initial=0))
            batch.histories = np.zeros((len(rows), longest), np.uint64)
            compiled.leaf_hashes(
                self._rules, f, self._paths, self._depths, rows, batch.histories
            )  # fmt: skip
        return batch

    # Results

    def root(self, tree: int, *, lines: int = 1) -> Root:
        """The root of tree number ``tree``, with the expected play of its ``lines`` best moves."""
        done = int(self.simulations_done[tree])
        if self._forest.first_edge[tree, 0] < 0:
            return unexpanded_root(self._batch[tree], self._forest, tree, done)
        return read_root(self._forest, tree, done, lines)

    def policies(self, temperatures: Reals | None = None) -> RootPolicies:
        """Policies to learn and actions to play of all roots; temperature 0 plays the best."""
        f, n, most = self._forest, len(self), self.game.max_actions
        policies = np.zeros((n, self.game.action_room), np.float32)
        chosen, values = np.empty(n, np.int64), np.empty(n, np.float64)
        compiled.read_roots(
            f, self._params, self._root_values, self._batch.words(self._seed ^ _CHOICE),
            np.zeros(n) if temperatures is None else temperatures, policies, chosen, values,
        )  # fmt: skip
        degrees = f.degree[:, 0].astype(np.int64)
        if degrees.max() > most:
            raise self.game.too_many_actions(int(degrees.max()))
        inside = np.arange(most) < degrees[:, None]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(degrees)])
        # The first edges of a tree belong to its root.
        actions = f.actions[:, :most][inside]
        return RootPolicies(
            LegalLists(offsets, actions), policies[:, :most][inside], chosen, values,
            f.proven[:, 0] != UNKNOWN,
        )  # fmt: skip

    def explored(self, least: int = 1) -> ExploredNodes:
        """The decision nodes of all trees with at least ``least`` visits, and no less than two."""
        f = self._forest
        used = np.arange(f.visits.shape[1]) < f.nodes_used[:, None]
        decisions = used & (f.first_edge >= 0) & (f.visits >= max(least, 2)) & (f.movers != CHANCE)
        trees, nodes = np.nonzero(decisions)
        counts = f.degree[trees, nodes].astype(np.int64)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        first = f.first_edge[trees, nodes]
        edges = np.arange(offsets[-1]) + np.repeat(first - offsets[:-1], counts)
        of_edges = np.repeat(trees, counts)
        return ExploredNodes(
            f.states[trees, nodes], f.movers[trees, nodes].astype(np.int64),
            f.values[trees, nodes] / f.visits[trees, nodes],
            LegalLists(offsets, f.actions[of_edges, edges]), f.edge_visits[of_edges, edges],
        )  # fmt: skip

    def advance(self, actions: npt.ArrayLike) -> None:
        """Play one action in every game and keep the subtree below it.

        With -1 a game stays where it is, and its tree starts anew.
        """
        chosen = np.asarray(actions, np.int64)
        edges = np.full(len(self), -1, np.int64)
        f = self._forest
        for tree, action in enumerate(chosen):
            start, n = int(f.first_edge[tree, 0]), int(f.degree[tree, 0])
            if start >= 0:
                here = np.flatnonzero(f.actions[tree, start : start + n] == action)
                if len(here):
                    edges[tree] = start + int(here[0])
        kept = int(f.edge_visits[np.arange(len(edges)), np.maximum(edges, 0)].max(initial=0))
        self._batch = self._batch.copy()
        self._batch.apply(chosen)
        self._forest = new = self._allocate(kept)
        compiled.copy_subtrees(f, new, edges)
        self._unexplored[:] = True
        self._reset(new.nodes_used == 0)
        self._explore_roots()
        self.simulations_done[:] = 0

    # Memory

    @property
    def _history_room(self) -> int:
        """Room for the hashes of the longest path and of a random game that follows it."""
        return MAX_DEPTH + (_PLAYOUT_ROOM if self.evaluator is None else 0)

    def _allocate(self, kept: int = 0) -> Forest:
        """Memory for the config's simulations in addition to ``kept`` nodes."""
        game, config = self.game, self.config
        if self.evaluator is None:
            width, walks = _PLAYOUT_WIDTH, 1
        else:
            width, walks = _WIDTH, max(_WALKS, config.leaves)
        nodes = kept + config.simulations + walks + 2
        if game.has_chance and self.evaluator is not None:
            nodes *= 2  # many leaves follow a chance node
        edges = nodes * min(width, game.max_actions) + game.max_actions
        past = self._batch.histories.shape[1] + self._history_room
        return allocate(
            game, len(self), nodes, edges,
            hashes=past if game.uses_history else 0,
            scores=game.action_room if config.policy == "gumbel" else 0,
        )  # fmt: skip

    @property
    def _params(self) -> Params:
        config = self.config
        return Params(
            exploration=config.exploration,
            puct=config.policy != "uct",
            gumbel=config.policy == "gumbel",
            solve=config.solve,
            playout_limit=_PLAYOUT_ROOM if self.game.uses_history else LIMIT,
        )


def _throttled(callback: Callable[[], None] | None, every: float) -> Callable[[], None]:
    """``callback``, but called at most once in ``every`` seconds."""
    if callback is None:
        return lambda: None
    due = time.perf_counter() + every

    def throttled() -> None:
        nonlocal due
        if time.perf_counter() >= due:
            callback()
            due = time.perf_counter() + every

    return throttled
