"""Search on one core: alpha-beta in Choko, and tree search against OpenSpiel's.

The twenty positions, from random games at plies 14 to 26, are always the same.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from playproof.cli.benches.peers import one_core, open_spiel
from playproof.core.game import Game
from playproof.core.registry import make
from playproof.core.state import State
from playproof.search.alphabeta.search import AlphaBeta, AlphaBetaConfig, minimax
from playproof.search.mcts import SearchConfig, TreeSearch

_POSITIONS = 20
_SIMULATIONS = 5000
_SEED = 1


@dataclass(frozen=True)
class SearchReport:
    """Times are wall seconds; positions are Choko's unless said otherwise."""

    full_width_ms: float  # median time of a full-width search of depth 3
    full_width_worst_ms: float
    seconds: float  # for each alpha-beta search
    depths: list[int]  # reached, one per position
    nodes_per_second: float  # of alpha-beta
    simulations_per_second: float  # of tree search in Othello, one random game per simulation
    peer_simulations_per_second: float | None  # OpenSpiel's C++ MCTSBot, the same
    peer: str | None

    @property
    def ratio(self) -> float | None:
        peer = self.peer_simulations_per_second
        return self.simulations_per_second / peer if peer else None

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        data["open_spiel"] = data.pop("peer")
        return {**data, "median_depth": statistics.median(self.depths), "ratio": self.ratio}

    def rows(self) -> list[list[str]]:
        deep = sum(depth >= 9 for depth in self.depths)
        peer = self.peer_simulations_per_second
        rows = [
            ["choko", "full width, depth 3", f"{self.full_width_ms:.2f} ms", "median"],
            ["", "", f"{self.full_width_worst_ms:.2f} ms", "slowest"],
            [
                "choko",
                f"alpha-beta, {self.seconds:g} s",
                f"depth {statistics.median(self.depths):g}",
                f"median; {deep} of {len(self.depths)} reach depth 9",
            ],
            ["", "", f"{self.nodes_per_second:,.0f}", "nodes / s"],
            ["othello", "tree search", f"{self.simulations_per_second:,.0f}", "simulations / s"],
        ]
        if peer and self.ratio:
            rows.append(
                ["", "OpenSpiel's", f"{peer:,.0f}", f"simulations / s: {self.ratio:.1f}x slower"]
            )
        return rows


def _middle_games(game: Game) -> list[State]:
    chooser = random.Random(_SEED)
    positions: list[State] = []
    while len(positions) < _POSITIONS:
        state = game.start()
        for _ in range(chooser.randint(14, 26)):
            state = state.apply(chooser.choice(state.legal_actions()))
            if state.is_terminal:
                break
        else:
            positions.append(state)
    return positions


def _full_width(states: list[State]) -> list[float]:
    search, times = AlphaBeta(states[0].game, minimax(3)), []
    search.search(states[0])
    for state in states:
        # The fastest of three: the first may meet a cold cache.
        times.append(min(search.search(state).seconds for _ in range(3)))
    return times


def _tree_rate(game: Game) -> float:
    TreeSearch.from_states([game.start()], SearchConfig(simulations=100)).run()
    best = 0.0
    for seed in range(3):
        config = SearchConfig(simulations=_SIMULATIONS, seed=seed)
        trees = TreeSearch.from_states([game.start()], config)
        began = time.process_time()
        trees.run()
        best = max(best, _SIMULATIONS / (time.process_time() - began))
    return best


def _peer_rate(spiel: Any) -> float:
    """OpenSpiel's C++ tree search, one random rollout a simulation."""
    game = spiel.load_game("othello")
    best = 0.0
    for seed in range(3):
        evaluator = spiel.RandomRolloutEvaluator(1, seed)
        bot = spiel.MCTSBot(game, evaluator, 2.0, _SIMULATIONS, 1000, True, seed, False)
        began = time.process_time()
        bot.mcts_search(game.new_initial_state())
        best = max(best, _SIMULATIONS / (time.process_time() - began))
    return best


def measure(seconds: float, progress: Callable[[int, int], None]) -> SearchReport:
    """Measure everything on one core; alpha-beta gets ``seconds`` a position."""
    choko, spiel, peer = make("choko"), *open_spiel()
    states = _middle_games(choko)
    depths, rates = [], []
    with one_core():
        times = _full_width(states)
        search = AlphaBeta(choko, AlphaBetaConfig(seconds=seconds))
        for done, state in enumerate(states):
            progress(done, len(states))
            result = search.search(state)
            depths.append(result.depth)
            rates.append(result.nodes / max(result.seconds, 1e-9))
        ours = _tree_rate(make("othello"))
        theirs = _peer_rate(spiel) if spiel else None
    return SearchReport(
        full_width_ms=1e3 * statistics.median(times),
        full_width_worst_ms=1e3 * max(times),
        seconds=seconds,
        depths=depths,
        nodes_per_second=statistics.mean(rates),
        simulations_per_second=ours,
        peer_simulations_per_second=theirs,
        peer=peer,
    )
