"""The agent ``mcts``: Monte Carlo tree search.

Leaves are evaluated by random games, by a network, or by an evaluator that the caller passes.  The
value is the mean result that the search expects, from -1 to 1.  With tables of solved positions it
plays from them where the position is in the tables, and probes them at every new node of the search
where it is not.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from playproof.agents.base import Agent, Decision, MoveReport, OnProgress, Statistics
from playproof.agents.exact.tables import TABLES, open_tables
from playproof.agents.game_clocks import TIME_CONTROL
from playproof.agents.limits import Limits, least
from playproof.agents.net import (
    DEVICE,
    NET,
    custom_evaluator,
    find_net,
    spec_with_evaluator,
)
from playproof.core.errors import UsageError
from playproof.core.spec import Option

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from playproof.core.batch import Batch
    from playproof.core.game import Game
    from playproof.core.stopping import StopFlag
    from playproof.nets.evaluators.leaves import NetEvaluatorFactory
    from playproof.search.evaluators import Evaluator
    from playproof.search.mcts import Root, SearchConfig, TreeSearch


_MAX_SIMULATIONS = 10_000_000


class MonteCarlo(Agent):
    name = "mcts"
    summary = "tree search guided by random games, or by a network"
    option_fields = (
        Option(
            "simulations", 800, "leaves to evaluate for a move", minimum=1, maximum=_MAX_SIMULATIONS
        ),
        Option("time", 0.0, "seconds for a move, 0 for no limit", minimum=0.0, maximum=86400.0),
        TIME_CONTROL,
        Option("exploration", 1.0, "how readily rarely visited moves are tried", minimum=0.0),
        Option(
            "temperature",
            0.0,
            "0 plays the most visited move, 1 in proportion to visits",
            minimum=0.0,
        ),
        TABLES,
        NET,
        DEVICE,
        Option(
            "leaves", 1, "leaves of a tree that a network evaluates at once", minimum=1, maximum=256
        ),
    )
    takes_evaluator = True

    def __init__(
        self, game: Game, *, seed: int = 0, evaluator: object | None = None, **options: Any
    ) -> None:
        super().__init__(game, seed=seed, **options)
        self._custom = evaluator
        folder = self.options["tables"]
        self.tables = open_tables(self.name, game, folder) if folder else None
        net = self.options["net"]
        if self.options["leaves"] > 1 and not net and evaluator is None:
            raise UsageError("mcts: leaves=... is for a network: give net=..., or leave it out")
        self._evaluator: Evaluator | None = None
        self._net: NetEvaluatorFactory | None = None
        if evaluator is not None:
            self._evaluator = custom_evaluator(self.name, game, evaluator, net)
        elif net:
            from playproof.nets.evaluators.leaves import NetEvaluatorFactory

            self._net = NetEvaluatorFactory(find_net(self.name, game, net), self.options["device"])
        self._gpu_searches: dict[int, TreeSearch] = {}  # by the number of trees

    @property
    def spec(self) -> str:
        return spec_with_evaluator(super().spec, self._custom)

    def choose(
        self,
        batch: Batch,
        *,
        limits: Limits = Limits(),
        stop: StopFlag | None = None,
        on_progress: OnProgress | None = None,
    ) -> list[Decision]:
        if self.tables is None:
            return self._search(batch, range(len(batch)), limits, stop, on_progress)
        states = [batch[row] for row in range(len(batch))]
        words = batch.words(self.seed).tolist()
        exact = self.tables.decisions(states, words, reports=limits.lines > 1)
        decisions = {
            row: _as_result(decision) for row, decision in enumerate(exact) if decision is not None
        }
        rest = [row for row in range(len(batch)) if row not in decisions]
        if rest:
            part = batch.take(rest)
            part.game = self.tables.game
            found_by_search = self._search(part, rest, limits, stop, on_progress)
            decisions |= zip(rest, found_by_search, strict=True)
        return [decisions[row] for row in range(len(batch))]

    def _search(
        self,
        batch: Batch,
        rows: Sequence[int],
        limits: Limits,
        stop: StopFlag | None,
        on_progress: OnProgress | None,
    ) -> list[Decision]:
        """Search every position of a batch; progress is reported under the numbers ``rows``."""
        import numpy as np

        started = time.perf_counter()
        goal = self._simulations(limits)
        search, active = self._tree_search(batch.game, len(batch), goal)
        trees = np.minimum(np.arange(len(search)), len(batch) - 1)
        search.reset_roots(batch.take(trees), simulations=goal, seed=self.seed, active=active)

        def decisions() -> list[Decision]:
            return self._decisions(search, batch, limits.lines, time.perf_counter() - started)

        def report_progress() -> None:
            assert on_progress is not None
            for row, decision in zip(rows, decisions(), strict=True):
                on_progress(row, decision)

        search.run(
            seconds=least(self.options["time"] or None, limits.thinking_seconds),
            stop=stop,
            on_progress=on_progress and report_progress,
        )
        return decisions()

    def _decisions(
        self, search: TreeSearch, batch: Batch, lines: int, seconds: float
    ) -> list[Decision]:
        import numpy as np

        words, temperature = batch.words(self.seed), self.options["temperature"]
        decisions = []
        for row in range(len(batch)):
            root = search.root(row, lines=lines)
            rng = np.random.default_rng(int(words[row]))
            action = root.best(temperature=temperature, chooser=rng)
            decisions.append(_decision(root, action, seconds))
        return decisions

    def _simulations(self, limits: Limits) -> int:
        """Simulations for a move.  ``limits`` replace the default, but only lower an explicit
        ``simulations=``."""
        own = self.options["simulations"]
        if limits.simulations is not None and self.asked_for("simulations") is None:
            own = min(limits.simulations, _MAX_SIMULATIONS)
        return int(least(own, limits.simulations, limits.nodes) or own)

    def _tree_search(
        self, game: Game, trees: int, simulations: int
    ) -> tuple[TreeSearch, npt.NDArray[np.bool_]]:
        """A search with room for ``trees`` trees, and a mask (bool, one per tree) of those in use.

        On a GPU the search is kept from move to move, for a number of trees rounded up to a power
        of two: its memory and the network's recorded kernels take long to set up."""
        import numpy as np

        from playproof.search.mcts import TreeSearch

        is_kept = self._net is not None and self._net.on_gpu
        size = 1 << (trees - 1).bit_length() if is_kept else trees
        search = self._gpu_searches.get(size)
        if search is None or search.config.simulations < simulations:
            rows = size * self.options["leaves"]
            evaluator = self._net.for_rows(rows) if self._net else self._evaluator
            search = TreeSearch(game, size, self._config(simulations), evaluator)
            if is_kept:
                self._gpu_searches[size] = search
        return search, np.arange(size) < trees

    def _config(self, simulations: int) -> SearchConfig:
        from playproof.search.mcts import SearchConfig

        guided = self._net is not None or self._evaluator is not None
        return SearchConfig(
            simulations=simulations,
            policy="puct" if guided else "uct",
            exploration=self.options["exploration"],
            leaves=self.options["leaves"],
            seed=self.seed,
        )


def _decision(root: Root, action: int, seconds: float) -> Decision:
    value = float(root.result) if root.is_proven else root.value
    statistics: Statistics = {
        "simulations": root.simulations,
        "nodes": root.nodes,
        "seconds": seconds,
        "proven": root.is_proven,
    }
    return Decision(action, value, root.line, statistics, _reports(root))


def _as_result(decision: Decision) -> Decision:
    """A decision from tables, with results (-1, 0, 1) in place of points."""
    moves = tuple(replace(move, value=_result(move.value)) for move in decision.moves)
    return replace(decision, value=_result(decision.value), moves=moves)


def _result(value: float | None) -> float:
    return 0.0 if value is None else float((value > 0.0) - (value < 0.0))


def _reports(root: Root) -> tuple[MoveReport, ...]:
    """Reports on the root's actions, best first."""
    return tuple(
        MoveReport(
            action=int(root.actions[i]),
            value=root.value_of(i),
            visits=int(root.visits[i]),
            prior=float(root.priors[i]),
            line=root.lines.get(int(root.actions[i]), ()),
        )
        for i in root.order()
    )
