"""Our engines on one core against OpenSpiel's; chess against python-chess and Stockfish too.

Two ways of stepping are measured, in steps per second of CPU time:

*lists*   whole games in compiled code, with the list of legal moves at every step.
          OpenSpiel's counterpart is the C++ rollout of its tree search.
*mask + observation*  what learning needs: at every step the mask of legal actions
          and the observation, through the Python interface (ours a Batch,
          OpenSpiel's a State).

For chess also perft, in leaves; the last ply is counted without playing it.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from playproof.cli.benches import chess
from playproof.cli.benches.peers import best_rate, one_core, open_spiel
from playproof.core.batch import Batch
from playproof.core.game import Game
from playproof.core.playouts import playouts
from playproof.core.registry import make

_BATCH = 1024
_STEPS = 120_000  # of random play per call, about

# Our games, and the game of OpenSpiel that each is measured against: the same one if it exists.
_PEERS = {
    "othello": "othello",
    "choko": "othello",
    "chess": "chess",
    "go:board=9x9": "go(board_size=9)",
    "quantum-go:board=9x9": "go(board_size=9)",
    "go": "go(board_size=19)",
    "quantum-go": "go(board_size=19)",
}


@dataclass(frozen=True)
class SteppingRate:
    """The best of several rounds, which is least disturbed by other programs."""

    engine: str
    game: str
    how: str  # "lists", "mask + observation" or "perft"
    steps_per_second: float


def _ours_lists(game: Game, seconds: float) -> SteppingRate:
    seed = 0
    games = max(1, round(_STEPS * 10 / playouts(game, 10, seed=seed).steps))

    def work() -> int:
        nonlocal seed
        seed += 1
        return playouts(game, games, seed=seed).steps

    return SteppingRate("playproof", game.spec, "lists", best_rate(work, seconds))


def _ours_observed(game: Game, seconds: float) -> SteppingRate:
    kind = list(game.observations)[-1]  # the largest one
    batch = Batch.start(game, _BATCH, seed=1)
    mask = np.empty((_BATCH, game.num_actions), np.uint8)
    observations = np.empty((_BATCH, *game.observations[kind]), np.float32)
    few = game.num_actions < 512  # otherwise listing again is faster than reading the mask

    def work() -> int:
        for _ in range(20):
            legal = batch.legal_mask(out=mask)
            batch.observe(kind, out=observations)
            batch.apply(batch.random_actions(mask=legal if few else None), check=False)
            batch.reset_finished()
        return 20 * _BATCH

    return SteppingRate("playproof", game.spec, "mask + observation", best_rate(work, seconds))


def _spiel_lists(spiel: Any, name: str, seconds: float) -> SteppingRate:
    game = spiel.load_game(name)
    # One simulation of its tree search evaluates the root by this many rollouts: enough, if
    # there is time, for a typical mean length.
    rollouts = 300 if seconds >= 1.0 else 50
    evaluator = spiel.RandomRolloutEvaluator(rollouts, 1)
    bot = spiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
    root = game.new_initial_state()
    length = _spiel_length(game, 2 * rollouts // 3)

    def work() -> int:
        bot.mcts_search(root)
        return round(rollouts * length)

    return SteppingRate("OpenSpiel", name, "lists", best_rate(work, seconds))


def _spiel_length(game: Any, games: int) -> float:
    """The mean length of a random game, as OpenSpiel plays it."""
    chooser, steps = random.Random(1), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chooser.choice(state.legal_actions()))
            steps += 1
    return steps / games


def _spiel_observed(spiel: Any, name: str, seconds: float) -> SteppingRate:
    game = spiel.load_game(name)
    chooser = random.Random(1)

    def work() -> int:
        steps, state = 0, game.new_initial_state()
        while not state.is_terminal():
            state.legal_actions_mask()
            state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[int(chooser.random() * len(legal))])
            steps += 1
        return steps

    return SteppingRate("OpenSpiel", name, "mask + observation", best_rate(work, seconds))


def _python_chess(seconds: float) -> list[SteppingRate]:
    return [SteppingRate("python-chess", "chess", "lists", chess.python_chess_rate(seconds))]


def _perft(seconds: float) -> list[SteppingRate]:
    ours, theirs = chess.perft_rates(seconds)
    rates = [SteppingRate("playproof", "chess", "perft", ours)]
    return rates + ([SteppingRate("Stockfish", "chess", "perft", theirs)] if theirs else [])


@dataclass(frozen=True)
class EngineReport:
    measurements: list[SteppingRate]
    peer: str | None  # OpenSpiel's version, None if it is not installed
    others: dict[str, str | None]  # the versions of the other peers, by name

    def rate(self, engine: str, game: str, how: str) -> float | None:
        for m in self.measurements:
            if (m.engine, m.game, m.how) == (engine, game, how):
                return m.steps_per_second
        return None

    def ratio(self, measurement: SteppingRate) -> float | None:
        """The rate relative to OpenSpiel's game, stepped the same way."""
        name = measurement.game
        if measurement.engine == "playproof":
            name = _PEERS.get(name, name)
        peer = self.rate("OpenSpiel", name, measurement.how)
        return measurement.steps_per_second / peer if peer else None

    def others_ratios(self, measurement: SteppingRate) -> dict[str, float]:
        """The rate relative to each of the other peers that does the same."""
        rates = {name: self.rate(name, measurement.game, measurement.how) for name in self.others}
        return {
            name: measurement.steps_per_second / rate
            for name, rate in rates.items()
            if rate and measurement.engine == "playproof"
        }

    def to_json(self) -> dict[str, Any]:
        rows = [
            {**asdict(m), "ratio": self.ratio(m), "ratios": self.others_ratios(m)}
            for m in self.measurements
        ]
        return {"measurements": rows, "open_spiel": self.peer, "peers": self.others}

    def rows(self) -> list[list[str]]:
        rows = []
        for m in self.measurements:
            ratio = self.ratio(m) if m.engine == "playproof" else None
            ratios = [f"{ratio:,.1f}x"] if ratio is not None else []
            ratios += [f"{name} {more:,.1f}x" for name, more in self.others_ratios(m).items()]
            rows.append([m.engine, m.game, m.how, f"{m.steps_per_second:,.0f}", ", ".join(ratios)])
        return rows


def measure(seconds: float, progress: Callable[[int, int], None]) -> EngineReport:
    """Measure everything on one core, each for about ``seconds``."""
    tasks: list[Callable[[], list[SteppingRate]]] = []
    for name in _PEERS:
        game = make(name)
        tasks.append(lambda game=game: [_ours_lists(game, seconds)])  # type: ignore[misc]
        tasks.append(lambda game=game: [_ours_observed(game, seconds)])  # type: ignore[misc]
    spiel, peer = open_spiel()
    for name in dict.fromkeys(_PEERS.values()) if spiel else ():
        tasks.append(lambda name=name: [_spiel_lists(spiel, name, seconds)])  # type: ignore[misc]
        tasks.append(lambda name=name: [_spiel_observed(spiel, name, seconds)])  # type: ignore[misc]
    others = {"python-chess": chess.python_chess(), "Stockfish": chess.stockfish()}
    tasks += [lambda: _python_chess(seconds)] if others["python-chess"] else []
    tasks.append(lambda: _perft(seconds))
    results: list[SteppingRate] = []
    with one_core():
        for done, task in enumerate(tasks):
            progress(done, len(tasks))
            results += task()
    return EngineReport(results, peer, others)
