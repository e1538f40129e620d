"""``mcts``: Monte Carlo tree search, its leaves valued by random games, by a network, or by
an evaluator that a program gives it.

The value is the mean result it expects, from -1 to 1.  It can be given tables of
solved positions: it plays from them where they reach, and asks them at every
new node where they do not.
"""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.net import (
    DEVICE,
    NET,
    find_net,
    judged_by,
    net_evaluator,
    own_evaluator,
)
from playproof.agents.tables import TABLES, open_tables
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.nets.net_trees import NetTrees
    from playproof.search.evaluators import Evaluator
    from playproof.search.many_trees import ManyTrees
    from playproof.search.mcts import Root, Settings


class MonteCarlo(Agent):
    name = "mcts"
    summary = "tree search guided by random games, or by a network"
    option_fields = (
        Option("simulations", 800, "leaves to value for a move", minimum=1, maximum=10_000_000),
        Option("time", 0.0, "seconds for a move, 0 for no limit", minimum=0.0, maximum=86400.0),
        Option("exploration", 1.0, "how readily little known moves are tried", minimum=0.0),
        Option("temperature", 0.0, "0 plays the most visited move, 1 by visits", minimum=0.0),
        TABLES,
        NET,
        DEVICE,
        Option(
            "leaves", 1, "leaves of a tree that a network judges at once", minimum=1, maximum=256
        ),
    )
    takes_evaluator = True

    def __init__(
        self, game: Game, *, seed: int = 0, evaluator: object | None = None, **options: Any
    ) -> None:
        super().__init__(game, seed=seed, **options)
        self._given = evaluator
        folder = self.options["tables"]
        self.tables = open_tables(self.name, game, folder) if folder else None
        net = self.options["net"]
        if self.options["leaves"] > 1 and not net and evaluator is None:
            raise UsageError("mcts: leaves=... is for a network: give net=..., or leave it away")
        self._trees: NetTrees | None = None  # of a network, where nothing else is to be asked
        asked_alone = net and evaluator is None and self.tables is None
        if asked_alone and not game.has_chance and self.options["simulations"] > 1:
            self._trees = self._net_trees()
        else:
            self.evaluator  # noqa: B018  a wrong network is refused now

    @functools.cached_property
    def evaluator(self) -> Evaluator | None:
        """What judges the leaves; None for random games."""
        net, device = self.options["net"], self.options["device"]
        if self._given is not None:
            return own_evaluator(self.name, self.game, self._given, net)
        return net_evaluator(self.name, self.game, net, device) if net else None

    @property
    def spec(self) -> str:
        return judged_by(super().spec, self._given)

    def _net_trees(self) -> NetTrees:
        from playproof.nets.net_trees import NetTrees
        from playproof.search.many_trees import Growth

        growth = Growth(
            simulations=self.options["simulations"],
            exploration=self.options["exploration"],
            noise=0.0,
            leaves=self.options["leaves"],
        )
        net = find_net(self.name, self.game, self.options["net"])
        return NetTrees(net, self.game, growth, self.options["device"])

    def choose(self, batch: Batch) -> list[Decision]:
        if self.tables is None:
            return self._grow(batch)
        words = batch.words(self.seed)
        looks = (self.tables.decision(batch[i], int(words[i])) for i in range(len(batch)))
        known = [decision and _certain(decision) for decision in looks]
        open_ = [row for row, decision in enumerate(known) if decision is None]
        if not open_:
            return [decision for decision in known if decision]
        part = batch.take(open_)
        part.game = self.tables.game
        searched = iter(self._grow(part))
        return [decision or next(searched) for decision in known]

    def analyse(self, state: State, *, seed: int = 0) -> Decision:
        known = self.tables and self.tables.analysis(state, self.seed, seed)
        return _certain(known) if known else super().analyse(state, seed=seed)

    def _grow(self, batch: Batch) -> list[Decision]:
        """Search all rows."""
        import numpy as np

        from playproof.search.mcts import TreeSearch

        began = time.perf_counter()
        trees: TreeSearch | ManyTrees
        if self._trees is not None:
            limit = self.options["time"] or None
            trees = self._trees.grown(batch, self.seed, seconds=limit, stop=self.stop)
        else:
            trees = TreeSearch(batch, self._settings(), evaluator=self.evaluator)
            trees.run(stop=self.stop)
        seconds = time.perf_counter() - began
        words = batch.words(self.seed)
        found = []
        for row in range(len(batch)):
            root = trees.root(row)
            chooser = np.random.default_rng(int(words[row]))
            action = root.best(temperature=self.options["temperature"], chooser=chooser)
            found.append(self._decision(root, action, seconds))
        return found

    def _settings(self) -> Settings:
        from playproof.search.mcts import Settings

        seconds = self.options["time"]
        return Settings(
            simulations=self.options["simulations"],
            seconds=seconds if seconds > 0.0 else None,
            exploration=self.options["exploration"],
            puct=self.evaluator is not None,
            leaves=self.options["leaves"],
            seed=self.seed,
        )

    def _decision(self, root: Root, action: int, seconds: float) -> Decision:
        value = float(root.result) if root.is_proven else root.value
        statistics = {
            "simulations": root.simulations,
            "nodes": root.nodes,
            "seconds": seconds,
            "proven": root.is_proven,
        }
        return Decision(action, value, root.line, statistics, _reports(root))


def _certain(known: Decision) -> Decision:
    """A decision from tables, in this agent's unit."""
    moves = tuple(replace(move, value=_result(move.value)) for move in known.moves)
    return replace(known, value=_result(known.value), moves=moves)


def _result(value: float | None) -> float:
    return 0.0 if value is None else float((value > 0.0) - (value < 0.0))


def _reports(root: Root) -> tuple[MoveReport, ...]:
    """The root's actions, most visited first."""
    order = sorted(range(len(root.actions)), key=lambda i: -int(root.visits[i]))
    return tuple(
        MoveReport(
            action=int(root.actions[i]),
            value=root.value_of(i),
            visits=int(root.visits[i]),
            prior=float(root.priors[i]),
        )
        for i in order
    )
