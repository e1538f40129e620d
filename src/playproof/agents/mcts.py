"""``mcts``: Monte Carlo tree search, its leaves valued by random games, by a network, or by
an evaluator that a program gives it.

The value is the mean result it expects, from -1 to 1.  It can be given tables of
solved positions: it plays from them where they reach, and asks them at every
new node where they do not.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport
from playproof.agents.net import (
    DEVICE,
    NET,
    find_net,
    judged_by,
    own_evaluator,
)
from playproof.agents.tables import TABLES, open_tables
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.state import State
    from playproof.nets.leaf_evaluator import NetEvaluators
    from playproof.search.evaluators import Evaluator
    from playproof.search.mcts import Root, SearchConfig, TreeSearch


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
        self._evaluator: Evaluator | None = None
        self._net: NetEvaluators | None = None
        if evaluator is not None:
            self._evaluator = own_evaluator(self.name, game, evaluator, net)
        elif net:
            from playproof.nets.leaf_evaluator import NetEvaluators

            self._net = NetEvaluators(find_net(self.name, game, net), self.options["device"])
        self._kept: dict[int, TreeSearch] = {}  # searches on a GPU, by the number of trees

    @property
    def spec(self) -> str:
        return judged_by(super().spec, self._given)

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

        began = time.perf_counter()
        search, active = self._search(batch.game, len(batch))
        rows = np.minimum(np.arange(len(search)), len(batch) - 1)
        search.reset_roots(batch.take(rows), seed=self.seed, active=active)
        search.run(seconds=self.options["time"] or None, stop=self.stop)
        seconds = time.perf_counter() - began
        words = batch.words(self.seed)
        found = []
        for row in range(len(batch)):
            root = search.root(row)
            chooser = np.random.default_rng(int(words[row]))
            action = root.best(temperature=self.options["temperature"], chooser=chooser)
            found.append(self._decision(root, action, seconds))
        return found

    def _search(self, game: Game, trees: int) -> tuple[TreeSearch, npt.NDArray[np.bool_]]:
        """A search with room for so many trees, and those of its trees that are wanted.

        On a GPU memory and the network's recorded kernels are made once for a number of
        games, rounded up, and serve for move after move."""
        import numpy as np

        from playproof.search.mcts import TreeSearch

        lasting = self._net is not None and self._net.on_gpu
        size = 1 << (trees - 1).bit_length() if lasting else trees
        search = self._kept.get(size)
        if search is None:
            rows = size * self.options["leaves"]
            evaluator = self._net.for_rows(rows) if self._net else self._evaluator
            search = TreeSearch(game, size, self._config(), evaluator)
            if lasting:
                self._kept[size] = search
        return search, np.arange(size) < trees

    def _config(self) -> SearchConfig:
        from playproof.search.mcts import SearchConfig

        guided = self._net is not None or self._evaluator is not None
        return SearchConfig(
            simulations=self.options["simulations"],
            policy="puct" if guided else "uct",
            exploration=self.options["exploration"],
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
