"""AlphaZero for any game (Silver et al., 2017, 2018): a search teaches the network that guides it.

An iteration plays games by tree search, adds what the searches found to the
replay, and teaches the network from it.  Now and then the network meets the best
one so far and takes its place if the arena's test says that it is better.

In the mode of *Reinforcement Learning in Chess* (Chu, Li and Loh) an iteration
is a tree instead, whose leaves are played to the end (``paper_tree``).
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
from playproof.learning.algorithms.alphazero.net_match import Met, meet
from playproof.learning.algorithms.alphazero.replay import SearchReplay, Shown
from playproof.learning.algorithms.alphazero.self_play import SelfPlay
from playproof.learning.algorithms.alphazero.settings import AlphaZeroSettings
from playproof.learning.algorithms.alphazero.trainer import Teacher, check_device
from playproof.learning.evaluation import Evaluation, record_of
from playproof.learning.learner import Stopped, never
from playproof.nets import architectures
from playproof.nets.evaluators.leaves import NetEvaluator
from playproof.nets.mlp import Vector
from playproof.search.mcts.config import SearchConfig
from playproof.search.mcts.scheduler import PhaseTimes
from playproof.search.mcts.search import TreeSearch

_LOSSES = ("policy_loss", "value_loss", "entropy")
_STEPS_AT_ONCE = 32  # of learning, before it is looked whether all numbers are some
_LEARNING_CORES = 4  # for positions to learn while games are played beside
# Where an iteration is; where it overlaps, the network learns while games are played.
_PLAY, _LEARN, _EVALUATE = range(3)


class AlphaZero:
    """A run in memory.  ``iterate`` until ``settings.iterations``.

    With a GPU games are two forests: while it evaluates the leaves of one, the CPU selects
    those of the other.  And games go on while the network learns from those of the iterations
    before (``overlap``): it learns, and meets the best one, in a thread of its own, and both
    are waited for at the end of an iteration, so that what comes of it does not depend on who
    was faster.  One process does all of it; the compiled loops use all cores, so there are no
    workers that could die."""

    def __init__(self, settings: AlphaZeroSettings, *, device: str = "cpu") -> None:
        settings.check()
        check_device(device)
        self.settings, self.iteration, self.device = settings, 0, device
        self.evaluated: Evaluation | None = None
        self.game = make(settings.game)
        self.architecture = settings.architecture()
        self.best: Vector = settings.starting_weights()
        self.teacher = Teacher(
            self.architecture, self.best, decay=settings.decay, norm=settings.norm, device=device
        )
        self.replay = SearchReplay(self.game, settings.replay, settings.observation)
        self._chooser = np.random.default_rng(derive_seed(settings.seed, 4))
        self._meeting: list[tuple[Any, TreeSearch]] = []  # nets and searches of matches on a device
        self.overlaps = device != "cpu" and settings.mode == "value" and bool(settings.overlap)
        self._start(trained=bool(settings.start))
        self._begin_iteration()
        searches = self._make_searches() if settings.mode == "value" else []
        self.play = SelfPlay(self.game, settings, searches)
        self.beside = PhaseTimes()  # learning and matches, which games may run beside
        if self.overlaps and settings.evaluate_every:  # recorded while nobody uses the device
            self._ready_to_meet(self.best)

    def _start(self, *, trained: bool) -> None:
        s = self.settings
        self._starts = s.learning_starts or (s.replay // 2 if trained else 0)
        self._unlearned = 0  # positions of the latest iteration that nothing was learned from

    def _begin_iteration(self) -> None:
        self._phase = _PLAY
        self._playing = self.best if self.settings.gate else self.teacher.weights
        self._added = 0  # positions to learn that it brought
        self._losses: list[list[float]] = []  # of its steps so far

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
        """Of the best net so far, which is the one to keep."""
        return self.best

    def iterate(self, stopped: Stopped = never) -> dict[str, float] | None:
        """One iteration; what there is to say about it, or None if it was stopped before."""
        self.evaluated = None
        evaluation: dict[str, float] | None = None
        if self._phase == _PLAY:
            if self.overlaps and self._unlearned and not self._starts:
                evaluation = self._play_beside_learning(stopped)
            elif self._gather(stopped):
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
        # Where nobody asks who is better, the latest is the best.
        if not self.settings.evaluate_every or evaluation.get("promoted"):
            self.best = self.teacher.weights
        self._begin_iteration()
        return metrics | evaluation

    # Games

    def _gather(self, stopped: Stopped) -> bool:
        """Add an iteration's positions to the replay, and more while it holds too few to learn
        from; False if it was stopped before."""
        s = self.settings
        if s.mode == "value":
            self._ready_to_play()
        while True:
            if s.mode == "paper":
                shown: Shown | None = self._explore()
            else:
                shown = self.play.collect(s.positions, stopped)
            if shown is None:
                return False
            self._add(shown)
            if len(self.replay) >= self._starts:
                self._starts = 0
                return True

    def _add(self, shown: Shown) -> None:
        began = time.perf_counter()
        self.replay.add(shown)
        self._unlearned = int(shown.learned.sum())
        self._added += self._unlearned
        self.play.times.add("replay", began)

    def _ready_to_play(self) -> None:
        if self.device == "cpu":
            self.play.searches[0].set_evaluator(self._cpu_evaluator(self._playing))
        else:
            self._net.load_weights(self._playing)

    def _play_beside_learning(self, stopped: Stopped) -> dict[str, float] | None:
        """Play while the network learns from the replay as it is, and meets the best one; what
        the evaluation says, or None if it was stopped before."""
        self._ready_to_play()
        # The steps of learning are recorded while nobody else uses the device.
        while not self.teacher.recorded and len(self._losses) < self._steps:
            self._take_steps(1, never)
        halted = threading.Event()

        def learn() -> dict[str, float] | None:
            numba.set_num_threads(min(_LEARNING_CORES, numba.get_num_threads()))
            # A few seconds, so it comes to its end; then what is kept has whole steps.
            if not self._learn(halted.is_set):
                return None
            return self._evaluate(lambda: stopped() or halted.is_set())

        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(learn)
            try:
                shown = self.play.collect(self.settings.positions, stopped)
            except BaseException:
                halted.set()
                raise
            began = time.perf_counter()
            evaluation = future.result()
            self.play.times.add("wait for learning", began)
        if shown is None:
            return None
        self._add(shown)
        self._phase = _EVALUATE
        return evaluation

    def _explore(self) -> Shown:
        from playproof.learning.algorithms.alphazero.paper_tree import explore

        seed = derive_seed(self.settings.seed, 2000 + self.iteration)
        return explore(
            self.game, self.architecture, self._playing, self.settings, self.device, seed
        )

    # Learning

    @property
    def _steps(self) -> int:
        """As many as the new positions are worth."""
        s = self.settings
        return max(1, round(s.reuse * self._unlearned / s.minibatch))

    def _learn(self, stopped: Stopped) -> bool:
        """Take the steps that are left of this iteration's; False if it was stopped before."""
        began = time.perf_counter()
        while len(self._losses) < self._steps and not stopped():
            self._take_steps(_STEPS_AT_ONCE, stopped)
        self.beside.add("learn", began)
        return len(self._losses) >= self._steps

    def _take_steps(self, most: int, stopped: Stopped) -> None:
        """Some steps of Adam.  If a number is none, the net is as it was before them."""
        s = self.settings
        rate, images = s.rate_at(self.iteration), bool(s.symmetries)
        good, random = self.teacher.state(), self._chooser.bit_generator.state
        losses: list[tuple[Any, ...]] = []
        while len(losses) < min(most, self._steps - len(self._losses)) and not stopped():
            lessons = self.replay.lessons(
                self._chooser, s.minibatch, images=images, wide=self.teacher.wide(self.game)
            )
            losses.append(self.teacher.teach(lessons, rate))
        self.teacher.settle()
        sums = np.array([[float(number) for number in step] for step in losses], np.float64)
        try:
            self.teacher.check(sums)
        except Exception:
            self.teacher.restore(good)
            self._chooser.bit_generator.state = random
            raise
        self._losses += sums.tolist()

    # The best so far

    def _evaluate(self, stopped: Stopped) -> dict[str, float] | None:
        """Against the best so far, and against a random player, where it is time for that;
        None if it was stopped before."""
        s, now, number = self.settings, self.teacher.weights, self.iteration + 1
        if not s.evaluate_every or (number < s.iterations and number % s.evaluate_every):
            return {}
        began = time.perf_counter()
        seed = derive_seed(s.seed, 1000 + number)
        results, records = {}, []
        met: dict[str, Met] = {}
        for name, title, other in (
            ("earlier", "best so far", self.best),
            ("random", "random", None),
        ):
            match = self._meet(now, other, seed, stopped)
            if match is None:
                return None
            met[name], results[name] = match, match.result
            for k, actions in enumerate(match.played):
                names = [f"iteration {number}", title]
                records.append(record_of(self, names[:: 1 - 2 * (k % 2)], actions, seed))
        self.evaluated = Evaluation(results, records)
        sure = met["earlier"].score.superiority or 0.0
        self.beside.add("evaluate", began)
        return self.evaluated.facts() | {
            "superiority": sure,
            "promoted": float(sure >= s.confidence),
        }

    def _meet(self, one: Vector, two: Vector | None, seed: int, stopped: Stopped) -> Met | None:
        s = self.settings
        vectors = [one] if two is None else [one, two]
        if self.device == "cpu":
            searches = [
                TreeSearch(
                    self.game, s.evaluation_games, self._match_config, self._cpu_evaluator(vector)
                )
                for vector in vectors
            ]
        else:
            self._ready_to_meet(one)
            for (net, _), vector in zip(self._meeting, vectors, strict=False):
                net.load_weights(vector)
            searches = [search for _, search in self._meeting[: len(vectors)]]
        return meet(
            self.game, searches, s.evaluation_simulations, plies=s.evaluation_plies,
            limit=s.ply_limit, seed=seed, stopped=stopped,
        )  # fmt: skip

    @property
    def _match_config(self) -> SearchConfig:
        s = self.settings
        return SearchConfig(
            simulations=s.evaluation_simulations, policy="puct", exploration=s.exploration
        )

    def _ready_to_meet(self, weights: Vector) -> None:
        """Nets and trees of matches, made once: their graphs take a while to record."""
        from playproof.nets.evaluators.device import DeviceEvaluator, DeviceNet

        games = self.settings.evaluation_games
        while len(self._meeting) < 2:
            net = DeviceNet(self.architecture, weights, self.device)
            evaluator = DeviceEvaluator(net, games, self.settings.observation)
            search = TreeSearch(self.game, games, self._match_config, evaluator)
            self._meeting.append((net, search))

    # Checkpoints

    growing: tuple[str, ...] = (
        "losses",
        *(f"games.{name}" for name in SelfPlay.growing),
        *(f"replay.{name}" for name in Shown.__dataclass_fields__),
    )

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, facts) from which the run goes on exactly as it would have."""
        games, facts = self.play.state()
        arrays = self.teacher.state() | {"best": self.best, "playing": self._playing}
        arrays["losses"] = np.array(self._losses, np.float64).reshape(-1, len(_LOSSES))
        arrays |= {f"games.{name}": array for name, array in games.items()}
        arrays |= {f"replay.{name}": array for name, array in self.replay.state().items()}
        return arrays, {
            "iteration": self.iteration,
            "phase": self._phase,
            "added": self._added,
            "unlearned": self._unlearned,
            "starts": self._starts,
            "games": facts,
            "chooser": self._chooser.bit_generator.state,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        self.iteration = int(facts["iteration"])
        self.best = arrays["best"].copy()
        self.teacher.restore(arrays)
        self._chooser.bit_generator.state = facts["chooser"]
        if "playing" not in arrays:  # games and replay stayed behind
            self._start(trained=self.iteration > 0 or bool(self.settings.start))
            self._begin_iteration()
            self.play = SelfPlay(self.game, self.settings, self.play.searches, leg=self.iteration)
            return
        self.replay.restore(_part(arrays, "replay."))
        self.play.restore(_part(arrays, "games."), facts["games"])
        self._playing, self._losses = arrays["playing"].copy(), arrays["losses"].tolist()
        self._phase, self._added = int(facts["phase"]), int(facts["added"])
        self._unlearned, self._starts = int(facts["unlearned"]), int(facts["starts"])


def _part(arrays: dict[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
