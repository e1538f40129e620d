"""AlphaZero for any game (Silver et al., 2017, 2018): a search teaches the network that guides it.

An iteration plays games by tree search, adds what the searches found to the
replay, and teaches the network from it.  Now and then the network meets the best
one so far and takes its place if the arena's test says that it is better.

In the mode of *Reinforcement Learning in Chess* (Chu, Li and Loh) an iteration
is a tree instead, whose leaves are played to the end (``paper_tree``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.core.playouts import derive_seed
from playproof.core.registry import make
from playproof.learning.alphazero_settings import AlphaZeroSettings
from playproof.learning.evaluation import Evaluation, record_of
from playproof.learning.search_replay import SearchReplay, Shown
from playproof.learning.self_match import Met, meet
from playproof.learning.self_play import SelfPlay
from playproof.learning.teaching import Teacher, check_device
from playproof.nets import kinds
from playproof.nets.judges import Judge, NetJudge
from playproof.nets.mlp import Vector
from playproof.search.many_trees import Growth, ManyTrees

_TOLD = ("policy_loss", "value_loss", "entropy")


class AlphaZero:
    """A run in memory.  ``iterate`` until ``settings.iterations``.

    With a GPU games are two forests: while it judges the leaves of one, the CPU
    looks after the other.  One process does all of it; the compiled loops use all
    cores, so there are no workers that could die."""

    back = 0  # the net to compare with is the best so far

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
        self._meeting: list[Any] = []  # nets and forests of matches on a device
        forests: list[ManyTrees] = []
        if settings.mode == "value":
            forests = self._forests()
        self.play = SelfPlay(self.game, settings, forests)

    def _forests(self) -> list[ManyTrees]:
        s, growth = self.settings, self.settings.growth()
        if self.device == "cpu":
            self.judges: list[Judge] = []
            return [ManyTrees(self.game, s.games, growth, s.observation)]
        from playproof.nets.device_judge import DeviceJudge, DeviceNet

        sizes = [(s.games + 1) // 2, s.games // 2] if s.games > 1 else [1]
        self._net = DeviceNet(self.architecture, self.best, self.device)
        judge = DeviceJudge(self._net, sizes)
        self.judges = [judge] * len(sizes)
        return [
            ManyTrees(self.game, size, growth, s.observation, judge.planes(slot))
            for slot, size in enumerate(sizes)
        ]

    @property
    def weights(self) -> Vector:
        """Of the best net so far, which is the one to keep."""
        return self.best

    def iterate(self) -> dict[str, float]:
        """One iteration; what there is to say about it."""
        s, self.evaluated = self.settings, None
        shown = self._explore() if s.mode == "paper" else self._play()
        self.replay.add(shown)
        told = self._teach(int(shown.learned.sum()))
        self.iteration += 1
        facts: dict[str, float] = {
            "iteration": self.iteration,
            **dict(zip(_TOLD, told.tolist(), strict=True)),
            "positions": int(shown.learned.sum()),
            "replay": len(self.replay),
        }
        if self.play.lengths:
            facts["game_length"] = float(np.mean(self.play.lengths))
            self.play.lengths.clear()
        last = self.iteration == s.iterations
        if not s.evaluate_every:  # nobody asks: the latest is the best
            self.best = self.teacher.weights
        elif last or self.iteration % s.evaluate_every == 0:
            facts |= self._evaluate()
        return facts

    def _play(self) -> Shown:
        weights = self.best if self.settings.gate else self.teacher.weights
        if self.device == "cpu":
            self.judges = [NetJudge(kinds.ready(self.architecture, weights))]
        else:
            self._net.exchange(weights)
        return self.play.collect(self.judges, self.settings.positions)

    def _explore(self) -> Shown:
        from playproof.learning.paper_tree import explore

        weights = self.best if self.settings.gate else self.teacher.weights
        seed = derive_seed(self.settings.seed, 2000 + self.iteration)
        return explore(self.game, self.architecture, weights, self.settings, self.device, seed)

    def _teach(self, new: int) -> npt.NDArray[np.float64]:
        """The mean losses of as many steps as the new positions are worth."""
        s = self.settings
        steps = max(1, round(s.reuse * new / s.minibatch))
        rate, images = s.rate_at(self.iteration), bool(s.symmetries)
        good, random = self.teacher.state(), self._chooser.bit_generator.state
        told = [
            self.teacher.teach(self.replay.lessons(self._chooser, s.minibatch, images=images), rate)
            for _ in range(steps)
        ]
        sums = np.array([[float(number) for number in step] for step in told], np.float64)
        try:
            self.teacher.check(sums)
        except Exception:
            self.teacher.restore(good)
            self._chooser.bit_generator.state = random
            raise
        means: npt.NDArray[np.float64] = sums.mean(axis=0)
        return means

    # The best so far

    def _evaluate(self) -> dict[str, float]:
        """Against the best so far, and against a random player; who is better becomes the best."""
        s, now = self.settings, self.teacher.weights
        seed = derive_seed(s.seed, 1000 + self.iteration)
        results, records = {}, []
        met: dict[str, Met] = {}
        for name, title, other in (
            ("earlier", "best so far", self.best),
            ("random", "random", None),
        ):
            met[name] = found = self._meet(now, other, seed)
            results[name] = found.result
            for number, actions in enumerate(found.played):
                names = [f"iteration {self.iteration}", title]
                records.append(record_of(self, names[:: 1 - 2 * (number % 2)], actions, seed))
        self.evaluated = Evaluation(results, records)
        sure = met["earlier"].score.superiority or 0.0
        better = sure >= s.confidence
        if better:
            self.best = now
        return self.evaluated.facts() | {"superiority": sure, "promoted": float(better)}

    def _meet(self, one: Vector, two: Vector | None, seed: int) -> Met:
        s = self.settings
        growth = Growth(simulations=s.evaluation_simulations, exploration=s.exploration, noise=0.0)
        vectors = [one] if two is None else [one, two]
        judges: list[Judge]
        if self.device == "cpu":
            forests = [
                ManyTrees(self.game, s.evaluation_games, growth, s.observation) for _ in vectors
            ]
            judges = [NetJudge(kinds.ready(self.architecture, vector)) for vector in vectors]
        else:
            self._ready_to_meet(growth, one)
            for (net, _, _), vector in zip(self._meeting, vectors, strict=False):
                net.exchange(vector)
            judges = [judge for _, judge, _ in self._meeting[: len(vectors)]]
            forests = [trees for _, _, trees in self._meeting[: len(vectors)]]
        return meet(
            self.game, forests, judges, s.evaluation_simulations,
            plies=s.evaluation_plies, limit=s.ply_limit, seed=seed,
        )  # fmt: skip

    def _ready_to_meet(self, growth: Growth, weights: Vector) -> None:
        """Nets and trees of matches, made once: their graphs take a while to record."""
        from playproof.nets.device_judge import DeviceJudge, DeviceNet

        s = self.settings
        while len(self._meeting) < 2:
            slot = len(self._meeting)
            net = DeviceNet(self.architecture, weights, self.device)
            # A forest has the slot of its number, so the second judge has two.
            judge = DeviceJudge(
                net, [s.evaluation_games if k == slot else 1 for k in range(slot + 1)]
            )
            planes = judge.planes(slot)
            trees = ManyTrees(self.game, s.evaluation_games, growth, s.observation, planes)
            self._meeting.append((net, judge, trees))

    # Checkpoints

    growing: tuple[str, ...] = (
        *(f"games.{name}" for name in SelfPlay.growing),
        *(f"replay.{name}" for name in Shown.__dataclass_fields__),
    )

    def state(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """(arrays, facts) from which the run goes on exactly as it would have."""
        games, facts = self.play.state()
        arrays = self.teacher.state() | {"best": self.best}
        arrays |= {f"games.{name}": array for name, array in games.items()}
        arrays |= {f"replay.{name}": array for name, array in self.replay.state().items()}
        return arrays, {
            "iteration": self.iteration,
            "games": facts,
            "chooser": self._chooser.bit_generator.state,
        }

    def restore(self, arrays: dict[str, npt.NDArray[Any]], facts: dict[str, Any]) -> None:
        self.iteration = int(facts["iteration"])
        self.best = arrays["best"].copy()
        self.teacher.restore(arrays)
        self.replay.restore(_part(arrays, "replay."))
        self.play.restore(_part(arrays, "games."), facts["games"])
        self._chooser.bit_generator.state = facts["chooser"]


def _part(arrays: dict[str, npt.NDArray[Any]], prefix: str) -> dict[str, npt.NDArray[Any]]:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
