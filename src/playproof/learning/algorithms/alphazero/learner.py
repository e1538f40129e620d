"""AlphaZero for any game (Silver et al., 2017, 2018): the training loop.

An iteration plays games by tree search, adds their positions to the replay, and trains the
network on minibatches drawn from it.  Every ``evaluate_every`` iterations the network plays the
best one so far, and takes its place if the arena's test says that it is stronger.

In the mode of *Reinforcement Learning in Chess* (Chu, Li and Loh) an iteration grows one tree
instead, whose leaves are played to the end (``paper_tree``).
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from playproof.core.bits import derive_seed
from playproof.core.registry import make
from playproof.learning.algorithms.alphazero.net_match import NetMatch, play_net_match
from playproof.learning.algorithms.alphazero.replay import SearchReplay, Trajectories
from playproof.learning.algorithms.alphazero.self_play import SelfPlay
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.algorithms.alphazero.trainer import Trainer
from playproof.learning.evaluation import Evaluation, record_of
from playproof.learning.learner import Stopped, never
from playproof.learning.optim.torch_trainer import check_device
from playproof.learning.yardstick import measure_policy, policy_network
from playproof.nets import architectures
from playproof.nets.evaluators.leaves import NetEvaluator
from playproof.nets.mlp import Vector
from playproof.search.mcts.config import SearchConfig
from playproof.search.mcts.scheduler import PhaseTimes
from playproof.search.mcts.search import TreeSearch

_LOSSES = ("policy_loss", "value_loss", "entropy")
_STEPS_PER_CHECK = 32  # gradient steps between checks that all numbers are finite
_LEARNING_CORES = 4  # for preparing minibatches while games are played at the same time
# The phases of an iteration; with ``overlap`` the network learns during the first one.
_PLAY, _LEARN, _EVALUATE = range(3)


class AlphaZero:
    """A run in memory.  Call ``iterate`` until ``settings.iterations`` are done.

    On a GPU the games are split into two forests: while the GPU evaluates the leaves of one, the
    CPU selects those of the other.  With ``overlap`` a second thread trains and evaluates the
    network on the positions of earlier iterations while games are played.  Both threads are
    joined at the end of an iteration, so the result does not depend on which one was faster.
    Everything runs in one process; the compiled loops use all cores."""

    def __init__(self, settings: AlphaZeroSettings, *, device: str = "cpu") -> None:
        settings.check()
        check_device(device)
        self.settings, self.iteration, self.device = settings, 0, device
        self.evaluated: Evaluation | None = None
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        self.best: Vector = settings.starting_weights()
        self.trainer = Trainer(
            self.architecture, self.best, decay=settings.decay, norm=settings.norm, device=device
        )
        self.replay = SearchReplay(self.game, settings.replay, settings.observation)
        self._rng = np.random.default_rng(derive_seed(settings.seed, 4))
        # Nets and searches for matches on a device
        self._match_searches: list[tuple[Any, TreeSearch]] = []
        self.overlaps = device != "cpu" and settings.mode == "value" and bool(settings.overlap)
        self._reset_learning(trained=bool(settings.start))
        self._reset_iteration()
        searches = self._make_searches() if settings.mode == "value" else []
        self.play = SelfPlay(self.game, settings, searches)
        self.learning_times = PhaseTimes()  # of learning and matches, which may overlap with games
        if self.overlaps and settings.evaluate_every:  # recording graphs needs an idle device
            self._prepare_match_searches(self.best)

    def _reset_learning(self, *, trained: bool) -> None:
        s = self.settings
        self._starts = s.learning_starts or (s.replay // 2 if trained else 0)
        self._unlearned = 0  # positions of the latest iteration, not yet trained on

    def _reset_iteration(self) -> None:
        self._phase = _PLAY
        self._playing = self.best if self.settings.gate else self.trainer.weights
        self._added = 0  # positions that this iteration added to learn from
        self._losses: list[list[float]] = []  # of this iteration's steps so far

    def _make_searches(self) -> list[TreeSearch]:
        s, config = self.settings, self.settings.search_config()
        if self.device == "cpu":
            return [TreeSearch(self.game, s.games, config, self._cpu_evaluator(self.best))]
        from playproof.nets.evaluators.device import DeviceEvaluator, DeviceNet

        sizes = [(s.games + 1) // 2, s.games // 2] if s.games > 1 else [1]
        self._net = DeviceNet(self.architecture, self.best, self.device)
        return [
            TreeSearch(
                self.game, size, config, DeviceEvaluator(self._net, size, s.observation)
            )
            for size in sizes
        ]  # fmt: skip

    def _cpu_evaluator(self, weights: Vector) -> NetEvaluator:
        return NetEvaluator(
            architectures.forward_of(self.architecture, weights), self.settings.observation
        )

    @property
    def weights(self) -> Vector:
        """The weights of the best net so far, which is the one to save."""
        return self.best

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """Do one iteration; its metrics, or None if it was stopped halfway."""
        self.evaluated = None
        evaluation: dict[str, float] | None = None
        if self._phase == _PLAY:
            if self.overlaps and self._unlearned and not self._starts:
                evaluation = self._play_beside_learning(stopped)
            elif self._collect_positions(stopped):
                self._phase = _EVALUATE if self.overlaps else _LEARN
        if self._phase == _LEARN and self._learn(stopped):
            self._phase = _EVALUATE
        if self._phase == _EVALUATE and evaluation is None:
            evaluation = self._evaluate(stopped)
        return None if evaluation is None else self._end_iteration(evaluation)

    def _end_iteration(self, evaluation: dict[str, float]) -> dict[str, float]:
        self.iteration += 1
        losses = np.array(self._losses).mean(axis=0).tolist() if self._losses else []
        metrics: dict[str, float] = {
            "iteration": self.iteration,
            **dict(zip(_LOSSES, losses, strict=False)),
            "positions": self._added,
            "replay": len(self.replay),
        }
        if self.play.lengths:
            metrics["game_length"] = float(np.mean(self.play.lengths))
            self.play.lengths.clear()
        # Without evaluations the latest net counts as the best.
        if not self.settings.evaluate_every or evaluation.get("promoted"):
            self.best = self.trainer.weights
        self._reset_iteration()
        return metrics | evaluation

    # Games

    def _collect_positions(self, stopped: Stopped) -> bool:
        """Add an iteration's positions to the replay, or more while it holds too few to learn from.

        False if it was stopped halfway."""
        s = self.settings
        if s.mode == "value":
            self._load_playing_net()
        while True:
            if s.mode == "paper":
                trajectories: Trajectories | None = self._explore()
            else:
                trajectories = self.play.collect(s.positions, stopped)
            if trajectories is None:
                return False
            self._add(trajectories)
            if len(self.replay) >= self._starts:
                self._starts = 0
                return True

    def _add(self, trajectories: Trajectories) -> None:
        started = time.perf_counter()
        self.replay.add(trajectories)
        self._unlearned = int(trajectories.learned.sum())
        self._added += self._unlearned
        self.play.times.add("replay", started)

    def _load_playing_net(self) -> None:
        if self.device == "cpu":
            self.play.searches[0].set_evaluator(self._cpu_evaluator(self._playing))
        else:
            self._net.load_weights(self._playing)

    def _play_beside_learning(self, stopped: Stopped) -> dict[str, float] | None:
        """Play games while the network learns from the replay and is evaluated.

        Returns the metrics of the evaluation, None if it was stopped halfway."""
        self._load_playing_net()
        # Recording the graph of a training step needs an idle device.
        while not self.trainer.is_recorded and len(self._losses) < self._steps:
            self._take_steps(1, never)
        cancelled = threading.Event()

        def learn() -> dict[str, float] | None:
            numba.set_num_threads(min(_LEARNING_CORES, numba.get_num_threads()))
            # Learning takes a few seconds, so let it finish: a checkpoint then has all its steps.
            if not self._learn(cancelled.is_set):
                return None
            return self._evaluate(lambda: stopped() or cancelled.is_set())

        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(learn)
            try:
                trajectories = self.play.collect(self.settings.positions, stopped)
            except BaseException:
                cancelled.set()
                raise
            started = time.perf_counter()
            evaluation = future.result()
            self.play.times.add("wait for learning", started)
        if trajectories is None:
            return None
        self._add(trajectories)
        self._phase = _EVALUATE
        return evaluation

    def _explore(self) -> Trajectories:
        from playproof.learning.algorithms.alphazero.paper_tree import explore

        seed = derive_seed(self.settings.seed, 2000 + self.iteration)
        return explore(
            self.game, self.architecture, self._playing, self.settings, self.device, seed
        )

    # Learning

    @property
    def _steps(self) -> int:
        """Gradient steps of this iteration, so that a position is learned ``reuse`` times."""
        s = self.settings
        return max(1, round(s.reuse * self._unlearned / s.minibatch))

    def _learn(self, stopped: Stopped) -> bool:
        """Take the remaining steps of this iteration; False if it was stopped halfway."""
        started = time.perf_counter()
        while len(self._losses) < self._steps and not stopped():
            self._take_steps(_STEPS_PER_CHECK, stopped)
        self.learning_times.add("learn", started)
        return len(self._losses) >= self._steps

    def _take_steps(self, count: int, stopped: Stopped) -> None:
        """Take up to ``count`` steps of Adam; if a number is not finite, undo them and raise."""
        s = self.settings
        rate, images = s.rate_at(self.iteration), bool(s.symmetries)
        last_good, random = self.trainer.state(), self._rng.bit_generator.state
        losses: list[tuple[Any, ...]] = []
        while len(losses) < min(count, self._steps - len(self._losses)) and not stopped():
            minibatch = self.replay.sample(
                self._rng, s.minibatch, images=images, width=self.trainer.action_width(self.game)
            )
            losses.append(self.trainer.train_step(minibatch, rate))
        self.trainer.synchronize()
        step_losses = np.array([[float(number) for number in step] for step in losses], np.float64)
        try:
            self.trainer.check_finite(step_losses)
        except Exception:
            self.trainer.restore(last_good)
            self._rng.bit_generator.state = random
            raise
        self._losses += step_losses.tolist()

    # The best so far

    def _evaluate(self, stopped: Stopped) -> dict[str, float] | None:
        """Play the best net so far and a random player, and measure the yardstick, if an
        evaluation is due.

        Returns metrics, {} if none is due; None if it was stopped halfway."""
        s, now, number = self.settings, self.trainer.weights, self.iteration + 1
        if not s.evaluate_every or (number < s.iterations and number % s.evaluate_every):
            return {}
        started = time.perf_counter()
        seed = derive_seed(s.seed, 1000 + number)
        results, records = {}, []
        matches: dict[str, NetMatch] = {}
        for name, title, other in (
            ("earlier", "best so far", self.best),
            ("random", "random", None),
        ):
            match = self._play_match(now, other, seed, stopped)
            if match is None:
                return None
            matches[name], results[name] = match, match.results
            for k, actions in enumerate(match.games):
                names = [f"iteration {number}", title]
                records.append(record_of(self, names[:: 1 - 2 * (k % 2)], actions, seed))
        network = policy_network(self.architecture, now, self.device)
        kept = measure_policy(self.game, s, network)
        self.evaluated = Evaluation(results, records, kept)
        superiority = matches["earlier"].score.superiority or 0.0
        self.learning_times.add("evaluate", started)
        return self.evaluated.metrics() | {
            "superiority": superiority,
            "promoted": float(superiority >= s.confidence),
        }

    def _play_match(
        self, weights: Vector, opponent: Vector | None, seed: int, stopped: Stopped
    ) -> NetMatch | None:
        s = self.settings
        vectors = [weights] if opponent is None else [weights, opponent]
        if self.device == "cpu":
            searches = [
                TreeSearch(
                    self.game, s.evaluation_games, self._match_config, self._cpu_evaluator(vector)
                )
                for vector in vectors
            ]
        else:
            self._prepare_match_searches(weights)
            for (net, _), vector in zip(self._match_searches, vectors, strict=False):
                net.load_weights(vector)
            searches = [search for _, search in self._match_searches[: len(vectors)]]
        return play_net_match(
            self.game, searches, s.evaluation_simulations, plies=s.evaluation_plies,
            limit=s.ply_limit, seed=seed, stopped=stopped,
        )  # fmt: skip

    @property
    def _match_config(self) -> SearchConfig:
        s = self.settings
        return SearchConfig(
            simulations=s.evaluation_simulations, policy="puct", exploration=s.exploration
        )

    def _prepare_match_searches(self, weights: Vector) -> None:
        """Make the nets and trees of matches once: recording their graphs takes a while."""
        from playproof.nets.evaluators.device import DeviceEvaluator, DeviceNet

        games = self.settings.evaluation_games
        while len(self._match_searches) < 2:
            net = DeviceNet(self.architecture, weights, self.device)
            evaluator = DeviceEvaluator(net, games, self.settings.observation)
            search = TreeSearch(self.game, games, self._match_config, evaluator)
            self._match_searches.append((net, search))

    # Checkpoints

    growing: tuple[str, ...] = (
        "losses",
        *(f"games.{name}" for name in SelfPlay.growing),
        *(f"replay.{name}" for name in Trajectories.__dataclass_fields__),
    )

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, metadata) from which the run continues exactly as it would have."""
        games, games_metadata = self.play.state()
        arrays = self.trainer.state() | {"best": self.best, "playing": self._playing}
        arrays["losses"] = np.array(self._losses, np.float64).reshape(-1, len(_LOSSES))
        arrays |= {f"games.{name}": array for name, array in games.items()}
        arrays |= {f"replay.{name}": array for name, array in self.replay.state().items()}
        return arrays, {
            "iteration": self.iteration,
            "phase": self._phase,
            "added": self._added,
            "unlearned": self._unlearned,
            "starts": self._starts,
            "games": games_metadata,
            "chooser": self._rng.bit_generator.state,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]], metadata: dict[str, Any]) -> None:
        self.iteration = int(metadata["iteration"])
        self.best = arrays["best"].copy()
        self.trainer.restore(arrays)
        self._rng.bit_generator.state = metadata["chooser"]
        if "playing" not in arrays:  # games and replay stayed behind
            self._reset_learning(trained=self.iteration > 0 or bool(self.settings.start))
            self._reset_iteration()
            self.play = SelfPlay(self.game, self.settings, self.play.searches, leg=self.iteration)
            return
        self.replay.restore(_with_prefix(arrays, "replay."))
        self.play.restore(_with_prefix(arrays, "games."), metadata["games"])
        self._playing, self._losses = arrays["playing"].copy(), arrays["losses"].tolist()
        self._phase, self._added = int(metadata["phase"]), int(metadata["added"])
        self._unlearned, self._starts = int(metadata["unlearned"]), int(metadata["starts"])


def _with_prefix(arrays: dict[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays whose names have a prefix, under names without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
