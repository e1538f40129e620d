"""Monte Carlo tree search for many games at once, in any game.

A forest holds one tree for each position.  Leaves are valued by random games
(all compiled, no Python in between) or by an evaluator, which gets the leaves
of all trees as one batch.  UCT (Kocsis and Szepesvari, 2006) or PUCT with
priors (Silver et al., 2017); proven results travel up the tree (Winands et
al., 2008).  The same seed gives the same trees on any number of cores.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.bits import derive_seed
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.core.kernels import CHANCE, Words
from playproof.core.playouts import LIMIT
from playproof.core.state import State
from playproof.core.stopping import StopFlag, deadline, interruptible, stop_flag
from playproof.core.threads import sharing
from playproof.search import mcts_kernels as compiled
from playproof.search.evaluators import Evaluator, evaluate
from playproof.search.mcts_forest import LONGEST, UNKNOWN, Forest
from playproof.search.mcts_roots import Root, read_root

_ROLLOUT_ROOM = 2048  # plies of a random game that uses history
_ROUND = 64  # simulations between two looks at the clock

Pause = Callable[[], None]  # between simulations


@dataclass(frozen=True)
class Settings:
    """How the trees grow.  A limit of 0 or None is none."""

    simulations: int = 800
    seconds: float | None = None
    exploration: float = 1.0
    puct: bool = False  # PUCT with priors, else UCT
    leaves: int = 1  # of one tree that an evaluator sees at once
    noise: float = 0.0  # share of Dirichlet noise in the root's priors
    noise_alpha: float = 0.3
    solve: bool = True  # proven results end the search of what they decide
    seed: int = 0

    def __post_init__(self) -> None:
        if self.simulations < 1:
            raise UsageError(f"mcts: {self.simulations} simulations: want 1 or more")
        if self.leaves < 1:
            raise UsageError(f"mcts: {self.leaves} leaves at once: want 1 or more")
        if not 0.0 <= self.noise <= 1.0:
            raise UsageError(f"mcts: noise {self.noise} is not a share from 0 to 1")


def _paced(report: Callable[[], None] | None, every: float) -> Pause:
    """``report``, but not more often than every so many seconds."""
    if report is None:
        return lambda: None
    due = time.perf_counter() + every

    def pause() -> None:
        nonlocal due
        if time.perf_counter() >= due:
            report()
            due = time.perf_counter() + every

    return pause


class Explored(NamedTuple):
    """Decisions of trees: rows, movers, mean values from the first player's side, and the
    visits of each action, lists end to end."""

    rows: Words
    movers: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    legal: LegalLists
    visits: npt.NDArray[np.int32]


class TreeSearch:
    """One tree for each of ``states``, which grow together."""

    def __init__(
        self,
        states: Sequence[State] | Batch,
        settings: Settings | None = None,
        *,
        evaluator: Evaluator | None = None,
    ) -> None:
        self.settings = settings or Settings()
        self.evaluator = evaluator
        batch = states if isinstance(states, Batch) else Batch.of(states)
        self.game: Game = batch.game
        self._chooser = np.random.default_rng(self.settings.seed)
        self._batch = batch.copy()
        self._forest = self._make(len(batch))
        self._plant(np.arange(len(batch)))
        self.done = np.zeros(len(batch), np.int64)

    def run(
        self,
        *,
        stop: StopFlag | None = None,
        report: Callable[[], None] | None = None,
        every: float = 0.1,
    ) -> None:
        """Grow every tree by the settings' simulations, or until time is up.

        Trees that were kept from an earlier move go on from what they have.
        ``report`` is called between simulations, about ``every`` so many seconds:
        it may look at the roots.
        """
        flag = stop_flag() if stop is None else stop
        grow = self._grow_by_playouts if self.evaluator is None else self._grow_by_evaluator
        pause = _paced(report, every)
        with deadline(self.settings.seconds, lambda: flag.fill(1)):
            interruptible(lambda flag: self._shared(grow, flag, pause), flag)

    def root(self, tree: int) -> Root:
        """What tree number ``tree`` has found."""
        if self._forest.first[tree, 0] < 0:  # never expanded: nothing but the list of actions
            return self._bare_root(tree)
        return read_root(self._forest, tree, int(self.done[tree]))

    def explored(self, least: int = 1) -> Explored:
        """The decisions in all trees that were visited at least so often."""
        f = self._forest
        used = np.arange(f.visits.shape[1]) < f.nodes[:, None]
        wanted = used & (f.first >= 0) & (f.visits >= max(least, 2)) & (f.movers != CHANCE)
        trees, nodes = np.nonzero(wanted)
        counts = f.degree[trees, nodes].astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        edges = np.arange(offsets[-1]) + np.repeat(f.first[trees, nodes] - offsets[:-1], counts)
        of_edges = np.repeat(trees, counts)
        return Explored(
            f.states[trees, nodes], f.movers[trees, nodes].astype(np.int64),
            f.sums[trees, nodes] / f.visits[trees, nodes],
            LegalLists(offsets, f.actions[of_edges, edges]), f.tries[of_edges, edges],
        )  # fmt: skip

    def advance(self, actions: npt.ArrayLike) -> None:
        """Play one action in every game and keep what the trees know of it.

        -1 leaves a game as it is, with its tree begun anew.
        """
        chosen = np.asarray(actions, np.int64)
        edges = np.full(len(self._batch), -1, np.int64)
        f = self._forest
        for tree, action in enumerate(chosen):
            begin, n = int(f.first[tree, 0]), int(f.degree[tree, 0])
            if begin >= 0:
                here = np.flatnonzero(f.actions[tree, begin : begin + n] == action)
                if len(here):
                    edges[tree] = begin + int(here[0])
        kept = int(f.tries[np.arange(len(edges)), np.maximum(edges, 0)].max(initial=0))
        self._batch.apply(chosen)
        new = self._make(len(self._batch), kept)
        compiled.replant(f, new, edges)
        self._forest = new
        self._plant(np.flatnonzero(new.nodes == 0))
        self.done[:] = 0

    # Growing

    def _shared(
        self, grow: Callable[[StopFlag, Pause], None], flag: StopFlag, pause: Pause
    ) -> None:
        # A tree is work enough for a core; an evaluator's short calls are not.
        trees = len(self._batch)
        with sharing(trees if self.evaluator or trees == 1 else 1000):
            grow(flag, pause)

    def _grow_by_playouts(self, flag: StopFlag, pause: Pause) -> None:
        goal = self.settings.simulations
        while not flag[0] and (left := self._left(goal)).max() > 0:
            # All trees take the same steps, so none depends on another's progress.
            steps = min(_ROUND, int(left.max()))
            compiled.grow(
                self.game.kernel_table, self.game.option_words, self.game.tables, self._forest,
                self._kernel_settings, steps, self.done, flag,
            )  # fmt: skip
            pause()

    def _grow_by_evaluator(self, flag: StopFlag, pause: Pause) -> None:
        assert self.evaluator is not None
        goal, leaves = self.settings.simulations, self.settings.leaves
        trees = len(self._batch)
        paths = np.zeros((trees, leaves, 2, LONGEST), np.int32)
        depths = np.zeros((trees, leaves), np.int32)
        noisy = False
        while not flag[0] and (left := self._left(goal)).max() > 0:
            wanted = np.minimum(left, leaves)
            compiled.select(
                self.game.kernel_table, self.game.option_words, self.game.tables, self._forest,
                self._kernel_settings, wanted, paths, depths, self.done,
            )  # fmt: skip
            self._evaluate(paths, depths)
            if not noisy and self.settings.noise > 0.0:
                self._add_noise()
                noisy = True
            pause()

    def _evaluate(self, paths: npt.NDArray[np.int32], depths: npt.NDArray[np.int32]) -> None:
        assert self.evaluator is not None
        f = self._forest
        trees, places = np.nonzero(depths >= 0)
        if not len(trees):
            return
        leaves = paths[trees, places, 0, depths[trees, places]]
        batch = self._leaf_batch(trees, places, leaves, paths, depths)
        legal = batch.legal_lists()
        answer = evaluate(self.evaluator, batch, legal)
        begins = np.searchsorted(trees, np.arange(len(self._batch))).astype(np.int64)
        compiled.back_up(
            f, self._kernel_settings, paths, depths, begins, legal.offsets, legal.actions,
            answer.priors, answer.values, self.done,
        )  # fmt: skip

    def _leaf_batch(
        self,
        trees: npt.NDArray[np.int64],
        places: npt.NDArray[np.int64],
        leaves: npt.NDArray[np.int32],
        paths: npt.NDArray[np.int32],
        depths: npt.NDArray[np.int32],
    ) -> Batch:
        """The leaves as a batch, with the history of their paths."""
        f = self._forest
        batch = Batch(self.game, f.states[trees, leaves])
        batch.seeds = self._batch.seeds[trees] + places.astype(np.uint64)
        batch.plies = self._batch.plies[trees] + depths[trees, places]
        if self.game.uses_history:
            batch.known = f.known[trees] + depths[trees, places]
            batch.pasts = np.zeros((len(trees), int(batch.known.max())), np.uint64)
            for i, (tree, place) in enumerate(zip(trees, places, strict=True)):
                known, depth = int(f.known[tree]), int(depths[tree, place])
                batch.pasts[i, :known] = f.hashes[tree, :known]
                for k in range(depth):  # leaves of one tree share no path: hash again
                    row = f.states[tree, paths[tree, place, 0, k]]
                    here = self.game.kernels.hash(self.game.option_words, row)
                    batch.pasts[i, known + k] = here
        return batch

    def _add_noise(self) -> None:
        f, share = self._forest, self.settings.noise
        for tree in range(len(self._batch)):
            begin, n = int(f.first[tree, 0]), int(f.degree[tree, 0])
            if begin >= 0 and f.movers[tree, 0] != CHANCE:
                chooser = np.random.default_rng(int(self._batch.words(self.settings.seed)[tree]))
                noise = chooser.dirichlet(np.full(n, self.settings.noise_alpha))
                priors = f.priors[tree, begin : begin + n]
                f.priors[tree, begin : begin + n] = (1.0 - share) * priors + share * noise

    def _left(self, goal: int) -> npt.NDArray[np.int64]:
        """Simulations each tree still wants: none once its root is proven."""
        f = self._forest
        full = f.nodes >= f.states.shape[1]
        open_ = (f.proven[:, 0] == UNKNOWN) & ~full
        return np.where(open_, np.maximum(goal - self.done, 0), 0)

    # Memory

    def _plant(self, trees: npt.NDArray[np.int64]) -> None:
        """New roots for ``trees``, from the batch."""
        if not len(trees):
            return
        f, batch = self._forest, self._batch
        f.known[:] = batch.known
        f.hashes[:, : batch.pasts.shape[1]] = batch.pasts
        if len(trees) == len(batch):
            f.states[:, 0] = batch.rows
            compiled.plant(self.game.kernel_table, self.game.option_words, self.game.tables, f)
            return
        part = self._make(len(trees))  # planted apart, so that kept trees stay
        part.states[:, 0] = batch.rows[trees]
        part.known[:] = batch.known[trees]
        part.hashes[:, : batch.pasts.shape[1]] = batch.pasts[trees]
        compiled.plant(self.game.kernel_table, self.game.option_words, self.game.tables, part)
        for name in ("states", "visits", "sums", "movers", "proven", "first", "degree"):
            getattr(f, name)[trees, 0] = getattr(part, name)[:, 0]
        f.nodes[trees], f.edges[trees] = 1, 0

    def _make(self, trees: int, kept: int = 0) -> Forest:
        """Room for the settings' simulations beside ``kept`` nodes."""
        game, settings = self.game, self.settings
        nodes = kept + settings.simulations + settings.leaves + 2
        # By playouts only inner nodes have edges; by an evaluator all have.
        width = 12 if self.evaluator is None else 32
        edges = nodes * min(width, game.max_actions) + game.max_actions
        past = self._batch.pasts.shape[1] if game.uses_history else 0
        room = LONGEST + _ROLLOUT_ROOM if game.uses_history else 0
        seeds = [derive_seed(self.settings.seed, int(s)) for s in self._batch.seeds[:trees]]
        return Forest(
            states=np.zeros((trees, nodes, game.words), np.uint64),
            visits=np.zeros((trees, nodes), np.int32),
            sums=np.zeros((trees, nodes), np.float64),
            movers=np.zeros((trees, nodes), np.int8),
            proven=np.full((trees, nodes), UNKNOWN, np.int8),
            first=np.full((trees, nodes), -1, np.int32),
            degree=np.zeros((trees, nodes), np.int32),
            actions=np.zeros((trees, edges), np.int32),
            priors=np.zeros((trees, edges), np.float32),
            children=np.full((trees, edges), -1, np.int32),
            tries=np.zeros((trees, edges), np.int32),
            totals=np.zeros((trees, edges), np.float64),
            virtual=np.zeros((trees, edges), np.int32),
            nodes=np.zeros(trees, np.int64),
            edges=np.zeros(trees, np.int64),
            random=np.array(seeds, np.uint64),
            hashes=np.zeros((trees, past + room), np.uint64),
            known=np.zeros(trees, np.int64),
            scores=np.zeros((trees, 0), np.float32),
            halving=np.zeros((0, 0), np.int32),
        )

    @property
    def _kernel_settings(self) -> npt.NDArray[np.float64]:
        s, game = self.settings, self.game
        limit = _ROLLOUT_ROOM if game.uses_history else LIMIT
        return np.array(
            [
                s.exploration, s.puct, s.solve, game.uses_history, game.has_chance,
                game.action_room, limit, False,
            ],
            np.float64,
        )  # fmt: skip

    # Reading

    def _bare_root(self, tree: int) -> Root:
        state = self._batch[tree]
        actions = np.array(state.legal_actions(), np.int32)
        n = len(actions)
        player = state.current_player
        result = int(self._forest.proven[tree, 0])
        return Root(
            actions=actions,
            visits=np.zeros(n, np.int32),
            priors=np.full(n, 1.0 / max(n, 1), np.float32),
            values=np.full(n, np.nan),
            proven=np.full(n, UNKNOWN, np.int8),
            player=0 if player is None else player,
            value=0.0 if result == UNKNOWN else float(result),
            result=result,
            line=(),
            simulations=int(self.done[tree]),
            nodes=int(self._forest.nodes[tree]),
        )
