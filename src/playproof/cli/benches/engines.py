"""Our engines on one core beside OpenSpiel's; chess beside python-chess and Stockfish too.

Two ways of stepping are measured, in steps per second of CPU time:

*lists*   a whole game in compiled code, the list of legal moves made at every
          step.  OpenSpiel's equal is the C++ rollout that its tree search uses.
*mask + observation*  what a learner asks for: at every step the mask of legal
          actions and the observation, through the interface a Python user has
          (ours a Batch, OpenSpiel's a State).

Of chess perft as well, the last ply counted without playing it: in leaves.
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
_STEPS = 120_000  # of random play at a time, about: as many games as make that

# Our games, and the game of OpenSpiel that each is measured against: itself where it is there.
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
class Measurement:
    """The best of several rounds: what the code can do when nothing disturbs it."""

    engine: str
    game: str
    how: str  # "lists", "mask + observation" or "perft"
    steps_per_second: float


def _ours_lists(game: Game, seconds: float) -> Measurement:
    seed = 0
    games = max(1, round(_STEPS * 10 / playouts(game, 10, seed=seed).steps))

    def work() -> int:
        nonlocal seed
        seed += 1
        return playouts(game, games, seed=seed).steps

    return Measurement("playproof", game.spec, "lists", best_rate(work, seconds))


def _ours_observed(game: Game, seconds: float) -> Measurement:
    kind = list(game.observations)[-1]  # the one that tells most
    batch = Batch.start(game, _BATCH, seed=1)
    mask = np.empty((_BATCH, game.num_actions), np.uint8)
    seen = np.empty((_BATCH, *game.observations[kind]), np.float32)
    few = game.num_actions < 512  # else listing again is sooner done than reading the flags

    def work() -> int:
        for _ in range(20):
            legal = batch.legal_mask(out=mask)
            batch.observe(kind, out=seen)
            batch.apply(batch.random_actions(mask=legal if few else None), check=False)
            batch.reset_finished()
        return 20 * _BATCH

    return Measurement("playproof", game.spec, "mask + observation", best_rate(work, seconds))


def _spiel_lists(spiel: Any, name: str, seconds: float) -> Measurement:
    game = spiel.load_game(name)
    # One simulation of its tree search evaluates the root by that many rollouts: enough, if
    # there is time, for their mean length to be the usual one.
    rollouts = 300 if seconds >= 1.0 else 50
    evaluator = spiel.RandomRolloutEvaluator(rollouts, 1)
    bot = spiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
    root = game.new_initial_state()
    length = _spiel_length(game, 2 * rollouts // 3)

    def work() -> int:
        bot.mcts_search(root)
        return round(rollouts * length)

    return Measurement("OpenSpiel", name, "lists", best_rate(work, seconds))


def _spiel_length(game: Any, games: int) -> float:
    """The mean length of a random game, as OpenSpiel plays it."""
    chooser, steps = random.Random(1), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chooser.choice(state.legal_actions()))
            steps += 1
    return steps / games


def _spiel_observed(spiel: Any, name: str, seconds: float) -> Measurement:
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

    return Measurement("OpenSpiel", name, "mask + observation", best_rate(work, seconds))


def _python_chess(seconds: float) -> list[Measurement]:
    return [Measurement("python-chess", "chess", "lists", chess.python_chess_rate(seconds))]


def _perft(seconds: float) -> list[Measurement]:
    ours, theirs = chess.perft_rates(seconds)
    found = [Measurement("playproof", "chess", "perft", ours)]
    return found + ([Measurement("Stockfish", "chess", "perft", theirs)] if theirs else [])


@dataclass(frozen=True)
class Report:
    measurements: list[Measurement]
    peer: str | None  # OpenSpiel's version, None if it is not installed
    others: dict[str, str | None]  # the versions of the other peers, by name

    def rate(self, engine: str, game: str, how: str) -> float | None:
        for m in self.measurements:
            if (m.engine, m.game, m.how) == (engine, game, how):
                return m.steps_per_second
        return None

    def ratio(self, measurement: Measurement) -> float | None:
        """Against OpenSpiel's game, stepped the same way."""
        name = measurement.game
        if measurement.engine == "playproof":
            name = _PEERS.get(name, name)
        peer = self.rate("OpenSpiel", name, measurement.how)
        return measurement.steps_per_second / peer if peer else None

    def others_ratios(self, measurement: Measurement) -> dict[str, float]:
        """Against each of the other peers that does the same."""
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
            shown = [f"{ratio:,.1f}x"] if ratio is not None else []
            shown += [f"{name} {more:,.1f}x" for name, more in self.others_ratios(m).items()]
            rows.append([m.engine, m.game, m.how, f"{m.steps_per_second:,.0f}", ", ".join(shown)])
        return rows


def measure(seconds: float, progress: Callable[[int, int], None]) -> Report:
    """Measure everything on one core, each for about ``seconds``."""
    jobs: list[Callable[[], list[Measurement]]] = []
    for name in _PEERS:
        game = make(name)
        jobs.append(lambda game=game: [_ours_lists(game, seconds)])  # type: ignore[misc]
        jobs.append(lambda game=game: [_ours_observed(game, seconds)])  # type: ignore[misc]
    spiel, peer = open_spiel()
    for name in dict.fromkeys(_PEERS.values()) if spiel else ():
        jobs.append(lambda name=name: [_spiel_lists(spiel, name, seconds)])  # type: ignore[misc]
        jobs.append(lambda name=name: [_spiel_observed(spiel, name, seconds)])  # type: ignore[misc]
    others = {"python-chess": chess.python_chess(), "Stockfish": chess.stockfish()}
    jobs += [lambda: _python_chess(seconds)] if others["python-chess"] else []
    jobs.append(lambda: _perft(seconds))
    results: list[Measurement] = []
    with one_core():
        for done, job in enumerate(jobs):
            progress(done, len(jobs))
            results += job()
    return Report(results, peer, others)
