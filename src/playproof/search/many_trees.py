"""One tree for each of many games, grown a leaf or a few at a time, its phases apart.

``look`` walks to leaves in every tree; somebody judges the leaves, on a GPU
while other trees are looked after, say; ``back_up`` enters the answers.  Memory
is made once and used for move after move, with trees that begin anew.

At the root either Dirichlet noise is mixed into the priors (Silver et al., 2017)
or a sample of actions is halved until one is left (Gumbel AlphaZero, Danihelka
et al., 2022), which makes something of few simulations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from playproof.core.batch import Batch, LegalLists
from playproof.core.errors import UsageError
from playproof.core.game import Game
from playproof.search import many_trees_kernels as compiled
from playproof.search import mcts_kernels
from playproof.search.mcts_forest import LONGEST, UNKNOWN, Forest
from playproof.search.mcts_roots import Root, read_root

_WALKS = 8  # that a tree may take in one round if they end at proven leaves
_WIDTH = 48  # edges a node, on average, for which there is room
_NOISE, _CHOICE, _GUMBEL = 0x6E6F6973, 0x63686F69, 0x67756D62  # keep these draws apart

Floats = npt.NDArray[np.float32]
Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """How trees grow; ``simulations`` are the most that a tree has room for."""

    simulations: int = 100
    exploration: float = 1.5
    considered: int = 0  # actions that a root begins to halve; 0: noise instead
    noise: float = 0.25  # share of Dirichlet noise in the root's priors
    noise_alpha: float = 0.3
    solve: bool = True
    leaves: int = 1  # of one tree in a round; walks under way count as lost, so that they part

    def __post_init__(self) -> None:
        if self.simulations < 2:
            raise UsageError(f"{self.simulations} simulations: want 2 or more, one is the root's")
        if self.considered < 0 or not 0.0 <= self.noise <= 1.0 or not self.noise_alpha > 0.0:
            raise UsageError("want considered from 0, noise from 0 to 1 and noise_alpha above 0")
        if self.leaves < 1 or (self.leaves > 1 and self.considered):
            raise UsageError("want leaves from 1, and 1 where a root halves its actions")


class Found(NamedTuple):
    """What t trees say of their roots, lists of actions end to end as in LegalLists."""

    legal: LegalLists
    policy: Floats  # (legal.offsets[-1],) to learn; the shares of a root sum to 1
    chosen: npt.NDArray[np.int64]  # (t,) the actions to play
    values: Reals  # (t,) from the first player's side
    proven: npt.NDArray[np.bool_]  # (t,) whether the value is certain


class ManyTrees:
    """``trees`` trees of ``game``; the arrays are what a judge of leaves reads.

    Rows are ``growth.leaves`` for each tree, one after the other.

    planes   (rows, inputs) what the movers of the leaves see; stale where there is no leaf
    counts   (rows,) their actions, 0 where there is no leaf; ``legal`` the lists end to end
    places   where each listed action lies in a matrix (rows, num_actions)
    signs    (rows,) -1 where the second player moves
    """

    def __init__(
        self, game: Game, trees: int, growth: Growth, observation: str | None = None,
        planes: Floats | None = None,
    ) -> None:  # fmt: skip
        if game.has_chance:
            raise UsageError(f"{game.spec} has moves of chance, and nobody learns from these yet")
        self.game, self.growth = game, growth
        self.kind = -1 if observation is None else game.observation_kind(observation)
        inputs = math.prod(game.observations[observation]) if observation else 0
        rows = trees * growth.leaves
        self.planes = np.zeros((rows, inputs), np.float32) if planes is None else planes
        self._lists = np.zeros((rows, game.action_room), np.int32)
        self.counts = np.zeros(rows, np.int64)
        self.signs = np.zeros(rows, np.float64)
        self.done = np.zeros(trees, np.int64)
        self._goal = growth.simulations
        self._paths = np.zeros((trees, growth.leaves, 2, LONGEST), np.int32)
        self._depths = np.full((trees, growth.leaves), -1, np.int32)
        self._raw = np.zeros(trees, np.float64)
        self._forest = self._make(trees)
        self._begins = np.arange(trees, dtype=np.int64) * growth.leaves

    def __len__(self) -> int:
        return len(self.done)

    def plant(
        self, batch: Batch, goal: int, seed: int, loud: Reals,
        wanted: npt.NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """New trees for the games of ``batch``, to grow by ``goal`` simulations.

        ``loud`` (trees,) is 1 where the root is to explore, 0 where it is to do its best;
        trees that are not ``wanted`` do not grow."""
        if not 2 <= goal <= self.growth.simulations or len(batch) != len(self):
            raise UsageError(f"there is room for {len(self)} trees of {self.growth.simulations}")
        f = self._forest
        self._batch, self._goal, self._seed, self._loud = batch, goal, seed, loud
        if self.game.uses_history:
            room = batch.pasts.shape[1] + LONGEST
            if f.hashes.shape[1] < room:
                grown = np.zeros((len(self), room + LONGEST), np.uint64)
                self._forest = f = f._replace(hashes=grown)
            f.known[:] = batch.known
            f.hashes[:, : batch.pasts.shape[1]] = batch.pasts
        f.states[:, 0] = batch.rows
        f.random[:] = batch.words(seed)
        if self.growth.considered:
            halving = considered_visits(self.growth.considered, goal)
            self._forest = f = f._replace(halving=halving)
        game = self.game
        mcts_kernels.plant(game.kernel_table, game.option_words, game.tables, f)
        self.done[:] = 0 if wanted is None else np.where(wanted, 0, goal)
        self._fresh = True

    def look(self) -> int:
        """Walk to leaves in every tree that wants some; how many there are."""
        f, game = self._forest, self.game
        open_ = (f.proven[:, 0] == UNKNOWN) & (f.nodes < f.states.shape[1])
        walks = max(_WALKS, self.growth.leaves)
        wanted = np.where(open_, np.clip(self._goal - self.done, 0, walks), 0)
        compiled.look(
            game.kernel_table, game.option_words, game.tables, f, self._settings, self.kind,
            wanted, self._paths, self._depths, self.done, self._lists, self.counts, self.signs,
            self.planes,
        )  # fmt: skip
        offsets = np.zeros(len(self.counts) + 1, np.int64)
        np.cumsum(self.counts, out=offsets[1:])
        actions = np.empty(int(offsets[-1]), np.int32)
        self.places = np.empty(int(offsets[-1]), np.int64)
        compiled.string_together(self._lists, offsets, game.num_actions, actions, self.places)
        self.legal = LegalLists(offsets, actions)
        return int(np.count_nonzero(self.counts))

    @property
    def wants_more(self) -> bool:
        """Whether a tree is still to grow."""
        f = self._forest
        open_ = (f.proven[:, 0] == UNKNOWN) & (f.nodes < f.states.shape[1])
        return bool((open_ & (self.done < self._goal)).any())

    def leaf_batch(self) -> tuple[Batch, npt.NDArray[np.int64]]:
        """The leaves as a batch with their pasts, and the trees that they are of."""
        if self.growth.leaves > 1:
            raise UsageError("of several leaves of a tree the pasts are not kept: want one a round")
        f, trees = self._forest, np.flatnonzero(self.counts)
        depths = self._depths[trees, 0].astype(np.int64)
        batch = Batch(self.game, f.states[trees, self._paths[trees, 0, 0, depths]])
        batch.seeds = self._batch.seeds[trees]
        batch.plies = self._batch.plies[trees] + depths
        if self.game.uses_history:
            batch.known = f.known[trees] + depths
            batch.pasts = f.hashes[trees, : int(batch.known.max(initial=0))]
        return batch, trees

    def back_up(self, priors: Floats, values: Reals) -> None:
        """Enter priors of the listed actions and values (trees,), from the first player's side."""
        mcts_kernels.back_up(
            self._forest, self._settings, self._paths, self._depths, self._begins,
            self.legal.offsets, self.legal.actions, priors, values, self.done,
        )  # fmt: skip
        if self._fresh:
            self._fresh = False
            self._raw[:] = self._forest.sums[:, 0]
            self._explore()

    def root(self, tree: int) -> Root:
        """What tree number ``tree`` knows of its root."""
        return read_root(self._forest, tree, int(self.done[tree]))

    def found(self, temperatures: Reals) -> Found:
        """What the trees have found; at a temperature of 0 the best action is chosen."""
        f, n = self._forest, len(self)
        targets = np.zeros((n, self.game.action_room), np.float32)
        chosen, values = np.empty(n, np.int64), np.empty(n, np.float64)
        points = self._batch.words(self._seed ^ _CHOICE)
        compiled.read(f, self._settings, self._raw, points, temperatures, targets, chosen, values)
        degrees = f.degree[:, 0].astype(np.int64)
        if degrees.max() > self.game.max_actions:
            raise self.game.too_many_actions(int(degrees.max()))
        inside = np.arange(self.game.max_actions) < degrees[:, None]
        offsets = np.concatenate([[0], np.cumsum(degrees)])
        # A fresh tree's first edges are its root's.
        actions = f.actions[:, : self.game.max_actions][inside]
        return Found(
            LegalLists(offsets, actions), targets[:, : inside.shape[1]][inside], chosen, values,
            f.proven[:, 0] != UNKNOWN,
        )  # fmt: skip

    def _explore(self) -> None:
        """Once the roots have their priors: scores to halve by, or noise."""
        f, growth = self._forest, self.growth
        if growth.considered:
            compiled.score(f, self._batch.words(self._seed ^ _GUMBEL), self._loud)
            return
        if growth.noise == 0.0:
            return
        degrees = f.degree[:, 0]
        inside = np.arange(self.game.max_actions) < degrees[:, None]
        first = int(self._batch.words(self._seed ^ _NOISE)[0])
        drawn = np.random.default_rng(first).standard_gamma(growth.noise_alpha, inside.shape)
        drawn = np.where(inside, np.maximum(drawn, 1e-30), 0.0)
        noise = drawn / drawn.sum(axis=1, keepdims=True)
        share = growth.noise * self._loud[:, None]
        part = f.priors[:, : self.game.max_actions]
        part[inside] = ((1.0 - share) * part + share * noise)[inside]

    @property
    def _settings(self) -> Reals:
        g, game = self.growth, self.game
        return np.array(
            [
                g.exploration, True, g.solve, game.uses_history, False, game.action_room, 0,
                g.considered > 0,
            ],
            np.float64,
        )  # fmt: skip

    def _make(self, trees: int) -> Forest:
        game = self.game
        nodes = self.growth.simulations + max(_WALKS, self.growth.leaves) + 2
        edges = nodes * min(_WIDTH, game.max_actions) + game.max_actions
        halves = (trees, game.action_room if self.growth.considered else 0)
        return Forest(
            states=np.zeros((trees, nodes, game.words), np.uint64),
            visits=np.zeros((trees, nodes), np.int32),
            sums=np.zeros((trees, nodes), np.float64),
            movers=np.zeros((trees, nodes), np.int8),
            proven=np.zeros((trees, nodes), np.int8),
            first=np.zeros((trees, nodes), np.int32),
            degree=np.zeros((trees, nodes), np.int32),
            actions=np.zeros((trees, edges), np.int32),
            priors=np.zeros((trees, edges), np.float32),
            children=np.zeros((trees, edges), np.int32),
            tries=np.zeros((trees, edges), np.int32),
            totals=np.zeros((trees, edges), np.float64),
            virtual=np.zeros((trees, edges), np.int32),
            nodes=np.zeros(trees, np.int64),
            edges=np.zeros(trees, np.int64),
            random=np.zeros(trees, np.uint64),
            hashes=np.zeros((trees, 2 * LONGEST if game.uses_history else 0), np.uint64),
            known=np.zeros(trees, np.int64),
            scores=np.zeros(halves, np.float32),
            halving=np.zeros((0, 0), np.int32),
        )


def considered_visits(most: int, simulations: int) -> npt.NDArray[np.int32]:
    """(most + 1, simulations) how often an action must have been visited to be in question.

    Row m is the schedule of m actions: all are visited in turn, the better half goes
    on, and so on with as many simulations for every round (Karnin et al., 2013).
    """
    out = np.zeros((most + 1, simulations), np.int32)
    for actions in range(1, most + 1):
        rounds = max(1, math.ceil(math.log2(actions)))
        visits, left = [0] * actions, actions
        schedule: list[int] = []
        while len(schedule) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                schedule += visits[:left]
                visits[:left] = [visit + 1 for visit in visits[:left]]
            left = max(min(2, actions), left // 2)
        out[actions] = schedule[:simulations]
    return out


def softmax(offsets: npt.NDArray[np.int64], logits: Floats) -> Floats:
    """Probabilities of each row's actions, from logits end to end."""
    out = np.empty(len(logits), np.float32)
    compiled.soften(offsets, logits, out)
    return out
