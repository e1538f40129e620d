"""The speed of imitation from a folder, compared with the same network on numbers in memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from playproof.learning.algorithms.imitation.learner import Imitation
from playproof.learning.algorithms.imitation.loss import losses
from playproof.learning.algorithms.imitation.minibatches import Prefetcher, TensorMinibatch
from playproof.learning.algorithms.imitation.settings import ImitationSettings

_WARM_UP = 10  # steps before the clock starts
_MOVES = 48  # the width of lists of legal moves, about that of a real batch


@dataclass(frozen=True)
class ImitationSpeed:
    """Speeds in positions per second."""

    fed: float  # positions read from the folder, prepared and learned
    bare: float  # random planes and targets, already on the device, learned
    data: float  # positions read from the folder and prepared, without learning

    @property
    def share(self) -> float:
        return self.fed / self.bare


def measure(settings: ImitationSettings, device: str, seconds: float) -> ImitationSpeed:
    """Each of the three for about ``seconds``."""
    learner = Imitation(settings, device=device)
    learner.module.train()
    bare = _steps(learner, _bare(learner), seconds)
    with closing(_endless(learner, pinned=learner.device == "cuda")) as prefetcher:
        minibatches = iter(prefetcher)

        def step() -> None:
            learner.step(next(minibatches).to(learner.device), settings.rate)

        fed = _steps(learner, step, seconds)
    with closing(_endless(learner, pinned=False)) as prefetcher:
        minibatches = iter(prefetcher)
        data = _steps(learner, lambda: next(minibatches), seconds)
    return ImitationSpeed(fed, bare, data)


def _endless(learner: Imitation, *, pinned: bool) -> Prefetcher:
    """A prefetcher whose minibatches do not run out."""
    return Prefetcher(learner.sources, 0, 1 << 40, learner.settings.batch, 1, pinned=pinned)


def _bare(learner: Imitation) -> Callable[[], None]:
    """A training step on random numbers that are already on the device."""
    import torch

    s, a, device = learner.settings, learner.architecture, learner.device
    x = torch.rand(s.batch, a.planes, a.height, a.width, device=device)
    x = (x < 0.1).float().contiguous(memory_format=torch.channels_last)
    legal = torch.randint(0, a.actions, (s.batch, _MOVES), device=device)
    slots = torch.randint(0, _MOVES, (s.batch, 1), device=device)
    targets = torch.rand(s.batch, device=device) * 2 - 1
    minibatch = TensorMinibatch(x, legal, slots, torch.ones(s.batch, 1, device=device), targets)

    def step() -> None:
        with torch.autocast(device, torch.bfloat16, enabled=learner.half):
            logits, values = learner.module(x)
        logs = torch.log_softmax(logits.float().gather(1, legal), dim=1)
        policy, value = losses(logs, values.float(), minibatch)
        learner.optimiser.zero_grad(set_to_none=True)
        (policy + value).backward()
        learner.optimiser.step()

    return step


def _steps(learner: Imitation, step: Callable[[], Any], seconds: float) -> float:
    """The positions per second of a step that is repeated for ``seconds``."""
    for _ in range(_WARM_UP):
        step()
    _synchronize(learner.device)
    count, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        for _ in range(5):
            step()
        count += 5
        if count % 50 == 0:
            _synchronize(learner.device)  # or the clock would measure only kernel launches
    _synchronize(learner.device)
    return count * learner.settings.batch / (time.perf_counter() - started)


def _synchronize(device: str) -> None:
    if device == "cuda":
        import torch

        torch.cuda.synchronize()
